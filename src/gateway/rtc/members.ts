/** The sockets of this node that are in calls, or on their way into one. */
import type { CallPeer } from "../../actors/calls/room.ts"
import type { RtcTracks } from "../../protocol/messages/media.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"

/** The peer of a socket. */
export interface MemberPeer {
  readonly roomId: string
  readonly connectionId: string
  readonly have: RtcTracks
  /** As the socket was sent them last; empty before its first list. */
  readonly peers: ReadonlyArray<CallPeer>
}

/** A socket with a peer, or with a join on its way. */
export interface CallMember {
  readonly connection: Connection
  /** At the time of its last join; an open connection has the present one. */
  identity: Identity
  /** The end of the time in which the peer of a lost socket keeps its place; undefined: the socket is open. */
  awayUntil: number | undefined
  peer: MemberPeer | undefined
  /** On their way. */
  joins: number
  /** It was removed while a join was on its way, which must not bring it back. */
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

  /** A copy: members may go meanwhile. */
  all(): ReadonlyArray<CallMember> {
    return [...this.#bySocket.values()]
  }

  ofParticipant(participantId: string): ReadonlyArray<CallMember> {
    return [...(this.#byParticipant.get(participantId) ?? [])]
  }

  /** The one that the socket is, or a new one. */
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
