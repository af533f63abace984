/** Calendar files as two other programs read them, whatever people wrote. */
import fc from "fast-check"
import ICAL from "ical.js"
import { convertIcsCalendar } from "ts-ics"
import { describe, expect, test } from "vitest"
import { calendarFile } from "../../src/mail/calendar.ts"
import { membersText } from "../../src/model/text/shown-text.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"

const EVENT = {
  id: "0199a0f0-0000-7000-8000-000000000001",
  workspace: "Analytical Events",
  title: "Launch",
  description: "What is new",
  location: "Hall 2, Analytical Street 7",
  timeZone: "Europe/Berlin",
  scheduledAt: toTimestamp(Date.parse("2030-03-31T00:30:00Z")),
  scheduledEndAt: null,
  isCancelled: false,
  sequence: 3,
  changedAt: toTimestamp(Date.parse("2030-01-01T08:00:00Z")),
}
const FILE = {
  method: "REQUEST",
  stamp: toTimestamp(Date.parse("2030-01-02T08:00:00Z")),
  page: "https://app.example.com/enter/x#token=2b8NvQ0xJwYyVt6uKfRzQmHc4aLpXsDgEoTiBn1rSkM",
  sender: "events@example.com",
  attendee: { name: "Ada", email: "ada@example.com" },
} as const

const read = (file: string) => {
  const calendar = new ICAL.Component(ICAL.parse(file))
  const [entry, ...more] = calendar.getAllSubcomponents("vevent")
  if (entry === undefined || more.length > 0) throw new Error("not one entry")
  const [other] = convertIcsCalendar(undefined, file).events ?? []
  return { calendar, entry, other }
}

describe("a calendar file", () => {
  test("has all that a calendar needs to replace its entry", () => {
    const { calendar, entry, other } = read(calendarFile(EVENT, FILE))
    const value = (name: string) => String(entry.getFirstPropertyValue(name))
    expect(calendar.getFirstPropertyValue("method")).toBe("REQUEST")
    expect(value("uid")).toBe(`${EVENT.id}@gathercue`)
    expect(value("sequence")).toBe("3")
    expect(value("dtstamp")).toBe("2030-01-02T08:00:00Z")
    expect(value("last-modified")).toBe("2030-01-01T08:00:00Z")
    expect(value("dtstart")).toBe("2030-03-31T01:30:00")
    expect(value("dtend")).toBe("2030-03-31T03:30:00")
    expect(value("description")).toBe(`What is new\n\n${FILE.page}`)
    expect([value("location"), other?.location]).toEqual([EVENT.location, EVENT.location])
    expect(value("organizer").toLowerCase()).toBe("mailto:events@example.com")
    expect(entry.getFirstProperty("organizer")?.getFirstParameter("cn")).toBe("Analytical Events")
    expect(value("attendee").toLowerCase()).toBe("mailto:ada@example.com")
    expect(value("status")).toBe("CONFIRMED")
    expect([other?.uid, other?.sequence, other?.organizer?.email, other?.organizer?.name]).toEqual([
      `${EVENT.id}@gathercue`,
      3,
      "events@example.com",
      "Analytical Events",
    ])
  })

  test.each([
    ["of a cancelled event", { ...EVENT, isCancelled: true }, FILE],
    ["that takes a postponed one out", EVENT, { ...FILE, method: "CANCEL" as const }],
  ])("%s says that it is cancelled", (_, event, file) => {
    expect(read(calendarFile(event, file)).entry.getFirstPropertyValue("status")).toBe("CANCELLED")
  })

  test("without mail has no organiser, and without a page no address", () => {
    const { entry } = read(calendarFile({ ...EVENT, description: null }, { ...FILE, sender: null, page: null }))
    for (const name of ["organizer", "url"]) expect(entry.getFirstProperty(name)).toBeNull()
  })
})

/** Text with all that the format takes for its own. */
const wild = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\n", "\t", "\\", ";", ",", ":", '"', "\\n", "^", "👨‍👩‍👧", "BEGIN:VEVENT\n"),
    ),
  )
  .map((parts) => membersText(parts.join("")))

test("any text is read as it was written, in lines of 75 octets", () => {
  fc.assert(
    fc.property(wild, wild, wild, wild, (title, description, workspace, name) => {
      const file = calendarFile(
        { ...EVENT, title: `T${title}`, description: `D${description}`, workspace: `W${workspace}` },
        { ...FILE, attendee: { name: `N${name}`, email: "ada@example.com" } },
      )
      const lines = file.split("\r\n")
      expect(file).toContain("\r\nEND:VCALENDAR\r\n")
      expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
      expect(lines.join("")).not.toMatch(/[\r\n]/)
      // The other parser takes a title that reads like the format for the format.
      const { entry } = read(file)
      expect(entry.getFirstPropertyValue("summary")).toBe(`T${title}`)
      expect(entry.getFirstPropertyValue("description")).toBe(`D${description}\n\n${FILE.page}`)
      expect(entry.getAllProperties().map(({ name: one }) => one)).toHaveLength(13)
      expect(String(entry.getFirstPropertyValue("organizer")).toLowerCase()).toBe("mailto:events@example.com")
    }),
    { numRuns: 500 },
  )
})
