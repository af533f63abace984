/**
 * Writes results to the database. While one statement runs the next batch is collected, so that a busier dispatcher needs fewer statements
 * per delivery. Limited by the claimed deliveries: no new ones are claimed while the database is unreachable.
 */
import { Effect, Latch, type Scope } from "effect"
import type { Database } from "../store/database.ts"
import { type Settlement, settleDeliveries } from "../store/webhooks/webhook-deliveries.ts"
import type { RetryForever } from "./retry-forever.ts"

const MAX_BATCH = 500
/** Size of a batch after which more results are expected: they are collected for a short time, because each statement has a fixed cost. */
const MANY = 16
const GATHER_MS = 8

interface Settlements {
  readonly put: (settlement: Settlement) => void
  /** Waits until all results put so far are in the database. */
  readonly flushed: Effect.Effect<void>
}

/** Settles until its scope closes. `onSettled` is called after each commit. */
export const makeSettlements = (
  database: Database["Service"],
  retryForever: RetryForever,
  onSettled: (batch: ReadonlyArray<Settlement>) => void,
): Effect.Effect<Settlements, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting: Array<Settlement> = []
    let settledLast = 0
    const some = Latch.makeUnsafe(false)
    const none = Latch.makeUnsafe(true)
    const settleNext = Effect.gen(function* () {
      yield* some.await
      if (settledLast >= MANY && waiting.length < MAX_BATCH) yield* Effect.sleep(GATHER_MS)
      const batch = waiting.slice(0, MAX_BATCH)
      yield* retryForever(database.run((sql) => settleDeliveries(sql, batch)))
      waiting = waiting.slice(batch.length)
      settledLast = batch.length
      if (waiting.length === 0) {
        some.closeUnsafe()
        none.openUnsafe()
      }
      onSettled(batch)
    })
    yield* Effect.forkScoped(Effect.forever(settleNext))
    return {
      put: (settlement) => {
        waiting.push(settlement)
        none.closeUnsafe()
        some.openUnsafe()
      },
      flushed: none.await,
    }
  })
