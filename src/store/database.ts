/**
 * The database for the other parts of the server, and the border between promises and effects. Store operations are plain
 * functions of a `Queryable`, so that they compose inside a transaction; `Database.run` and `.transaction` lift them once.
 * Rows come back camel-cased, times as RFC 3339 text, bigint as number (our counters stay below 2^53).
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { Unavailable } from "../model/errors.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { JoinedTransaction } from "./joined-transaction.ts"
import { Pool, type TransactionOptions } from "./pool/pool.ts"
import type { Queryable } from "./pool/statement.ts"
import { sqlState } from "./sqlstate.ts"

export type { Queryable } from "./pool/statement.ts"

export interface DatabaseOptions {
  readonly url: Redacted.Redacted<string>
  /** Connections in the pool. */
  readonly connections: number
  /** Statements that may wait for a connection; one more is refused at once. */
  readonly waiting?: number
  /** For a statement or a transaction, in milliseconds. */
  readonly deadlineMs?: number
}

export const DEFAULT_WAITING = 500
export const DEFAULT_DEADLINE_MS = 5_000
/** Time that statements under way get when the pool is closed. */
const CLOSE_WITHIN_MS = 1_000

/** An error that a store operation throws on purpose: it has a tag. */
export type Thrown = Error & { readonly _tag: string }

const isThrownOnPurpose = (cause: unknown): cause is Thrown =>
  cause instanceof Error && "_tag" in cause && !("code" in cause)

const BUSY = () => new Unavailable({ detail: "The server has too much to do right now.", retryAfterSeconds: 1 })
const AWAY = () => new Unavailable({ detail: "The database is not reachable.", retryAfterSeconds: 2 })
const OUT_OF_RESOURCES = () =>
  new Unavailable({ detail: "The database is out of space or memory.", retryAfterSeconds: 5 })

const unavailableBecause = (code: string): Unavailable => {
  if (code === "POOL_FULL") return BUSY()
  return code.startsWith("53") ? OUT_OF_RESOURCES() : AWAY()
}

/** A tagged error is expected and typed; a database that cannot answer is `Unavailable`; anything else is a defect. */
const lift = <A, E>(evaluate: () => Promise<A>): Effect.Effect<A, E | Unavailable> =>
  Effect.callback<A, E | Unavailable>((resume) => {
    evaluate().then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => {
        if (isThrownOnPurpose(cause)) return resume(Effect.fail(cause as E))
        const { code, unavailable } = sqlState(cause)
        if (unavailable) return resume(Effect.fail(unavailableBecause(code)))
        return resume(Effect.die(cause))
      },
    )
  })

const Joined = Context.Reference<JoinedTransaction | undefined>("gathercue/Database/Joined", {
  defaultValue: () => undefined,
})

/** Is the caller's work in a joined transaction? It then holds a connection, and must not wait for another. */
export const isInTransaction: Effect.Effect<boolean> = Effect.map(Joined, (joined) => joined !== undefined)

/** Runs statements outside of the joined transaction: reads before slow work, which must not keep the transaction open. */
export const outsideTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Joined, undefined)

/** Runs the effect once the caller's work is committed: at once, or after the transaction that it has joined. */
export const afterCommit = <R>(effect: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
  Effect.flatMap(Joined, (joined) =>
    joined === undefined
      ? effect
      : Effect.map(Effect.context<R>(), (context) => {
          joined.defer(Effect.provideContext(Effect.provideService(effect, Joined, undefined), context))
        }),
  )

export class Database extends Context.Service<
  Database,
  {
    /** Statements, each its own transaction on a connection of its own. Rejects with database errors and `PoolError`. */
    readonly sql: Queryable
    /** The same for live events, whose statements do not wait behind those of requests. */
    readonly liveSql: Queryable
    /** One or more statements, each its own transaction. `E` is the errors that `body` throws on purpose. */
    readonly run: <A, E extends Thrown = never>(
      body: (sql: Queryable) => Promise<A>,
    ) => Effect.Effect<A, E | Unavailable>
    /** As `run`, for live events: their statements do not wait behind those of requests. */
    readonly runLive: <A, E extends Thrown = never>(
      body: (sql: Queryable) => Promise<A>,
    ) => Effect.Effect<A, E | Unavailable>
    /** All statements or none; a thrown failure rolls back. `Unavailable` may also mean that the outcome is unknown. */
    readonly transaction: <A, E extends Thrown = never>(
      body: (sql: Queryable) => Promise<A>,
      options?: TransactionOptions,
    ) => Effect.Effect<A, E | Unavailable>
    /** True: so much waits already that new work should be refused before it costs anything. */
    readonly isCrowded: () => boolean
    /** As `transaction`, as a promise that rejects with the error itself. */
    readonly attempt: <A>(body: (sql: Queryable) => Promise<A>, options?: TransactionOptions) => Promise<A>
    /**
     * Does all that `work` does with the database in one transaction, whose last act is `last`; rolls it back when `last`
     * is null for the result of `work`. `Unavailable` may mean that the outcome is unknown.
     */
    readonly joined: <A, E extends Thrown, R>(
      work: Effect.Effect<A, E, R>,
      last: (answer: A) => ((sql: Queryable) => Promise<void>) | null,
    ) => Effect.Effect<A, E | Unavailable, R>
  }
>()("gathercue/Database") {
  static readonly fromPool = (pool: Pool): Database["Service"] => ({
    sql: pool.sql,
    liveSql: pool.liveSql,
    run: (body) => Effect.flatMap(Joined, (joined) => lift(() => joined?.join(body) ?? body(pool.sql))),
    runLive: (body) => lift(() => body(pool.liveSql)),
    transaction: (body, options) =>
      Effect.flatMap(Joined, (joined) => lift(() => joined?.join(body) ?? pool.transaction(body, options))),
    isCrowded: () => pool.isCrowded,
    attempt: (body, options) => pool.transaction(body, options),
    joined: <A, E extends Thrown, R>(
      work: Effect.Effect<A, E, R>,
      last: (answer: A) => ((sql: Queryable) => Promise<void>) | null,
    ) =>
      Effect.suspend(() => {
        const joined = new JoinedTransaction(pool)
        const commit = (answer: A): Effect.Effect<unknown, E | Unavailable> => {
          const act = last(answer)
          if (act === null) return Effect.void
          return Effect.flatMap(
            lift<ReadonlyArray<Effect.Effect<void>>, E>(() => joined.commit(act)),
            Effect.all,
          )
        }
        return Effect.provideService(work, Joined, joined).pipe(
          Effect.tap(commit),
          Effect.ensuring(Effect.promise(() => joined.rollback())),
        ) as Effect.Effect<A, E | Unavailable, R>
      }),
  })

  static readonly layer = (options: DatabaseOptions): Layer.Layer<Database, never, Telemetry> =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        const { metrics, sample } = yield* Telemetry
        const pool = yield* Effect.acquireRelease(
          Effect.sync(
            () =>
              new Pool({
                url: Redacted.value(options.url),
                connections: options.connections,
                waiting: options.waiting ?? DEFAULT_WAITING,
                deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
                observe: {
                  destroyed: (why) => metrics.databaseDestroyed.add(1, why),
                  pastDeadline: (what) => metrics.databasePastDeadline.add(1, what),
                  refused: () => metrics.databaseRefused.add(),
                },
              }),
          ),
          (open) => Effect.promise(() => open.close(CLOSE_WITHIN_MS)),
        )
        sample(() => {
          const { size, open, inUse, waiting, oldestWaitMs } = pool.stats
          metrics.databasePool.set(size)
          metrics.databaseOpen.set(open)
          metrics.databaseInUse.set(inUse)
          metrics.databaseWaiting.set(waiting)
          metrics.databaseOldestWait.set(oldestWaitMs / 1000)
        })
        return Database.fromPool(pool)
      }),
    )
}
