/**
 * Connections in an event's waiting room: they receive the status of their admission, and nothing else. They are not present and
 * cause no webhook event. Their arrival is reported to the live event, which notifies staff.
 */

import { CLOSE, type CloseCode } from "../../protocol/close-codes.ts"
import type { Connection, Identity } from "../connection/connection.ts"
import { ConnectionRegistry } from "./connection-registry.ts"
import type { PresenceReports } from "./presence-reports.ts"

type LobbyState = "waiting" | "admitted" | "denied"

const tell = (connection: Connection, state: LobbyState): void =>
  connection.send(JSON.stringify({ op: 0, t: "lobby.status", d: { state } }))

export class WaitingRoom {
  readonly #waiting: ConnectionRegistry
  readonly #presence: PresenceReports

  /** `most`: connections one participant may have. */
  constructor(most: number, presence: PresenceReports) {
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
    connection.state = "lobby"
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
      connection.state = "waiting"
      connection.waitingSince = Date.now()
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
