/** Why the pool could not run a statement, in the form of a database error, so that one table (`sqlstate.ts`) judges both. */

export type PoolErrorCode =
  /** As many callers wait for a connection as may: this one was not sent. */
  | "POOL_FULL"
  /** No connection came free, or could be opened, in time: this one was not sent. */
  | "POOL_TIMEOUT"
  /** No answer came before the deadline; whether the statement happened is not known. */
  | "POOL_DEADLINE"
  /** The connection was lost or had to be given up; whether the statement happened is not known. */
  | "POOL_CONNECTION_LOST"
  /** The pool is closed. */
  | "POOL_CLOSED"

const SENTENCES: { readonly [code in PoolErrorCode]: string } = {
  POOL_FULL: "Too many statements wait for a database connection.",
  POOL_TIMEOUT: "No database connection was free in time.",
  POOL_DEADLINE: "The database did not answer in time.",
  POOL_CONNECTION_LOST: "The database connection was lost.",
  POOL_CLOSED: "The database pool is closed.",
}

export class PoolError extends Error {
  override readonly name = "PoolError"
  readonly code: PoolErrorCode

  constructor(code: PoolErrorCode, cause?: unknown) {
    super(SENTENCES[code], { cause })
    this.code = code
  }
}
