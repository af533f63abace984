/**
 * The waiting lists of events: free places are offered to the first who wait, and an offer that is over goes to the next. Offers are made in
 * steps (`posting.ts`), each with its emails and webhooks in one transaction under the lock of the event's row, so that several nodes or a
 * crash make or end none twice. The deadlines are in the database. An offer begins when its email is posted: while emails wait to be sent,
 * no offers are made or end.
 */
import { Effect, Layer } from "effect"
import { offerEnd } from "../model/registration.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { findCalendarEvent } from "../store/events/calendar-events.ts"
import type { StoredRegistrant } from "../store/events/registrations.ts"
import { claimWaitingEvent, endOffers, makeOffers } from "../store/events/waiting-list.ts"
import { listBounced } from "../store/mail/bounces.ts"
import { OutboxSignal } from "../store/webhooks/outbox.ts"
import { appendRegistrationOccurrences } from "../store/webhooks/registration-occurrences.ts"
import type { Telemetry } from "../telemetry/telemetry.ts"
import type { PersonalLinks } from "./emails.ts"
import { Mailer } from "./mailer.ts"
import { BATCH, postInSteps, postingStep } from "./posting.ts"
import { outsideEmail } from "./registration-emails.ts"

/** Interval between checks: a free place is offered soon. */
const EVERY_MS = 3_000

interface OfferOptions {
  /** Creates links of the registration, in the caller's transaction. */
  readonly links: (sql: Queryable, eventId: string, registrationId: string) => Promise<PersonalLinks>
  /** Base address of the pages of events. */
  readonly appUrl: string
  readonly everyMs?: number
}

/** A step, which may run beside those of other nodes. */
export const offerSteps = ({ links, appUrl }: OfferOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const mailer = yield* Mailer
    const outbox = yield* OutboxSignal

    const moveOn = async (sql: Queryable, now: number) => {
      const at = toTimestamp(now)
      const claimed = await claimWaitingEvent(sql, at)
      if (claimed === undefined) return undefined
      const { id, capacity, isCancelled } = claimed
      const event = await findCalendarEvent(sql, id)
      const tell = async (
        state: "offered" | "expired",
        people: ReadonlyArray<StoredRegistrant>,
        offerEndsAt: typeof at | null,
      ) => {
        await appendRegistrationOccurrences(sql, state, claimed, people, at)
        if (event === undefined || event.status === "ended") return
        const standing = { state, offerEndsAt, position: null, declineReason: null }
        const eventPage = `${appUrl}/enter/${id}`
        const emails = people.map(({ email }) => email)
        const bounced = await listBounced(sql, claimed.workspaceId, emails)
        for (const person of people.filter(({ email }) => !bounced.has(email))) {
          const own = await links(sql, id, person.id)
          await mailer.post(sql, outsideEmail(person, event, standing, { links: own, eventPage }))
        }
      }
      const ended = await endOffers(sql, claimed, at, BATCH)
      if (isCancelled) await appendRegistrationOccurrences(sql, "waiting", claimed, ended, at)
      else await tell("expired", ended, null)
      const freeUnlimited = capacity === null ? BATCH : capacity - claimed.registered + ended.length
      const free = claimed.isOpen ? Math.min(BATCH, freeUnlimited) : 0
      if (free > 0) {
        const endsAt = offerEnd(now, claimed)
        await tell("offered", await makeOffers(sql, id, endsAt, free), endsAt)
      }
      return true
    }

    return {
      step: (now: number) =>
        postingStep(now, (sql) => moveOn(sql, now), outbox.notify).pipe(
          Effect.provideService(Database, database),
          Effect.provideService(Mailer, mailer),
        ),
    }
  })

export const offersLayer = (
  options: OfferOptions,
): Layer.Layer<never, never, Database | Mailer | OutboxSignal | Telemetry> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { step } = yield* offerSteps(options)
      yield* postInSteps({ what: "offers of free places", everyMs: options.everyMs ?? EVERY_MS, step })
    }),
  )
