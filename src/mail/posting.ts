/**
 * Emails about one event to many people are posted in steps. A step posts a few and records its progress in one transaction, so that several
 * nodes, a crash, or a commit of unknown outcome never send one twice. Steps wait while the mailer has emails to send: a password reset
 * then waits behind a few of them instead of ten thousand.
 */
import { Cause, Effect } from "effect"
import { currentTimers } from "../clock/timers.ts"
import type { Unavailable } from "../model/errors.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { countWaiting } from "../store/mail/mails.ts"
import { Quiet } from "../store/quiet/quiet.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { Mailer } from "./mailer.ts"

/** Interval between checks for due emails. */
const EVERY_MS = 15_000
/** Number of emails per step. */
export const BATCH = 20
/** No step runs while this many emails are due, or this many wait in total, including retries. */
const MOST_DUE = 20
const MOST_WAITING = 1000
const PAUSE_MS = { posted: 200, full: 500 } as const

type StepOutcome = "posted" | "full" | "none"

/** One step, in a transaction: `post` resolves to `undefined` when nothing is due. */
export const postingStep = <A>(
  now: number,
  post: (sql: Queryable) => Promise<A | undefined> | Effect.Effect<A | undefined, Unavailable>,
  posted: (outcome: A) => void,
) =>
  Effect.gen(function* () {
    const database = yield* Database
    const mailer = yield* Mailer
    const waiting = yield* database.run((sql) => countWaiting(sql, toTimestamp(now), MOST_DUE, MOST_WAITING))
    if (waiting.due >= MOST_DUE || waiting.all >= MOST_WAITING) return "full" satisfies StepOutcome
    const outcome = yield* database.transaction(post)
    if (outcome === undefined) return "none" satisfies StepOutcome
    posted(outcome)
    mailer.collect()
    return "posted" satisfies StepOutcome
  })

interface Steps {
  /** Names the emails in the log. */
  readonly what: string
  readonly everyMs?: number | undefined
  /** Finds what has become due. */
  readonly open?: (now: number) => Effect.Effect<void, Unavailable>
  readonly step: (now: number) => Effect.Effect<StepOutcome, Unavailable>
}

/** Posts what is due until its scope closes. It checks again after a while even with much to post, because more may have become due. */
export const postInSteps = ({ what, everyMs = EVERY_MS, open, step }: Steps) =>
  Effect.gen(function* () {
    const timers = yield* currentTimers
    const { log } = yield* Telemetry
    const { isQuiet } = yield* Quiet
    const round = Effect.gen(function* () {
      // Emails posted now would be sent at the promotion, however late.
      if (isQuiet()) return yield* Effect.sleep(everyMs)
      const begun = timers.elapsed()
      if (open !== undefined) yield* open(timers.now())
      while (timers.elapsed() - begun < everyMs) {
        const outcome = yield* step(timers.now())
        if (outcome === "none") return yield* Effect.sleep(everyMs)
        yield* Effect.sleep(PAUSE_MS[outcome])
      }
    })
    const failed = (cause: Cause.Cause<unknown>) =>
      Effect.andThen(
        Effect.sync(() => log.warn({ err: Cause.squash(cause) }, `${what} could not be posted`)),
        Effect.sleep(everyMs),
      )
    yield* Effect.forkScoped(Effect.forever(round.pipe(Effect.catchCause(failed))))
  })
