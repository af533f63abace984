/**
 * One transaction on its checked-out connection. Statements are refused once it has ended: they would run outside it, on a connection that
 * another caller uses.
 */
import type { PoolConnection } from "./connection.ts"
import { PoolError } from "./errors.ts"
import { type Bound, makeQueryable, type Queryable, type Rows } from "./statement.ts"

export const tooLate = () => new Error("A statement came after the end of its transaction.")

export class Transaction {
  readonly sql: Queryable
  readonly #connection: PoolConnection
  readonly #json: Queryable["json"]
  readonly #end: () => void
  /** The error of the first failed statement: the server refuses all later ones with a less precise error. */
  #failure: unknown
  #isOver = false
  #savepoints = 0
  /** Called when the connection is lost while the transaction is open, even while its owner waits for something else. */
  onLost: (cause: PoolError) => void = () => {}

  /** `end` returns the connection; called once. */
  constructor(connection: PoolConnection, json: Queryable["json"], end: () => void) {
    this.#connection = connection
    this.#json = json
    this.#end = end
    this.sql = makeQueryable((bound) => this.#run(bound), json)
  }

  /** Rejects, and leaves nothing, when a statement failed. A `PoolError` means that the outcome is unknown. */
  async commit(): Promise<void> {
    if (this.#isOver) throw new PoolError("POOL_CONNECTION_LOST")
    if (this.#failure !== undefined && this.#connection.status === "failed") {
      const failure = this.#failure
      await this.rollback()
      throw failure
    }
    this.#isOver = true
    try {
      const command = await this.#connection.control("commit")
      // The server answers ROLLBACK when a statement had failed and its error was ignored.
      if (command !== "COMMIT") throw this.#failure ?? new Error(`The transaction ended as ${command}.`)
    } finally {
      this.#end()
    }
  }

  /** Never rejects. A session that could not be rolled back stays in its transaction, for which the pool destroys it. */
  async rollback(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#connection.isOpen) await this.#connection.control("rollback").catch(() => {})
    this.#end()
  }

  /**
   * Rolls back the statements of `body` when it rejects or one of them failed; the transaction continues. Statements that `body` leaves for
   * later are refused: they would be part of the transaction without being part of the result.
   */
  async savepoint<A>(body: (sql: Queryable) => Promise<A>): Promise<A> {
    const name = `s${this.#savepoints++}`
    await this.#control(`savepoint ${name}`)
    let isOver = false
    const sql = makeQueryable((bound) => (isOver ? Promise.reject(tooLate()) : this.#run(bound)), this.#json)
    try {
      const result = await body(sql).finally(() => {
        isOver = true
      })
      if (this.#connection.status === "failed") throw this.#failure
      await this.#control(`release ${name}`)
      return result
    } catch (cause) {
      await this.#control(`rollback to ${name}`)
      this.#failure = undefined
      throw cause
    }
  }

  async #control(text: string): Promise<void> {
    if (this.#isOver) throw new PoolError("POOL_CONNECTION_LOST")
    await this.#connection.control(text)
  }

  async #run(bound: Bound): Promise<Rows<ReadonlyArray<object>>> {
    if (this.#isOver) throw tooLate()
    try {
      return await this.#connection.run(bound)
    } catch (cause) {
      this.#failure ??= cause
      throw cause
    }
  }
}
