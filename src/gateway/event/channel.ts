/** One event with its local connections: wires their parts together, and applies what the subscriber emits. */
import { Effect, Fiber } from "effect"
import type { NotFound, Unavailable } from "../../model/errors.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import type { StoredVersion } from "../../store/live/live-events.ts"
import { Delivery } from "../broadcast/delivery.ts"
import { EncoderReports } from "../broadcast/encoder-reports.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionLeft } from "../connection/step.ts"
import { EventSubscriber, type SubscriberEvent } from "../recovery/event-subscriber.ts"
import { MediaSeats } from "../rtc/media-seats.ts"
import type { GatewayServices } from "../services.ts"
import { Attendance } from "./attendance.ts"
import { ConnectionSync } from "./connection-sync.ts"
import type { ParticipantMemory } from "./participant-memory.ts"
import { ReactionCounts } from "./reaction-counts.ts"
import { Rights } from "./rights.ts"

/** Pause before an event whose residence ended is asked again to stay in memory. */
const RESIDE_PAUSE = "15 seconds"

export class Channel {
  readonly eventId: string
  readonly memory: ParticipantMemory
  readonly reactions: ReactionCounts
  readonly attendance: Attendance
  readonly rights: Rights
  readonly delivery: Delivery
  readonly sync: ConnectionSync
  readonly #services: GatewayServices
  readonly #subscriber: EventSubscriber
  readonly #encoder: EncoderReports
  #residence: Fiber.Fiber<void> | undefined

  constructor(services: GatewayServices, eventId: string, memory: ParticipantMemory) {
    this.#services = services
    this.eventId = eventId
    this.memory = memory
    this.reactions = new ReactionCounts(services, eventId)
    this.attendance = new Attendance(services, eventId, memory)
    const { attendance } = this
    const subscriber = new EventSubscriber(services, eventId, attendance, (event) => this.#follow(event))
    this.#subscriber = subscriber
    const media = new MediaSeats(services, eventId, subscriber)
    const delivery = new Delivery(services, eventId, { participants: attendance.participants, media }, subscriber)
    this.delivery = delivery
    this.#encoder = new EncoderReports(eventId, services.broadcasts, delivery)
    this.rights = new Rights(services, eventId, { attendance, subscriber, delivery, media })
    const { membership } = this.rights
    this.sync = new ConnectionSync({ eventId, services, subscriber, attendance, membership, media, delivery })
  }

  #follow(event: SubscriberEvent): void {
    switch (event.type) {
      case "opened":
        this.#opened()
        break
      case "failed":
        this.#failed(event.failure)
        break
      case "published":
        this.delivery.ordered(event.stream, event.dispatch)
        break
      case "ephemeral":
        this.delivery.ephemeral(event.publication)
        break
      case "ended":
        this.#end()
        break
      case "restarted":
        this.#restart(event.reason)
        break
      case "refreshed":
        this.sync.serveWaiting()
        break
      case "settled":
        this.delivery.schedule()
        break
      case "actorLoaded":
        this.reportEveryone()
        break
      case "replaced":
        this.attendance.closeReplaced(event.connections)
        break
      default:
        this.rights.follow(event)
    }
  }

  /** Subscribes to the event; connections that enter wait until it has been read. */
  start(): void {
    this.#subscriber.start()
  }

  /** Whether the channel is behind the stored version (`recovery/version-audit.ts`). */
  isBehind(stored: StoredVersion | undefined): boolean {
    return this.#subscriber.isBehind(stored)
  }

  reload(): void {
    this.#subscriber.reload()
  }

  /** Resolves when all roles that the live event gave up to this version are known. `undefined`: they already are. */
  reached(version: number): Promise<void> | undefined {
    return this.#subscriber.versions.wait(version)
  }

  /** Facts about the phase on which permissions depend, for local checks. */
  get phase() {
    return this.#subscriber.phase
  }

  get epoch(): string {
    return this.#subscriber.epoch
  }

  get version(): number {
    return this.delivery.version
  }

  /** The event has been read, and what it publishes is followed. */
  get isOpen(): boolean {
    return this.sync.state === "open"
  }

  /** The state of a participant, with or without a connection. */
  standingOf(identity: Connection["identity"]) {
    const { participants, removed } = this.#subscriber
    return participants.standing(identity, removed)
  }

  get hasEnded(): boolean {
    return this.sync.state === "ended"
  }

  /** The event could not be opened: the next connection needs another channel. */
  get isDead(): boolean {
    return this.sync.state === "dead"
  }

  /** Lets an identified connection in, now or once the event has been read. */
  enter(connection: Connection, resume: Resume | undefined): void {
    this.attendance.expect()
    connection.apply({ type: "entered", eventId: this.eventId, resume })
  }

  /** A connection of this event closed, admitted or not. */
  forget(connection: Connection, departure: ConnectionLeft): void {
    this.rights.mesh.closed(connection, departure)
    this.attendance.forget(connection, departure)
  }

  /** Housekeeping; true when the channel is dead, or was unused long enough to be stopped. */
  sweep(now: number): boolean {
    if (this.isDead) return true
    this.#subscriber.trim(now)
    this.delivery.inspect()
    this.#encoder.look(now)
    // A call keeps a seat for a participant whose socket was lost.
    return this.attendance.isOver(now) && this.rights.mesh.isEmpty
  }

  reportEveryone(): void {
    this.rights.mesh.sayAgain()
    this.attendance.reportEveryone()
  }

  stop(): void {
    this.attendance.stop()
    this.reactions.stop()
    this.rights.stop()
    this.#subscriber.stop()
    this.delivery.stop()
    if (this.#residence !== undefined) this.#services.fork(Fiber.interrupt(this.#residence))
  }

  #opened(): void {
    this.delivery.flushed()
    const { fork, live } = this.#services
    // Residence ends early only when the event moves; then it is requested again, wherever the event is.
    this.#residence = fork(Effect.forever(Effect.andThen(live.reside(this.eventId), Effect.sleep(RESIDE_PAUSE))))
    this.sync.open()
  }

  #failed(failure: NotFound | Unavailable): void {
    this.sync.fail(failure._tag === "NotFound" ? CLOSE.notFound : CLOSE.overloaded)
  }

  #restart(reason: "epoch" | "gap"): void {
    this.delivery.restart()
    for (const connection of this.attendance.participants.connections()) connection.apply({ type: "restarted", reason })
    this.sync.serveWaiting()
  }

  #end(): void {
    if (this.hasEnded) return
    this.delivery.flush()
    this.rights.mesh.end()
    this.sync.end()
    this.attendance.closeAll(CLOSE.eventEnded)
  }
}
