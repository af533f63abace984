/** Calendar files as Python's icalendar reads them. */
import { join } from "node:path"
import { expect, inject, test } from "vitest"
import { calendarFile } from "../src/mail/calendar.ts"
import { toTimestamp } from "../src/model/timestamp.ts"
import { run } from "../test-sdks/support/running.ts"

const READ = `
import json, sys
from icalendar import Calendar
calendar = Calendar.from_ical(sys.argv[1])
(event,) = calendar.walk("VEVENT")
print(json.dumps({
    "method": calendar["METHOD"],
    "errors": [str(error) for error in event.errors],
    "uid": event["UID"],
    "sequence": int(event["SEQUENCE"]),
    "status": event["STATUS"],
    "summary": event["SUMMARY"],
    "description": event["DESCRIPTION"],
    "start": event["DTSTART"].dt.isoformat(),
    "end": event["DTEND"].dt.isoformat(),
    "stamp": event["DTSTAMP"].dt.isoformat(),
    "changed": event["LAST-MODIFIED"].dt.isoformat(),
    "organizer": [event["ORGANIZER"].lower(), event["ORGANIZER"].params["CN"]],
    "attendee": [event["ATTENDEE"].lower(), event["ATTENDEE"].params["CN"], event["ATTENDEE"].params["PARTSTAT"]],
}))
`

const TITLE = `${"می‌خواهم 👨‍👩‍👧 ".repeat(9)}a;b,c\\n "q": x\t😀`

test.each([
  ["REQUEST", "CONFIRMED"],
  ["CANCEL", "CANCELLED"],
] as const)("a file with the method %s has all that a calendar shows, as it was written", async (method, status) => {
  const file = calendarFile(
    {
      id: "0199a0f0-0000-7000-8000-000000000001",
      workspace: 'Acme "Events"; GmbH, Zürich',
      title: TITLE,
      description: `${TITLE}\nEND:VEVENT`,
      location: null,
      timeZone: null,
      scheduledAt: toTimestamp(Date.parse("2030-03-31T00:30:00Z")),
      scheduledEndAt: toTimestamp(Date.parse("2030-03-31T03:00:00Z")),
      isCancelled: false,
      sequence: 12,
      changedAt: toTimestamp(Date.parse("2030-01-01T08:00:00Z")),
    },
    {
      method,
      stamp: toTimestamp(Date.parse("2030-01-02T08:00:00Z")),
      page: "https://events.example.com/enter/x#token=t",
      sender: "events@example.com",
      attendee: { name: "Ada, Countess; of: Lovelace", email: "ada@example.com" },
    },
  )
  const read = JSON.parse(await run(join(inject("languageTools").python, "python"), ["-c", READ, file]))
  expect(read).toEqual({
    method,
    errors: [],
    uid: "0199a0f0-0000-7000-8000-000000000001@gathercue",
    sequence: 12,
    status,
    summary: TITLE,
    description: `${TITLE}\nEND:VEVENT\n\nhttps://events.example.com/enter/x#token=t`,
    start: "2030-03-31T00:30:00+00:00",
    end: "2030-03-31T03:00:00+00:00",
    stamp: "2030-01-02T08:00:00+00:00",
    changed: "2030-01-01T08:00:00+00:00",
    organizer: ["mailto:events@example.com", "Acme 'Events'; GmbH, Zürich"],
    attendee: ["mailto:ada@example.com", "Ada, Countess; of: Lovelace", "ACCEPTED"],
  })
})

const READ_ZONE = `
import json, sys
from icalendar import Calendar
calendar = Calendar.from_ical(sys.argv[1])
(event,) = calendar.walk("VEVENT")
zone = calendar.walk("VTIMEZONE")[0].to_tz(lookup_tzid=False)
read = [event[name].dt.replace(tzinfo=zone).isoformat() for name in ("DTSTART", "DTEND")]
print(json.dumps([event["DTSTART"].params["TZID"], *read]))
`

test.each([
  ["in the gap of a spring", "2027-03-28T00:30:00Z", "2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"],
  ["over the fold of an autumn", "2027-10-30T23:30:00Z", "2027-10-31T01:30:00+02:00", "2027-10-31T03:30:00+01:00"],
])("the zone of a file %s is read from its description", async (_, start, from, until) => {
  const at = Date.parse(start)
  const file = calendarFile(
    {
      id: "0199a0f0-0000-7000-8000-000000000001",
      workspace: "Acme",
      title: "Launch",
      description: null,
      location: null,
      timeZone: "Europe/Berlin",
      scheduledAt: toTimestamp(at),
      scheduledEndAt: toTimestamp(Date.parse(until)),
      isCancelled: false,
      sequence: 0,
      changedAt: "2026-01-01T00:00:00.000Z",
    },
    { method: "PUBLISH", stamp: "2026-01-02T00:00:00.000Z", page: null, sender: null },
  )
  const read = JSON.parse(await run(join(inject("languageTools").python, "python"), ["-c", READ_ZONE, file]))
  expect(read).toEqual(["Europe/Berlin", from, until])
})
