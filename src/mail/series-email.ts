/** The email that confirms registrations for the events of a series, in the language of the first. */
import type { Event } from "../model/event.ts"
import type { RegistrationState } from "../model/registration.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import type { EventFace } from "../store/event-face.ts"
import { type EmailMessage, eventNamed, hello, titled, writeEmail } from "./emails.ts"
import { languageOf, wordsOf } from "./words/words.ts"

export interface SeriesPlace {
  readonly event: Pick<Event, "id" | "title" | "scheduledAt" | "timeZone">
  readonly state: RegistrationState
  /** The person enters the event, or without a place sees the state of the registration. */
  readonly url: string
}

/** `places` are in the order of their start; `face` is that of the first. */
export const seriesEmail = (
  to: { readonly name: string; readonly email: string },
  face: EventFace,
  places: readonly [SeriesPlace, ...ReadonlyArray<SeriesPlace>],
  calendarUrl: string,
): EmailMessage => {
  const [{ event: first }] = places
  const words = wordsOf(face.language)
  const labelOf = ({ event: { title, scheduledAt, timeZone }, state }: SeriesPlace): string => {
    const when =
      scheduledAt === null ? titled(title, words) : zonedMoment(scheduledAt, timeZone, languageOf(face.language))
    return state === "approved" ? when : words.series.noPlace(when)
  }
  return writeEmail({
    to: to.email,
    face,
    subject: words.series.subject(titled(first.title, words)),
    lines: [hello(to.name, words), words.series.registered(eventNamed(first.title, words), places.length)],
    actions: [
      ...places.map((place) => ({ label: labelOf(place), url: place.url })),
      { label: words.series.calendar, url: calendarUrl },
    ],
    why: words.series.why,
  })
}
