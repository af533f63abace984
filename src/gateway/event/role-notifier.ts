/**
 * Tells connections how they stand now: `me.updated`, with their seat in the media server where that is another than they
 * were told of. After a phase change everyone of a role is told by one frame; only where there is a media server each
 * connection has to be told by itself, a few at a time.
 */

import { EventRole } from "../../model/roles.ts"
import type { ActingRole, PhaseTraits } from "../../protocol/rule.ts"
import type { UpdateReason } from "../../protocol/session.ts"
import type { StreamName } from "../broadcast/stream-names.ts"
import type { Topics } from "../broadcast/topics.ts"
import type { Connection, Identity } from "../connection/connection.ts"
import { rightsOf } from "../recovery/ready.ts"
import type { ConnectionRegistry } from "./connection-registry.ts"
import type { MediaSeats } from "./media-seats.ts"

interface Needs {
  readonly participants: ConnectionRegistry
  readonly media: MediaSeats
  readonly topics: Topics
  readonly phase: () => PhaseTraits
  /** If something of these streams waits for the tick, all that waits is sent now. */
  readonly publishWaiting: (streams: ReadonlyArray<StreamName>) => void
  /** Sends a frame to a topic behind what waits for the tick. */
  readonly afterTick: (topic: string, frame: string) => void
}

/** One of each who may do the same things. */
const EXAMPLES: ReadonlyArray<readonly [ActingRole, Pick<Identity, "kind" | "role">]> = [
  ...EventRole.literals.map((role) => [role, { kind: "user", role }] as const),
  ["anonymous", { kind: "anonymous", role: "viewer" }],
]

/** Seats are signed: so many connections are told at once, and the others after a pause each. */
const AT_ONCE = 200
const PAUSE_MS = 50

export class RoleNotifier {
  readonly #needs: Needs
  #timer: NodeJS.Timeout | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** A connection's role is another than it was told. */
  tell(connection: Connection, reason: UpdateReason): void {
    const { media, phase } = this.#needs
    const say = (seat: object): void => {
      const d = { ...rightsOf(connection.identity, phase()), reason, ...seat }
      connection.send(JSON.stringify({ op: 0, t: "me.updated", d }))
    }
    if (media.isTold(connection)) say({})
    else media.change(connection, (seat) => say({ media: seat }))
  }

  /** Each stored role hears how it reads in the phase that is active now. */
  tellAll(): void {
    this.stop()
    const { media, topics, phase, afterTick, publishWaiting } = this.#needs
    if (media.hasServer) {
      // What began the phase is heard before what it makes of one.
      publishWaiting(["event"])
      this.#tellEach([...this.#needs.participants.connections()])
      return
    }
    for (const [role, example] of EXAMPLES) {
      const d = { ...rightsOf(example, phase()), reason: "phase" }
      afterTick(topics.roleTopic(role), JSON.stringify({ op: 0, t: "me.updated", d }))
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #tellEach(connections: ReadonlyArray<Connection>): void {
    for (const connection of connections.slice(0, AT_ONCE)) {
      if (connection.state === "open") this.tell(connection, "phase")
    }
    const others = connections.slice(AT_ONCE)
    if (others.length > 0) this.#timer = setTimeout(() => this.#tellEach(others), PAUSE_MS)
  }
}
