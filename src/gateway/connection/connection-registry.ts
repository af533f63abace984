/**
 * Connections by participant: two tabs are one participant. The first connection is a join, the close of the last one a leave. The limit of
 * connections is enforced here at once; the live event enforces it across all nodes.
 */
import type { Connection } from "./connection.ts"
import type { Identity } from "./lifecycle.ts"

export class ConnectionRegistry {
  /** Connections of each participant, oldest first; never empty. */
  readonly #byId = new Map<string, Connection[]>()
  readonly #connections = new Set<Connection>()
  readonly #most: number

  /** `most`: the limit of connections of one participant. */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#connections.size
  }

  /** Adds an open connection. Returns the participant's oldest one if there are now too many on this node. */
  enter(connection: Connection): Connection | undefined {
    const { participantId } = connection.identity
    const own = this.#byId.get(participantId)
    this.#connections.add(connection)
    if (own === undefined) {
      this.#byId.set(participantId, [connection])
      return undefined
    }
    own.push(connection)
    return own.length > this.#most ? own[0] : undefined
  }

  /** Removes a connection; false when it is not registered. */
  leave(connection: Connection): boolean {
    if (!this.#connections.delete(connection)) return false
    const { participantId } = connection.identity
    const own = this.#byId.get(participantId) ?? []
    own.splice(own.indexOf(connection), 1)
    if (own.length === 0) this.#byId.delete(participantId)
    return true
  }

  has(participantId: string): boolean {
    return this.#byId.has(participantId)
  }

  /** Returns a copy: closing a connection changes the list. */
  connectionsOf(participantId: string): ReadonlyArray<Connection> {
    return [...(this.#byId.get(participantId) ?? [])]
  }

  connections(): IterableIterator<Connection> {
    return this.#connections.values()
  }

  /** All participants, each with the identity of their newest connection. */
  identities(): ReadonlyArray<Identity> {
    return Array.from(this.#byId.values(), (own) => own.at(-1)?.identity).filter((identity) => identity !== undefined)
  }
}
