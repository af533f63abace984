/**
 * Notices by mail: the people who registered for a published event, or are invited to it, are told when it is moved, renamed, postponed,
 * cancelled, reinstated or deleted. The transaction of the change writes the notice (`sql/functions/triggers.sql`). Changes in quick
 * succession make one email, which says what has changed since its reader was told last, and a change that was taken back makes none.
 * Emails are posted in steps (`posting.ts`).
 */
import { Effect, Layer } from "effect"
import { type Timestamp, toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { findCalendarEvent, type StoredCalendarEvent } from "../store/events/calendar-events.ts"
import { listBounced } from "../store/mail/bounces.ts"
import { mayMailOther } from "../store/mail/emails.ts"
import {
  advanceNotice,
  type ClaimedNotice,
  claimNotice,
  deleteNotice,
  holdNotice,
  listReaders,
  type NoticeReader,
} from "../store/mail/notices.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { EmailRefusals } from "./email-refusals.ts"
import type { PersonalLinks } from "./emails.ts"
import { Mailer } from "./mailer.ts"
import { type KnownEvent, type NoticedEvent, noticeEmail } from "./notice-emails.ts"
import { BATCH, postInSteps, postingStep } from "./posting.ts"

interface NoticeOptions {
  /** Creates links of the registration, in the caller's transaction. */
  readonly links: (sql: Queryable, eventId: string, registrationId: string) => Promise<PersonalLinks>
  /** Base address of the pages of events. */
  readonly appUrl: string
  /** Address of this server, which handles refusals. */
  readonly publicUrl: string
  /** Emails per day (UTC) to people whom the workspace registered or invited. */
  readonly mailPerWorkspacePerDay: number
  readonly everyMs?: number
}

/** Delay after the last change, within which further changes join the email. */
const SETTLING_MS = 2 * 60_000
/** Delay after the first change, after which an email goes out however often the event changes. */
const LONGEST_MS = 10 * 60_000
const DAY_MS = 86_400_000

const isSame = (event: KnownEvent, known: KnownEvent): boolean =>
  event.isCancelled === known.isCancelled &&
  (event.isCancelled ||
    (event.title === known.title &&
      event.scheduledAt === known.scheduledAt &&
      event.scheduledEndAt === known.scheduledEndAt))

const knownOf = (notice: ClaimedNotice): KnownEvent => ({
  title: notice.knownTitle,
  scheduledAt: notice.knownAt,
  scheduledEndAt: notice.knownEndAt,
  isCancelled: notice.knownCancelled,
})

/** A deleted event as a cancelled one. */
const deletedEvent = (notice: ClaimedNotice): NoticedEvent => ({
  ...knownOf(notice),
  id: notice.eventId,
  workspaceId: notice.workspaceId,
  workspace: notice.workspace,
  description: null,
  location: null,
  timeZone: notice.timeZone,
  language: notice.language,
  coverUrl: null,
  logoUrl: null,
  accent: null,
  emailTexts: null,
  isCancelled: true,
  cancelReason: notice.reason,
  sequence: notice.knownSequence + 1,
  changedAt: notice.changedAt,
})

/** Nobody is told any more once the event is over. */
const isTold = (event: StoredCalendarEvent | undefined): event is StoredCalendarEvent =>
  event !== undefined && event.status !== "ended"

/** A posting step, which may run beside those of other nodes. */
export const noticeSteps = ({ links, appUrl, publicUrl, mailPerWorkspacePerDay }: NoticeOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const mailer = yield* Mailer
    const refusals = yield* EmailRefusals
    const { metrics } = yield* Telemetry

    /** Counts an email to an address that the workspace chose; false when it may send no more today. */
    const mayMail = (sql: Queryable, workspaceId: string, day: string): Promise<boolean> =>
      mayMailOther(sql, { workspaceId, day, most: mailPerWorkspacePerDay })

    /** People without a place do not enter: their links lead to the page of their registration. */
    const linksOf = async (sql: Queryable, eventId: string, id: string, hasPlace: boolean): Promise<PersonalLinks> => {
      const own = await links(sql, eventId, id)
      return hasPlace ? own : { ...own, enter: own.place }
    }

    const post = async (
      sql: Queryable,
      notice: ClaimedNotice,
      event: NoticedEvent,
      reader: NoticeReader,
      stamp: Timestamp,
    ) => {
      const { workspaceId, audience, gone } = notice
      const { id, name, email, isLate, hasPlace } = reader
      const isInvited = audience === "invited"
      const token = refusals.tokenFor({ workspaceId, kind: "invitation", email })
      const to = { name, email, isInvited, hasPlace, known: isLate ? null : knownOf(notice) }
      const readersLinks = {
        event: gone ? null : `${appUrl}/enter/${event.id}`,
        own: id === null ? null : await linksOf(sql, event.id, id, hasPlace),
        unsubscribe: isInvited ? `${publicUrl}/unsubscribe/${token}` : null,
      }
      await mailer.post(sql, noticeEmail(event, to, readersLinks, { sender: mailer.sender, stamp }))
    }

    const refusedAmong = (sql: Queryable, { workspaceId, audience }: ClaimedNotice, emails: ReadonlyArray<string>) =>
      audience === "invited"
        ? refusals.refusedAmong(sql, { workspaceId, kind: "invitation" }, emails)
        : listBounced(sql, workspaceId, emails)

    /**
     * The people who are told today, among the first `passed` readers. Of people who registered themselves all are whose address takes emails; of
     * others, who did not refuse, as many as the workspace may send emails to.
     */
    const toTell = async (sql: Queryable, notice: ClaimedNotice, readers: ReadonlyArray<NoticeReader>, day: string) => {
      const { workspaceId, audience } = notice
      const emails = readers.map(({ email }) => email)
      const refused = await refusedAmong(sql, notice, emails)
      if (audience === "registered") {
        return { told: readers.filter(({ email }) => !refused.has(email)), passed: readers.length }
      }
      const told: NoticeReader[] = []
      for (const [passed, reader] of readers.entries()) {
        if (refused.has(reader.email)) continue
        if (!(await mayMail(sql, workspaceId, day))) return { told, passed }
        told.push(reader)
      }
      return { told, passed: readers.length }
    }

    /** Posts to the next readers, and resolves to the number of emails. */
    const postSome = async (
      sql: Queryable,
      notice: ClaimedNotice,
      event: NoticedEvent,
      now: number,
    ): Promise<number> => {
      const { number, afterEmail } = notice
      const which = {
        lateOnly: isSame(event, knownOf(notice)),
        isOfCancellation: event.isCancelled || notice.knownCancelled,
      }
      const readers = await listReaders(sql, notice, which, BATCH)
      const stamp = toTimestamp(now)
      const { told, passed } = await toTell(sql, notice, readers, stamp.slice(0, "2026-01-01".length))
      for (const reader of told) await post(sql, notice, event, reader, stamp)
      const isHeld = passed < readers.length
      if (!isHeld && readers.length < BATCH) await deleteNotice(sql, number)
      else await advanceNotice(sql, number, readers[passed - 1]?.email ?? afterEmail)
      if (isHeld) await holdNotice(sql, number, toTimestamp(now - (now % DAY_MS) + DAY_MS))
      return told.length
    }

    const postNext = async (sql: Queryable, now: number) => {
      const [settledBy, longSince] = [toTimestamp(now - SETTLING_MS), toTimestamp(now - LONGEST_MS)]
      const notice = await claimNotice(sql, toTimestamp(now), settledBy, longSince)
      if (notice === undefined) return undefined
      const { audience } = notice
      // Read after the claim, which waits for a change, so that it is not older than the notice.
      const event = notice.gone ? undefined : await findCalendarEvent(sql, notice.eventId)
      if (notice.gone) return { audience, letters: await postSome(sql, notice, deletedEvent(notice), now) }
      if (isTold(event)) return { audience, letters: await postSome(sql, notice, event, now) }
      await deleteNotice(sql, notice.number)
      return { audience, letters: 0 }
    }

    return {
      step: (now: number) =>
        postingStep(
          now,
          (sql) => postNext(sql, now),
          ({ audience, letters }) => metrics.notices.add(letters, audience),
        ).pipe(Effect.provideService(Database, database), Effect.provideService(Mailer, mailer)),
    }
  })

export const noticesLayer = (
  options: NoticeOptions,
): Layer.Layer<never, never, Database | Mailer | EmailRefusals | Telemetry> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { step } = yield* noticeSteps(options)
      yield* postInSteps({ what: "notices of changed events", everyMs: options.everyMs, step })
    }),
  )
