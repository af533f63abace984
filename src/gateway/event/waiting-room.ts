/**
 * Connections in an event's waiting room, which receive only the status of their admission. They are not present and cause no webhook
 * event. Their arrival is reported to the live event, which notifies staff.
 */

import type { Timers } from "../../clock/timers.ts"
import { CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import { ConnectionRegistry } from "../connection/connection-registry.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { PresenceReports } from "./presence-reports.ts"

export class WaitingRoom {
  readonly #waiting: ConnectionRegistry
  readonly #timers: Timers
  readonly #presence: PresenceReports

  /** `most`: the limit of connections of one participant. */
  constructor(timers: Timers, most: number, presence: PresenceReports) {
    this.#timers = timers
    this.#waiting = new ConnectionRegistry(most)
    this.#presence = presence
  }

  get size(): number {
    return this.#waiting.size
  }

  has(participantId: string): boolean {
    return this.#waiting.has(participantId)
  }

  connections(): ReadonlyArray<Connection> {
    return [...this.#waiting.connections()]
  }

  /** Connections of a participant. */
  of(participantId: string): ReadonlyArray<Connection> {
    return this.#waiting.connectionsOf(participantId)
  }

  identities(): ReadonlyArray<Identity> {
    return this.#waiting.identities()
  }

  hold(connection: Connection): void {
    connection.apply({ type: "heldBack" })
    const surplus = this.#waiting.enter(connection)
    this.#presence.joinedWaitingRoom(connection.identity)
    surplus?.close(CLOSE.replaced)
  }

  /** Lets a participant's connections in. All of them leave the waiting room before the first gets `ready`. */
  admit(participantId: string): void {
    const admitted = this.#waiting.connectionsOf(participantId)
    for (const connection of admitted) this.#waiting.leave(connection)
    if (admitted.length > 0) this.#presence.leftWaitingRoom(participantId)
    for (const connection of admitted) connection.apply({ type: "admitted", at: this.#timers.now() })
  }

  deny(participantId: string): void {
    for (const connection of this.#waiting.connectionsOf(participantId)) connection.apply({ type: "denied" })
  }

  close(participantId: string, why: CloseCode): void {
    for (const connection of this.#waiting.connectionsOf(participantId)) connection.close(why)
  }

  /** Removes a closed connection; false when it was not waiting. */
  forget(connection: Connection): boolean {
    return this.#waiting.leave(connection)
  }
}
