/**
 * The last act of the media server for each broadcast that it makes. The process that hears of it stores it, and every process reads it,
 * so that staff are told on each of several nodes, and after a restart.
 */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { Database } from "../../store/database.ts"
import {
  dropRecorderReports,
  listRecorderReports,
  putRecorderReport,
  type RecorderReport,
} from "../../store/media/broadcasts.ts"

/** Of a broadcast of an event. */
export interface StageReport extends RecorderReport {
  readonly broadcastId: string
  readonly phaseId: string
}

export class RecorderReports {
  readonly #database: Database["Service"]
  /** By event. */
  #known: ReadonlyMap<string, StageReport> = new Map()
  /** Readings that have begun, and which of them `#known` is of: one that ends after a later one is older. */
  #begun = 0
  #knownBy = 0

  constructor(database: Database["Service"]) {
    this.#database = database
  }

  of(eventId: string): StageReport | undefined {
    return this.#known.get(eventId)
  }

  /** `null`: the media server makes no broadcast of the event now. */
  put(eventId: string, report: StageReport | null): Effect.Effect<void, Unavailable> {
    return this.#database
      .run((sql) =>
        report === null ? dropRecorderReports(sql, eventId) : putRecorderReport(sql, report.broadcastId, report),
      )
      .pipe(Effect.andThen(this.refresh))
  }

  /** Reads those of all events. */
  get refresh(): Effect.Effect<void, Unavailable> {
    return Effect.suspend(() => {
      const reading = ++this.#begun
      return Effect.map(this.#database.run(listRecorderReports), (rows) => {
        if (reading < this.#knownBy) return
        this.#knownBy = reading
        this.#known = new Map(
          rows.map(({ eventId, broadcastId, phaseId, recorder }) => [eventId, { broadcastId, phaseId, ...recorder }]),
        )
      })
    })
  }
}
