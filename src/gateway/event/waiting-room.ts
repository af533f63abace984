/**
 * Connections in an event's waiting room: they receive the status of their admission, and nothing else. They are not present and
 * cause no webhook event. Their arrival is reported to the live event, which notifies staff.
 */

import type { Timers } from "../../clock/timers.ts"
import { CLOSE, type CloseCode } from "../../protocol/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import { ConnectionRegistry } from "./connection-registry.ts"
import type { PresenceReports } from "./presence-reports.ts"

type LobbyState = "waiting" | "admitted" | "denied"

const tell = (connection: Connection, state: LobbyState): void =>
  connection.send(JSON.stringify({ op: 0, t: "lobby.status", d: { state } }))

export class WaitingRoom {
  readonly #waiting: ConnectionRegistry
  readonly #timers: Timers
  readonly #presence: PresenceReports

  /** `most`: connections one participant may have. */
  constructor(timers: Timers, most: number, presence: PresenceReports) {
    this.#timers = timers
    this.#waiting = new ConnectionRegistry(most)
    this.#presence = presence
  }

  get size(): number {
    return this.#waiting.size
  }

  connections(): ReadonlyArray<Connection> {
    return [...this.#waiting.connections()]
  }

  /** A participant's connections. */
  of(participantId: string): ReadonlyArray<Connection> {
    return this.#waiting.connectionsOf(participantId)
  }

  identities(): ReadonlyArray<Identity> {
    return this.#waiting.identities()
  }

  hold(connection: Connection): void {
    connection.apply({ type: "heldBack" })
    const { isFirst, surplus } = this.#waiting.enter(connection)
    tell(connection, "waiting")
    if (isFirst) this.#presence.knocked(connection.identity)
    surplus?.close(CLOSE.replaced)
  }

  /** Removes and returns a participant's connections, which are admitted. */
  admit(participantId: string): ReadonlyArray<Connection> {
    const admitted = this.#waiting.connectionsOf(participantId)
    for (const connection of admitted) {
      this.forget(connection)
      connection.apply({ type: "admitted", at: this.#timers.now() })
      tell(connection, "admitted")
    }
    return admitted
  }

  close(participantId: string, why: CloseCode): void {
    for (const connection of this.#waiting.connectionsOf(participantId)) {
      if (why === CLOSE.lobbyDenied) tell(connection, "denied")
      connection.close(why)
    }
  }

  /** Closes at once a connection whose admission is denied. */
  refuse(connection: Connection): void {
    tell(connection, "denied")
    connection.close(CLOSE.lobbyDenied)
  }

  /** The connection closed, or was admitted. */
  forget(connection: Connection): void {
    if (this.#waiting.leave(connection)) this.#presence.gaveUp(connection.identity.participantId)
  }
}
