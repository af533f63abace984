/**
 * Sweeping in bounded steps: each statement deletes so many rows at most and finds them by an index, so that none holds
 * locks for long, and what has gathered over months is worked off without a stall.
 */
import { Effect } from "effect"
import type { Unavailable } from "../model/errors.ts"
import type { Telemetry } from "../telemetry.ts"
import type { Database, Queryable } from "./database.ts"

/** Rows a statement deletes at most. */
export const SWEEP_BATCH = 2_000

/** Repeats a statement, which resolves to the rows it deleted, until it finds no more. */
export const inBatches = (
  database: Database["Service"],
  statement: (sql: Queryable, limit: number) => Promise<number>,
): Effect.Effect<void, Unavailable> =>
  database
    .run((sql) => statement(sql, SWEEP_BATCH))
    .pipe(Effect.repeat({ while: (rows) => rows >= SWEEP_BATCH }), Effect.asVoid)

/** A sweep for ever, which begins after a pause. One that fails is logged, and the next one goes on where it stopped. */
export const sweepEvery = (
  pause: "1 minute" | "1 hour",
  log: Telemetry["Service"]["log"],
  sweep: Effect.Effect<void, Unavailable>,
): Effect.Effect<never> =>
  sweep.pipe(
    Effect.catchCause((cause) => Effect.sync(() => log.warn({ cause }, "a sweep of the database failed"))),
    Effect.delay(pause),
    Effect.forever,
  )
