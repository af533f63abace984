/**
 * Sweeping in bounded steps: each statement deletes so many rows at most and finds them by an index, so that none holds
 * locks for long, and what has gathered over months is worked off without a stall.
 */
import { Cause, Effect } from "effect"
import type { Unavailable } from "../model/errors.ts"
import type { Telemetry } from "../telemetry.ts"
import type { Database, Queryable } from "./database.ts"

/** Rows a statement deletes at most. */
export const SWEEP_BATCH = 2_000

/** Repeats a statement, which resolves to the rows it deleted, until it finds fewer than it may delete. */
export const untilFewer = async (statement: (limit: number) => Promise<number>): Promise<void> => {
  let deleted = SWEEP_BATCH
  while (deleted >= SWEEP_BATCH) deleted = await statement(SWEEP_BATCH)
}

/** The same, and others may use the connection between two statements. */
export const inBatches = (
  database: Database["Service"],
  statement: (sql: Queryable, limit: number) => Promise<number>,
): Effect.Effect<void, Unavailable> =>
  database
    .run((sql) => statement(sql, SWEEP_BATCH))
    .pipe(Effect.repeat({ while: (deleted) => deleted >= SWEEP_BATCH }), Effect.asVoid)

/** A sweep for ever, which begins after a pause. One that fails is logged, and the next goes on where it stopped. */
export const sweepEvery = (
  pause: "1 minute" | "1 hour",
  log: Telemetry["Service"]["log"],
  sweep: Effect.Effect<void, Unavailable>,
): Effect.Effect<never> =>
  sweep.pipe(
    Effect.catchCause((cause) =>
      Effect.sync(() => log.warn({ err: Cause.squash(cause) }, "a sweep of the database failed")),
    ),
    Effect.delay(pause),
    Effect.forever,
  )
