/** Emails about an event that was moved, renamed, postponed, cancelled or deleted, or that takes place after all. */
import { CANCEL_REASON_LIMIT } from "../model/event.ts"
import type { Timestamp } from "../model/timestamp.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import type { StoredCalendarEvent } from "../store/events/calendar-events.ts"
import { calendarFile } from "./calendar.ts"
import { type EmailMessage, eventNamed, hello, leaving, type PersonalLinks, titled, writeEmail } from "./emails.ts"
import { membersLine } from "./lines.ts"
import type { Words } from "./words/en.ts"
import { languageOf, wordsOf } from "./words/words.ts"

/** An event as people know it. */
export type KnownEvent = Pick<StoredCalendarEvent, "title" | "scheduledAt" | "scheduledEndAt" | "isCancelled">
export type NoticedEvent = Omit<StoredCalendarEvent, "status">

interface NoticeTo {
  readonly name: string | null
  readonly email: string
  readonly isInvited: boolean
  /** False for registered people without a place, whose calendars do not have the event. */
  readonly hasPlace: boolean
  /** The event as the reader knows it; null if that is unknown. */
  readonly known: KnownEvent | null
}

interface NoticeLinks {
  /** Page of the event; null once it is deleted. */
  readonly event: string | null
  /** Null for readers without a registration. */
  readonly own: PersonalLinks | null
  /** Refuses emails of the kind, for invited people. */
  readonly unsubscribe: string | null
}

interface Told {
  readonly subject: string
  readonly lines: ReadonlyArray<string>
}

/** The event as its readers' language names it. */
const spoken = (event: NoticedEvent) => {
  const words = wordsOf(event.language)
  const { notice } = words
  const moment = (at: Timestamp): string => zonedMoment(at, event.timeZone, languageOf(event.language))
  const begins = event.scheduledAt === null ? notice.unknownDate : notice.begins(moment(event.scheduledAt))
  return {
    notice,
    begins,
    moment,
    title: titled(event.title, words),
    named: (title: string) => eventNamed(title, words),
  }
}

const cancellation = (event: NoticedEvent): Told => {
  const { notice, moment, title, named } = spoken(event)
  const { scheduledAt, cancelReason } = event
  return {
    subject: notice.cancelledSubject(title),
    lines: [
      notice.cancelled(named(event.title), scheduledAt === null ? null : moment(scheduledAt)),
      ...(cancelReason === null ? [] : [notice.because(membersLine(cancelReason, "", CANCEL_REASON_LIMIT))]),
    ],
  }
}

const reinstatement = (event: NoticedEvent): Told => {
  const { notice, begins, title, named } = spoken(event)
  return { subject: notice.reinstatedSubject(title), lines: [notice.reinstated(named(event.title)), begins] }
}

const movement = (event: NoticedEvent, known: KnownEvent): Told => {
  const { notice, moment, title, named } = spoken(event)
  const was = known.scheduledAt === null ? null : moment(known.scheduledAt)
  if (event.scheduledAt === null) {
    return {
      subject: notice.postponedSubject(title),
      lines: [notice.postponed(named(event.title), was), notice.newDate],
    }
  }
  return {
    subject: notice.movedSubject(title),
    lines: [
      was === null ? notice.dated(named(event.title)) : notice.moved(named(event.title), was),
      notice.nowBegins(moment(event.scheduledAt)),
    ],
  }
}

const endLine = (event: NoticedEvent, known: KnownEvent | null): ReadonlyArray<string> => {
  const { scheduledAt, scheduledEndAt } = event
  if (scheduledAt === null || (known !== null && known.scheduledEndAt === scheduledEndAt)) return []
  const { notice, moment } = spoken(event)
  if (scheduledEndAt !== null) return [notice.ends(moment(scheduledEndAt))]
  return known === null ? [] : [notice.openEnd]
}

const change = (event: NoticedEvent, known: KnownEvent | null): Told => {
  const { notice, begins, title, named } = spoken(event)
  const isMoved = known !== null && known.scheduledAt !== event.scheduledAt
  const { subject, lines } = isMoved
    ? movement(event, known)
    : { subject: notice.changedSubject(title), lines: [notice.changed(named(event.title)), begins] }
  const renamed = known === null || known.title === event.title ? [] : [notice.renamed(named(known.title))]
  return { subject, lines: [...lines, ...endLine(event, known), ...renamed] }
}

const telling = (event: NoticedEvent, known: KnownEvent | null): Told => {
  if (event.isCancelled) return cancellation(event)
  return known?.isCancelled === true ? reinstatement(event) : change(event, known)
}

const why = ({ notice }: Words, isInvited: boolean, hasFile: boolean, hasLinks: boolean): string =>
  [notice.why(isInvited), ...(hasFile ? [notice.file] : []), ...(hasLinks ? [notice.linksAreYours] : [])].join(" ")

/** A cancelled or postponed event is taken out of calendars by a file with the time that it had. */
const calendarOf = (
  event: NoticedEvent,
  to: NoticeTo,
  { page, sender, stamp }: { readonly page: string | null; readonly sender: string | null; readonly stamp: Timestamp },
): Pick<EmailMessage, "calendar"> => {
  const scheduledAt = event.scheduledAt ?? to.known?.scheduledAt ?? null
  if (scheduledAt === null || !to.hasPlace) return {}
  const method = event.isCancelled || event.scheduledAt === null ? "CANCEL" : "REQUEST"
  return {
    calendar: {
      method,
      content: calendarFile({ ...event, scheduledAt }, { method, stamp, page, sender, attendee: to }),
    },
  }
}

export const noticeEmail = (
  event: NoticedEvent,
  to: NoticeTo,
  { event: eventUrl, own, unsubscribe }: NoticeLinks,
  { sender, stamp }: { readonly sender: string | null; readonly stamp: Timestamp },
): EmailMessage => {
  const words = wordsOf(event.language)
  const { subject, lines } = telling(event, to.known)
  const page = own?.enter ?? eventUrl
  const file = calendarOf(event, to, { page, sender, stamp })
  return {
    ...writeEmail({
      to: to.email,
      face: event,
      subject,
      lines: [hello(to.name, words), ...lines],
      actions: [
        ...(page === null ? [] : [{ label: words.notice.see, url: page }]),
        ...(own === null || event.isCancelled ? [] : [leaving(own, words)]),
      ],
      why: why(words, to.isInvited, file.calendar !== undefined, own !== null),
      ...(unsubscribe === null ? {} : { unsubscribe: { label: words.refuseInvitations, url: unsubscribe } }),
    }),
    ...file,
  }
}
