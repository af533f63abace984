/** Emails to people whose registration has no place yet, or none any more. `entryEmail` confirms a place. */
import { DECLINE_REASON_LIMIT, type RegistrationState } from "../model/registration.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import type { EventFace } from "../store/event-face.ts"
import type { StoredCalendarEvent } from "../store/events/calendar-events.ts"
import type { Standing } from "../store/events/waiting-list.ts"
import { type EmailMessage, eventNamed, hello, leaving, type PersonalLinks, titled, writeEmail } from "./emails.ts"
import { membersLine } from "./lines.ts"
import type { Words } from "./words/en.ts"
import { languageOf, wordsOf } from "./words/words.ts"

/** A state without the right to enter. */
type OutsideState = Exclude<RegistrationState, "approved">
type OutsideStanding = Omit<Standing, "state"> & { readonly state: OutsideState }
type EmailedEvent = Pick<StoredCalendarEvent, "title" | "scheduledAt" | "timeZone"> & EventFace

interface Told {
  readonly subject: string
  readonly lines: ReadonlyArray<string>
}

const told = (event: EmailedEvent, { state, position, offerEndsAt, declineReason }: OutsideStanding): Told => {
  const words = wordsOf(event.language)
  const { outside } = words
  const named = eventNamed(event.title, words)
  switch (state) {
    case "pending":
      return { subject: outside.pendingSubject, lines: [outside.pending(named)] }
    case "waiting":
      return { subject: outside.waitingSubject, lines: [outside.waiting(named, position)] }
    case "offered": {
      const until = offerEndsAt && zonedMoment(offerEndsAt, event.timeZone, languageOf(event.language))
      return { subject: outside.offeredSubject, lines: [outside.offered(named, until)] }
    }
    case "declined": {
      const why = declineReason === null ? [] : [outside.because(membersLine(declineReason, "", DECLINE_REASON_LIMIT))]
      return { subject: outside.declinedSubject, lines: [outside.declined(named), ...why] }
    }
    case "expired":
      return { subject: outside.expiredSubject, lines: [outside.expired(named)] }
  }
}

const actionsFor = (state: OutsideState, words: Words, links: PersonalLinks, eventPage: string) => {
  const { outside } = words
  switch (state) {
    case "declined":
      return []
    case "expired":
      return [{ label: outside.again, url: eventPage }]
    case "offered":
      return [
        { label: outside.take, url: links.place },
        { ...leaving(links, words), label: outside.refuse },
      ]
    default:
      return [{ label: outside.see, url: links.place }, leaving(links, words)]
  }
}

/** Whether the email of the state has personal links. */
const hasLinks = (state: OutsideState): boolean => state !== "declined" && state !== "expired"

export const outsideEmail = (
  to: { readonly name: string; readonly email: string },
  event: EmailedEvent,
  standing: OutsideStanding,
  { links, eventPage }: { readonly links: PersonalLinks; readonly eventPage: string },
): EmailMessage => {
  const { state, offerEndsAt } = standing
  const words = wordsOf(event.language)
  const { subject, lines } = told(event, standing)
  const { why, linksAreYours } = words.outside
  return {
    ...writeEmail({
      to: to.email,
      face: event,
      subject: `${subject}: ${titled(event.title, words)}`,
      lines: [hello(to.name, words), ...lines],
      actions: actionsFor(state, words, links, eventPage),
      why: hasLinks(state) ? `${why} ${linksAreYours}` : why,
    }),
    ...(offerEndsAt === null ? {} : { notAfter: offerEndsAt }),
  }
}
