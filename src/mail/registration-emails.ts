/** Emails to people whose registration has no place yet, or none any more. `entryEmail` confirms a place. */
import { DECLINE_REASON_LIMIT, type RegistrationState } from "../model/registration.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import type { CalendarEvent } from "../store/events/calendar-events.ts"
import type { Standing } from "../store/events/waiting-list.ts"
import { type EmailMessage, eventNamed, hello, leaving, type PersonalLinks, titled, writeEmail } from "./emails.ts"
import { membersLine } from "./lines.ts"

/** A state without the right to enter. */
type OutsideState = Exclude<RegistrationState, "approved">
type OutsideStanding = Omit<Standing, "state"> & { readonly state: OutsideState }
type EmailedEvent = Pick<CalendarEvent, "title" | "scheduledAt" | "timeZone">

interface Told {
  readonly subject: string
  readonly lines: ReadonlyArray<string>
}

const toldOf: {
  readonly [state in OutsideState]: (event: string, standing: OutsideStanding, zone: string | null) => Told
} = {
  pending: (event) => ({
    subject: "Registration received",
    lines: [`your registration for ${event} has arrived. The organisers decide about it, and an email tells you what.`],
  }),
  waiting: (event, { position }) => ({
    subject: "Waiting list",
    lines: [
      `${event} is full, and you are ${position === null ? "on" : `number ${position} of`} the waiting list. When it is your turn, an email offers you a place.`,
    ],
  }),
  offered: (event, { offerEndsAt }, zone) => ({
    subject: "A place is free",
    lines: [
      `there is a place for you at ${event}. ${
        offerEndsAt === null ? "" : `It is yours if you take it by ${zonedMoment(offerEndsAt, zone)}. `
      }Afterwards it is offered to the next person.`,
    ],
  }),
  declined: (event, { declineReason }) => ({
    subject: "Registration declined",
    lines: [
      `the organisers have declined your registration for ${event}.`,
      ...(declineReason === null ? [] : [`They say why: ${membersLine(declineReason, "", DECLINE_REASON_LIMIT)}`]),
    ],
  }),
  expired: (event) => ({
    subject: "Your offer is over",
    lines: [`the place at ${event} that was free for you is offered to the next person. You may register again.`],
  }),
}

const actionsFor = (state: OutsideState, links: PersonalLinks, eventPage: string) => {
  switch (state) {
    case "declined":
      return []
    case "expired":
      return [{ label: "Register again", url: eventPage }]
    case "offered":
      return [
        { label: "Take the place", url: links.place },
        { ...leaving(links), label: "I do not want the place" },
      ]
    default:
      return [{ label: "See your registration", url: links.place }, leaving(links)]
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
  const { subject, lines } = toldOf[state](eventNamed(event.title), standing, event.timeZone)
  const why = "You get this email because you registered for the event. If you did not, ignore it."
  return {
    ...writeEmail({
      to: to.email,
      subject: `${subject}: ${titled(event.title)}`,
      lines: [hello(to.name), ...lines],
      actions: actionsFor(state, links, eventPage),
      why: hasLinks(state) ? `${why} The links are yours alone.` : why,
    }),
    ...(offerEndsAt === null ? {} : { notAfter: offerEndsAt }),
  }
}
