/**
 * Turns an identified connection into an open one: it passes the refusals and the waiting room, is reported to the live event, and enters
 * the registry.
 */
import { CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionRegistry } from "../connection/connection-registry.ts"
import type { Arrivals } from "./arrivals.ts"
import type { MembershipSync } from "./membership-sync.ts"
import type { ParticipantMemory } from "./participant-memory.ts"
import type { PresenceReports } from "./presence-reports.ts"

interface Needs {
  readonly membership: MembershipSync
  readonly arrivals: Arrivals
  readonly participants: ConnectionRegistry
  readonly presence: PresenceReports
  readonly memory: ParticipantMemory
}

export class Admissions {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The reason why the connection may not even enter the waiting room. */
  refusal({ identity }: Connection): CloseCode | undefined {
    return this.#needs.membership.refusal(identity)
  }

  /**
   * True when the newcomer is admitted and known to the live event. Otherwise the connection waits in the waiting room, or `then` is called
   * once the live event has acknowledged the report.
   */
  isKnownInside(connection: Connection, then: () => void): boolean {
    const { membership, arrivals, memory } = this.#needs
    if (membership.admits(connection)) return arrivals.isKnown(connection, then)
    arrivals.held(connection)
    if (connection.state === "lobby") memory.connected(connection)
    return false
  }

  /** Opens the connection; closes the participant's oldest one if there are too many. */
  open(connection: Connection): void {
    const { participants, presence, arrivals, memory } = this.#needs
    const surplus = participants.enter(connection)
    const isReported = arrivals.entered(connection)
    if (!isReported) presence.joined(connection.identity)
    memory.connected(connection)
    connection.apply({ type: "opened" })
    surplus?.close(CLOSE.replaced)
  }
}
