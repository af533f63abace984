/** Calendar files: their entries, text and time zones, as other programs read them. */
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

  test("of a cancelled event, or one that takes a postponed one out, says that it is cancelled", () => {
    const files = [
      calendarFile({ ...EVENT, isCancelled: true }, FILE),
      calendarFile(EVENT, { ...FILE, method: "CANCEL" }),
    ]
    const statuses = files.map((file) => read(file).entry.getFirstPropertyValue("status"))
    expect(statuses).toEqual(["CANCELLED", "CANCELLED"])
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

const fileOf = (timeZone: string | null, start: string, end: string | null = null): string =>
  calendarFile(
    {
      id: "0199a0f0-0000-7000-8000-000000000001",
      workspace: "Acme",
      title: "Launch",
      description: null,
      location: null,
      timeZone,
      scheduledAt: toTimestamp(Date.parse(start)),
      scheduledEndAt: end === null ? null : toTimestamp(Date.parse(end)),
      isCancelled: false,
      sequence: 0,
      changedAt: "2026-01-01T00:00:00.000Z",
    },
    { method: "PUBLISH", stamp: "2026-01-02T00:00:00.000Z", page: null, sender: null },
  )

const linesOf = (file: string, name: string): ReadonlyArray<string> =>
  file.split("\r\n").filter((line) => line.startsWith(name))
const timesOf = (file: string) => {
  const [, entry = ""] = file.split("BEGIN:VEVENT")
  return [...linesOf(entry, "DTSTART"), ...linesOf(entry, "DTEND")]
}

describe("the times of an event", () => {
  test("are times of its zone, around the changes of its clocks too", () => {
    for (const [what, zone, start, from, until] of [
      // Clocks go from 02:00 to 03:00 on 28 March.
      ["before the gap", "Europe/Berlin", "2027-03-28T00:30:00Z", "20270328T013000", "20270328T033000"],
      ["behind the gap", "Europe/Berlin", "2027-03-28T01:00:00Z", "20270328T030000", "20270328T040000"],
      ["in New York", "America/New_York", "2027-03-14T06:59:00Z", "20270314T015900", "20270314T035900"],
      ["in Kolkata", "Asia/Kolkata", "2027-12-31T18:45:00Z", "20280101T001500", "20280101T011500"],
      // The hour from 02:00 to 03:00 comes twice on 31 October.
      ["that end before the fold", "Europe/Berlin", "2027-10-30T22:59:00Z", "20271031T005900", "20271031T015900"],
      ["behind the fold", "Europe/Berlin", "2027-10-31T02:01:00Z", "20271031T030100", "20271031T040100"],
    ] as const) {
      const wanted = [`DTSTART;TZID=${zone}:${from}`, `DTEND;TZID=${zone}:${until}`]
      expect([what, ...timesOf(fileOf(zone, start))]).toEqual([what, ...wanted])
    }
  })

  test("are times of UTC where no zone says them, and no zone is described", () => {
    for (const [what, zone, start, from, until] of [
      ["without a zone", null, "2027-03-28T00:30:00Z", "20270328T003000Z", "20270328T013000Z"],
      ["in UTC", "UTC", "2027-03-28T00:30:00Z", "20270328T003000Z", "20270328T013000Z"],
      ["in an unknown zone", "Mars/Olympus_Mons", "2027-03-28T00:30:00Z", "20270328T003000Z", "20270328T013000Z"],
      ["in the fold", "Europe/Berlin", "2027-10-31T00:30:00Z", "20271031T003000Z", "20271031T013000Z"],
      ["in its second hour", "Europe/Berlin", "2027-10-31T01:30:00Z", "20271031T013000Z", "20271031T023000Z"],
      ["that end in it", "Europe/Berlin", "2027-10-30T23:30:00Z", "20271030T233000Z", "20271031T003000Z"],
      [
        "of the last year with four digits",
        "Pacific/Kiritimati",
        "9999-12-31T13:00:00Z",
        "99991231T130000Z",
        "99991231T140000Z",
      ],
      ["long ago", "Africa/Monrovia", "1971-06-01T00:00:00Z", "19710601T000000Z", "19710601T010000Z"],
    ] as const) {
      const file = fileOf(zone, start)
      expect([what, ...timesOf(file)]).toEqual([what, `DTSTART:${from}`, `DTEND:${until}`])
      expect(file, what).not.toContain("VTIMEZONE")
    }
  })
})

test("an event of centuries is in UTC, whose file stays short", () => {
  const file = fileOf("Europe/Berlin", "2027-06-01T10:00:00Z", "9000-01-01T00:00:00Z")
  expect(timesOf(file)).toEqual(["DTSTART:20270601T100000Z", "DTEND:90000101T000000Z"])
  expect(file).not.toContain("VTIMEZONE")
})

test("the description of a zone has the changes of its clocks around the event", () => {
  const lines = fileOf("Europe/Berlin", "2027-06-01T10:00:00Z").split("\r\n")
  expect(lines.slice(lines.indexOf("BEGIN:VTIMEZONE"), lines.indexOf("BEGIN:VEVENT"))).toEqual([
    "BEGIN:VTIMEZONE",
    "TZID:Europe/Berlin",
    "BEGIN:DAYLIGHT",
    "DTSTART:20260415T020000",
    "TZOFFSETFROM:+0200",
    "TZOFFSETTO:+0200",
    "END:DAYLIGHT",
    "BEGIN:STANDARD",
    "DTSTART:20261025T030000",
    "TZOFFSETFROM:+0200",
    "TZOFFSETTO:+0100",
    "END:STANDARD",
    "BEGIN:DAYLIGHT",
    "DTSTART:20270328T020000",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:+0200",
    "END:DAYLIGHT",
    "BEGIN:STANDARD",
    "DTSTART:20271031T030000",
    "TZOFFSETFROM:+0200",
    "TZOFFSETTO:+0100",
    "END:STANDARD",
    "BEGIN:DAYLIGHT",
    "DTSTART:20280326T020000",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:+0200",
    "END:DAYLIGHT",
    "END:VTIMEZONE",
  ])
})

test("a zone whose clocks never change has one offset, west of Greenwich too", () => {
  const file = fileOf("America/Phoenix", "2027-06-01T10:00:00Z")
  expect([linesOf(file, "TZOFFSETFROM"), linesOf(file, "TZOFFSETTO")]).toEqual([
    ["TZOFFSETFROM:-0700"],
    ["TZOFFSETTO:-0700"],
  ])
  expect(linesOf(fileOf("Asia/Kathmandu", "2027-06-01T10:00:00Z"), "TZOFFSETTO")).toEqual(["TZOFFSETTO:+0545"])
})

/** Times as ical.js reads them, which knows of a zone what the file says. */
const readTimes = (file: string): ReadonlyArray<number> => {
  const calendar = new ICAL.Component(ICAL.parse(file))
  const component = calendar.getFirstSubcomponent("vtimezone")
  const zone = component === null ? undefined : new ICAL.Timezone({ component, tzid: "" })
  const entry = calendar.getFirstSubcomponent("vevent")
  return ["dtstart", "dtend"].map((name) => {
    const time = entry?.getFirstPropertyValue(name)
    if (!(time instanceof ICAL.Time)) throw new Error(`the entry has no ${name}`)
    if (zone !== undefined) time.zone = zone
    return time.toUnixTime()
  })
}

test("another program reads the same instants in any zone at any time", () => {
  const second = (text: string) => Date.parse(text) / 1000
  fc.assert(
    fc.property(
      fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
      fc.integer({ min: second("1975-01-01T00:00:00Z"), max: second("2037-12-31T00:00:00Z") }),
      fc.integer({ min: 0, max: 3 * 86_400 }),
      (zone, start, length) => {
        const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
        const file = fileOf(zone, iso(start), iso(start + length))
        expect([zone, ...readTimes(file)]).toEqual([zone, start, start + length])
      },
    ),
    { numRuns: 200 },
  )
})

test.each([
  ["Europe/Berlin", "2027-03-27", "2027-10-30"],
  ["America/New_York", "2027-03-13", "2027-11-06"],
  ["Australia/Lord_Howe", "2027-04-03", "2027-10-02"],
  // The clocks go back for Ramadan alone.
  ["Africa/Casablanca", "2027-02-06", "2027-03-13"],
])("each quarter of an hour around both changes of clocks in %s is read as it was written", (zone, ...days) => {
  for (const day of days) {
    for (let at = Date.parse(day); at < Date.parse(day) + 3 * 86_400_000; at += 900_000) {
      expect(readTimes(fileOf(zone, new Date(at).toISOString()))).toEqual([at / 1000, at / 1000 + 3600])
    }
  }
})
