/** Sockets of this node that are in calls, or joining one. */
import type { CallPeer } from "../../actors/calls/call.ts"
import type { RtcTracks } from "../../protocol/messages/media.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"

/** Peer of a socket. */
export interface MemberPeer {
  readonly roomId: string
  readonly connectionId: string
  readonly have: RtcTracks
  /** The list last sent to the socket; empty before the first one. */
  readonly peers: ReadonlyArray<CallPeer>
  /** Session of the media server of that list. */
  readonly server?: string | undefined
}

/** A socket with a peer, or with a join in flight. */
export interface CallMember {
  readonly connection: Connection
  /** Identity at the last join; an open connection has the current one. */
  identity: Identity
  /** End of the grace period of the peer of a lost socket; undefined: the socket is open. */
  awayUntil: number | undefined
  peer: MemberPeer | undefined
  /** Number of joins in flight. */
  joins: number
  /** The member was removed while a join was in flight, which must not bring it back. */
  isOut: boolean
}

export class Members {
  readonly #bySocket = new Map<number, CallMember>()
  readonly #byParticipant = new Map<string, Set<CallMember>>()

  get size(): number {
    return this.#bySocket.size
  }

  get(socket: number): CallMember | undefined {
    return this.#bySocket.get(socket)
  }

  /** A copy: members may be removed meanwhile. */
  all(): ReadonlyArray<CallMember> {
    return [...this.#bySocket.values()]
  }

  ofParticipant(participantId: string): ReadonlyArray<CallMember> {
    return [...(this.#byParticipant.get(participantId) ?? [])]
  }

  /** The member of the socket, created if needed. */
  of(connection: Connection): CallMember {
    const known = this.#bySocket.get(connection.number)
    if (known !== undefined) return known
    const { number: socket, identity } = connection
    const member: CallMember = { connection, identity, awayUntil: undefined, peer: undefined, joins: 0, isOut: false }
    this.#bySocket.set(socket, member)
    const own = this.#byParticipant.get(identity.participantId) ?? new Set()
    this.#byParticipant.set(identity.participantId, own.add(member))
    return member
  }

  remove(member: CallMember): void {
    const { participantId } = member.identity
    if (!this.#bySocket.delete(member.connection.number)) return
    const own = this.#byParticipant.get(participantId)
    own?.delete(member)
    if (own?.size === 0) this.#byParticipant.delete(participantId)
  }

  clear(): void {
    this.#bySocket.clear()
    this.#byParticipant.clear()
  }
}
