/**
 * One event with its local connections: wires their parts together, applies what the subscriber emits, and represents the event to the hub
 * and to connections.
 */
import { Effect, Fiber } from "effect"
import type { OpenConnection } from "../../actors/presence/open-connections.ts"
import type { NotFound, Unavailable } from "../../model/errors.ts"
import type { EventAccess } from "../../model/grants.ts"
import type { EventRole } from "../../model/roles.ts"
import { CLOSE, isForGood } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import type { StoredVersion } from "../../store/live/live-events.ts"
import { Delivery } from "../broadcast/delivery.ts"
import { EncoderReports } from "../broadcast/encoder-reports.ts"
import type { Connection } from "../connection/connection.ts"
import { ConnectionRegistry } from "../connection/connection-registry.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { ParticipantState } from "../connection/participant-states.ts"
import type { ConnectionLeft, ReadyNeed } from "../connection/step.ts"
import { RoleChecks } from "../grants/role-checks.ts"
import { EventSubscriber, type SubscriberEvent } from "../recovery/event-subscriber.ts"
import { ReadyRequests } from "../recovery/ready-requests.ts"
import { MediaSeats } from "../rtc/media-seats.ts"
import { MeshCalls } from "../rtc/mesh-calls.ts"
import type { GatewayServices } from "../services.ts"
import type { StreamCursors } from "../streams/stream-names.ts"
import { closeStaggered } from "../transport/staggered-close.ts"
import { Admissions } from "./admissions.ts"
import { Arrivals } from "./arrivals.ts"
import { ConnectionSync } from "./connection-sync.ts"
import { MembershipSync } from "./membership-sync.ts"
import { Namesakes } from "./namesakes.ts"
import type { ParticipantMemory } from "./participant-memory.ts"
import { PresenceReports } from "./presence-reports.ts"
import { ReactionCounts } from "./reaction-counts.ts"
import { RoleNotifier } from "./role-notifier.ts"
import { WaitingRoom } from "./waiting-room.ts"

/** Pause before an event whose residence ended is asked again to stay in memory. */
const RESIDE_PAUSE = "15 seconds"

export class Channel {
  readonly eventId: string
  readonly memory: ParticipantMemory
  readonly reactions: ReactionCounts
  readonly participants: ConnectionRegistry
  readonly mesh: MeshCalls
  readonly #services: GatewayServices
  readonly #connected: Parameters<ParticipantMemory["attach"]>[0]
  readonly #waitingRoom: WaitingRoom
  readonly #requests: ReadyRequests
  readonly #presence: PresenceReports
  readonly #arrivals: Arrivals
  readonly #membership: MembershipSync
  readonly #namesakes: Namesakes
  readonly #roles: RoleNotifier
  readonly #roleChecks: RoleChecks
  readonly #subscriber: EventSubscriber
  readonly #delivery: Delivery
  readonly #encoder: EncoderReports
  readonly #sync: ConnectionSync
  #residence: Fiber.Fiber<void> | undefined
  /** Time since when the channel has no connection; `undefined` while it has one. */
  #emptySince: number | undefined
  #stopClosing: (() => void) | undefined

  constructor(services: GatewayServices, eventId: string, memory: ParticipantMemory) {
    const { options, timers } = services
    this.#services = services
    this.eventId = eventId
    this.#emptySince = timers.now()
    const participants = new ConnectionRegistry(options.connectionsPerParticipant)
    const presence = new PresenceReports(services, eventId, {
      inside: (participantId) => this.#insideOf(participantId),
      waiting: (participantId) => this.#waitingRoom.of(participantId),
    })
    const waitingRoom = new WaitingRoom(timers, options.connectionsPerParticipant, presence)
    const requests = new ReadyRequests()
    this.participants = participants
    this.#waitingRoom = waitingRoom
    this.#requests = requests
    this.#presence = presence
    this.memory = memory
    this.#connected = [participants, waitingRoom]
    memory.attach(this.#connected)
    this.#arrivals = new Arrivals(presence, participants)
    this.reactions = new ReactionCounts(services, eventId)
    this.#roleChecks = new RoleChecks(services, eventId)
    const subscriber = new EventSubscriber(services, eventId, { requests, participants }, (event) =>
      this.#follow(event),
    )
    this.#subscriber = subscriber
    this.mesh = new MeshCalls(services, eventId, subscriber)
    const media = new MediaSeats(services, eventId, subscriber)
    const delivery = new Delivery(services, eventId, { participants, media }, subscriber)
    this.#delivery = delivery
    this.#encoder = new EncoderReports(eventId, services.broadcasts, delivery)
    this.#roles = new RoleNotifier({ timers, eventId, participants, media, subscriber, delivery })
    const membership = new MembershipSync({
      participants,
      presence,
      waitingRoom,
      subscriber,
      delivery,
      roles: this.#roles,
      roomGuard: services.roomGuard,
    })
    this.#membership = membership
    this.#namesakes = new Namesakes(services, eventId, (id) => membership.closeNamesake(eventId, id))
    const admissions = new Admissions({
      membership,
      arrivals: this.#arrivals,
      participants,
      presence,
      memory: this.memory,
    })
    this.#sync = new ConnectionSync({ eventId, services, subscriber, requests, admissions, media, delivery })
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
        this.#delivery.ordered(event.stream, event.dispatch)
        break
      case "ephemeral":
        this.#delivery.ephemeral(event.publication)
        break
      case "participantChanged":
        this.#membership.follow(event.change)
        this.#namesakes.follow(event.change)
        this.mesh.review(event.change.participantId)
        break
      case "participantsRead":
        this.#membership.followAll()
        this.#namesakes.followAll()
        this.mesh.reviewAll()
        break
      case "lobbyChanged":
        this.#membership.reevaluate()
        this.mesh.reviewAll()
        break
      case "permissionsChanged":
        this.mesh.reviewAll()
        this.#roles.notifyAll()
        break
      case "removed":
        this.mesh.remove(event.participantId)
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
        this.#sync.serveWaiting()
        break
      case "settled":
        this.#delivery.schedule()
        break
      case "actorLoaded":
        this.reportEveryone()
        break
      case "replaced":
        this.#closeReplaced(event.connections)
        break
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

  /** Version up to which connections have received everything. */
  get version(): number {
    return this.#delivery.version
  }

  /** The event has been read, and what it publishes is followed. */
  get isOpen(): boolean {
    return this.#sync.state === "open"
  }

  /** The state of a participant, with or without a connection. */
  standingOf(identity: Identity): ParticipantState {
    const { participants, removed } = this.#subscriber
    return participants.standing(identity, removed)
  }

  get hasEnded(): boolean {
    return this.#sync.state === "ended"
  }

  /** The event could not be opened: a newcomer needs another channel. */
  get isDead(): boolean {
    return this.#sync.state === "dead"
  }

  /** Lets an identified connection in, now or once the event has been read. */
  enter(connection: Connection, resume: Resume | undefined): void {
    this.#emptySince = undefined
    connection.apply({ type: "entered", eventId: this.eventId, resume })
  }

  makeReady(connection: Connection, { resume, reason }: ReadyNeed): void {
    this.#sync.makeReady({ connection, resume, reason })
  }

  /** Whether a replay from these cursors is exact. */
  canReplay(connection: Connection, resume: Resume): boolean {
    return this.#sync.canReplay(connection, resume)
  }

  /** Brings an open connection up to date from its cursors: by a replay, or else by a snapshot. */
  sync(connection: Connection, resume: Resume): void {
    this.#sync.makeReady({ connection, resume, reason: "gap" })
  }

  /** Applies a new token: another role may have other streams. */
  renew(connection: Connection, identity: Identity): void {
    this.#membership.renew(connection, identity, "token")
    this.mesh.review(identity.participantId)
  }

  /** Applies the user's access to the event and their role in the workspace's list, which have just been read. */
  roleRead(connection: Connection, access: EventAccess, stored: EventRole | null): void {
    this.#membership.renew(connection, { ...connection.identity, ...access }, "role")
    this.mesh.review(connection.identity.participantId)
    const given = this.#subscriber.participants.givenRole(connection.identity.participantId)
    this.#roleChecks.look(connection, given, stored)
  }

  /** A connection of this event closed, admitted or not. */
  forget(connection: Connection, departure: ConnectionLeft): void {
    const { from } = departure
    this.mesh.closed(connection, departure)
    if (from === "waiting") {
      this.#requests.forget(connection)
      if (this.#arrivals.left(connection)) this.#reportRest(connection, departure)
    } else if (from === "lobby" ? this.#waitingRoom.forget(connection) : this.participants.leave(connection)) {
      this.#reportRest(connection, departure)
    }
    this.memory.closed(connection)
    if (this.#isEmpty) this.#emptySince ??= this.#services.timers.now()
  }

  /** A participant's connections that the live event counts as inside, oldest first. */
  #insideOf(participantId: string): ReadonlyArray<Connection> {
    return [...this.participants.connectionsOf(participantId), ...this.#arrivals.connectionsOf(participantId)]
  }

  /**
   * Reports what remains after a connection of the participant closed. A `left` ends both presence and waiting, so it is reported only for
   * the last connection.
   */
  #reportRest({ identity: { participantId } }: Connection, { why }: ConnectionLeft): void {
    const [inside, waiting] = [this.#insideOf(participantId), this.#waitingRoom.of(participantId)]
    const [newestInside, newestWaiting] = [inside.at(-1), waiting.at(-1)]
    if (newestWaiting !== undefined) this.#presence.joinedWaitingRoom(newestWaiting.identity)
    else if (newestInside !== undefined) this.#presence.joined(newestInside.identity)
    else this.#presence.left(participantId, isForGood(why))
  }

  get #isEmpty(): boolean {
    return this.participants.size + this.#waitingRoom.size + this.#requests.size === 0
  }

  /** Highest published `s` of each of the connection's streams. */
  heads(connection: Connection): StreamCursors {
    return this.#delivery.heads(connection)
  }

  /** Called when the connection's buffer has shrunk. */
  drained(connection: Connection): void {
    this.#delivery.drained(connection)
  }

  /** Housekeeping; true when the channel is dead, or was unused long enough to be stopped. */
  sweep(now: number): boolean {
    if (this.isDead) return true
    this.#subscriber.trim(now)
    this.#delivery.inspect()
    this.#encoder.look(now)
    // A connection that was being admitted when the last one closed is inside now.
    if (!this.#isEmpty) this.#emptySince = undefined
    const { lingerMs } = this.#services.options
    return this.#emptySince !== undefined && now - this.#emptySince >= lingerMs && this.#isIdle
  }

  /** Nothing waits to be reported, and no call keeps a seat for a participant whose socket was lost. */
  get #isIdle(): boolean {
    return this.#presence.isIdle && this.mesh.isEmpty
  }

  /** Stops presence reports: the node is going away, not its participants. */
  stopPresence(): void {
    this.#presence.stop()
  }

  stop(): void {
    this.stopPresence()
    this.memory.detach(this.#connected)
    this.reactions.stop()
    this.mesh.stop()
    this.#subscriber.stop()
    this.#delivery.stop()
    this.#roles.stop()
    this.#namesakes.stop()
    this.#stopClosing?.()
    if (this.#residence !== undefined) this.#services.fork(Fiber.interrupt(this.#residence))
  }

  #opened(): void {
    this.#delivery.flushed()
    const { fork, live } = this.#services
    // Residence ends early only when the event moves; then it is requested again, wherever the event is.
    this.#residence = fork(Effect.forever(Effect.andThen(live.reside(this.eventId), Effect.sleep(RESIDE_PAUSE))))
    this.#sync.open()
  }

  #failed(failure: NotFound | Unavailable): void {
    this.#sync.fail(failure._tag === "NotFound" ? CLOSE.notFound : CLOSE.overloaded)
  }

  /** Reports everyone, because the live event may not know who is connected here. */
  reportEveryone(): void {
    this.mesh.sayAgain()
    for (const identity of this.participants.identities()) this.#presence.joined(identity)
    for (const identity of this.#arrivals.identities()) this.#presence.joined(identity)
    for (const identity of this.#waitingRoom.identities()) this.#presence.joinedWaitingRoom(identity)
  }

  /** Closes connections whose participant has newer ones, here or on other nodes. Most of the listed connections are on other nodes. */
  #closeReplaced(replaced: ReadonlyArray<OpenConnection>): void {
    const numbers = new Set(
      replaced.filter(({ node }) => node === this.#services.node).map(({ connection }) => connection),
    )
    if (numbers.size === 0) return
    const here = [this.participants.connections(), this.#arrivals.connections(), this.#waitingRoom.connections()]
    const found = here.flatMap((some) => [...some].filter(({ number }) => numbers.has(number)))
    for (const connection of found) connection.close(CLOSE.replaced)
  }

  #restart(reason: "epoch" | "gap"): void {
    this.#delivery.restart()
    for (const connection of this.participants.connections()) connection.apply({ type: "restarted", reason })
    this.#sync.serveWaiting()
  }

  #end(): void {
    if (this.hasEnded) return
    this.#delivery.flush()
    this.mesh.end()
    this.#sync.end()
    const { timers, options } = this.#services
    const connections = [...this.participants.connections(), ...this.#waitingRoom.connections()]
    this.#stopClosing = closeStaggered(timers, connections, CLOSE.eventEnded, options.endSpreadMs)
  }
}
