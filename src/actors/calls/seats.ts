/** Index of the sockets of peers, by peer, socket, participant and node. */

export interface CallSeat {
  readonly roomId: string
  readonly connectionId: string
  readonly participantId: string
  /** Undefined for a peer that its own node has not reported yet. */
  readonly node: string | undefined
  /** Number of the socket on its node; the socket may be lost. */
  readonly socket: number
}

const keyOf = (node: string, socket: number): string => `${socket} ${node}`

export class CallSeats {
  readonly #byId = new Map<string, CallSeat>()
  readonly #bySocket = new Map<string, string>()
  readonly #byParticipant = new Map<string, Set<string>>()

  find(connectionId: string): CallSeat | undefined {
    return this.#byId.get(connectionId)
  }

  at(node: string, socket: number): CallSeat | undefined {
    const connectionId = this.#bySocket.get(keyOf(node, socket))
    return connectionId === undefined ? undefined : this.#byId.get(connectionId)
  }

  ofParticipant(participantId: string): ReadonlyArray<CallSeat> {
    return this.#all(this.#byParticipant.get(participantId) ?? [])
  }

  ofNode(node: string): ReadonlyArray<CallSeat> {
    return [...this.#byId.values()].filter((seat) => seat.node === node)
  }

  /** Returns the peer's previous seat. */
  put(seat: CallSeat): CallSeat | undefined {
    const before = this.remove(seat.connectionId)
    const { connectionId, participantId, node, socket } = seat
    this.#byId.set(connectionId, seat)
    if (node !== undefined) this.#bySocket.set(keyOf(node, socket), connectionId)
    const own = this.#byParticipant.get(participantId) ?? new Set()
    this.#byParticipant.set(participantId, own.add(connectionId))
    return before
  }

  /** Returns the removed seat. */
  remove(connectionId: string): CallSeat | undefined {
    const seat = this.#byId.get(connectionId)
    if (seat === undefined) return undefined
    const { participantId, node, socket } = seat
    this.#byId.delete(connectionId)
    const key = node === undefined ? undefined : keyOf(node, socket)
    if (key !== undefined && this.#bySocket.get(key) === connectionId) this.#bySocket.delete(key)
    const own = this.#byParticipant.get(participantId)
    own?.delete(connectionId)
    if (own?.size === 0) this.#byParticipant.delete(participantId)
    return seat
  }

  #all(connectionIds: Iterable<string>): ReadonlyArray<CallSeat> {
    return [...connectionIds].flatMap((connectionId) => this.#byId.get(connectionId) ?? [])
  }
}
