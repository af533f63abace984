/**
 * Batched reads of events with their agendas, the most frequent read: concurrent reads share one statement, which under load costs this
 * process and PostgreSQL a fraction of separate ones. A read sees everything that was committed before it was requested.
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers, type Timers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database, type Queryable } from "../database.ts"
import { Gathering } from "../gathering.ts"
import { query } from "../query.ts"
import { type EventAgenda, findEventsWithPhases } from "./events.ts"

const STATEMENTS = 2
const SLOW_MS = 50
const MOST_TOGETHER = 64
/** Maximum number of waiting reads; further ones are refused at once. */
const MOST_WAITING = 2_000

interface Asked {
  readonly id: string
  readonly resolve: (event: EventAgenda | undefined) => void
  readonly reject: (cause: unknown) => void
}

export class AgendaReads {
  readonly #gathering: Gathering<Asked>

  /** `refused` counts the reads over the limit. */
  constructor(sql: Queryable, timers: Timers, refused: () => void) {
    const send = async (asked: ReadonlyArray<Asked>): Promise<void> => {
      try {
        const ids = new Set(asked.map(({ id }) => id))
        const events = new Map((await findEventsWithPhases(sql, [...ids])).map((event) => [event.id, event]))
        for (const { id, resolve } of asked) resolve(events.get(id))
      } catch (cause) {
        for (const { reject } of asked) reject(cause)
      }
    }
    this.#gathering = new Gathering({
      send,
      timers,
      refused,
      atOnce: STATEMENTS,
      most: MOST_TOGETHER,
      slowMs: SLOW_MS,
      mostWaiting: MOST_WAITING,
    })
  }

  /** Rejects with database errors and `PoolError`. */
  find(id: string): Promise<EventAgenda | undefined> {
    return new Promise((resolve, reject) => this.#gathering.add({ id, resolve, reject }))
  }
}

export class Agendas extends Context.Service<
  Agendas,
  {
    /** Not for use within a transaction, whose writes the read does not see. */
    readonly find: (id: string) => Effect.Effect<EventAgenda | undefined, Unavailable>
  }
>()("gathercue/Agendas") {
  static readonly layer: Layer.Layer<Agendas, never, Database | Telemetry> = Layer.effect(
    Agendas,
    Effect.gen(function* () {
      const { metrics } = yield* Telemetry
      const { sql } = yield* Database
      const reads = new AgendaReads(sql, yield* currentTimers, () => metrics.databaseRefused.add())
      return { find: (id) => query(() => reads.find(id)) }
    }),
  )
}
