/** An event as an iCalendar file (RFC 5545), written by ical-generator, which folds and escapes as the format wants. */
import ical, { ICalCalendarMethod } from "ical-generator"

/** Assumed duration of an event without a planned end. */
const DEFAULT_HOURS = 1

export interface CalendarEvent {
  readonly id: string
  readonly title: string
  readonly description: string | null
  readonly scheduledAt: string
  readonly scheduledEndAt: string | null
  /** The time of the event's last change: calendars replace an older copy. */
  readonly at: string
  readonly appUrl: string
}

export const eventCalendar = ({
  id,
  title,
  description,
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
    end: scheduledEndAt === null ? new Date(start.getTime() + DEFAULT_HOURS * 3_600_000) : new Date(scheduledEndAt),
    stamp: new Date(at),
    summary: title,
    url: `${appUrl}/enter/${id}`,
    ...(description === null ? {} : { description }),
  })
  return calendar.toString()
}
