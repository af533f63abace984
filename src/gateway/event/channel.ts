/**
 * One event with its local connections. Invariant: a connection gets `ready` with its cursors, then everything that was published
 * after them, and is subscribed in the same turn, so that nothing is lost or doubled between the three.
 */
import { Effect, Fiber } from "effect"
import type { NotFound, Unavailable } from "../../model/errors.ts"
import type { EventAccess } from "../../model/grants.ts"
import type { EventRole } from "../../model/roles.ts"
import { CLOSE, type CloseCode } from "../../protocol/close-codes.ts"
import type { Resume } from "../../protocol/frames.ts"
import { actingAs } from "../../protocol/rule.ts"
import { FanOut } from "../broadcast/fan-out.ts"
import { ownerOf, type StreamName, wireName } from "../broadcast/stream-names.ts"
import { Topics } from "../broadcast/topics.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import { RoleChecks } from "../grants/role-checks.ts"
import { ParticipantMemory } from "../memory/participant-memory.ts"
import { EventSubscriber, type SubscriberEvent } from "../recovery/event-subscriber.ts"
import { readyWithSnapshot, type StreamCursors } from "../recovery/ready.ts"
import { type ReadyRequest, resumedFrames } from "../recovery/ready-requests.ts"
import { readingFor, waitingReaders, whyNoReplay } from "../recovery/replay.ts"
import type { GatewayServices } from "../services.ts"
import { inspectBuffers, resumeEphemeral } from "../transport/backpressure.ts"
import type { Outgoing } from "../transport/outgoing.ts"
import { sendAll, sendEphemeral } from "../transport/send.ts"
import { closeStaggered } from "../transport/staggered-close.ts"
import { Arrivals } from "./arrivals.ts"
import { ConnectionRegistry } from "./connection-registry.ts"
import { MediaSeats } from "./media-seats.ts"
import { MembershipSync, subscribedStreams } from "./membership-sync.ts"
import { PresenceReports } from "./presence-reports.ts"
import { ReactionCounts } from "./reaction-counts.ts"
import { RoleNotifier } from "./role-notifier.ts"

/** The pause before an event whose residence ended is asked again to stay in memory. */
const RESIDE_PAUSE = "15 seconds"

export class Channel {
  readonly eventId: string
  readonly participants: ConnectionRegistry
  readonly memory: ParticipantMemory
  readonly #services: GatewayServices
  readonly #presence: PresenceReports
  readonly #arrivals: Arrivals
  readonly reactions: ReactionCounts
  readonly #media: MediaSeats
  readonly #membership: MembershipSync
  readonly #roles: RoleNotifier
  readonly #roleChecks: RoleChecks
  readonly #topics: Topics
  readonly #subscriber: EventSubscriber
  readonly #fanOut: FanOut
  #residence: Fiber.Fiber<void> | undefined
  readonly #onDead: () => void
  /** `ended`: all connections are being closed. `dead`: the event could not be opened. */
  #state: "opening" | "open" | "ended" | "dead" = "opening"
  #waiting: ReadyRequest[] = []
  /** Since when the channel has no connection; `undefined` while it has one. */
  #emptySince: number | undefined
  /** The version up to which all dispatches are published. */
  #shown = 0
  #stopClosing: (() => void) | undefined

  constructor(services: GatewayServices, eventId: string, onDead: () => void) {
    const { options } = services
    this.#services = services
    this.eventId = eventId
    this.#onDead = onDead
    this.#emptySince = services.timers.now()
    this.participants = new ConnectionRegistry(options.connectionsPerParticipant)
    this.memory = new ParticipantMemory(
      services,
      eventId,
      (participantId) =>
        this.participants.has(participantId) || this.#membership.waitingRoom.of(participantId).length > 0,
    )
    this.#presence = new PresenceReports(services, eventId)
    this.#arrivals = new Arrivals(this.#presence, (participantId) => this.participants.has(participantId))
    this.reactions = new ReactionCounts(services, eventId)
    this.#roleChecks = new RoleChecks(services, eventId)
    this.#topics = new Topics(eventId)
    this.#media = new MediaSeats(services, eventId, () => this.phase)
    this.#fanOut = new FanOut({
      timers: services.timers,
      publish: services.publish,
      topic: (stream) => this.#topics.topic(stream),
      ephemeralTopic: (publication) => this.#topics.ephemeralTopic(publication),
      sendTo: (participantId, dispatches) => this.#sendTo(participantId, dispatches),
      sendEphemeralTo: (participantId, dispatches) =>
        sendEphemeral(this.participants.connectionsOf(participantId), dispatches, options.orderedLimitBytes),
      tickMs: () => options.tickMs(this.participants.size),
      inspect: () => this.inspect(),
      flushed: () => {
        this.#shown = this.#subscriber.version
      },
    })
    const readers = {
      awaited: () => waitingReaders(this.#subscriber, this.#waiting),
      isReceived: (participantId: string) => this.participants.has(participantId),
    }
    this.#subscriber = new EventSubscriber(services, eventId, readers, (event) => this.#follow(event))
    const publishWaiting = (streams: ReadonlyArray<StreamName>) =>
      streams.some((stream) => this.#fanOut.pending(stream) > 0) && this.#fanOut.flush()
    this.#roles = new RoleNotifier({
      timers: services.timers,
      participants: this.participants,
      media: this.#media,
      topics: this.#topics,
      phase: () => this.phase,
      publishWaiting,
      afterTick: (topic, frame) => this.#fanOut.after(topic, frame),
    })
    this.#membership = new MembershipSync({
      timers: services.timers,
      participants: this.participants,
      presence: this.#presence,
      topics: this.#topics,
      subscriber: this.#subscriber,
      connectionsPerParticipant: options.connectionsPerParticipant,
      published: (stream) => this.#published(stream),
      publishWaiting,
      roles: this.#roles,
      sendReady: (connection, reason) => this.#makeReady({ connection, resume: undefined, reason }),
    })
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
        this.#publish(event.stream, event.dispatch)
        break
      case "ephemeral":
        if (this.#isHere(event.publication.stream)) this.#fanOut.ephemeral(event.publication)
        break
      case "participantChanged":
        this.#membership.follow(event.change)
        break
      case "participantsRead":
        this.#membership.followAll()
        break
      case "lobbyChanged":
        this.#membership.reevaluate()
        break
      case "permissionsChanged":
        this.#roles.notifyAll()
        break
      case "removed":
        this.#membership.closeAll(event.participantId, CLOSE.removed)
        break
      case "hidden":
        this.#membership.closeAnonymous()
        break
      case "ended":
        this.#end()
        break
      case "restarted":
        this.#restart(event.reason)
        break
      case "refreshed":
        this.#serveWaiting()
        break
      case "settled":
        this.#fanOut.schedule()
        break
      case "actorLoaded":
        this.#reportEveryone()
        break
    }
  }

  /** Subscribes to the event; connections that enter wait until it has been read. */
  start(): void {
    this.#subscriber.start()
  }

  /** The facts that permissions depend on, for local checks. */
  get phase() {
    return this.#subscriber.phase
  }

  get epoch(): string {
    return this.#subscriber.epoch
  }

  /** The version up to which connections have received everything. */
  get version(): number {
    return this.#fanOut.hasPending ? this.#shown : this.#subscriber.version
  }

  get hasEnded(): boolean {
    return this.#state === "ended"
  }

  /** Lets an identified connection in now, or when the event has been read. */
  enter(connection: Connection, resume: Resume | undefined): void {
    connection.apply({ type: "entered" })
    this.#emptySince = undefined
    this.#makeReady({ connection, resume, reason: "new" })
  }

  /** Is a replay from these cursors exact? */
  canReplay(connection: Connection, resume: Resume): boolean {
    return whyNoReplay(this.#subscriber, connection, resume) === undefined
  }

  /** Brings an open connection up to date from its cursors: by a replay, or else a snapshot. */
  sync(connection: Connection, resume: Resume): void {
    this.#makeReady({ connection, resume, reason: "gap" })
  }

  /** A new token: another role may have other streams. */
  renew(connection: Connection, identity: Identity): void {
    this.#membership.renew(connection, identity, "token")
  }

  /** The user's access to the event, and their role on the workspace's list, have just been read. */
  roleRead(connection: Connection, access: EventAccess, stored: EventRole | null): void {
    this.#membership.renew(connection, { ...connection.identity, ...access }, "role")
    const given = this.#subscriber.participants.givenRole(connection.identity.participantId)
    this.#roleChecks.look(connection, given, stored)
  }

  /** A connection of this event closed, admitted or not. */
  forget(connection: Connection): void {
    if (connection.state === "waiting") {
      this.#waiting = this.#waiting.filter((request) => request.connection !== connection)
      if (this.#arrivals.left(connection)) this.#presence.left(connection.identity.participantId)
    } else if (connection.state === "lobby") this.#membership.waitingRoom.forget(connection)
    else if (this.participants.leave(connection)) this.#presence.left(connection.identity.participantId)
    this.memory.closed(connection)
    const { waitingRoom } = this.#membership
    if (this.participants.size + waitingRoom.size + this.#waiting.length === 0)
      this.#emptySince = this.#services.timers.now()
  }

  /** Highest published `s` of each stream of the connection. */
  heads(connection: Connection): StreamCursors {
    return Object.fromEntries(subscribedStreams(connection).map((name) => [wireName(name), this.#published(name)]))
  }

  /** Closes sockets whose buffers are too large; pauses ephemeral messages of slow ones. */
  inspect(): void {
    inspectBuffers(this.participants.connections(), this.#topics, this.#services.options)
  }

  /** The connection's buffer got smaller. */
  drained(connection: Connection): void {
    resumeEphemeral(connection, this.#topics, this.#services.options)
  }

  /** Housekeeping; true when the channel was unused for long enough to be stopped. */
  sweep(now: number): boolean {
    this.#subscriber.trim(now)
    this.memory.sweep(now)
    this.inspect()
    const { lingerMs } = this.#services.options
    return this.#emptySince !== undefined && now - this.#emptySince >= lingerMs && this.#presence.isIdle
  }

  /** Stops presence reports: the node is going away, not its participants. */
  stopPresence(): void {
    this.#presence.stop()
  }

  stop(): void {
    this.stopPresence()
    this.reactions.stop()
    this.#subscriber.stop()
    this.#fanOut.stop()
    this.#roles.stop()
    this.#stopClosing?.()
    if (this.#residence !== undefined) this.#services.fork(Fiber.interrupt(this.#residence))
  }

  #opened(): void {
    this.#state = "open"
    this.#shown = this.#subscriber.version
    const { fork, live } = this.#services
    // Residence ends early only when the event moves; then it is requested again, wherever the event is.
    this.#residence = fork(Effect.forever(Effect.andThen(live.reside(this.eventId), Effect.sleep(RESIDE_PAUSE))))
    this.#serveWaiting()
  }

  #failed(failure: NotFound | Unavailable): void {
    const why = failure._tag === "NotFound" ? CLOSE.notFound : CLOSE.overloaded
    if (this.#state === "opening") {
      this.#state = "dead"
      this.#onDead()
    }
    for (const { connection } of this.#waiting.splice(0)) connection.close(why)
  }

  #reportEveryone(): void {
    for (const identity of this.participants.identities()) this.#presence.joined(identity)
    for (const identity of this.#arrivals.identities()) this.#presence.joined(identity)
    for (const identity of this.#membership.waitingRoom.identities()) this.#presence.knocked(identity)
  }

  #serveWaiting(): void {
    for (const request of this.#waiting.splice(0)) this.#makeReady(request)
  }

  #makeReady(request: ReadyRequest): void {
    const { connection, resume } = request
    // A connection in the waiting room gets `ready` when it is admitted.
    if (connection.state === "closed" || connection.state === "lobby") return
    if (this.#state === "opening") {
      this.#wait(request)
      return
    }
    const refused = this.#refusal(connection.identity)
    if (refused !== undefined) {
      connection.close(refused)
      return
    }
    if (connection.state === "waiting" && !this.#isKnownInside(request)) return
    if (this.#media.lacks(connection, request.seats)) {
      this.#media.mint(connection, (seats) => this.#makeReady({ ...request, seats }))
      return
    }
    const reason = resume === undefined ? request.reason : whyNoReplay(this.#subscriber, connection, resume)
    const since = request.since ?? this.#subscriber.version
    const read = readingFor(this.#subscriber, connection, since)
    // Where some tallies are for voters only, resuming needs a reading, which has the participant's votes.
    if (
      resume !== undefined &&
      reason === undefined &&
      (read !== undefined || !this.#subscriber.participants.votersHear)
    ) {
      this.#settle(request, resume.cursors)
      return
    }
    if (read === undefined) {
      this.#wait({ ...request, since })
      this.#subscriber.refresh()
      return
    }
    const { cursors } = read
    const given = { phase: this.phase, reason: reason ?? request.reason, cursors }
    const own = this.#media.inReady(read.state, request.seats)
    this.#settle(request, cursors, readyWithSnapshot(connection, read.snapshot, own, given))
  }

  /** True when the newcomer is admitted and known to the live event. Otherwise they wait, or this is retried after the report. */
  #isKnownInside(request: ReadyRequest): boolean {
    const { connection } = request
    if (!this.#membership.admits(connection)) {
      this.#arrivals.held(connection)
      if (connection.state === "lobby") this.memory.connected(connection)
      return false
    }
    return this.#arrivals.isKnown(connection, () => this.#makeReady(request))
  }

  #wait(request: ReadyRequest): void {
    if (this.#waiting.length >= this.#services.options.identifiesPending) request.connection.close(CLOSE.overloaded)
    else this.#waiting.push(request)
  }

  #refusal(identity: Identity): CloseCode | undefined {
    if (this.#state === "dead") return CLOSE.overloaded
    return this.#state === "ended" ? CLOSE.eventEnded : this.#membership.refusal(identity)
  }

  /** Sends `ready` at the cursors and the dispatches after them, and subscribes; all in one synchronous step. */
  #settle({ connection, seats }: ReadyRequest, cursors: StreamCursors, ready?: string): void {
    const streams = subscribedStreams(connection)
    const cursor = (stream: StreamName): number => cursors[wireName(stream)] ?? 0
    if (streams.some((stream) => cursor(stream) > this.#published(stream))) this.#fanOut.flush()
    const { epoch, buffers: rings } = this.#subscriber
    const place = { epoch, v: this.version, cursors }
    const missed = this.#media.inReplay(
      streams.flatMap((stream) => rings.between(stream, cursor(stream), this.#published(stream))),
      seats,
    )
    const frames =
      ready === undefined ? resumedFrames(connection, place, this.phase, missed, seats) : [ready, ...missed]
    const isNew = connection.state === "waiting"
    if (isNew) this.#admit(connection)
    this.#media.forget(connection)
    this.#media.settle(connection, seats)
    if (!sendAll(connection, frames, this.#services.options.orderedLimitBytes)) return
    connection.apply({ type: "resumed" })
    for (const stream of streams) this.#topics.subscribe(connection, stream)
    if (!connection.getsEphemeral) this.#topics.setEphemeral(connection, streams, true)
    this.#subscribePolls(connection)
    if (!isNew) return
    connection.socket.subscribe(this.#topics.roleTopic(actingAs(connection.identity)))
    this.#services.telemetry.metrics.resumes.add(1, ready === undefined ? "replay" : "snapshot")
  }

  /** Subscribes to the tallies that only voters may see. */
  #subscribePolls(connection: Connection): void {
    const polls = this.#subscriber.read?.personal[connection.identity.participantId]?.state["hearsPolls"]
    for (const { id } of (polls ?? []) as ReadonlyArray<{ readonly id: string }>)
      this.#topics.subscribePoll(connection, id, true)
  }

  #admit(connection: Connection): void {
    const { surplus } = this.participants.enter(connection)
    this.#arrivals.entered(connection)
    this.memory.connected(connection)
    connection.apply({ type: "opened" })
    this.#emptySince = undefined
    surplus?.close(CLOSE.replaced)
  }

  #restart(reason: "epoch" | "gap"): void {
    this.#fanOut.reset()
    this.#shown = this.#subscriber.version
    for (const connection of this.participants.connections()) {
      this.#membership.pause(connection)
      this.#makeReady({ connection, resume: undefined, reason })
    }
    this.#serveWaiting()
  }

  #end(): void {
    if (this.#state === "ended") return
    this.#fanOut.flush()
    this.#state = "ended"
    this.#serveWaiting()
    const connections = [...this.participants.connections(), ...this.#membership.waitingRoom.connections()]
    this.#stopClosing = closeStaggered(
      this.#services.timers,
      connections,
      CLOSE.eventEnded,
      this.#services.options.endSpreadMs,
    )
  }

  /** A dispatch for an absent participant is in the replay buffer only. */
  #publish(stream: StreamName, dispatch: Outgoing): void {
    if (this.#isHere(stream)) this.#fanOut.ordered(stream, dispatch)
  }

  #isHere(stream: StreamName): boolean {
    const owner = ownerOf(stream)
    return owner === undefined || this.participants.has(owner)
  }

  #sendTo(participantId: string, dispatches: ReadonlyArray<Outgoing>): void {
    for (const connection of this.participants.connectionsOf(participantId)) {
      if (!connection.isPaused) this.#media.send(connection, dispatches)
    }
  }

  /** Highest `s` that was sent to subscribers. */
  #published(stream: StreamName): number {
    return this.#subscriber.buffers.head(stream) - this.#fanOut.pending(stream)
  }
}
