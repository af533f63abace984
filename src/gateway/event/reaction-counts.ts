/** Reactions of this node's sockets, added up and reported to the live event ten times a second, never as one message per viewer. */
import { Effect } from "effect"
import type { ReactionReport } from "../../actors/presence/reactions.ts"
import { DueRun } from "../../clock/throttle.ts"
import type { ReactionKind } from "../../model/live/live-values.ts"
import { roomStream } from "../../model/live/streams.ts"
import { hasRooms } from "../../model/modality.ts"
import { isStaff } from "../../model/roles.ts"
import type { PhaseTraits } from "../../protocol/rule.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewayServices } from "../services.ts"

const REPORT_EVERY_MS = 100

/**
 * Whether a reaction lacks a room. In a phase with rooms, participants react only in their own room, because a reaction to everyone
 * disturbs all rooms. Only staff may send one.
 */
export const lacksRoom = (
  { identity, roomId }: Pick<Connection, "identity" | "roomId">,
  { modality }: PhaseTraits,
): boolean => roomId === null && hasRooms(modality) && !isStaff(identity.role)

type Count = ReactionReport["counts"][number]

export class ReactionCounts {
  readonly #services: GatewayServices
  readonly #eventId: string
  #counts = new Map<string, { -readonly [field in keyof Count]: Count[field] }>()
  readonly #report: DueRun

  constructor(services: GatewayServices, eventId: string) {
    this.#services = services
    this.#eventId = eventId
    this.#report = new DueRun(services.timers, () => this.#send())
  }

  /** Counts the reaction for the connection's room, or for everyone. */
  add({ roomId }: Pick<Connection, "roomId">, kind: ReactionKind, n: number): void {
    const stream = roomId === null ? "event" : roomStream(roomId)
    const key = `${stream} ${kind}`
    const count = this.#counts.get(key)
    if (count === undefined) this.#counts.set(key, { stream, kind, n })
    else count.n += n
    this.#report.within(REPORT_EVERY_MS)
  }

  stop(): void {
    this.#report.cancel()
  }

  #send(): void {
    const counts = [...this.#counts.values()]
    this.#counts = new Map()
    // Reactions of a failed report are lost: nothing depends on them.
    this.#services.fork(Effect.ignore(this.#services.live.reportReactions(this.#eventId, { counts })))
  }
}
