/** Statements as effects. They fail as their operation expects, or with `Unavailable`; any other error is a defect. */
import { Effect } from "effect"
import { Unavailable } from "../model/errors.ts"
import { type SqlState, sqlState } from "./sqlstate.ts"

const BUSY = () => new Unavailable({ detail: "The server has too much to do right now.", retryAfterSeconds: 1 })
const AWAY = () => new Unavailable({ detail: "The database is not reachable.", retryAfterSeconds: 2 })
const OUT_OF_RESOURCES = () =>
  new Unavailable({ detail: "The database is out of space or memory.", retryAfterSeconds: 5 })

const unavailableBecause = (code: string): Unavailable => {
  if (code === "POOL_FULL") return BUSY()
  return code.startsWith("53") ? OUT_OF_RESOURCES() : AWAY()
}

/** A database that cannot answer is `Unavailable`; any other rejection is a defect, even with a tagged error. */
export const failureOf = (cause: unknown): Effect.Effect<never, Unavailable> => {
  const { code, unavailable } = sqlState(cause)
  return unavailable ? Effect.fail(unavailableBecause(code)) : Effect.die(cause)
}

/**
 * Runs statements. `expected` maps a database error that the caller expects to a failure. An interruption does not wait for statements that
 * were sent: in a transaction they are rolled back, outside one they take effect.
 */
export const query = <A, E = never>(
  statements: () => PromiseLike<A>,
  expected: (state: SqlState) => E | undefined = () => undefined,
): Effect.Effect<A, E | Unavailable> =>
  Effect.callback((resume) => {
    statements().then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => {
        const failure = expected(sqlState(cause))
        resume(failure === undefined ? failureOf(cause) : Effect.fail(failure))
      },
    )
  })

/** Runs a statement; a reference to a row deleted meanwhile becomes the given failure. */
export const onForeignKeyViolation = <A, E>(
  statement: () => PromiseLike<A>,
  failure: () => E,
): Effect.Effect<A, E | Unavailable> =>
  query(statement, ({ foreignKeyViolation }) => (foreignKeyViolation ? failure() : undefined))

/** Runs a statement; a violation of the named unique constraint or index becomes the given failure. */
export const onUniqueViolation = <A, E>(
  statement: () => PromiseLike<A>,
  constraint: string,
  failure: () => E,
): Effect.Effect<A, E | Unavailable> =>
  query(statement, (state) => (state.uniqueViolation && state.constraint === constraint ? failure() : undefined))
