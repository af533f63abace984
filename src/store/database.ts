/**
 * The connection pool, and the border between promises and effects. Store operations are plain functions of a `Queryable`,
 * one statement each, so that they compose inside a transaction; `Database.run` and `.transaction` lift them once.
 * Rows come back camel-cased, times as RFC 3339 text, bigint as number (our counters stay below 2^53).
 */
import { Context, Effect, Layer, Redacted } from "effect"
import postgres from "postgres"
import { type Failure, Unavailable } from "../model/errors.ts"
import { sqlState } from "./sqlstate.ts"

export type Queryable = postgres.ISql<Record<never, never>>
export type Sql = postgres.Sql<Record<never, never>>

const TIMESTAMPTZ = 1184
const INT8 = 20

export interface DatabaseOptions {
  readonly url: Redacted.Redacted<string>
  /** Connections in the pool. */
  readonly connections: number
}

export const openPool = (options: DatabaseOptions): Sql =>
  postgres(Redacted.value(options.url), {
    max: options.connections,
    connect_timeout: 10,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    transform: { column: { from: postgres.toCamel } },
    connection: { application_name: "gathercue", TimeZone: "UTC" },
    types: {
      timestamp: {
        to: TIMESTAMPTZ,
        from: [TIMESTAMPTZ],
        serialize: (value: string) => value,
        parse: (text: string) => new Date(text).toISOString(),
      },
      counter: { to: INT8, from: [INT8], serialize: String, parse: Number },
    },
  }) as unknown as Sql // the custom types above are used by OID only, never by name

const isFailure = (cause: unknown): cause is Failure => cause instanceof Error && "_tag" in cause && !("code" in cause)

/** A thrown `Failure` is expected and typed; a lost connection is `Unavailable`; anything else is a defect. */
const lift = <A, E>(evaluate: () => Promise<A>): Effect.Effect<A, E | Unavailable> =>
  Effect.callback<A, E | Unavailable>((resume) => {
    evaluate().then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => {
        if (isFailure(cause)) return resume(Effect.fail(cause as E))
        if (sqlState(cause).unavailable) {
          return resume(
            Effect.fail(new Unavailable({ detail: "The database is not reachable.", retryAfterSeconds: 2 })),
          )
        }
        return resume(Effect.die(cause))
      },
    )
  })

export class Database extends Context.Service<
  Database,
  {
    readonly sql: Sql
    /** One or more statements, each its own transaction. `E` is what `body` throws on purpose. */
    readonly run: <A, E extends Failure = never>(
      body: (sql: Queryable) => Promise<A>,
    ) => Effect.Effect<A, E | Unavailable>
    /** All statements or none; a thrown failure rolls back. */
    readonly transaction: <A, E extends Failure = never>(
      body: (sql: Queryable) => Promise<A>,
    ) => Effect.Effect<A, E | Unavailable>
  }
>()("gathercue/Database") {
  static readonly fromPool = (sql: Sql): Database["Service"] => ({
    sql,
    run: (body) => lift(() => body(sql)),
    transaction: <A, E extends Failure = never>(body: (sql: Queryable) => Promise<A>) =>
      lift<A, E>(() => sql.begin((tx) => body(tx)) as Promise<A>),
  })

  static readonly layer = (options: DatabaseOptions): Layer.Layer<Database> =>
    Layer.effect(
      Database,
      Effect.acquireRelease(
        Effect.sync(() => openPool(options)),
        (sql) => Effect.promise(() => sql.end({ timeout: 1 })),
      ).pipe(Effect.map(Database.fromPool)),
    )
}
