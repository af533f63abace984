/**
 * One transaction shared by all statements of a request. The first statement begins it, so that a request
 * that still waits for something else holds no connection.
 */
import type { Effect } from "effect"
import type { Pool } from "./pool.ts"
import type { Queryable } from "./statement.ts"
import { type Transaction, tooLate } from "./transaction.ts"

export class JoinedTransaction {
  readonly #pool: Pool
  #begun: Promise<Transaction> | undefined
  /** Settles when the previous part has: parts of one transaction run one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  readonly #afterCommit: Array<Effect.Effect<void>> = []
  #isOver = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** The statements of `body` are rolled back when it rejects, like those of a separate transaction. */
  join<A>(body: (sql: Queryable) => Promise<A>): Promise<A> {
    // A fiber that outlives the work would begin a transaction that never ends.
    if (this.#isOver) return Promise.reject(tooLate())
    this.#begun ??= this.#pool.begin()
    const begun = this.#begun
    const part = this.#turn.then(async () => (await begun).savepoint(body))
    this.#turn = part.catch(() => {})
    return part
  }

  defer(effect: Effect.Effect<void>): void {
    this.#afterCommit.push(effect)
  }

  /** `last` is the transaction's last act. Resolves to the effects to run after the commit. */
  async commit(last: (sql: Queryable) => Promise<void>): Promise<ReadonlyArray<Effect.Effect<void>>> {
    await this.join(last)
    this.#isOver = true
    await (await this.#begun)?.commit()
    return this.#afterCommit
  }

  /** Rolls everything back, unless it is committed. */
  async rollback(): Promise<void> {
    this.#isOver = true
    const transaction = await this.#begun?.catch(() => undefined)
    await transaction?.rollback()
  }
}
