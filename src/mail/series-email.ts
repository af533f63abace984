/** The email that confirms registrations for the events of a series. */
import type { RegistrationState } from "../model/registration.ts"
import type { Timestamp } from "../model/timestamp.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import { type EmailMessage, eventNamed, hello, titled, writeEmail } from "./emails.ts"

export interface SeriesPlace {
  readonly title: string
  readonly scheduledAt: Timestamp | null
  readonly timeZone: string | null
  readonly state: RegistrationState
  /** The person enters the event, or without a place sees the state of the registration. */
  readonly url: string
}

const labelOf = ({ title, scheduledAt, timeZone, state }: SeriesPlace): string => {
  const when = scheduledAt === null ? titled(title) : zonedMoment(scheduledAt, timeZone)
  return state === "approved" ? when : `${when} (without a place so far)`
}

/** `places` has at least one, in the order of their start. */
export const seriesEmail = (
  to: { readonly name: string; readonly email: string },
  places: ReadonlyArray<SeriesPlace>,
  calendarUrl: string,
): EmailMessage => {
  const title = places[0]?.title ?? ""
  return writeEmail({
    to: to.email,
    subject: `Your places at ${titled(title)}`,
    lines: [
      hello(to.name),
      `you are registered for ${eventNamed(title)}, ${places.length === 1 ? "one event" : `${places.length} events`}. Each has a link of its own.`,
    ],
    actions: [
      ...places.map((place) => ({ label: labelOf(place), url: place.url })),
      { label: "All of them for your calendar", url: calendarUrl },
    ],
    why: "The links are yours alone; each works until a day after its event. If you did not register, ignore this email.",
  })
}
