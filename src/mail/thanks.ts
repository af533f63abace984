/**
 * Emails after an event whose survey asks for them: everybody who registered or was there gets one, with links to the recap and the survey.
 * They are posted in steps (`posting.ts`).
 */
import { Effect, Layer } from "effect"
import type { Unavailable } from "../model/errors.ts"
import { isEmail } from "../model/text/email.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { mayMailOther } from "../store/mail/emails.ts"
import {
  advanceThanks,
  type ClaimedThanks,
  claimThanks,
  closeThanks,
  listThanked,
  openThanks,
  type ThankedPerson,
} from "../store/mail/thanks.ts"
import { query } from "../store/query.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { EmailRefusals } from "./email-refusals.ts"
import { thanksEmail } from "./emails.ts"
import { Mailer } from "./mailer.ts"
import { BATCH, postInSteps, postingStep } from "./posting.ts"

interface ThanksOptions {
  /** Base address of the pages of events. */
  readonly appUrl: string
  /** Address of this server, which has the survey and handles refusals. */
  readonly publicUrl: string
  /** Signs the link of one registrant to the survey. */
  readonly surveyToken: (of: { readonly eventId: string; readonly registrationId: string }) => Effect.Effect<string>
  /** Emails per day (UTC) to people whom the workspace registered or invited. */
  readonly mailPerWorkspacePerDay: number
  readonly everyMs?: number
}

const MINUTE_MS = 60_000
/** Delay after the end, in which the recap takes shape. */
const AFTER_MS = 10 * MINUTE_MS
/** Time after the end within which an email is still sent. */
const LATE_MS = 24 * 60 * MINUTE_MS
/** Maximum number of events opened or closed per statement. */
const MOST_EVENTS = 500

const dueAt = (now: number) => ({ after: toTimestamp(now - LATE_MS), upTo: toTimestamp(now - AFTER_MS) })

/** A check for events that have ended, and one posting step; both may run beside those of other nodes. */
export const thanksSteps = ({ appUrl, publicUrl, surveyToken, mailPerWorkspacePerDay }: ThanksOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const mailer = yield* Mailer
    const refusals = yield* EmailRefusals
    const { metrics } = yield* Telemetry

    /** Address of the survey; nothing in that of an anonymous one leads to its reader. */
    const surveyFor = ({ eventId, anonymous, asks }: ClaimedThanks, registrationId: string | null) => {
      const page = `${publicUrl}/survey/${eventId}`
      if (!asks) return Effect.succeed(null)
      if (anonymous || registrationId === null) return Effect.succeed(page)
      return Effect.map(surveyToken({ eventId, registrationId }), (token) => `${page}#token=${token}`)
    }

    const post = (sql: Queryable, claimed: ClaimedThanks, person: ThankedPerson) =>
      Effect.gen(function* () {
        const { eventId, workspaceId, title } = claimed
        const { registrationId, email } = person
        const survey = yield* surveyFor(claimed, registrationId)
        const unsubscribe = `${publicUrl}/unsubscribe/${refusals.tokenFor({ workspaceId, kind: "thanks", email })}`
        const links = { recap: `${appUrl}/enter/${eventId}`, survey, unsubscribe }
        yield* query(() => mailer.post(sql, thanksEmail({ ...claimed, ...person, event: title }, links)))
      })

    /** Resolves to the number of emails posted; `undefined` when nothing is due. */
    const postNext = (sql: Queryable, now: number): Effect.Effect<number | undefined, Unavailable> =>
      Effect.gen(function* () {
        const claimed = yield* query(() => claimThanks(sql, dueAt(now)))
        if (claimed === undefined) return undefined
        const { workspaceId } = claimed
        const people = yield* query(() => listThanked(sql, claimed, BATCH))
        const emails = people.map(({ email }) => email)
        const refused = yield* query(() => refusals.refusedAmong(sql, { workspaceId, kind: "thanks" }, emails))
        const others = { workspaceId, day: toTimestamp(now).slice(0, 10), most: mailPerWorkspacePerDay }
        const thanked: ThankedPerson[] = []
        // The address of a user is the integrator's, and may be none.
        for (const person of people.filter(({ email }) => !refused.has(email) && isEmail(email))) {
          if (person.added && !(yield* query(() => mayMailOther(sql, others)))) continue
          yield* post(sql, claimed, person)
          thanked.push(person)
        }
        const afterEmail = emails.at(-1) ?? claimed.afterEmail
        yield* query(() => advanceThanks(sql, { ...claimed, afterEmail }, people.length < BATCH))
        return thanked.length
      })

    return {
      open: (now: number) =>
        database.run(async (sql) => {
          await closeThanks(sql, dueAt(now), MOST_EVENTS)
          await openThanks(sql, dueAt(now), MOST_EVENTS)
        }),
      step: (now: number) =>
        postingStep(
          now,
          (sql) => postNext(sql, now),
          (letters) => metrics.reminders.add(letters, "thanks"),
        ).pipe(Effect.provideService(Database, database), Effect.provideService(Mailer, mailer)),
    }
  })

export const thanksLayer = (
  options: ThanksOptions,
): Layer.Layer<never, never, Database | Mailer | EmailRefusals | Telemetry> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { open, step } = yield* thanksSteps(options)
      yield* postInSteps({ what: "thanks after events", everyMs: options.everyMs, open, step })
    }),
  )
