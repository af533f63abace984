/**
 * Newcomers on their way in. `ready` means that the live event knows them: it is told first, and `ready` waits for its word, so
 * that every decision after it sees them. A participant with a connection inside is known already.
 */
import type { Connection, Identity } from "../connection/connection.ts"
import type { PresenceReports } from "./presence-reports.ts"

interface Arrival {
  /** As the live event was told of the participant. */
  readonly identity: Identity
  isKnown: boolean
}

export class Arrivals {
  readonly #presence: PresenceReports
  readonly #isInside: (participantId: string) => boolean
  readonly #arrivals = new Map<Connection, Arrival>()
  /** Connections on their way in, by participant. */
  readonly #counts = new Map<string, number>()

  /** `isInside`: the participant has an open connection here. */
  constructor(presence: PresenceReports, isInside: (participantId: string) => boolean) {
    this.#presence = presence
    this.#isInside = isInside
  }

  /** False: the live event is being told of the newcomer; `then` is called once it knows. */
  isKnown(connection: Connection, then: () => void): boolean {
    const { identity } = connection
    if (this.#isInside(identity.participantId)) return true
    const arrival = this.#arrivals.get(connection)
    if (arrival?.identity === identity) return arrival.isKnown
    const announced: Arrival = { identity, isKnown: false }
    if (arrival === undefined) this.#count(identity.participantId, 1)
    this.#arrivals.set(connection, announced)
    this.#presence.arrived(identity, () => {
      announced.isKnown = true
      if (this.#arrivals.get(connection) === announced) then()
    })
    return false
  }

  /** The connection is inside from now on, and counts there. */
  entered(connection: Connection): void {
    this.#forget(connection)
  }

  /** The connection waits in the lobby instead, which tells the live event so. */
  held(connection: Connection): void {
    this.#forget(connection)
  }

  /** The connection closed on its way in. True: the live event was told of the participant, who has no other connection. */
  left(connection: Connection): boolean {
    if (!this.#forget(connection)) return false
    const { participantId } = connection.identity
    return !this.#counts.has(participantId) && !this.#isInside(participantId)
  }

  /** Everyone of whom the live event has been told, and who is not inside yet. */
  identities(): ReadonlyArray<Identity> {
    return Array.from(this.#arrivals.values(), ({ identity }) => identity)
  }

  #forget(connection: Connection): boolean {
    if (!this.#arrivals.delete(connection)) return false
    this.#count(connection.identity.participantId, -1)
    return true
  }

  #count(participantId: string, by: 1 | -1): void {
    const count = (this.#counts.get(participantId) ?? 0) + by
    if (count > 0) this.#counts.set(participantId, count)
    else this.#counts.delete(participantId)
  }
}
