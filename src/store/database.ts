/**
 * The database interface of the server, and the boundary between promises and effects. Store operations are plain functions of a
 * `Queryable`, so they compose inside a transaction: promises, or effects where a failure is expected. Rows have camel-case names, times as
 * RFC 3339 text, and bigint as number (our counters stay below 2^53).
 */
import { type Cause, Context, Effect, Exit, Layer, Redacted } from "effect"
import type { Unavailable } from "../model/errors.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { NO_TRACING, type SpanGiven } from "../telemetry/tracing.ts"
import { JoinedTransaction } from "./pool/joined-transaction.ts"
import { Pool, type TransactionOptions } from "./pool/pool.ts"
import type { Queryable } from "./pool/statement.ts"
import { failureOf } from "./query.ts"

export type { Queryable } from "./pool/statement.ts"

interface DatabaseOptions {
  readonly url: Redacted.Redacted<string>
  /** Connections in the pool. */
  readonly connections: number
  /** Maximum number of statements waiting for a connection; further ones are refused at once. */
  readonly waiting?: number
  /** Time limit of a statement or transaction in milliseconds. */
  readonly deadlineMs?: number
}

export const DEFAULT_WAITING = 500
export const DEFAULT_DEADLINE_MS = 5_000
/** Grace period for running statements when the pool is closed. */
const CLOSE_WITHIN_MS = 1_000

/**
 * The work of `run` or `transaction`: a promise of statements that are not expected to fail, or an effect, whose failures are the expected
 * ones. A body uses its argument instead of `Database`, because it holds a connection and must not wait for another one.
 */
type Body<A, E, R> = (sql: Queryable) => Promise<A> | Effect.Effect<A, E, R>

/** Includes the wait for a connection. */
const SPAN: SpanGiven = { kind: "client", attributes: { "db.system.name": "postgresql" } }

/** Runs a body of independent statements. An effect continues in the caller's fiber. */
const lift = <A, E, R>(evaluate: () => Promise<A> | Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.callback((resume) => {
    const work = evaluate()
    if (Effect.isEffect(work)) return resume(work)
    work.then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => resume(failureOf(cause)),
    )
  })

/**
 * Runs a body inside a transaction of the pool, which takes promises: an effect gets a fiber with the caller's services, and its cause
 * rejects the promise, so that the pool rolls back before the caller sees the cause. An interruption of the caller interrupts that fiber
 * and waits for the end of the transaction. A promise cannot be interrupted: its transaction ends unseen.
 */
const liftInside = <A, E, R, B>(
  body: Body<A, E, R>,
  transact: (promised: (sql: Queryable) => Promise<A>) => Promise<B>,
): Effect.Effect<B, E | Unavailable, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback((resume) => {
      let failure: Cause.Cause<E> | undefined
      let interrupt: (() => void) | undefined
      let isInterrupted = false
      const promised = (work: Effect.Effect<A, E, R>): Promise<A> =>
        new Promise((resolve, reject) => {
          const onExit = (exit: Exit.Exit<A, E>): void => {
            if (Exit.isSuccess(exit)) resolve(exit.value)
            else {
              failure = exit.cause
              reject(exit.cause)
            }
          }
          interrupt = Effect.runCallbackWith(context)(isInterrupted ? Effect.interrupt : work, { onExit })
        })
      const ended = transact((sql) => {
        const work = body(sql)
        return Effect.isEffect(work) ? promised(work) : work
      }).then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => {
          // The connection may be lost while the body waits for something else.
          interrupt?.()
          resume(failure !== undefined && cause === failure ? Effect.failCause(failure) : failureOf(cause))
        },
      )
      return Effect.suspend(() => {
        isInterrupted = true
        interrupt?.()
        return interrupt === undefined ? Effect.void : Effect.promise(() => ended)
      })
    }),
  )

const Joined = Context.Reference<JoinedTransaction | undefined>("gathercue/Database/Joined", {
  defaultValue: () => undefined,
})

/** Whether the caller's work is in a joined transaction. It then holds a connection, and must not wait for another. */
export const isInTransaction: Effect.Effect<boolean> = Effect.map(Joined, (joined) => joined !== undefined)

/** Runs statements outside the joined transaction: reads before slow work, which must not keep the transaction open. */
export const outsideTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Joined, undefined)

/** Runs the effect once the caller's work is committed: at once, or after the joined transaction. */
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
    /** Statements, each in its own transaction on a connection of its own. Rejects with database errors and `PoolError`. */
    readonly sql: Queryable
    /** Like `sql`, for live events, whose statements do not wait behind those of requests. */
    readonly liveSql: Queryable
    /** Like `liveSql`, for read-only statements: one that is not answered soon is sent again, and the first answer counts. */
    readonly liveReads: Queryable
    /** Runs one or more statements, each in its own transaction. */
    readonly run: <A, E = never, R = never>(body: Body<A, E, R>) => Effect.Effect<A, E | Unavailable, R>
    /** Runs one or more statements of `liveReads`. */
    readonly readLive: <A, E = never, R = never>(body: Body<A, E, R>) => Effect.Effect<A, E | Unavailable, R>
    /**
     * Runs all statements or none: a body that fails, dies or is interrupted is rolled back. `Unavailable` may also mean that the outcome
     * is unknown.
     */
    readonly transaction: <A, E = never, R = never>(
      body: Body<A, E, R>,
      options?: TransactionOptions,
    ) => Effect.Effect<A, E | Unavailable, R>
    /** Whether so many statements are waiting that new work should be refused before it costs anything. */
    readonly isCrowded: () => boolean
    /** Like `transaction`, as a promise that rejects with the error itself. */
    readonly attempt: <A>(body: (sql: Queryable) => Promise<A>, options?: TransactionOptions) => Promise<A>
    /**
     * Runs all database work of `work` in one transaction, whose last act is `last`; rolls it back when `last` is null for the result of
     * `work`. `Unavailable` may mean that the outcome is unknown.
     */
    readonly joined: <A, E, R, E2 = never>(
      work: Effect.Effect<A, E, R>,
      last: (answer: A) => Body<void, E2, never> | null,
    ) => Effect.Effect<A, E | E2 | Unavailable, R>
  }
>()("gathercue/Database") {
  static readonly fromPool = (pool: Pool, tracing = NO_TRACING): Database["Service"] => ({
    sql: pool.sql,
    liveSql: pool.liveSql,
    liveReads: pool.liveReads,
    run: (body) =>
      tracing.within(
        "database run",
        SPAN,
        Effect.flatMap(Joined, (joined) =>
          joined === undefined ? lift(() => body(pool.sql)) : liftInside(body, (promised) => joined.join(promised)),
        ),
      ),
    readLive: (body) => lift(() => body(pool.liveReads)),
    transaction: (body, options) =>
      tracing.within(
        "database transaction",
        SPAN,
        Effect.flatMap(Joined, (joined) =>
          liftInside(body, (promised) => joined?.join(promised) ?? pool.transaction(promised, options)),
        ),
      ),
    isCrowded: () => pool.isCrowded,
    attempt: (body, options) => pool.transaction(body, options),
    joined: (work, last) =>
      Effect.suspend(() => {
        const joined = new JoinedTransaction(pool)
        return Effect.provideService(work, Joined, joined).pipe(
          Effect.tap((answer) => {
            const act = last(answer)
            if (act === null) return Effect.void
            return Effect.flatMap(
              liftInside(act, (promised) => joined.commit(promised)),
              Effect.all,
            )
          }),
          Effect.ensuring(Effect.promise(() => joined.rollback())),
        )
      }),
  })

  static readonly layer = (options: DatabaseOptions): Layer.Layer<Database, never, Telemetry> =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        const { metrics, sample, tracing } = yield* Telemetry
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
        return Database.fromPool(pool, tracing)
      }),
    )
}
