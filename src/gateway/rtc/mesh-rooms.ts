/**
 * The calls between browsers of one event: finds the room of each peer, asks `room.ts` for every decision, and performs its
 * effects. Nothing here is published, stored or logged: signals hold addresses of people, and go to one connection. A restart of
 * the server forgets all calls; clients join again.
 */
import { DueRun } from "../../clock/throttle.ts"
import { iceServersFor } from "../../media/ice-servers.ts"
import { newId } from "../../model/ids.ts"
import type { CommandData, DispatchData, ReplyData } from "../../protocol/contract.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import { OP } from "../../protocol/wire/op.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { ConnectionLeft } from "../connection/step.ts"
import type { GatewayServices } from "../services.ts"
import { sendAll } from "../transport/send.ts"
import { limitsOf } from "./limits.ts"
import { callOf, callOfAbsent, type Facts } from "./places.ts"
import { type CallRoom, NO_SUCH_PEER, type Peer, type RoomEffect, type RoomEvent, stepCall } from "./room.ts"
import { SignalBudget } from "./signal-budget.ts"

/** A peer keeps its place for this long after its socket was lost. */
export const GRACE_MS = 15_000

/** Where a peer is, besides the room's own state. */
interface Seat {
  readonly roomId: string
  /** At the time of the last command; an open connection has the present one. */
  readonly identity: Identity
  /** Undefined: the socket is lost. */
  readonly connection: Connection | undefined
}

type Answer<T extends "rtc.join" | "rtc.leave" | "rtc.signal"> =
  | { readonly d: ReplyData<T> }
  | { readonly refusal: Refusal }

const ELSEWHERE: Refusal = { code: "not_found", message: "You are not in this room now." }
const MEDIA_SERVER: Refusal = {
  code: "conflict",
  message: "Calls go through the media server here: connect to it with your media seat.",
}

const SEVERAL_NODES: Refusal = {
  code: "conflict",
  message: "This server runs on several nodes, where calls need a media server (MEDIA_URL).",
}

/** Closes after which the participant may come back to the call at once. */
const isLoss = ({ why }: ConnectionLeft): boolean =>
  why === undefined || (why.advice !== "stop" && why.code !== CLOSE.revoked.code)

export class MeshRooms {
  readonly #services: Pick<GatewayServices, "options" | "timers" | "media">
  readonly #facts: Facts
  /** Rooms with at least one peer. */
  readonly #rooms = new Map<string, CallRoom>()
  readonly #seats = new Map<string, Seat>()
  /** The one peer of each participant. */
  readonly #byParticipant = new Map<string, string>()
  readonly #byConnection = new Map<Connection, string>()
  readonly #budgets = new WeakMap<Connection, SignalBudget>()
  readonly #expiry: DueRun

  constructor(services: Pick<GatewayServices, "options" | "timers" | "media">, facts: Facts) {
    this.#services = services
    this.#facts = facts
    this.#expiry = new DueRun(services.timers, () => this.#expire())
  }

  /** No peer is left, not even one without a socket. */
  get isEmpty(): boolean {
    return this.#seats.size + this.#byConnection.size === 0
  }

  /** People in calls, with those whose socket is lost. */
  get peers(): number {
    return this.#seats.size
  }

  /** 0, or the milliseconds until the connection may send a message of so many bytes. */
  spend(connection: Connection, bytes: number): number {
    const now = this.#services.timers.elapsed()
    const budget = this.#budgets.get(connection) ?? new SignalBudget(now)
    this.#budgets.set(connection, budget)
    return budget.spend(bytes, now)
  }

  join(connection: Connection, { roomId, resume, have }: CommandData<"rtc.join">): Answer<"rtc.join"> {
    if (this.#services.media.hasServer) return { refusal: MEDIA_SERVER }
    if (!this.#services.options.hasMesh) return { refusal: SEVERAL_NODES }
    if (this.#callOf(connection) !== roomId) return { refusal: ELSEWHERE }
    const { participantId, name } = connection.identity
    const effects = this.#step(
      roomId,
      {
        type: "join",
        own: this.#byConnection.get(connection),
        resume,
        freshId: newId(),
        participantId,
        name,
        have,
        maxPeers: this.#services.options.mesh.maxPeers,
      },
      connection,
    )
    for (const effect of effects) {
      if (effect.type === "refuse") return { refusal: effect.refusal }
      if (effect.type === "attach") return { d: { connectionId: effect.peer.connectionId, resumed: effect.resumed } }
    }
    return { refusal: ELSEWHERE }
  }

  leave(connection: Connection): Answer<"rtc.leave"> {
    this.#remove(this.#byConnection.get(connection), "left")
    return { d: {} }
  }

  signal(connection: Connection, signal: CommandData<"rtc.signal">): Answer<"rtc.signal"> {
    const from = this.#byConnection.get(connection)
    const seat = from === undefined ? undefined : this.#seats.get(from)
    if (from === undefined || seat === undefined) return { refusal: NO_SUCH_PEER }
    const [effect] = this.#step(seat.roomId, { type: "signal", from, signal })
    return effect?.type === "refuse" ? { refusal: effect.refusal } : { d: {} }
  }

  /** The connection closed. A peer whose socket was only lost keeps its place for a while. */
  closed(connection: Connection, departure: ConnectionLeft): void {
    const connectionId = this.#byConnection.get(connection)
    const seat = connectionId === undefined ? undefined : this.#seats.get(connectionId)
    if (connectionId === undefined || seat === undefined) return
    this.#byConnection.delete(connection)
    this.#seats.set(connectionId, { ...seat, identity: connection.identity, connection: undefined })
    if (!isLoss(departure)) {
      this.#remove(connectionId, "left")
      return
    }
    this.#step(seat.roomId, { type: "lose", connectionId, until: this.#services.timers.elapsed() + GRACE_MS })
    this.#expiry.within(GRACE_MS)
  }

  /** Removes the participant's peer if they are in another room now, or may not be in this one any more. */
  review(participantId: string): void {
    this.#review(this.#byParticipant.get(participantId))
  }

  reviewAll(): void {
    for (const connectionId of [...this.#seats.keys()]) this.#review(connectionId)
  }

  /** A host removed the participant. */
  remove(participantId: string): void {
    this.#remove(this.#byParticipant.get(participantId), "moved")
  }

  /** The event has ended. */
  end(): void {
    for (const connectionId of [...this.#seats.keys()]) this.#remove(connectionId, "moved")
  }

  /** Forgets everything, without a word to anybody. */
  stop(): void {
    this.#expiry.cancel()
    for (const known of [this.#rooms, this.#seats, this.#byParticipant, this.#byConnection]) known.clear()
  }

  #callOf({ state, identity, roomId }: Connection): string | null {
    return state === "open" ? callOf(identity.role, roomId, this.#facts.phase) : null
  }

  #review(connectionId: string | undefined): void {
    const seat = connectionId === undefined ? undefined : this.#seats.get(connectionId)
    if (seat === undefined) return
    const { connection, identity } = seat
    const call = connection === undefined ? callOfAbsent(identity, this.#facts) : this.#callOf(connection)
    if (call !== seat.roomId) this.#remove(connectionId, "moved")
  }

  #remove(connectionId: string | undefined, why: "left" | "moved"): void {
    const seat = connectionId === undefined ? undefined : this.#seats.get(connectionId)
    if (connectionId !== undefined && seat !== undefined) this.#step(seat.roomId, { type: "leave", connectionId, why })
  }

  #expire(): void {
    const now = this.#services.timers.elapsed()
    let next = Number.POSITIVE_INFINITY
    for (const roomId of [...this.#rooms.keys()]) {
      this.#step(roomId, { type: "expire", now })
      for (const { awayUntil } of this.#rooms.get(roomId) ?? [])
        if (awayUntil !== null) next = Math.min(next, awayUntil)
    }
    if (next !== Number.POSITIVE_INFINITY) this.#expiry.within(next - now)
  }

  /** `connection`: the sender of the command. */
  #step(roomId: string, event: RoomEvent, connection?: Connection): ReadonlyArray<RoomEffect> {
    const { room, effects } = stepCall(this.#rooms.get(roomId) ?? [], event)
    if (room.length === 0) this.#rooms.delete(roomId)
    else this.#rooms.set(roomId, room)
    for (const effect of effects) this.#perform(roomId, room, effect, connection)
    return effects
  }

  #perform(roomId: string, room: CallRoom, effect: RoomEffect, connection: Connection | undefined): void {
    switch (effect.type) {
      case "attach":
        if (connection !== undefined) this.#attach(roomId, effect.peer, connection)
        break
      case "detach":
        this.#detach(roomId, effect.peer, effect.why === "replaced" ? "replaced" : "moved", effect.why === "left")
        break
      case "list":
        for (const { connectionId } of room) {
          if (effect.to === "all" || effect.to === connectionId) this.#sendList(roomId, room, connectionId)
        }
        break
      case "signal": {
        const { to, ...signal } = effect.signal
        this.#send(this.#seats.get(to)?.connection, "rtc.signal", { from: effect.from, ...signal })
        break
      }
      case "refuse":
        break
    }
  }

  /** A peer that is resumed while its earlier socket is still open, as after a change of networks, belongs to the new socket. */
  #attach(roomId: string, { connectionId, participantId }: Peer, connection: Connection): void {
    const before = this.#seats.get(connectionId)?.connection
    if (before !== undefined && before !== connection) {
      this.#byConnection.delete(before)
      this.#sendClosed(roomId, connectionId, before, "replaced")
    }
    this.#seats.set(connectionId, { roomId, identity: connection.identity, connection })
    this.#byParticipant.set(participantId, connectionId)
    this.#byConnection.set(connection, connectionId)
  }

  /** `isSilent`: the peer knows that it is out. */
  #detach(
    roomId: string,
    { connectionId, participantId }: Peer,
    closed: "moved" | "replaced",
    isSilent: boolean,
  ): void {
    const connection = this.#seats.get(connectionId)?.connection
    this.#seats.delete(connectionId)
    if (this.#byParticipant.get(participantId) === connectionId) this.#byParticipant.delete(participantId)
    if (connection === undefined) return
    this.#byConnection.delete(connection)
    if (!isSilent) this.#sendClosed(roomId, connectionId, connection, closed)
  }

  #sendList(roomId: string, room: CallRoom, connectionId: string): void {
    const connection = this.#seats.get(connectionId)?.connection
    if (connection === undefined) return
    const { options, timers } = this.#services
    const { ice, policy, maxPeers } = options.mesh
    this.#send(connection, "rtc.peers", {
      roomId,
      connectionId,
      peers: room.map(({ connectionId, participantId, name, have }) => ({ connectionId, participantId, name, have })),
      limits: limitsOf(room.length, maxPeers),
      iceServers: iceServersFor(ice, connection.identity.participantId, timers.now()),
      policy,
    })
  }

  #sendClosed(roomId: string, connectionId: string, connection: Connection, closed: "moved" | "replaced"): void {
    const { policy, maxPeers } = this.#services.options.mesh
    const limits = limitsOf(0, maxPeers)
    this.#send(connection, "rtc.peers", { roomId, connectionId, peers: [], limits, iceServers: [], policy, closed })
  }

  /** Each in a frame of its own: three descriptions in one would exceed the limit of a frame. */
  #send<T extends "rtc.peers" | "rtc.signal">(connection: Connection | undefined, t: T, d: DispatchData<T>): void {
    if (connection === undefined || connection.state !== "open") return
    sendAll(connection, [JSON.stringify({ op: OP.dispatch, t, d })], this.#services.options.orderedLimitBytes)
  }
}
