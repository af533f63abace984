/**
 * Write probe of this process: once a second a small transaction goes through the pool to the disk, with a deadline. The process is ready
 * when one succeeded in the last two seconds; no other condition counts.
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers } from "../clock/timers.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { Database, type Queryable } from "./database.ts"
import { sqlState } from "./sqlstate.ts"

interface Readiness {
  readonly isReady: boolean
  /** Reason against readiness in one sentence, without any detail of the database; null when ready. */
  readonly reason: string | null
}

const HEARTBEAT_EVERY_MS = 1_000
/** Retry interval after a failure, so that readiness returns soon after the database does. */
const RETRY_AFTER_MS = 250
/** Deadline of a probe. The wait for a connection may take two fifths of it, which leaves a slow disk about a second. */
const HEARTBEAT_WITHIN_MS = 1_900
const FRESH_MS = 2_000
/** Timeout for the lock of truncating the probes: while the statement waits for it, no probe can be written. */
const TRUNCATE_LOCK = "200ms"
/** A probe takes one page of 8 KiB, so about half a megabyte accumulates until the truncation. */
const HEARTBEATS_PER_TRUNCATE = 64
/** More than half a page, so that each probe takes a page of its own. */
const PROBE_BYTES = 7_000

/** Reasons by the prefix of the code; the first match counts. */
const REASONS: ReadonlyArray<readonly [string, string]> = [
  ["53100", "The database's disk is full."],
  ["53", "The database is out of resources."],
  ["58", "The database cannot use its disk."],
  ["25006", "The database takes no writes."],
  ["57014", "The database did not take a write in time."],
  ["55P03", "The database did not take a write in time."],
  ["POOL_DEADLINE", "The database did not take a write in time."],
  ["POOL_TIMEOUT", "No database connection could be had in time."],
  ["POOL_FULL", "Too much waits for a database connection."],
]

const reasonOf = (cause: unknown): string => {
  const { code } = sqlState(cause)
  return REASONS.find(([start]) => code.startsWith(start))?.[1] ?? "The database is not reachable."
}

/** The message is logged, so its commit must reach the disk. It locks nothing: nodes whose probes are cut off do not stop each other. */
const write = async (sql: Queryable): Promise<void> => {
  await sql`
    with probe as (insert into disk_probes (filler) values (repeat(' ', ${PROBE_BYTES}::int)))
    select pg_logical_emit_message(true, 'gathercue', '')`
}

export class DatabaseHeartbeat extends Context.Service<DatabaseHeartbeat, { readonly readiness: () => Readiness }>()(
  "gathercue/Heartbeat",
) {
  static readonly layer: Layer.Layer<DatabaseHeartbeat, never, Database | Telemetry> = Layer.effect(
    DatabaseHeartbeat,
    Effect.gen(function* () {
      const database = yield* Database
      const { log, metrics, sample } = yield* Telemetry
      const timers = yield* currentTimers
      let beats = 0
      let lastAt = Number.NEGATIVE_INFINITY
      let reason: string | null = "The database has not been written to yet."

      /**
       * A backup may hold a conflicting lock for long: then the probes grow by a page a second until a later attempt. It is a single
       * statement, which commits by itself: a node that is cut off in between must not keep the lock, for which all probes wait.
       */
      const truncate = (): Promise<void> =>
        Promise.resolve(
          database.sql`
            do $$ begin
              perform set_config('lock_timeout', '${database.sql.unsafe(TRUNCATE_LOCK)}', true);
              truncate disk_probes;
            end $$`,
        ).then(
          () => {},
          () => {},
        )

      /** Resolves to the milliseconds until the next beat. */
      const beat = async (): Promise<number> => {
        const since = timers.elapsed()
        try {
          await database.attempt(write, { priority: "live", withinMs: HEARTBEAT_WITHIN_MS })
          if (beats++ % HEARTBEATS_PER_TRUNCATE === 0) void truncate()
          lastAt = timers.elapsed()
          if (reason !== null && beats > 1) log.info("the database takes writes again")
          reason = null
          return Math.max(0, HEARTBEAT_EVERY_MS - (lastAt - since))
        } catch (cause) {
          const found = reasonOf(cause)
          if (found !== reason) log.warn({ err: cause }, `not ready: ${found}`)
          reason = found
          return RETRY_AFTER_MS
        }
      }

      yield* Effect.promise(beat)
      yield* Effect.forkScoped(
        Effect.forever(Effect.flatMap(Effect.promise(beat), (ms) => Effect.sleep(`${Math.ceil(ms)} millis`))),
      )

      const readiness = (): Readiness => {
        const isReady = timers.elapsed() - lastAt <= FRESH_MS
        return { isReady, reason: isReady ? null : (reason ?? "The database did not take a write in time.") }
      }
      sample(() => metrics.databaseReady.set(readiness().isReady ? 1 : 0))
      return { readiness }
    }),
  )
}
