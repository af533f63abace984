/**
 * Brings connections up to date: by a replay from their cursors, or by a snapshot. Invariant: a connection gets `ready` with its cursors,
 * then everything published after them, and is subscribed in the same turn, so that nothing is lost or duplicated in between.
 */

import { wireStream } from "../../model/live/streams.ts"
import { isStaff } from "../../model/roles.ts"
import type { EncoderView } from "../../protocol/messages/media.ts"
import { CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import type { Delivery } from "../broadcast/delivery.ts"
import type { Connection } from "../connection/connection.ts"
import type { EventSubscriber } from "../recovery/event-subscriber.ts"
import { type ReadyMoment, readyWithSnapshot, resumedFrames } from "../recovery/ready.ts"
import type { ReadyRequest } from "../recovery/ready-requests.ts"
import { readingFor, whyNoReplay } from "../recovery/resume-check.ts"
import type { MediaSeats } from "../rtc/media-seats.ts"
import type { GatewayServices } from "../services.ts"
import type { StreamCursors, StreamName } from "../streams/stream-names.ts"
import { sendAll } from "../transport/send.ts"
import type { Attendance } from "./attendance.ts"
import type { MembershipSync } from "./membership-sync.ts"

/** Parts of the channel that an arriving connection uses. */
interface Needs {
  readonly eventId: string
  readonly services: GatewayServices
  readonly subscriber: EventSubscriber
  readonly attendance: Attendance
  readonly membership: MembershipSync
  readonly media: MediaSeats
  readonly delivery: Delivery
}

export class ConnectionSync {
  readonly #needs: Needs
  /** `ended`: all connections are being closed. `dead`: the event could not be opened. */
  #state: "opening" | "open" | "ended" | "dead" = "opening"

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get state(): "opening" | "open" | "ended" | "dead" {
    return this.#state
  }

  /** The event has been read: requests are served from now on. */
  open(): void {
    this.#state = "open"
    this.serveWaiting()
  }

  /** The event has ended: requests are refused from now on. */
  end(): void {
    this.#state = "ended"
    this.serveWaiting()
  }

  /** A read failed: closes the connections that wait for it. */
  fail(why: CloseCode): void {
    if (this.#state === "opening") this.#state = "dead"
    for (const { connection } of this.#needs.attendance.requests.take()) connection.close(why)
  }

  serveWaiting(): void {
    for (const request of this.#needs.attendance.requests.take()) this.makeReady(request)
  }

  /** Whether a replay from these cursors is exact. */
  canReplay(connection: Connection, resume: Resume): boolean {
    return whyNoReplay(this.#needs.subscriber, connection, resume) === undefined
  }

  /** Sends `ready` now, or once the event, the participant and the seats are known. */
  makeReady(request: ReadyRequest): void {
    const { subscriber, media } = this.#needs
    const { connection, resume } = request
    // A connection in the waiting room gets `ready` when it is admitted.
    if (connection.state === "closed" || connection.state === "lobby") return
    if (this.#state === "opening") {
      this.#wait(request)
      return
    }
    const refused = this.#refusal(connection)
    if (refused !== undefined) {
      connection.close(refused)
      return
    }
    if (connection.state === "waiting" && !this.#isKnownInside(connection, () => this.makeReady(request))) return
    if (media.lacks(connection, request.seats)) {
      media.mint(connection, (seats) => this.makeReady({ ...request, seats }))
      return
    }
    const reason = resume === undefined ? request.reason : whyNoReplay(subscriber, connection, resume)
    const since = request.since ?? subscriber.version
    const read = readingFor(subscriber, connection, since)
    // If some tallies are for voters only, resuming needs a read, which contains the participant's votes.
    if (
      resume !== undefined &&
      reason === undefined &&
      (read !== undefined || !subscriber.participants.hasVoterTallies)
    ) {
      this.#settle(request, resume.cursors)
      return
    }
    if (read === undefined) {
      this.#wait({ ...request, since })
      subscriber.refresh()
      return
    }
    const { cursors } = read
    const given = { ...this.#moment(), reason: reason ?? request.reason, cursors }
    const own = {
      ...media.inReady(read.state, media.present(connection, request.seats)),
      ...this.#encoderFor(connection),
    }
    this.#settle(request, cursors, readyWithSnapshot(connection, read.snapshot, own, given))
  }

  /**
   * True when the newcomer is admitted and known to the live event. Otherwise the connection waits in the waiting room, or `then` is called
   * once the live event has acknowledged the report.
   */
  #isKnownInside(connection: Connection, then: () => void): boolean {
    const { membership, attendance } = this.#needs
    if (membership.admits(connection)) return attendance.arrivals.isKnown(connection, then)
    attendance.held(connection)
    return false
  }

  #wait(request: ReadyRequest): void {
    const { services, attendance } = this.#needs
    const { requests } = attendance
    if (requests.size >= services.options.identifiesPending) request.connection.close(CLOSE.overloaded)
    else requests.add(request)
  }

  #refusal(connection: Connection): CloseCode | undefined {
    if (this.#state === "dead") return CLOSE.overloaded
    return this.#state === "ended" ? CLOSE.eventEnded : this.#needs.membership.refusal(connection.identity)
  }

  #moment(): ReadyMoment {
    const { services, subscriber } = this.#needs
    return { phase: subscriber.phase, now: services.timers.now() }
  }

  /** Sends `ready` at the cursors and the dispatches after them, and subscribes; all in one synchronous step. */
  #settle(request: ReadyRequest, cursors: StreamCursors, ready?: string): void {
    const { services, subscriber, attendance, media, delivery } = this.#needs
    const { connection } = request
    const seats = media.present(connection, request.seats)
    const { streams } = connection
    const cursor = (stream: StreamName): number => cursors[wireStream(stream)] ?? 0
    if (streams.some((stream) => cursor(stream) > delivery.published(stream))) delivery.flush()
    const { epoch, buffers } = subscriber
    const position = { epoch, v: delivery.version, cursors }
    const missed = media.inReplay(
      streams.flatMap((stream) => buffers.between(stream, cursor(stream), delivery.published(stream))),
      seats,
    )
    const own = { ...(seats === undefined ? {} : { media: seats.main }), ...this.#encoderFor(connection) }
    const frames =
      ready === undefined ? resumedFrames(connection, position, this.#moment(), missed, own) : [ready, ...missed]
    const isNew = connection.state === "waiting"
    if (isNew) attendance.open(connection)
    media.forget(connection)
    media.settle(connection, seats)
    if (!sendAll(connection, frames, services.options.orderedLimitBytes)) return
    connection.apply({ type: "resumed", polls: this.#voterPolls(connection) })
    if (!isNew) return
    const recovery = ready === undefined ? "replay" : "snapshot"
    services.telemetry.metrics.resumes.add(1, recovery)
    services.telemetry.metrics.joinDuration.observe((services.timers.now() - connection.openedAt) / 1000, recovery)
  }

  /** The encoder's state for staff. Its reports are sent on change and are not replayed. */
  #encoderFor({ identity }: Connection): { readonly encoder?: EncoderView | null } {
    if (!isStaff(identity.role)) return {}
    const { services, eventId } = this.#needs
    return { encoder: services.broadcasts.encoderOf(eventId) ?? null }
  }

  /** Polls whose tallies the participant may see as a voter. */
  #voterPolls({ identity }: Connection): ReadonlyArray<string> {
    const polls = this.#needs.subscriber.read?.personal[identity.participantId]?.state["hearsPolls"]
    return ((polls ?? []) as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
  }
}
