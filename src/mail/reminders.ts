/**
 * Reminders by mail: everybody who registered for a scheduled event gets an email one day before it and one ten minutes before it. A
 * step posts a few emails and records its progress in one transaction, so that several nodes, a crash, or a commit of unknown outcome never
 * send one twice. Steps wait while the mailer has emails to send: a password reset then waits behind a few reminders instead of ten
 * thousand.
 */
import { Cause, Effect, Layer } from "effect"
import { currentTimers } from "../clock/timers.ts"
import { toMillis, toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { countWaiting } from "../store/mail/mails.ts"
import {
  advanceReminder,
  type ClaimedReminder,
  claimReminder,
  type DueKind,
  deleteReminders,
  listReminded,
  openReminders,
  type RemindedPerson,
} from "../store/mail/reminders.ts"
import { Quiet } from "../store/quiet/quiet.ts"
import { inBatches, sweepEvery } from "../store/sweeps.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { EmailRefusals } from "./email-refusals.ts"
import { type ReminderKind, reminderEmail } from "./emails.ts"
import { Mailer } from "./mailer.ts"

interface ReminderOptions {
  /** Creates an entry link of the registration, in the caller's transaction. */
  readonly entryLink: (sql: Queryable, eventId: string, registrationId: string) => Promise<string>
  /** Address of this server, which handles refusals. */
  readonly publicUrl: string
  /** Interval between checks for due reminders. */
  readonly everyMs?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

interface Kind {
  readonly kind: ReminderKind
  /** Lead time before the planned start. */
  readonly leadMs: number
  /** Maximum delay after which a late reminder is still sent. */
  readonly lateMs: number
}

/** Kinds, the more urgent one first. */
const KINDS: ReadonlyArray<Kind> = [
  { kind: "minutes", leadMs: 10 * MINUTE_MS, lateMs: 10 * MINUTE_MS },
  { kind: "day", leadMs: DAY_MS, lateMs: 12 * HOUR_MS },
]

const EVERY_MS = 15_000
/** Maximum number of events opened per statement. */
const OPENED = 500
/** Number of emails per step. */
const BATCH = 20
/** No step runs while this many emails are due, or this many wait in total, including retries. */
const MOST_DUE = 20
const MOST_WAITING = 1000
const PAUSE_MS = { posted: 200, full: 500 } as const
/** Retention after which no reminder for an earlier time can become due again. */
const KEPT_MS = DAY_MS

type StepOutcome = "posted" | "full" | "none"

const dueAt = (now: number, { kind, leadMs, lateMs }: Kind): DueKind => ({
  kind,
  after: toTimestamp(now + leadMs - lateMs),
  upTo: toTimestamp(now + leadMs),
})

/** A check for due reminders, and one posting step; both may run beside those of other nodes. */
export const reminderSteps = ({ entryLink, publicUrl }: ReminderOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const mailer = yield* Mailer
    const refusals = yield* EmailRefusals
    const { metrics } = yield* Telemetry

    const post = async (sql: Queryable, kind: ReminderKind, of: ClaimedReminder, person: RemindedPerson) => {
      const { eventId, workspaceId, title, scheduledAt, timeZone } = of
      const url = await entryLink(sql, eventId, person.id)
      const token = refusals.tokenFor({ workspaceId, kind: "reminder", email: person.email })
      const reminder = { kind, name: person.name, event: title, when: scheduledAt, timeZone }
      await mailer.post(sql, reminderEmail(person.email, reminder, url, `${publicUrl}/unsubscribe/${token}`))
    }

    /** Resolves to the number of emails posted; `undefined` when nothing of the kind is due. */
    const postSome = async (sql: Queryable, now: number, kind: Kind): Promise<number | undefined> => {
      const claimed = await claimReminder(sql, dueAt(now, kind))
      if (claimed === undefined) return undefined
      const registeredBy = toTimestamp(toMillis(claimed.scheduledAt) - kind.leadMs)
      const people = await listReminded(sql, claimed, registeredBy, BATCH)
      const emails = people.map(({ email }) => email)
      const refused = await refusals.refusedAmong(sql, { workspaceId: claimed.workspaceId, kind: "reminder" }, emails)
      const reminded = people.filter(({ email }) => !refused.has(email))
      for (const person of reminded) await post(sql, kind.kind, claimed, person)
      const afterEmail = emails.at(-1) ?? claimed.afterEmail
      await advanceReminder(sql, { ...claimed, afterEmail }, kind.kind, people.length < BATCH)
      return reminded.length
    }

    const postFirst = async (sql: Queryable, now: number) => {
      for (const kind of KINDS) {
        const letters = await postSome(sql, now, kind)
        if (letters !== undefined) return { kind: kind.kind, letters }
      }
      return undefined
    }

    return {
      open: (now: number) =>
        Effect.forEach(KINDS, (kind) => database.run((sql) => openReminders(sql, dueAt(now, kind), OPENED)), {
          discard: true,
        }),
      step: (now: number) =>
        Effect.gen(function* () {
          const waiting = yield* database.run((sql) => countWaiting(sql, toTimestamp(now), MOST_DUE, MOST_WAITING))
          if (waiting.due >= MOST_DUE || waiting.all >= MOST_WAITING) return "full" satisfies StepOutcome
          const posted = yield* database.transaction((sql) => postFirst(sql, now))
          if (posted === undefined) return "none" satisfies StepOutcome
          metrics.reminders.add(posted.letters, posted.kind)
          mailer.collect()
          return "posted" satisfies StepOutcome
        }),
    }
  })

export const remindersLayer = (
  options: ReminderOptions,
): Layer.Layer<never, never, Database | Mailer | EmailRefusals | Telemetry> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const database = yield* Database
      const timers = yield* currentTimers
      const { log } = yield* Telemetry
      const { open, step } = yield* reminderSteps(options)
      const { isQuiet } = yield* Quiet
      const everyMs = options.everyMs ?? EVERY_MS

      /** Checks again after a while even with much to post, because another event may have become due. */
      const round = Effect.gen(function* () {
        // Reminders posted now would be sent at the promotion, however late.
        if (isQuiet()) return yield* Effect.sleep(everyMs)
        const begun = timers.elapsed()
        yield* open(timers.now())
        while (timers.elapsed() - begun < everyMs) {
          const outcome = yield* step(timers.now())
          if (outcome === "none") return yield* Effect.sleep(everyMs)
          yield* Effect.sleep(PAUSE_MS[outcome])
        }
      })
      const failed = (cause: Cause.Cause<unknown>) =>
        Effect.andThen(
          Effect.sync(() => log.warn({ err: Cause.squash(cause) }, "reminders could not be posted")),
          Effect.sleep(everyMs),
        )
      yield* Effect.forkScoped(Effect.forever(round.pipe(Effect.catchCause(failed))))

      const sweep = Effect.suspend(() => {
        const before = toTimestamp(timers.now() - KEPT_MS)
        return inBatches(database, (sql, limit) => deleteReminders(sql, before, limit))
      })
      yield* Effect.forkScoped(sweepEvery("1 hour", log, sweep))
    }),
  )
