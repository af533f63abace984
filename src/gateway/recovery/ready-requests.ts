/** Requests for `ready` that wait for a read of the event. */

import type { ReadyReason } from "../../protocol/ready.ts"
import type { PhaseTraits } from "../../protocol/rule.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionSeats } from "../rtc/media-seats.ts"
import { receivesStaffChat } from "./ready.ts"

/** A connection that needs `ready`: by a replay from its cursors, or with a snapshot for the given reason. */
export interface ReadyRequest {
  readonly connection: Connection
  readonly resume: Resume | undefined
  readonly reason: ReadyReason
  /** Lowest acceptable version of the state: that of the client's own commands before the request. */
  readonly since?: number
  /** Seats at the media server, minted before `ready` is sent. */
  readonly seats?: ConnectionSeats
}

/** The participants for whom a read is made. */
interface Readers {
  readonly participants: ReadonlyArray<string>
  /** The snapshot must have the version at which the participants' own state (votes, room, hand) is read. */
  readonly fresh: boolean
}

export class ReadyRequests {
  /** Requests by connection, so that removing a closed one costs the same when thousands wait. */
  #waiting = new Map<Connection, ReadonlyArray<ReadyRequest>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(request: ReadyRequest): void {
    const { connection } = request
    this.#waiting.set(connection, [...(this.#waiting.get(connection) ?? []), request])
    this.#size += 1
  }

  /** Removes and returns all requests. */
  take(): ReadonlyArray<ReadyRequest> {
    const requests = [...this.#waiting.values()].flat()
    this.#waiting = new Map()
    this.#size = 0
    return requests
  }

  /** The connection has closed. */
  forget(connection: Connection): void {
    this.#size -= this.#waiting.get(connection)?.length ?? 0
    this.#waiting.delete(connection)
  }

  /**
   * The waiting participants. Some of them receive shared content on their own stream in one of these phases (the staff chat), so the
   * personal and the shared state must have one version.
   */
  readers(phases: ReadonlyArray<PhaseTraits>): Readers {
    const identities = Array.from(this.#waiting.keys(), ({ identity }) => identity)
    return {
      participants: identities.map(({ participantId }) => participantId),
      fresh: identities.some((identity) => phases.some((phase) => receivesStaffChat(identity, phase))),
    }
  }
}
