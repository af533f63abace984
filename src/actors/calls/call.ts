/**
 * The call of one room as a pure function: its peers and an event give the next peers and the effects. Invariants: a participant has at
 * most one peer, the number of peers never exceeds the limit, and a signal reaches only a peer of the same room. `calls.ts` performs the
 * effects.
 */
import type { CommandData } from "../../protocol/contract.ts"
import type { MutedSource, RtcTracks } from "../../protocol/messages/media.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import type { PeerEntry } from "./call-request.ts"
import { admitsPeer, fullMessage } from "./limits.ts"

/** A peer as listed to the other peers. */
export type CallPeer = typeof PeerEntry.Type

export interface Peer extends CallPeer {
  /** End of the grace period of a peer without a socket; null: it has a socket. */
  readonly awayUntil: number | null
  /** False: another node's list names the peer, but its own node has not reported it yet (`Restore`). */
  readonly isClaimed: boolean
}

/** The peers in the order in which they joined. */
export type Call = ReadonlyArray<Peer>

export type PeerSignal = CommandData<"rtc.signal">
/** The reason why a peer left. */
export type PeerDeparture = "left" | "moved" | "replaced" | "expired"

interface Join extends Omit<CallPeer, "connectionId"> {
  readonly type: "join"
  /** The peer that the socket already has in this room. */
  readonly own: string | undefined
  readonly resume: string | undefined
  /** Id to use if the join creates a peer. */
  readonly freshId: string
  /** Limit of peers once anybody sends video. */
  readonly maxPeers: number
}

/** Sets the muted sources of each peer. */
interface Mute {
  readonly type: "mute"
  readonly mutedOf: (participantId: string) => ReadonlyArray<MutedSource>
}

/** A peer of an earlier activation. All peers of a room are restored in order before any list is sent. */
interface Restore {
  readonly type: "restore"
  readonly peer: CallPeer
  readonly isClaimed: boolean
  /** End of the grace period; null: the peer has a socket. */
  readonly awayUntil: number | null
  readonly maxPeers: number
}

export type CallEvent =
  | Join
  | Restore
  | Mute
  | { readonly type: "leave"; readonly connectionId: string; readonly why: PeerDeparture }
  /** The peer's socket was lost; `until`: the end of its grace period. */
  | { readonly type: "lose"; readonly connectionId: string; readonly until: number }
  | { readonly type: "expire"; readonly now: number }
  | { readonly type: "signal"; readonly from: string; readonly signal: PeerSignal }

export type CallEffect =
  /** The socket of the command now belongs to this peer. */
  | { readonly type: "attach"; readonly peer: Peer; readonly resumed: boolean }
  | { readonly type: "detach"; readonly peer: Peer; readonly why: PeerDeparture }
  /** Sends the peer list to one peer, or to all. */
  | { readonly type: "list"; readonly to: string | "all" }
  | { readonly type: "signal"; readonly from: string; readonly signal: PeerSignal }
  /** Another set of the peer's sources is muted. */
  | { readonly type: "mute"; readonly peer: Peer }
  | { readonly type: "refuse"; readonly refusal: Refusal }

/** The call after an event, and the effects of the event. */
interface Next {
  readonly call: Call
  readonly effects: ReadonlyArray<CallEffect>
}

/** Delay before a signal to a peer without a socket is retried. */
const AWAY_RETRY_MS = 1000

export const NO_SUCH_PEER: Refusal = { code: "not_found", message: "You are not in one call with this connection." }

export const NOBODY_MEANT: Refusal = { code: "not_found", message: "Nobody whom you mean is in a call." }

/** The participant has a more recent peer. */
const TAKEN_OVER: Refusal = { code: "conflict", message: "Another tab of the participant has joined." }

const AWAY: Refusal = {
  code: "unavailable",
  message: "The peer's connection is interrupted.",
  temporary: true,
  retryAfterMs: AWAY_RETRY_MS,
}

/** The calls of the event have just moved to another owner, and not all nodes have reported their peers. */
export const LATER: Refusal = { ...AWAY, message: "The call is being moved; try again." }

const refused = (call: Call, refusal: Refusal): Next => ({ call, effects: [{ type: "refuse", refusal }] })

const isSameTracks = (a: RtcTracks, b: RtcTracks): boolean => a.audio === b.audio && a.video === b.video

/** The peer that the sender of `join` already has: found by its socket, or by the connection id that it resumes. */
const knownPeer = (call: Call, { own, resume, participantId }: Join): Peer | undefined =>
  call.find(({ connectionId }) => connectionId === own) ??
  call.find((peer) => peer.connectionId === resume && peer.participantId === participantId)

/** The member `muted` of a list's entry. */
const withMuted = (muted: ReadonlyArray<MutedSource>): Pick<CallPeer, "muted"> => (muted.length === 0 ? {} : { muted })

const fits = (others: Call, have: RtcTracks, maxPeers: number): boolean =>
  admitsPeer(
    others.map((peer) => peer.have),
    have,
    maxPeers,
  )

const join = (call: Call, event: Join): Next => {
  const { participantId, name, have, maxPeers, freshId, muted } = event
  const known = knownPeer(call, event)
  const others = call.filter((peer) => peer.participantId !== participantId)
  if (!fits(others, have, maxPeers)) return refused(call, { code: "conflict", message: fullMessage(maxPeers) })
  if (known === undefined) {
    const replaced = call.filter((peer) => peer.participantId === participantId)
    const peer: Peer = {
      connectionId: freshId,
      participantId,
      name,
      have,
      ...withMuted(muted ?? []),
      awayUntil: null,
      isClaimed: true,
    }
    return {
      call: [...others, peer],
      effects: [
        ...replaced.map((gone): CallEffect => ({ type: "detach", peer: gone, why: "replaced" })),
        { type: "attach", peer, resumed: false },
        { type: "list", to: "all" },
      ],
    }
  }
  const peer: Peer = { ...known, name, have, awayUntil: null, isClaimed: true }
  const isSame = isSameTracks(known.have, have) && known.name === name
  return {
    call: call.map((other) => (other === known ? peer : other)),
    effects: [
      { type: "attach", peer, resumed: true },
      // A peer that joins again without a change asks for fresh credentials.
      { type: "list", to: isSame ? peer.connectionId : "all" },
    ],
  }
}

/** Connection ids sort by creation time. */
const precedes = (one: CallPeer, other: CallPeer): boolean => one.connectionId < other.connectionId

/** The peers after evicting unclaimed ones, the last first, until the newcomer fits. Undefined: the room is full even so. */
const admitting = (others: Call, have: RtcTracks, maxPeers: number): Call | undefined => {
  if (fits(others, have, maxPeers)) return others
  const last = others.findLast(({ isClaimed }) => !isClaimed)
  if (last === undefined) return undefined
  return admitting(
    others.filter((peer) => peer !== last),
    have,
    maxPeers,
  )
}

const claimAgain = (call: Call, known: Peer, { peer: given, isClaimed, awayUntil, maxPeers }: Restore): Next => {
  if (!isClaimed || known.participantId !== given.participantId) return { call, effects: [] }
  const others = call.filter((other) => other !== known)
  const have = fits(others, given.have, maxPeers) ? given.have : known.have
  const peer: Peer = { ...given, have, awayUntil, isClaimed: true }
  return {
    call: call.map((other) => (other === known ? peer : other)),
    effects: [{ type: "attach", peer, resumed: true }],
  }
}

/** Restores a peer without sending a list: the caller sends it once all peers of a room are restored. */
const restore = (call: Call, event: Restore): Next => {
  const { peer: given, isClaimed, awayUntil, maxPeers } = event
  const known = call.find(({ connectionId }) => connectionId === given.connectionId)
  if (known !== undefined) return claimAgain(call, known, event)
  const own = call.filter(({ participantId }) => participantId === given.participantId)
  // The most recent peer of a participant wins, but a claimed peer wins over an unclaimed one.
  if (own.some((before) => !isClaimed || (before.isClaimed && precedes(given, before))))
    return refused(call, TAKEN_OVER)
  const others = call.filter((peer) => !own.includes(peer))
  const kept = admitting(others, given.have, maxPeers)
  if (kept === undefined || (!isClaimed && kept.length < others.length)) {
    return refused(call, { code: "conflict", message: fullMessage(maxPeers) })
  }
  const peer: Peer = { ...given, awayUntil, isClaimed }
  return {
    call: [...kept.filter((before) => precedes(before, peer)), peer, ...kept.filter((after) => !precedes(after, peer))],
    effects: [
      ...call
        .filter((before) => !kept.includes(before))
        .map((gone): CallEffect => ({ type: "detach", peer: gone, why: "replaced" })),
      ...(isClaimed ? ([{ type: "attach", peer, resumed: true }] as const) : []),
    ],
  }
}

const mute = (call: Call, { mutedOf }: Mute): Next => {
  const next = call.map((peer) => {
    const { muted: before = [], ...rest } = peer
    const muted = mutedOf(peer.participantId)
    return muted.join() === before.join() ? peer : { ...rest, ...withMuted(muted) }
  })
  const changed = next.filter((peer, at) => peer !== call[at])
  if (changed.length === 0) return { call, effects: [] }
  return {
    call: next,
    effects: [...changed.map((peer): CallEffect => ({ type: "mute", peer })), { type: "list", to: "all" }],
  }
}

const without = (call: Call, isGone: (peer: Peer) => boolean, why: PeerDeparture): Next => {
  const gone = call.filter(isGone)
  if (gone.length === 0) return { call, effects: [] }
  return {
    call: call.filter((peer) => !isGone(peer)),
    effects: [...gone.map((peer): CallEffect => ({ type: "detach", peer, why })), { type: "list", to: "all" }],
  }
}

const signal = (call: Call, from: string, given: PeerSignal): Next => {
  const [sender, receiver] = [from, given.to].map((id) => call.find(({ connectionId }) => connectionId === id))
  if (sender === undefined || receiver === undefined || sender === receiver) return refused(call, NO_SUCH_PEER)
  // Tiles are the media server's alone.
  if (given.kind === "views") return refused(call, NO_SUCH_PEER)
  if (receiver.awayUntil !== null) return refused(call, AWAY)
  return { call, effects: [{ type: "signal", from, signal: given }] }
}

export const stepCall = (call: Call, event: CallEvent): Next => {
  switch (event.type) {
    case "join":
      return join(call, event)
    case "restore":
      return restore(call, event)
    case "leave":
      return without(call, ({ connectionId }) => connectionId === event.connectionId, event.why)
    case "lose":
      return {
        call: call.map((peer) =>
          peer.connectionId === event.connectionId ? { ...peer, awayUntil: event.until } : peer,
        ),
        effects: [],
      }
    case "mute":
      return mute(call, event)
    case "expire":
      return without(call, ({ awayUntil }) => awayUntil !== null && awayUntil <= event.now, "expired")
    case "signal":
      return signal(call, event.from, event.signal)
  }
}
