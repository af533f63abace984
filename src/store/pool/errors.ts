/** Reasons of the pool for not running a statement, in the form of a database error, so that one table (`sqlstate.ts`) judges both. */

export type PoolErrorCode =
  /** The queue for connections is full: this statement was not sent. */
  | "POOL_FULL"
  /** No connection became free, or could be opened, in time: this statement was not sent. */
  | "POOL_TIMEOUT"
  /** No answer came before the deadline; the outcome of the statement is unknown. */
  | "POOL_DEADLINE"
  /** The connection was lost or had to be given up; the outcome of the statement is unknown. */
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
