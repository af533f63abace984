/**
 * Sweeping in bounded steps: each statement deletes a bounded number of rows found by an index, so that none holds locks for long, and a
 * backlog of months is deleted without a stall.
 */
import { Cause, Effect } from "effect"
import type { Unavailable } from "../model/errors.ts"
import type { Telemetry } from "../telemetry/telemetry.ts"
import type { Database, Queryable } from "./database.ts"

/** Maximum number of rows deleted per statement. */
export const SWEEP_BATCH = 2_000

/** Time limit of one sweep statement in milliseconds: no caller waits for it, so it may take longer than a request's. */
const SWEEP_WITHIN_MS = 30_000

/** Runs one statement of a sweep. */
export const patiently = <A>(
  database: Database["Service"],
  statement: (sql: Queryable) => Promise<A>,
): Effect.Effect<A, Unavailable> => database.transaction(statement, { withinMs: SWEEP_WITHIN_MS })

/**
 * Repeats a statement, which resolves to the number of rows it deleted, until it deletes fewer than its limit. Others may use the
 * connection between two statements.
 */
export const inBatches = (
  database: Database["Service"],
  statement: (sql: Queryable, limit: number) => Promise<number>,
  batch = SWEEP_BATCH,
): Effect.Effect<void, Unavailable> =>
  patiently(database, (sql) => statement(sql, batch)).pipe(
    Effect.repeat({ while: (deleted) => deleted >= batch }),
    Effect.asVoid,
  )

/** An endless sweep, which begins after a pause. A failure is logged, and the next run continues where it stopped. */
export const sweepEvery = (
  pause: "5 seconds" | "1 minute" | "1 hour",
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
