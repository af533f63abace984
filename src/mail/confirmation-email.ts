/** The email that confirms a place, with the calendar file of an event whose time is fixed. */
import { membersText } from "../model/text/shown-text.ts"
import type { Timestamp } from "../model/timestamp.ts"
import type { StoredCalendarEvent } from "../store/events/calendar-events.ts"
import { calendarFile } from "./calendar.ts"
import { type EmailMessage, entryEmail, type PersonalLinks } from "./emails.ts"

interface Confirming {
  readonly links: PersonalLinks
  /** Whether the event has a registration form. */
  readonly asks: boolean
  /** Address of the sender of emails, if emails are sent. */
  readonly sender: string | null
  readonly stamp: Timestamp
}

/** Whether the confirmation has texts of the organisers besides the title. */
export const hasOwnWords = ({ description, emailTexts }: StoredCalendarEvent): boolean =>
  (description ?? "") !== "" || (emailTexts?.confirmation ?? "") !== ""

export const withoutOwnWords = (event: StoredCalendarEvent): StoredCalendarEvent => ({
  ...event,
  description: null,
  emailTexts: null,
})

export const confirmationEmail = (
  event: StoredCalendarEvent,
  person: { readonly name: string; readonly email: string },
  { links, asks, sender, stamp }: Confirming,
): EmailMessage => {
  const { title, scheduledAt, description, emailTexts } = event
  const file = { method: "REQUEST", stamp, page: links.enter, sender, attendee: person } as const
  const calendar =
    scheduledAt === null
      ? {}
      : { calendar: { method: file.method, content: calendarFile({ ...event, scheduledAt }, file) } }
  const markdown = [emailTexts?.confirmation ?? "", membersText(description ?? "")].filter((text) => text !== "")
  const entry = { ...event, name: person.name, event: title, when: scheduledAt, markdown, asks, ...calendar }
  return entryEmail(person.email, entry, links)
}
