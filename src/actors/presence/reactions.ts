/**
 * Reactions are counted, not stored: gateways add up the reactions of their sockets, and one tally per room or event is published every
 * half second. A restart loses at most half a second of reactions.
 */
import { Schema } from "effect"
import { DueRun } from "../../clock/throttle.ts"
import type { Timers } from "../../clock/timers.ts"
import { ReactionKind } from "../../model/live/live-values.ts"
import { type Ephemeral, ephemeralOf, type StreamFor } from "../../protocol/contract.ts"
import { STREAM_NAMES } from "../../protocol/dispatch.ts"

/** Counts of one gateway since its last report, keyed by stream: `event`, or a room's stream. */
export const ReactionReport = Schema.Struct({
  counts: Schema.Array(
    Schema.Struct({
      stream: Schema.Union([STREAM_NAMES.event, STREAM_NAMES.room]),
      kind: ReactionKind,
      n: Schema.Int,
    }),
  ),
})
export type ReactionReport = typeof ReactionReport.Type

const REACTION_WINDOW_MS = 500

export class Reactions {
  readonly #publish: (tallies: ReadonlyArray<Ephemeral>) => void
  #counts = new Map<StreamFor<"reaction.tally">, { [kind in ReactionKind]?: number }>()
  readonly #window: DueRun

  constructor(timers: Timers, publish: (tallies: ReadonlyArray<Ephemeral>) => void) {
    this.#publish = publish
    this.#window = new DueRun(timers, () => this.#publishTallies())
  }

  add({ counts }: ReactionReport): void {
    for (const { stream, kind, n } of counts) {
      const tally = this.#counts.get(stream) ?? {}
      tally[kind] = (tally[kind] ?? 0) + n
      this.#counts.set(stream, tally)
    }
    this.#window.within(REACTION_WINDOW_MS)
  }

  stop(): void {
    this.#window.cancel()
  }

  #publishTallies(): void {
    const windows = this.#counts
    this.#counts = new Map()
    this.#publish(
      Array.from(windows, ([stream, counts]) => {
        const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
        const d = { windowMs: REACTION_WINDOW_MS, counts, total }
        return ephemeralOf("reaction.tally", stream, d)
      }),
    )
  }
}
