/**
 * Batched writes of the audit log: entries of concurrent requests share one transaction and one wait for the disk. Invariant: an entry that
 * PostgreSQL refuses keeps no other from being stored.
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers, type Timers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database, isInTransaction } from "../database.ts"
import { Gathering } from "../gathering.ts"
import { query } from "../query.ts"
import { isRefusal } from "../sqlstate.ts"
import { insertAuditEntries, type NewAuditEntry } from "./audit.ts"

const TRANSACTIONS = 1
const SLOW_MS = 50
const MOST_TOGETHER = 64
/** Maximum number of acts that wait; further ones are refused at once. */
const MOST_WAITING = 2_000

type Transact = Pick<Database["Service"], "attempt">["attempt"]

interface Asked {
  readonly entries: ReadonlyArray<NewAuditEntry>
  readonly resolve: (deliveries: number) => void
  readonly reject: (cause: unknown) => void
}

export class AuditWrites {
  readonly #attempt: Transact
  readonly #gathering: Gathering<Asked>

  /** `refused` counts the acts over the limit. */
  constructor(attempt: Transact, timers: Timers, refused: () => void) {
    this.#attempt = attempt
    this.#gathering = new Gathering({
      send: (asked) => this.#send(asked),
      timers,
      refused,
      atOnce: TRANSACTIONS,
      most: MOST_TOGETHER,
      slowMs: SLOW_MS,
      mostWaiting: MOST_WAITING,
    })
  }

  /**
   * Resolves to the number of webhook deliveries of the transaction, which may hold entries of other callers. Rejects with database errors
   * and `PoolError`.
   */
  add(entries: ReadonlyArray<NewAuditEntry>): Promise<number> {
    return new Promise((resolve, reject) => this.#gathering.add({ entries, resolve, reject }))
  }

  #store(asked: ReadonlyArray<Asked>): Promise<number> {
    const entries = asked.flatMap((one) => one.entries)
    return this.#attempt((sql) => insertAuditEntries(sql, entries))
  }

  async #send(asked: ReadonlyArray<Asked>): Promise<void> {
    try {
      const deliveries = await this.#store(asked)
      for (const { resolve } of asked) resolve(deliveries)
    } catch (cause) {
      if (asked.length > 1 && isRefusal(cause)) for (const one of asked) void this.#send([one])
      else for (const { reject } of asked) reject(cause)
    }
  }
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Resolves to a number of webhook deliveries. Within a transaction the entries are written by that transaction. */
    readonly write: (entries: ReadonlyArray<NewAuditEntry>) => Effect.Effect<number, Unavailable>
  }
>()("gathercue/AuditLog") {
  static readonly layer: Layer.Layer<AuditLog, never, Database | Telemetry> = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const { metrics } = yield* Telemetry
      const database = yield* Database
      const writes = new AuditWrites(database.attempt, yield* currentTimers, () => metrics.databaseRefused.add())
      return {
        write: (entries) =>
          Effect.flatMap(isInTransaction, (inTransaction) =>
            inTransaction
              ? database.transaction((sql) => insertAuditEntries(sql, entries))
              : query(() => writes.add(entries)),
          ),
      }
    }),
  )
}
