/**
 * The state of encoders for staff at every node. The owner of a broadcast stores it at each change, and repeatedly while bytes arrive;
 * every node reads it. A killed owner stores nothing more, so its encoder counts as lost after a while.
 */
import { Effect, Schedule } from "effect"
import type { Timers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import type { Database } from "../../store/database.ts"
import { listEncoderNews, putEncoderNews } from "../../store/media/broadcasts.ts"
import type { OpenBroadcast, OpenBroadcasts } from "../live/open-broadcasts.ts"
import type { EncoderReport } from "./broadcasts.ts"
import { encoderFailureOf } from "./calls/refusals.ts"

const STORED_EVERY = "1 second"
const READ_EVERY = "2 seconds"
const REPEATED_AFTER_MS = 5000
const SILENT_MS = 15_000

interface Said {
  readonly text: string
  readonly at: number
}

export class EncoderNews {
  readonly #database: Database["Service"]
  readonly #opened: OpenBroadcasts
  readonly #timers: Timers
  readonly #said = new WeakMap<OpenBroadcast, Said>()
  /** Reports by event. */
  #known: ReadonlyMap<string, EncoderReport> = new Map()

  constructor(database: Database["Service"], opened: OpenBroadcasts, timers: Timers) {
    this.#database = database
    this.#opened = opened
    this.#timers = timers
  }

  of(eventId: string): EncoderReport | undefined {
    return this.#known.get(eventId)
  }

  /** Stores and reads until it is interrupted. An outage of the database is retried at the next turn. */
  get run(): Effect.Effect<void> {
    const often = (work: Effect.Effect<void, Unavailable>, pause: string & Parameters<typeof Schedule.spaced>[0]) =>
      Effect.repeat(Effect.ignore(work), Schedule.spaced(pause))
    return Effect.asVoid(
      Effect.all([often(this.#store, STORED_EVERY), often(this.#read, READ_EVERY)], { concurrency: 2 }),
    )
  }

  get #store(): Effect.Effect<void, Unavailable> {
    return Effect.suspend(() =>
      Effect.forEach(
        this.#opened.all.filter(({ status, token }) => status !== "ended" && token > 0),
        (one) => this.#say(one),
        { discard: true },
      ),
    )
  }

  #say(one: OpenBroadcast): Effect.Effect<void, Unavailable> {
    const news = { state: this.#opened.stateOf(one), failure: one.live.failure ?? null }
    const text = `${news.state} ${news.failure?.code}`
    const last = this.#said.get(one)
    const at = this.#timers.elapsed()
    if (last === undefined && news.state === "waiting" && news.failure === null) return Effect.void
    const isOld = last !== undefined && news.state === "receiving" && at - last.at > REPEATED_AFTER_MS
    if (last?.text === text && !isOld) return Effect.void
    return Effect.map(
      this.#database.run((sql) => putEncoderNews(sql, { broadcastId: one.id, token: one.token }, news)),
      () => void this.#said.set(one, { text, at }),
    )
  }

  get #read(): Effect.Effect<void, Unavailable> {
    return Effect.map(
      this.#database.run((sql) => listEncoderNews(sql, SILENT_MS)),
      (rows) => {
        this.#known = new Map(
          rows.map(({ eventId, broadcastId, phaseId, encoder, isSilent }) => [
            eventId,
            {
              broadcastId,
              phaseId,
              state: isSilent && encoder.state === "receiving" ? "lost" : encoder.state,
              failure: encoderFailureOf(encoder.failure),
            },
          ]),
        )
      },
    )
  }
}
