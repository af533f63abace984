/**
 * Batched inserts of events created by keys: concurrent inserts share one statement, one transaction and one wait for the disk. Invariant:
 * an event that PostgreSQL refuses keeps no other from being stored.
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers, type Timers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database, isInTransaction, type Queryable } from "../database.ts"
import { Gathering } from "../gathering.ts"
import { query } from "../query.ts"
import { isRefusal, sqlState } from "../sqlstate.ts"
import { type EventDraft, insertEvent, insertEventsSoon } from "./events.ts"

const STATEMENTS = 2
const SLOW_MS = 50
const MOST_TOGETHER = 32
/** Maximum number of waiting events; further ones are refused at once. */
const MOST_WAITING = 500
/** Phases above which an agenda is inserted separately, so that it delays no others. */
const LONG_AGENDA = 20

/** SQLSTATE lock_not_available: another transaction has locked a workspace. */
const LOCKED = "55P03"

interface Asked {
  readonly draft: EventDraft
  readonly resolve: (event: Event) => void
  readonly reject: (cause: unknown) => void
}

export class EventInserts {
  readonly #sql: Queryable
  readonly #gathering: Gathering<Asked>

  /** `refused` counts the events over the limit. */
  constructor(sql: Queryable, timers: Timers, refused: () => void) {
    this.#sql = sql
    this.#gathering = new Gathering({
      send: (asked) => this.#send(asked),
      timers,
      atOnce: STATEMENTS,
      most: MOST_TOGETHER,
      slowMs: SLOW_MS,
      mostWaiting: MOST_WAITING,
      refused,
    })
  }

  /** Rejects with database errors and `PoolError`: the outcome may be unknown. */
  add(draft: EventDraft): Promise<Event> {
    if (draft.phases.length > LONG_AGENDA) return insertEvent(this.#sql, draft)
    return new Promise((resolve, reject) => this.#gathering.add({ draft, resolve, reject }))
  }

  async #send(asked: ReadonlyArray<Asked>): Promise<void> {
    if (asked.length === 1) return this.#sendAlone(asked)
    try {
      const stored = await insertEventsSoon(
        this.#sql,
        asked.map(({ draft }) => draft),
      )
      const events = new Map(stored.map((event) => [event.id, event]))
      for (const { draft, resolve, reject } of asked) {
        const event = events.get(draft.event.id)
        if (event === undefined) reject(new Error("insert returned no row"))
        else resolve(event)
      }
    } catch (cause) {
      // Nothing is stored: each event is sent again separately, so that only the refused one fails, and only the locked one waits.
      if (isRefusal(cause) || sqlState(cause).code === LOCKED) void this.#sendAlone(asked)
      else for (const { reject } of asked) reject(cause)
    }
  }

  async #sendAlone(asked: ReadonlyArray<Asked>): Promise<void> {
    await Promise.all(asked.map(({ draft, resolve, reject }) => insertEvent(this.#sql, draft).then(resolve, reject)))
  }
}

export class NewEvents extends Context.Service<
  NewEvents,
  {
    /** Within a transaction it becomes a statement of that transaction. */
    readonly insert: (draft: EventDraft) => Effect.Effect<Event, Unavailable>
  }
>()("gathercue/NewEvents") {
  static readonly layer: Layer.Layer<NewEvents, never, Database | Telemetry> = Layer.effect(
    NewEvents,
    Effect.gen(function* () {
      const { metrics } = yield* Telemetry
      const database = yield* Database
      const inserts = new EventInserts(database.sql, yield* currentTimers, () => metrics.databaseRefused.add())
      return {
        insert: (draft) =>
          Effect.flatMap(isInTransaction, (inTransaction) =>
            inTransaction ? database.run((sql) => insertEvent(sql, draft)) : query(() => inserts.add(draft)),
          ),
      }
    }),
  )
}
