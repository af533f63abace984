/** Emails about an event that was moved, renamed, postponed, cancelled or deleted, or that takes place after all. */
import { CANCEL_REASON_LIMIT } from "../model/event.ts"
import type { Timestamp } from "../model/timestamp.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import type { StoredCalendarEvent } from "../store/events/calendar-events.ts"
import { calendarFile } from "./calendar.ts"
import { type EmailMessage, eventNamed, hello, leaving, type PersonalLinks, titled, writeEmail } from "./emails.ts"
import { membersLine } from "./lines.ts"

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

const begins = ({ scheduledAt, timeZone }: NoticedEvent, before = "It "): string =>
  scheduledAt === null ? "The date is not known yet." : `${before}begins on ${zonedMoment(scheduledAt, timeZone)}.`

const cancellation = ({ title, scheduledAt, timeZone, cancelReason }: NoticedEvent): Told => ({
  subject: `Cancelled: ${titled(title)}`,
  lines: [
    scheduledAt === null
      ? `${eventNamed(title)} is cancelled.`
      : `${eventNamed(title)}, which was to begin on ${zonedMoment(scheduledAt, timeZone)}, is cancelled.`,
    ...(cancelReason === null ? [] : [`The organiser says why: ${membersLine(cancelReason, "", CANCEL_REASON_LIMIT)}`]),
  ],
})

const reinstatement = (event: NoticedEvent): Told => ({
  subject: `Takes place: ${titled(event.title)}`,
  lines: [`${eventNamed(event.title)} was cancelled, and takes place after all.`, begins(event)],
})

const movement = (event: NoticedEvent, known: KnownEvent): Told => {
  const { title, timeZone } = event
  if (event.scheduledAt === null) {
    const was = known.scheduledAt === null ? "" : ` on ${zonedMoment(known.scheduledAt, timeZone)}`
    return {
      subject: `Postponed: ${titled(title)}`,
      lines: [`${eventNamed(title)} is postponed, and does not begin${was}.`, "The new date is not known yet."],
    }
  }
  return {
    subject: `New date: ${titled(title)}`,
    lines: [
      known.scheduledAt === null
        ? `${eventNamed(title)} has a date.`
        : `${eventNamed(title)} was moved. It was to begin on ${zonedMoment(known.scheduledAt, timeZone)}.`,
      begins(event, "It now "),
    ],
  }
}

const endLine = (
  { scheduledAt, scheduledEndAt, timeZone }: NoticedEvent,
  known: KnownEvent | null,
): ReadonlyArray<string> => {
  if (scheduledAt === null || (known !== null && known.scheduledEndAt === scheduledEndAt)) return []
  if (scheduledEndAt !== null) return [`It is planned to end on ${zonedMoment(scheduledEndAt, timeZone)}.`]
  return known === null ? [] : ["Its end is open."]
}

const change = (event: NoticedEvent, known: KnownEvent | null): Told => {
  const isMoved = known !== null && known.scheduledAt !== event.scheduledAt
  const { subject, lines } = isMoved
    ? movement(event, known)
    : {
        subject: `Changed: ${titled(event.title)}`,
        lines: [`${eventNamed(event.title)} has changed.`, begins(event)],
      }
  const renamed = known === null || known.title === event.title ? [] : [`It was called ${eventNamed(known.title)}.`]
  return { subject, lines: [...lines, ...endLine(event, known), ...renamed] }
}

const telling = (event: NoticedEvent, known: KnownEvent | null): Told => {
  if (event.isCancelled) return cancellation(event)
  return known?.isCancelled === true ? reinstatement(event) : change(event, known)
}

const why = (isInvited: boolean, hasFile: boolean, hasLinks: boolean): string =>
  [
    `You get this email because you ${isInvited ? "are invited to" : "registered for"} the event.`,
    ...(hasFile ? ["The attached file brings your calendar up to date."] : []),
    ...(hasLinks ? ["The links are yours alone."] : []),
  ].join(" ")

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
  const { subject, lines } = telling(event, to.known)
  const page = own?.enter ?? eventUrl
  const file = calendarOf(event, to, { page, sender, stamp })
  return {
    ...writeEmail({
      to: to.email,
      subject,
      lines: [hello(to.name), ...lines],
      actions: [
        ...(page === null ? [] : [{ label: "See the event", url: page }]),
        ...(own === null || event.isCancelled ? [] : [leaving(own)]),
      ],
      why: why(to.isInvited, file.calendar !== undefined, own !== null),
      ...(unsubscribe === null
        ? {}
        : { unsubscribe: { label: "No more invitations from this workspace", url: unsubscribe } }),
    }),
    ...file,
  }
}
