/**
 * Batched writes of the audit log: entries of concurrent requests share one transaction and one wait for the disk. Invariant: an entry that
 * PostgreSQL refuses, or a workspace that another transaction has locked, keeps no other entry from being stored.
 */
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { currentTimers, type Timers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database, isInTransaction } from "../database.ts"
import { Gathering } from "../gathering.ts"
import { query } from "../query.ts"
import { isRefusal, sqlState } from "../sqlstate.ts"
import { insertAuditEntries, type NewAuditEntry } from "./audit.ts"

const TRANSACTIONS = 1
const SLOW_MS = 50
const MOST_TOGETHER = 64
/** Maximum number of acts that wait; further ones are refused at once. */
const MOST_WAITING = 2_000

const READ_MS = 3_600_000
const MOST_READERS = 10_000

/** How long entries that were sent together wait for a lock, before they are sent by workspace and then alone. */
const SHORT_LOCK = "100ms"

/** SQLSTATEs of lock_not_available, query_canceled, serialization_failure and deadlock_detected: the transaction was rolled back. */
const ROLLED_BACK: ReadonlySet<string> = new Set(["55P03", "57014", "40001", "40P01"])

type Transact = Pick<Database["Service"], "attempt">["attempt"]

interface Asked {
  readonly entries: ReadonlyArray<NewAuditEntry>
  readonly resolve: (deliveries: number) => void
  readonly reject: (cause: unknown) => void
}

interface Group {
  readonly asked: ReadonlyArray<Asked>
  /** Whether the group waits for a lock as long as any statement does. */
  readonly isPatient: boolean
}

const isNothingStored = (cause: unknown): boolean => isRefusal(cause) || ROLLED_BACK.has(sqlState(cause).code)

/** Smaller groups to try after a group of which nothing was stored: by workspace, then by caller, and at last with patience. */
const smallerOf = ({ asked, isPatient }: Group): ReadonlyArray<Group> => {
  if (asked.length === 1) return isPatient ? [] : [{ asked, isPatient: true }]
  const byWorkspace = new Map<string | undefined, Asked[]>()
  for (const one of asked) {
    const workspaceId = one.entries[0]?.workspaceId
    byWorkspace.set(workspaceId, [...(byWorkspace.get(workspaceId) ?? []), one])
  }
  const groups = byWorkspace.size > 1 ? [...byWorkspace.values()] : asked.map((one) => [one])
  return groups.map((group) => ({ asked: group, isPatient: false }))
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

  #store({ asked, isPatient }: Group): Promise<number> {
    const entries = asked.flatMap((one) => one.entries)
    return this.#attempt(async (sql) => {
      if (!isPatient) await sql`select set_config('lock_timeout', ${SHORT_LOCK}, true)`
      return insertAuditEntries(sql, entries)
    })
  }

  /** One transaction after the other: those that may wait long for a lock are the last. */
  async #send(asked: ReadonlyArray<Asked>): Promise<void> {
    const groups: Group[] = [{ asked, isPatient: asked.length === 1 }]
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      try {
        const deliveries = await this.#store(group)
        for (const { resolve } of group.asked) resolve(deliveries)
      } catch (cause) {
        const smaller = isNothingStored(cause) ? smallerOf(group) : []
        groups.push(...smaller)
        if (smaller.length === 0) for (const { reject } of group.asked) reject(cause)
      }
    }
  }
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Resolves to a number of webhook deliveries. Within a transaction the entries are written by that transaction. */
    readonly write: (entries: ReadonlyArray<NewAuditEntry>) => Effect.Effect<number, Unavailable>
    /** Whether the reader first reads the object within an hour. A forgotten pair is looked up in the log before it is written. */
    readonly isFirstRead: (readerAndObject: string) => boolean
  }
>()("gathercue/AuditLog") {
  static readonly layer: Layer.Layer<AuditLog, never, Database | Telemetry> = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const { metrics } = yield* Telemetry
      const database = yield* Database
      const writes = new AuditWrites(database.attempt, yield* currentTimers, () => metrics.databaseRefused.add())
      const reads = new LRUCache<string, true>({ max: MOST_READERS, ttl: READ_MS })
      return {
        isFirstRead: (reader) => {
          if (reads.has(reader)) return false
          reads.set(reader, true)
          return true
        },
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
