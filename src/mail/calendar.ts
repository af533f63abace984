/** Events as an iCalendar file (RFC 5545, RFC 5546), written with ical-generator, which folds and escapes. */
import ical, { ICalAttendeeStatus, type ICalCalendar, ICalCalendarMethod, ICalEventStatus } from "ical-generator"
import { membersText } from "../model/text/shown-text.ts"
import type { Timestamp } from "../model/timestamp.ts"
import type { CalendarEvent } from "../store/events/calendar-events.ts"
import { type CalendarZone, calendarZone } from "./calendar-zone.ts"
import { membersLine } from "./lines.ts"

/** The assumed duration of an event without a planned end. */
const HOUR_MS = 3_600_000
/** A year has four digits (RFC 5545, section 3.3.4). */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** How calendars take a file: `PUBLISH` shows the event, `REQUEST` adds or changes an entry, and `CANCEL` takes it out. */
type CalendarMethod = "PUBLISH" | "REQUEST" | "CANCEL"

interface CalendarFile {
  readonly method: CalendarMethod
  /** Time at which the file is made. */
  readonly stamp: Timestamp
  /** Page of the event, or of the person at the event; null once there is none. */
  readonly page: string | null
  /** Address of the sender of emails, if emails are sent. */
  readonly sender: string | null
  /** The person whom the file is for. */
  readonly attendee?: { readonly name: string | null; readonly email: string }
}

/** A name that stands between quotation marks, where the format escapes nothing (RFC 5545, section 3.2). */
const quotable = (name: string): string => membersLine(name.replaceAll('"', "'").replaceAll("\\", "/"), "Gathercue")

/** A time as the generator takes those of Luxon: it writes `toFormat` in the zone of the entry. */
const zoned = (at: Date, wall: string) => {
  const [date = "", time = ""] = wall.split("T")
  const moment = {
    isValid: true,
    zone: { type: "iana" },
    setZone: () => moment,
    toFormat: (format: string) => (format === "yyyyLLdd" ? date : time),
    toJSDate: () => at,
    toJSON: () => at.toISOString(),
  }
  return moment
}

/** Both times are in the zone, or both in UTC. */
const timesOf = (zone: CalendarZone | null, start: number, end: number) => {
  const [from, until] = [new Date(start), new Date(end)]
  const [wallStart, wallEnd] = [zone?.wallTime(start), zone?.wallTime(end)]
  return zone === null || wallStart === undefined || wallEnd === undefined
    ? { start: from, end: until, zone: null }
    : { start: zoned(from, wallStart), end: zoned(until, wallEnd), zone }
}

type PlannedEvent = CalendarEvent & { readonly scheduledAt: Timestamp }

const newCalendar = (method: CalendarMethod): ICalCalendar =>
  ical({ prodId: "//Gathercue//Events//EN", method: ICalCalendarMethod[method] })

/** The generator omits the final line break. */
const written = (calendar: ICalCalendar): string => `${calendar.toString()}\r\n`

const addEvent = (
  calendar: ICalCalendar,
  event: PlannedEvent,
  { method, stamp, page, sender, attendee }: CalendarFile,
): void => {
  const start = Date.parse(event.scheduledAt)
  const end = Math.min(LATEST, event.scheduledEndAt === null ? start + HOUR_MS : Date.parse(event.scheduledEndAt))
  const times = timesOf(calendarZone(event.timeZone, start, end), start, end)
  const { zone } = times
  if (zone !== null) calendar.timezone({ name: null, generator: () => zone.component })
  const description = [event.description === null ? "" : membersText(event.description), page ?? ""]
  calendar.createEvent({
    id: `${event.id}@gathercue`,
    sequence: event.sequence,
    start: times.start,
    end: times.end,
    timezone: zone?.name ?? null,
    stamp: new Date(stamp),
    lastModified: new Date(event.changedAt),
    status: event.isCancelled || method === "CANCEL" ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    summary: event.title,
    description: description.filter((part) => part !== "").join("\n\n"),
    ...(event.location === null ? {} : { location: event.location }),
    ...(page === null ? {} : { url: page }),
    ...(sender === null ? {} : { organizer: { name: quotable(event.workspace), email: sender } }),
    ...(attendee === undefined
      ? {}
      : {
          attendees: [
            {
              name: quotable(attendee.name ?? attendee.email),
              email: attendee.email,
              status: ICalAttendeeStatus.ACCEPTED,
            },
          ],
        }),
  })
}

export const calendarFile = (event: PlannedEvent, file: CalendarFile): string => {
  const calendar = newCalendar(file.method)
  addEvent(calendar, event, file)
  return written(calendar)
}

/**
 * Calendar to which people subscribe; events without a date are left out. Its times are in UTC, because the description of a zone belongs to
 * the time of one event.
 */
export const calendarFeed = (
  name: string,
  events: ReadonlyArray<CalendarEvent>,
  { pageOf, sender }: { readonly pageOf: (eventId: string) => string; readonly sender: string | null },
): string => {
  const calendar = newCalendar("PUBLISH").name(membersLine(name, "Gathercue"))
  for (const event of events) {
    const { scheduledAt } = event
    if (scheduledAt === null) continue
    const file = { method: "PUBLISH", stamp: event.changedAt, page: pageOf(event.id), sender } as const
    addEvent(calendar, { ...event, scheduledAt, timeZone: null }, file)
  }
  return written(calendar)
}
