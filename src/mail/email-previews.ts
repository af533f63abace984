/** Emails about an event as a made-up person would get them. Their links hold no token. */
import type { PreviewedEmail } from "../model/presentation.ts"
import { type Timestamp, toMillis, toTimestamp } from "../model/timestamp.ts"
import type { StoredCalendarEvent } from "../store/events/calendar-events.ts"
import { confirmationEmail } from "./confirmation-email.ts"
import { type EmailMessage, type PersonalLinks, reminderEmail, thanksEmail } from "./emails.ts"
import { noticeEmail } from "./notice-emails.ts"
import { outsideEmail } from "./registration-emails.ts"

const PERSON = { name: "Ada Lovelace", email: "ada@example.com" }
const DAY_MS = 86_400_000

interface Addresses {
  /** Base address of the pages of events. */
  readonly appUrl: string
  /** Address of this server. */
  readonly publicUrl: string
}

const linksOf = ({ appUrl, publicUrl }: Addresses, id: string): PersonalLinks => ({
  enter: `${appUrl}/enter/${id}`,
  leave: `${publicUrl}/leave/${id}`,
  place: `${publicUrl}/place/${id}`,
  answers: `${appUrl}/answers/${id}`,
})

interface Previewing {
  readonly addresses: Addresses
  /** Whether the event has a registration form, and whether its survey has questions. */
  readonly asks: boolean
  readonly surveys: boolean
  readonly stamp: Timestamp
}

export const previewEmail = (
  kind: PreviewedEmail,
  event: StoredCalendarEvent,
  { addresses, asks, surveys, stamp }: Previewing,
): EmailMessage => {
  const links = linksOf(addresses, event.id)
  const eventPage = `${addresses.appUrl}/enter/${event.id}`
  const unsubscribe = `${addresses.publicUrl}/unsubscribe`
  const tomorrow = toTimestamp(toMillis(stamp) + DAY_MS)
  switch (kind) {
    case "confirmation":
      return confirmationEmail(event, PERSON, { links, asks, sender: null, stamp })
    case "reminder": {
      const own = event.emailTexts?.reminder ?? null
      const when = event.scheduledAt ?? tomorrow
      const reminder = { ...event, isSoon: false, name: PERSON.name, event: event.title, when, own }
      return reminderEmail(PERSON.email, reminder, links, unsubscribe)
    }
    case "thanks": {
      const survey = surveys ? `${addresses.publicUrl}/survey/${event.id}` : null
      return thanksEmail(
        { ...event, ...PERSON, event: event.title, wasThere: true },
        { recap: eventPage, survey, unsubscribe },
      )
    }
    case "cancelled":
      return noticeEmail(
        { ...event, isCancelled: true },
        { ...PERSON, isInvited: false, hasPlace: true, known: null },
        { event: eventPage, own: links, unsubscribe: null },
        { sender: null, stamp },
      )
    default: {
      const offerEndsAt = kind === "offered" ? tomorrow : null
      const standing = { state: kind, position: kind === "waiting" ? 3 : null, offerEndsAt, declineReason: null }
      return outsideEmail(PERSON, event, standing, { links, eventPage })
    }
  }
}
