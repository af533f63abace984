/**
 * Keeps the live tables small: once a minute it deletes rows that no reconnecting client can request any more, and shared buckets of limits
 * that are full again.
 */
import { Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database } from "../database.ts"
import { forgetFullBuckets } from "../limits/shared-buckets.ts"
import { forgetKept, keptSince } from "../live/kept-history.ts"
import { forgetKeyedCommands, forgetLiveCommands, forgetPublications } from "../live/live-history.ts"
import { inBatches, sweepEvery } from "../sweeps.ts"

/** Command ids are answered for ten minutes; slightly longer retention always covers the actor's memory. */
const COMMANDS_KEPT_MS = 660_000
/** An `Idempotency-Key` is valid for a day; an extra hour ensures that no answer is deleted before its key. */
const KEYED_KEPT_MS = 25 * 3_600_000

/** Clients may resume for `historyMs`. The history of an ended event is kept for `keptDays`. */
export const historySweepLayer = (
  historyMs: number,
  keptDays: number,
): Layer.Layer<never, never, Database | Telemetry> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const database = yield* Database
      const timers = yield* currentTimers
      const { log } = yield* Telemetry
      const sweep = Effect.suspend(() => sweepHistory(database, timers.now(), historyMs, keptDays))
      yield* Effect.forkScoped(sweepEvery("1 minute", log, sweep))
    }),
  )

/** `now`: Unix milliseconds. */
export const sweepHistory = (database: Database["Service"], now: number, historyMs: number, keptDays: number) => {
  const publications = toTimestamp(now - historyMs)
  const commands = toTimestamp(now - COMMANDS_KEPT_MS)
  const keyed = toTimestamp(now - KEYED_KEPT_MS)
  return Effect.all(
    [
      inBatches(database, (sql, limit) => forgetPublications(sql, publications, limit)),
      inBatches(database, (sql, limit) => forgetKept(sql, keptSince(now, keptDays), limit)),
      inBatches(database, (sql, limit) => forgetLiveCommands(sql, commands, limit)),
      inBatches(database, (sql, limit) => forgetKeyedCommands(sql, keyed, limit)),
      inBatches(database, forgetFullBuckets),
    ],
    { discard: true },
  )
}
