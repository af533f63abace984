/**
 * The connections of one event on this node: those that wait for `ready`, those on their way in, those inside, and those in the waiting
 * room. Who is here is reported to the live event.
 */
import type { OpenConnection } from "../../actors/presence/open-connections.ts"
import { CLOSE, type CloseCode, isForGood } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import { ConnectionRegistry } from "../connection/connection-registry.ts"
import type { ConnectionLeft } from "../connection/step.ts"
import { ReadyRequests } from "../recovery/ready-requests.ts"
import type { GatewayServices } from "../services.ts"
import { closeStaggered } from "../transport/staggered-close.ts"
import { Arrivals } from "./arrivals.ts"
import type { ParticipantMemory } from "./participant-memory.ts"
import { PresenceReports } from "./presence-reports.ts"
import { WaitingRoom } from "./waiting-room.ts"

export class Attendance {
  readonly requests = new ReadyRequests()
  /** The connections inside. */
  readonly participants: ConnectionRegistry
  readonly presence: PresenceReports
  readonly waitingRoom: WaitingRoom
  readonly memory: ParticipantMemory
  readonly arrivals: Arrivals
  readonly #services: GatewayServices
  readonly #connected: Parameters<ParticipantMemory["attach"]>[0]
  /** Time since when there is no connection; `undefined` while there is one. */
  #emptySince: number | undefined
  #stopClosing: (() => void) | undefined

  constructor(services: GatewayServices, eventId: string, memory: ParticipantMemory) {
    const { options, timers } = services
    this.#services = services
    this.#emptySince = timers.now()
    this.participants = new ConnectionRegistry(options.connectionsPerParticipant)
    this.presence = new PresenceReports(services, eventId, {
      inside: (participantId) => this.#insideOf(participantId),
      waiting: (participantId) => this.waitingRoom.of(participantId),
    })
    this.waitingRoom = new WaitingRoom(timers, options.connectionsPerParticipant, this.presence)
    this.arrivals = new Arrivals(this.presence, this.participants)
    this.memory = memory
    this.#connected = [this.participants, this.waitingRoom]
    memory.attach(this.#connected)
  }

  /** Called when a connection enters the channel. */
  expect(): void {
    this.#emptySince = undefined
  }

  /** The connection was not admitted: it waits in the waiting room, or was closed. */
  held(connection: Connection): void {
    this.arrivals.forget(connection)
    if (connection.state === "lobby") this.memory.connected(connection)
  }

  /** Opens the connection; closes the participant's oldest one if there are too many. */
  open(connection: Connection): void {
    const surplus = this.participants.enter(connection)
    const isReported = this.arrivals.forget(connection)
    if (!isReported) this.presence.joined(connection.identity)
    this.memory.connected(connection)
    connection.apply({ type: "opened" })
    surplus?.close(CLOSE.replaced)
  }

  /** A connection closed, admitted or not. */
  forget(connection: Connection, departure: ConnectionLeft): void {
    const { from } = departure
    if (from === "waiting") {
      this.requests.forget(connection)
      if (this.arrivals.forget(connection)) this.#reportRest(connection, departure)
    } else if (from === "lobby" ? this.waitingRoom.forget(connection) : this.participants.leave(connection)) {
      this.#reportRest(connection, departure)
    }
    this.memory.closed(connection)
    if (this.#isEmpty) this.#emptySince ??= this.#services.timers.now()
  }

  /** A participant's connections that the live event counts as inside, oldest first. */
  #insideOf(participantId: string): ReadonlyArray<Connection> {
    return [...this.participants.connectionsOf(participantId), ...this.arrivals.connectionsOf(participantId)]
  }

  /**
   * Reports what remains after a connection of the participant closed. A `left` ends both presence and waiting, so it is reported only for
   * the last connection.
   */
  #reportRest({ identity: { participantId } }: Connection, { why }: ConnectionLeft): void {
    const newestInside = this.#insideOf(participantId).at(-1)
    const newestWaiting = this.waitingRoom.of(participantId).at(-1)
    if (newestWaiting !== undefined) this.presence.joinedWaitingRoom(newestWaiting.identity)
    else if (newestInside !== undefined) this.presence.joined(newestInside.identity)
    else this.presence.left(participantId, isForGood(why))
  }

  get #isEmpty(): boolean {
    return this.participants.size + this.waitingRoom.size + this.requests.size === 0
  }

  /** Whether there has been no connection for the time that a channel is kept, and nothing waits to be reported. */
  isOver(now: number): boolean {
    // A connection that was being admitted when the last one closed is inside now.
    if (!this.#isEmpty) this.#emptySince = undefined
    const since = this.#emptySince
    return since !== undefined && now - since >= this.#services.options.lingerMs && this.presence.isIdle
  }

  /** Reports everyone, because the live event may not know who is connected here. */
  reportEveryone(): void {
    for (const identity of this.participants.identities()) this.presence.joined(identity)
    for (const identity of this.arrivals.identities()) this.presence.joined(identity)
    for (const identity of this.waitingRoom.identities()) this.presence.joinedWaitingRoom(identity)
  }

  /** Closes connections whose participant has newer ones, here or on other nodes. Most of the listed connections are on other nodes. */
  closeReplaced(replaced: ReadonlyArray<OpenConnection>): void {
    const numbers = new Set(
      replaced.filter(({ node }) => node === this.#services.node).map(({ connection }) => connection),
    )
    if (numbers.size === 0) return
    const here = [this.participants.connections(), this.arrivals.connections(), this.waitingRoom.connections()]
    const found = here.flatMap((some) => [...some].filter(({ number }) => numbers.has(number)))
    for (const connection of found) connection.close(CLOSE.replaced)
  }

  /** Closes all connections over some time. */
  closeAll(why: CloseCode): void {
    const { timers, options } = this.#services
    const connections = [...this.participants.connections(), ...this.waitingRoom.connections()]
    this.#stopClosing = closeStaggered(timers, connections, why, options.endSpreadMs)
  }

  stop(): void {
    this.presence.stop()
    this.memory.detach(this.#connected)
    this.#stopClosing?.()
  }
}
