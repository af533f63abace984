/**
 * Newcomers on their way in. `ready` means that the live event knows them: each is reported first, and `ready` waits for the
 * acknowledgement, so that every later decision of the event includes them. A participant with an open connection is known
 * already.
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
  /** Connections on their way in, by participant. */
  readonly #counts = new Map<string, number>()

  /** `inside`: the participants with an open connection here. */
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
    if (arrival === undefined) this.#count(identity.participantId, 1)
    this.#arrivals.set(connection, announced)
    this.#presence.arrived(identity, () => {
      announced.isKnown = true
      if (this.#arrivals.get(connection) === announced) then()
    })
    return false
  }

  /** The connection is open and no longer counts here. */
  entered(connection: Connection): void {
    this.#forget(connection)
  }

  /** The connection waits in the waiting room instead; the waiting room reports it to the live event. */
  held(connection: Connection): void {
    this.#forget(connection)
  }

  /** A connection of the participant is on its way in, and was reported: a leave after its report would undo it. */
  has(participantId: string): boolean {
    return this.#counts.has(participantId)
  }

  /** The connection closed on its way in. True: the participant was reported and has no other connection. */
  left(connection: Connection): boolean {
    if (!this.#forget(connection)) return false
    const { participantId } = connection.identity
    return !this.#counts.has(participantId) && !this.#inside.has(participantId)
  }

  /** All participants that were reported and are not inside yet. */
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
