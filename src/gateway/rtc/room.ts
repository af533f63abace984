/**
 * The call of one room as a pure function: its peers and an event give the next peers and the effects. Invariants: a participant
 * has one peer, the number of peers never exceeds the limit, and a signal reaches only a peer of the same room. `mesh-rooms.ts`
 * performs the effects.
 */
import type { CommandData } from "../../protocol/contract.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import type { RtcTracks } from "../../protocol/topics/media.ts"
import { fullMessage, hasRoom } from "./limits.ts"

export interface Peer {
  readonly connectionId: string
  readonly participantId: string
  readonly name: string
  readonly have: RtcTracks
  /** The time until which a peer without a socket keeps its place; null: it has a socket. */
  readonly awayUntil: number | null
}

/** In the order in which they joined. */
export type CallRoom = ReadonlyArray<Peer>

export type PeerSignal = CommandData<"rtc.signal">
/** The reason why a peer left. */
export type PeerDeparture = "left" | "moved" | "replaced" | "expired"

interface Join extends Pick<Peer, "participantId" | "name" | "have"> {
  readonly type: "join"
  /** The peer that the socket has already. */
  readonly own: string | undefined
  readonly resume: string | undefined
  /** For a new peer. */
  readonly freshId: string
  /** The limit of peers where anybody sends a picture. */
  readonly maxPeers: number
}

export type RoomEvent =
  | Join
  | { readonly type: "leave"; readonly connectionId: string; readonly why: PeerDeparture }
  /** The socket of the peer is lost; the time until which the peer keeps its place. */
  | { readonly type: "lose"; readonly connectionId: string; readonly until: number }
  | { readonly type: "expire"; readonly now: number }
  | { readonly type: "signal"; readonly from: string; readonly signal: PeerSignal }

export type RoomEffect =
  /** The socket of the command is that of this peer from now on. */
  | { readonly type: "attach"; readonly peer: Peer; readonly resumed: boolean }
  | { readonly type: "detach"; readonly peer: Peer; readonly why: PeerDeparture }
  /** The list of peers is sent to one peer, or to all of them. */
  | { readonly type: "list"; readonly to: string | "all" }
  | { readonly type: "signal"; readonly from: string; readonly signal: PeerSignal }
  | { readonly type: "refuse"; readonly refusal: Refusal }

export interface RoomStep {
  readonly room: CallRoom
  readonly effects: ReadonlyArray<RoomEffect>
}

/** The wait before a signal to a peer without a socket is sent again. */
const AWAY_RETRY_MS = 1000

export const NO_SUCH_PEER: Refusal = { code: "not_found", message: "You are not in one call with this connection." }

const AWAY: Refusal = {
  code: "unavailable",
  message: "The peer's connection is interrupted.",
  temporary: true,
  retryAfterMs: AWAY_RETRY_MS,
}

const refused = (room: CallRoom, refusal: Refusal): RoomStep => ({ room, effects: [{ type: "refuse", refusal }] })

const isSameTracks = (a: RtcTracks, b: RtcTracks): boolean => a.audio === b.audio && a.video === b.video

/** The peer that the sender of `join` has already: by its socket, or by the id of its earlier socket. */
const knownPeer = (room: CallRoom, { own, resume, participantId }: Join): Peer | undefined =>
  room.find(({ connectionId }) => connectionId === own) ??
  room.find((peer) => peer.connectionId === resume && peer.participantId === participantId)

const join = (room: CallRoom, event: Join): RoomStep => {
  const { participantId, name, have, maxPeers, freshId } = event
  const known = knownPeer(room, event)
  const others = room.filter((peer) => peer.participantId !== participantId)
  const tracks = others.map((peer) => peer.have)
  if (!hasRoom(tracks, have, maxPeers)) return refused(room, { code: "conflict", message: fullMessage(maxPeers) })
  if (known === undefined) {
    const replaced = room.filter((peer) => peer.participantId === participantId)
    const peer: Peer = { connectionId: freshId, participantId, name, have, awayUntil: null }
    return {
      room: [...others, peer],
      effects: [
        ...replaced.map((gone): RoomEffect => ({ type: "detach", peer: gone, why: "replaced" })),
        { type: "attach", peer, resumed: false },
        { type: "list", to: "all" },
      ],
    }
  }
  const peer: Peer = { ...known, name, have, awayUntil: null }
  const isSame = isSameTracks(known.have, have) && known.name === name
  return {
    room: room.map((other) => (other === known ? peer : other)),
    effects: [
      { type: "attach", peer, resumed: true },
      // A peer that joins again without a change asks for fresh credentials.
      { type: "list", to: isSame ? peer.connectionId : "all" },
    ],
  }
}

const without = (room: CallRoom, gone: ReadonlyArray<Peer>, why: PeerDeparture): RoomStep => {
  if (gone.length === 0) return { room, effects: [] }
  return {
    room: room.filter((peer) => !gone.includes(peer)),
    effects: [...gone.map((peer): RoomEffect => ({ type: "detach", peer, why })), { type: "list", to: "all" }],
  }
}

const signal = (room: CallRoom, from: string, given: PeerSignal): RoomStep => {
  const [sender, receiver] = [from, given.to].map((id) => room.find(({ connectionId }) => connectionId === id))
  if (sender === undefined || receiver === undefined || sender === receiver) return refused(room, NO_SUCH_PEER)
  if (receiver.awayUntil !== null) return refused(room, AWAY)
  return { room, effects: [{ type: "signal", from, signal: given }] }
}

export const stepCall = (room: CallRoom, event: RoomEvent): RoomStep => {
  switch (event.type) {
    case "join":
      return join(room, event)
    case "leave":
      return without(
        room,
        room.filter(({ connectionId }) => connectionId === event.connectionId),
        event.why,
      )
    case "lose":
      return {
        room: room.map((peer) =>
          peer.connectionId === event.connectionId ? { ...peer, awayUntil: event.until } : peer,
        ),
        effects: [],
      }
    case "expire":
      return without(
        room,
        room.filter(({ awayUntil }) => awayUntil !== null && awayUntil <= event.now),
        "expired",
      )
    case "signal":
      return signal(room, event.from, event.signal)
  }
}
