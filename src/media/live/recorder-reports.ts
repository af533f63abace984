/**
 * Last report of the media server for each broadcast that it makes. The process that receives it stores it, and every process reads it, so
 * that staff see it on each node, and after a restart.
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

/** Report on a broadcast of an event. */
export interface StageReport extends RecorderReport {
  readonly broadcastId: string
  readonly phaseId: string
}

export class RecorderReports {
  readonly #database: Database["Service"]
  /** Reports by event. */
  #known: ReadonlyMap<string, StageReport> = new Map()
  /** Number of reads begun. */
  #begun = 0
  /** The read from which `#known` comes; one that began before it is outdated. */
  #knownBy = 0

  constructor(database: Database["Service"]) {
    this.#database = database
  }

  of(eventId: string): StageReport | undefined {
    return this.#known.get(eventId)
  }

  /** `null` when the media server makes no broadcast of the event now. */
  put(eventId: string, report: StageReport | null): Effect.Effect<void, Unavailable> {
    return this.#database
      .run((sql) =>
        report === null ? dropRecorderReports(sql, eventId) : putRecorderReport(sql, report.broadcastId, report),
      )
      .pipe(Effect.andThen(this.refresh))
  }

  /** Reads the reports of all events. */
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
