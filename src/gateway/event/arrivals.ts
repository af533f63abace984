/**
 * Newcomers before their `ready`, which implies that the live event knows them. Each is reported first, and `ready` waits for the
 * acknowledgement, so that every later decision of the event includes them. A participant with an open connection is known already.
 */
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { PresenceReports } from "./presence-reports.ts"

interface Arrival {
  /** The identity that was reported to the live event. */
  readonly identity: Identity
  isKnown: boolean
}

export class Arrivals {
  readonly #presence: PresenceReports
  readonly #inside: { has(participantId: string): boolean }
  readonly #arrivals = new Map<Connection, Arrival>()
  /** Arrivals by participant, oldest first; never empty. */
  readonly #byId = new Map<string, Connection[]>()

  /** `inside`: the participants with an open connection on this node. */
  constructor(presence: PresenceReports, inside: { has(participantId: string): boolean }) {
    this.#presence = presence
    this.#inside = inside
  }

  /** False: the newcomer is being reported to the live event; `then` is called after the acknowledgement. */
  isKnown(connection: Connection, then: () => void): boolean {
    const { identity } = connection
    if (this.#inside.has(identity.participantId)) return true
    const arrival = this.#arrivals.get(connection)
    if (arrival?.identity === identity) return arrival.isKnown
    const announced: Arrival = { identity, isKnown: false }
    if (arrival === undefined) this.#add(connection)
    this.#arrivals.set(connection, announced)
    this.#presence.arrived(identity, () => {
      announced.isKnown = true
      if (this.#arrivals.get(connection) === announced) then()
    })
    return false
  }

  /** A participant's reported connections that are not inside yet, oldest first. */
  connectionsOf(participantId: string): ReadonlyArray<Connection> {
    return this.#byId.get(participantId) ?? []
  }

  /** All reported connections that are not inside yet. */
  connections(): IterableIterator<Connection> {
    return this.#arrivals.keys()
  }

  /** All participants who were reported and are not inside yet. */
  identities(): ReadonlyArray<Identity> {
    return Array.from(this.#arrivals.values(), ({ identity }) => identity)
  }

  #add(connection: Connection): void {
    const { participantId } = connection.identity
    const own = this.#byId.get(participantId)
    if (own === undefined) this.#byId.set(participantId, [connection])
    else own.push(connection)
  }

  /** Removes a connection that is inside, in the waiting room or closed. True: it was reported. */
  forget(connection: Connection): boolean {
    if (!this.#arrivals.delete(connection)) return false
    const { participantId } = connection.identity
    const own = this.#byId.get(participantId) ?? []
    own.splice(own.indexOf(connection), 1)
    if (own.length === 0) this.#byId.delete(participantId)
    return true
  }
}
