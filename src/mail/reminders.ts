/**
 * Reminders by mail: everybody who registered for a scheduled event gets an email one day before it and one ten minutes before it, or at
 * the event's own times. They are posted in steps (`posting.ts`).
 */
import { Effect, Layer } from "effect"
import { currentTimers } from "../clock/timers.ts"
import { toMillis, toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { mayMailOther } from "../store/mail/emails.ts"
import {
  advanceReminder,
  type ClaimedReminder,
  claimOwnReminder,
  claimReminder,
  type DueKind,
  deleteReminders,
  listReminded,
  openOwnReminders,
  openReminders,
  type RemindedPerson,
} from "../store/mail/reminders.ts"
import { inBatches, sweepEvery } from "../store/sweeps.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { EmailRefusals } from "./email-refusals.ts"
import { type PersonalLinks, reminderEmail } from "./emails.ts"
import { Mailer } from "./mailer.ts"
import { BATCH, postInSteps, postingStep } from "./posting.ts"

interface ReminderOptions {
  /** Creates links of the registration, in the caller's transaction. */
  readonly links: (sql: Queryable, eventId: string, registrationId: string) => Promise<PersonalLinks>
  /** Address of this server, which handles refusals. */
  readonly publicUrl: string
  /** Emails per day (UTC) to people whom the workspace registered or invited. */
  readonly mailPerWorkspacePerDay: number
  /** Interval between checks for due reminders. */
  readonly everyMs?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

interface Kind {
  readonly kind: "day" | "minutes"
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

/** Lead time up to which an email says that the event begins soon. */
const SOON_MS = HOUR_MS

interface Claimed extends ClaimedReminder {
  readonly kind: string
  readonly leadMs: number
}

const countedAs = (kind: string) => (kind === "day" || kind === "minutes" ? kind : "own")

/** Maximum number of events opened per statement. */
const OPENED = 500
/** Retention after which no reminder for an earlier time can become due again. */
const KEPT_MS = DAY_MS

const dueAt = (now: number, { kind, leadMs, lateMs }: Kind): DueKind => ({
  kind,
  after: toTimestamp(now + leadMs - lateMs),
  upTo: toTimestamp(now + leadMs),
})

/** A check for due reminders, and one posting step; both may run beside those of other nodes. */
export const reminderSteps = ({ links, publicUrl, mailPerWorkspacePerDay }: ReminderOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const mailer = yield* Mailer
    const refusals = yield* EmailRefusals
    const { metrics } = yield* Telemetry

    const post = async (sql: Queryable, isSoon: boolean, of: ClaimedReminder, person: RemindedPerson) => {
      const { eventId, workspaceId, title, scheduledAt, ...shown } = of
      const own = await links(sql, eventId, person.id)
      const token = refusals.tokenFor({ workspaceId, kind: "reminder", email: person.email })
      const reminder = { isSoon, name: person.name, event: title, when: scheduledAt, ...shown }
      await mailer.post(sql, reminderEmail(person.email, reminder, own, `${publicUrl}/unsubscribe/${token}`))
    }

    /** The next reminder that is due: the more urgent kinds first, then the events' own times. */
    const claimNext = async (sql: Queryable, now: number): Promise<Claimed | undefined> => {
      for (const kind of KINDS) {
        const claimed = await claimReminder(sql, dueAt(now, kind))
        if (claimed !== undefined) return { ...claimed, ...kind }
      }
      const own = await claimOwnReminder(sql, toTimestamp(now))
      return own === undefined ? undefined : { ...own, leadMs: Number(own.kind) * MINUTE_MS }
    }

    /** Resolves to the number of emails posted; `undefined` when nothing is due. */
    const postSome = async (sql: Queryable, now: number) => {
      const claimed = await claimNext(sql, now)
      if (claimed === undefined) return undefined
      const { kind, leadMs } = claimed
      const registeredBy = toTimestamp(toMillis(claimed.scheduledAt) - leadMs)
      const people = await listReminded(sql, claimed, registeredBy, BATCH)
      const emails = people.map(({ email }) => email)
      const refused = await refusals.refusedAmong(sql, { workspaceId: claimed.workspaceId, kind: "reminder" }, emails)
      const others = {
        workspaceId: claimed.workspaceId,
        day: toTimestamp(now).slice(0, 10),
        most: mailPerWorkspacePerDay,
      }
      let letters = 0
      for (const person of people.filter(({ email }) => !refused.has(email))) {
        if (person.added && !(await mayMailOther(sql, others))) continue
        await post(sql, leadMs <= SOON_MS, claimed, person)
        letters += 1
      }
      const afterEmail = emails.at(-1) ?? claimed.afterEmail
      await advanceReminder(sql, { ...claimed, afterEmail }, kind, people.length < BATCH)
      return { kind: countedAs(kind), letters }
    }

    return {
      open: (now: number) =>
        Effect.andThen(
          Effect.forEach(KINDS, (kind) => database.run((sql) => openReminders(sql, dueAt(now, kind), OPENED)), {
            discard: true,
          }),
          database.run((sql) => openOwnReminders(sql, toTimestamp(now), OPENED)),
        ),
      step: (now: number) =>
        postingStep(
          now,
          (sql) => postSome(sql, now),
          ({ kind, letters }) => metrics.reminders.add(letters, kind),
        ).pipe(Effect.provideService(Database, database), Effect.provideService(Mailer, mailer)),
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
      yield* postInSteps({ what: "reminders", everyMs: options.everyMs, open, step })

      const sweep = Effect.suspend(() => {
        const before = toTimestamp(timers.now() - KEPT_MS)
        return inBatches(database, (sql, limit) => deleteReminders(sql, before, limit))
      })
      yield* Effect.forkScoped(sweepEvery("1 hour", log, sweep))
    }),
  )
