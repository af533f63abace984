/** An event as an iCalendar file (RFC 5545, RFC 5546), written with ical-generator, which folds and escapes. */
import ical, { ICalAttendeeStatus, ICalCalendarMethod, ICalEventStatus } from "ical-generator"
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

export const calendarFile = (
  event: CalendarEvent & { readonly scheduledAt: Timestamp },
  { method, stamp, page, sender, attendee }: CalendarFile,
): string => {
  const calendar = ical({ prodId: "//Gathercue//Events//EN", method: ICalCalendarMethod[method] })
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
  // The generator omits the final line break.
  return `${calendar.toString()}\r\n`
}
