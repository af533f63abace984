/**
 * Periodic work beside the dispatcher's loop, which it never blocks: endpoints that always fail are disabled, deliveries that wait for a
 * disabled endpoint are skipped, replaced secrets that have expired are removed, feeds that nobody reads end, and old messages are deleted
 * with their deliveries. Several processes may run each statement concurrently.
 */
import { Clock, Effect, Schedule, type Scope } from "effect"
import type { Logger } from "pino"
import { toTimestamp } from "../model/timestamp.ts"
import type { Database, Queryable } from "../store/database.ts"
import { patiently } from "../store/sweeps.ts"
import { sweepFeeds } from "../store/webhooks/occurrence-feeds.ts"
import { skipDeliveries, sweepMessages } from "../store/webhooks/webhook-deliveries.ts"
import {
  deleteEndpointsOfDeletedEvents,
  disableFailing,
  forgetLapsedSecrets,
} from "../store/webhooks/webhook-endpoints.ts"
import type { RetryForever } from "./retry-forever.ts"

const TIDY_EVERY = "1 minute"
const SWEEP_EVERY = "1 hour"
const BATCH = 1_000
/** Retention of webhook events, their deliveries and attempts after the last delivery was finished. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000

/** Begins at once and continues until the scope closes. */
export const housekeeping = (
  database: Database["Service"],
  retryForever: RetryForever,
  log: Logger,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inBatches = (statement: Effect.Effect<number>) =>
      Effect.repeat(statement, { while: (rows) => rows === BATCH })

    const sweepUp = <A>(statement: (sql: Queryable) => Promise<A>) => retryForever(patiently(database, statement))

    const tidy = Effect.gen(function* () {
      for (const endpoint of yield* sweepUp(disableFailing)) {
        log.warn(
          endpoint,
          "webhooks: an endpoint was disabled, because for five days it has answered nothing but failures",
        )
      }
      yield* inBatches(sweepUp((sql) => skipDeliveries(sql, BATCH)))
      yield* sweepUp(forgetLapsedSecrets)
    })

    const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      sweepUp((sql) => sweepMessages(sql, toTimestamp(now - KEPT_MS), BATCH)),
    )

    yield* Effect.forkScoped(Effect.repeat(tidy, Schedule.spaced(TIDY_EVERY)))
    const endFeeds = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      sweepUp((sql) => sweepFeeds(sql, toTimestamp(now - KEPT_MS))),
    )

    const sweepAll = inBatches(sweep).pipe(
      Effect.andThen(endFeeds),
      Effect.andThen(sweepUp(deleteEndpointsOfDeletedEvents)),
    )
    yield* Effect.forkScoped(Effect.repeat(sweepAll, Schedule.spaced(SWEEP_EVERY)))
  })
