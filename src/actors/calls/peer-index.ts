/** Index of the sockets of peers, by peer, socket, participant and node. */

export interface IndexedPeer {
  readonly roomId: string
  readonly connectionId: string
  readonly participantId: string
  /** Undefined for a peer that its own node has not reported yet. */
  readonly node: string | undefined
  /** Number of the socket on its node; the socket may be lost. */
  readonly socket: number
}

const keyOf = (node: string, socket: number): string => `${socket} ${node}`

export class PeerIndex {
  readonly #byId = new Map<string, IndexedPeer>()
  readonly #bySocket = new Map<string, string>()
  readonly #byParticipant = new Map<string, Set<string>>()

  find(connectionId: string): IndexedPeer | undefined {
    return this.#byId.get(connectionId)
  }

  at(node: string, socket: number): IndexedPeer | undefined {
    const connectionId = this.#bySocket.get(keyOf(node, socket))
    return connectionId === undefined ? undefined : this.#byId.get(connectionId)
  }

  ofParticipant(participantId: string): ReadonlyArray<IndexedPeer> {
    return this.#all(this.#byParticipant.get(participantId) ?? [])
  }

  ofNode(node: string): ReadonlyArray<IndexedPeer> {
    return [...this.#byId.values()].filter((peer) => peer.node === node)
  }

  /** Returns the former entry of the peer. */
  put(peer: IndexedPeer): IndexedPeer | undefined {
    const before = this.remove(peer.connectionId)
    const { connectionId, participantId, node, socket } = peer
    this.#byId.set(connectionId, peer)
    if (node !== undefined) this.#bySocket.set(keyOf(node, socket), connectionId)
    const own = this.#byParticipant.get(participantId) ?? new Set()
    this.#byParticipant.set(participantId, own.add(connectionId))
    return before
  }

  /** Returns the peer that was removed. */
  remove(connectionId: string): IndexedPeer | undefined {
    const peer = this.#byId.get(connectionId)
    if (peer === undefined) return undefined
    const { participantId, node, socket } = peer
    this.#byId.delete(connectionId)
    const key = node === undefined ? undefined : keyOf(node, socket)
    if (key !== undefined && this.#bySocket.get(key) === connectionId) this.#bySocket.delete(key)
    const own = this.#byParticipant.get(participantId)
    own?.delete(connectionId)
    if (own?.size === 0) this.#byParticipant.delete(participantId)
    return peer
  }

  #all(connectionIds: Iterable<string>): ReadonlyArray<IndexedPeer> {
    return [...connectionIds].flatMap((connectionId) => this.#byId.get(connectionId) ?? [])
  }
}
