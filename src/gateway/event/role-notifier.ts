/**
 * Notifies connections of their role with `me.updated`, and of their seat in the main room's call if it changed. After a phase change one
 * frame notifies all connections of a role. With a media server each connection is notified separately, in small groups.
 */

import { inPortions } from "../../clock/throttle.ts"
import type { Cancel, Timers } from "../../clock/timers.ts"
import { EventRole } from "../../model/roles.ts"
import type { ActingRole } from "../../protocol/rule.ts"
import type { UpdateReason } from "../../protocol/session.ts"
import type { Delivery } from "../broadcast/delivery.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionRegistry } from "../connection/connection-registry.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { EventSubscriber } from "../recovery/event-subscriber.ts"
import { rightsOf } from "../recovery/ready.ts"
import type { MediaSeats } from "../rtc/media-seats.ts"
import { roleTopic } from "../streams/topics.ts"

interface Needs {
  readonly timers: Timers
  readonly participants: ConnectionRegistry
  readonly media: MediaSeats
  readonly eventId: string
  /** Holds the phase on which permissions depend. */
  readonly subscriber: EventSubscriber
  readonly delivery: Delivery
}

/** An identity for each acting role. Equal roles have equal permissions. */
const EXAMPLES: ReadonlyArray<readonly [ActingRole, Pick<Identity, "kind" | "role">]> = [
  ...EventRole.literals.map((role) => [role, { kind: "user", role }] as const),
  ["anonymous", { kind: "anonymous", role: "viewer" }],
]

/** Seats are signed, which takes time: this many connections are notified at once, and the others after a pause each. */
const PORTIONS = { atOnce: 200, pauseMs: 50 }

export class RoleNotifier {
  readonly #needs: Needs
  #stopNotifying: Cancel | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Notifies a connection whose role differs from the last one sent. */
  notify(connection: Connection, reason: UpdateReason): void {
    const { media, subscriber } = this.#needs
    const send = (seat: object): void => {
      const d = { ...rightsOf(connection.identity, subscriber.phase), reason, ...seat }
      connection.send(JSON.stringify({ op: 0, t: "me.updated", d }))
    }
    if (!media.hasServer) send({ media: media.meshSeat(connection.identity) })
    else if (media.wasSent(connection)) send({})
    else media.change(connection, (seat) => send({ media: seat }))
  }

  /** Notifies each stored role of its effective role in the current phase. */
  notifyAll(): void {
    this.stop()
    const { media, eventId, subscriber, delivery } = this.#needs
    if (media.hasServer) {
      // Dispatches that start the phase precede the roles that follow from it.
      delivery.flushIfPending(["event"])
      const connections = [...this.#needs.participants.connections()]
      this.#stopNotifying = inPortions(this.#needs.timers, connections, PORTIONS, (connection) => {
        if (connection.state === "open") this.notify(connection, "phase")
      })
      return
    }
    for (const [role, example] of EXAMPLES) {
      const d = { ...rightsOf(example, subscriber.phase), reason: "phase", media: media.meshSeat(example) }
      delivery.afterTick(roleTopic(eventId, role), JSON.stringify({ op: 0, t: "me.updated", d }))
    }
  }

  stop(): void {
    this.#stopNotifying?.()
  }
}
