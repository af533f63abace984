/** An event as an iCalendar file (RFC 5545), written with ical-generator, which folds and escapes. */
import ical, { ICalCalendarMethod } from "ical-generator"

/** The assumed duration of an event without a planned end. */
const HOUR_MS = 3_600_000
/** A year has four digits (RFC 5545, section 3.3.4). */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59)

interface CalendarEvent {
  readonly id: string
  readonly title: string
  readonly description: string | null
  readonly location: string | null
  readonly scheduledAt: string
  readonly scheduledEndAt: string | null
  /** Time of the event's last change, by which calendars replace an older copy. */
  readonly at: string
  readonly appUrl: string
}

export const eventCalendar = ({
  id,
  title,
  description,
  location,
  scheduledAt,
  scheduledEndAt,
  at,
  appUrl,
}: CalendarEvent): string => {
  const calendar = ical({ prodId: "//Gathercue//Events//EN", method: ICalCalendarMethod.PUBLISH })
  const start = new Date(scheduledAt)
  calendar.createEvent({
    id: `${id}@gathercue`,
    start,
    end: new Date(Math.min(LATEST, scheduledEndAt === null ? start.getTime() + HOUR_MS : Date.parse(scheduledEndAt))),
    stamp: new Date(at),
    summary: title,
    url: `${appUrl}/enter/${id}`,
    ...(description === null ? {} : { description }),
    ...(location === null ? {} : { location }),
  })
  // The generator omits the final line break.
  return `${calendar.toString()}\r\n`
}
