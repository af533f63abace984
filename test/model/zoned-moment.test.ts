/** Times in a zone, by hand-written instants around both changes of the clocks, and the names of zones that are taken. */
import { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { EventOfNode } from "../../src/model/event.ts"
import { isTimeZone, TimeZoneInput, zonedMoment } from "../../src/model/zoned-moment.ts"

describe("a time is written in its zone", () => {
  test("in English, around the changes of the clocks too", () => {
    for (const [when, zone, text] of [
      // The clocks of Berlin go from 02:00 to 03:00.
      ["2027-03-28T00:30:00.000Z", "Europe/Berlin", "Sunday, 28 March 2027 at 01:30 (Europe/Berlin, GMT+1)"],
      ["2027-03-28T00:59:59.999Z", "Europe/Berlin", "Sunday, 28 March 2027 at 01:59 (Europe/Berlin, GMT+1)"],
      ["2027-03-28T01:00:00.000Z", "Europe/Berlin", "Sunday, 28 March 2027 at 03:00 (Europe/Berlin, GMT+2)"],
      ["2027-03-28T01:30:00.000Z", "Europe/Berlin", "Sunday, 28 March 2027 at 03:30 (Europe/Berlin, GMT+2)"],
      // The hour from 02:00 to 03:00 comes twice.
      ["2027-10-31T00:30:00.000Z", "Europe/Berlin", "Sunday, 31 October 2027 at 02:30 (Europe/Berlin, GMT+2)"],
      ["2027-10-31T01:30:00.000Z", "Europe/Berlin", "Sunday, 31 October 2027 at 02:30 (Europe/Berlin, GMT+1)"],
      ["2027-03-14T06:30:00.000Z", "America/New_York", "Sunday, 14 March 2027 at 01:30 (America/New_York, GMT-5)"],
      ["2027-03-14T07:30:00.000Z", "America/New_York", "Sunday, 14 March 2027 at 03:30 (America/New_York, GMT-4)"],
      ["2027-11-07T05:30:00.000Z", "America/New_York", "Sunday, 7 November 2027 at 01:30 (America/New_York, GMT-4)"],
      ["2027-11-07T06:30:00.000Z", "America/New_York", "Sunday, 7 November 2027 at 01:30 (America/New_York, GMT-5)"],
      // Half an hour, all year, and a change of half an hour.
      ["2026-12-31T18:45:00.000Z", "Asia/Kolkata", "Friday, 1 January 2027 at 00:15 (Asia/Kolkata, GMT+5:30)"],
      [
        "2027-04-03T14:45:00.000Z",
        "Australia/Lord_Howe",
        "Sunday, 4 April 2027 at 01:45 (Australia/Lord_Howe, GMT+11)",
      ],
      [
        "2027-04-03T15:15:00.000Z",
        "Australia/Lord_Howe",
        "Sunday, 4 April 2027 at 01:45 (Australia/Lord_Howe, GMT+10:30)",
      ],
      ["2027-01-01T00:00:00.000Z", "Europe/London", "Friday, 1 January 2027 at 00:00 (Europe/London, GMT)"],
      ["2027-03-01T17:00:00.000Z", "UTC", "Monday, 1 March 2027 at 17:00 UTC"],
      ["2027-03-01T17:00:00.000Z", null, "Monday, 1 March 2027 at 17:00 UTC"],
      // One that another node's newer database has.
      ["2027-03-01T17:00:00.000Z", "Mars/Olympus_Mons", "Monday, 1 March 2027 at 17:00 UTC"],
    ] as const) {
      expect(zonedMoment(when, zone, "en")).toBe(text)
    }
  })

  test("in German", () => {
    for (const [when, zone, text] of [
      ["2027-10-31T01:30:00.000Z", "Europe/Berlin", "Sonntag, 31. Oktober 2027 um 02:30 (Europe/Berlin, GMT+1)"],
      ["2027-03-01T17:00:00.000Z", null, "Montag, 1. März 2027 um 17:00 UTC"],
    ] as const) {
      expect(zonedMoment(when, zone, "de")).toBe(text)
    }
  })
})

test("the names of IANA are zones", () => {
  for (const name of ["Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "Asia/Kolkata", "UTC"]) {
    expect(isTimeZone(name), name).toBe(true)
  }
})

test("names in other forms are none", () => {
  for (const name of [
    "",
    "Europe/Atlantis",
    "+01:00",
    "-0530",
    "Europe/Berlin ",
    "Europe/",
    "Berlin",
    "../Berlin",
    "Europe/Berlin\n",
  ]) {
    expect(isTimeZone(name), name).toBe(false)
    expect(Schema.decodeUnknownExit(TimeZoneInput)(name)._tag, name).toBe("Failure")
  }
})

test("an event of a node that knows no zones, descriptions and places has none", () => {
  const at = "2027-01-01T00:00:00.000Z"
  const event = Schema.decodeUnknownSync(EventOfNode)({
    id: "0197f3a2-0000-7000-8000-000000000001",
    workspaceId: "0197f3a2-0000-7000-8000-000000000002",
    type: "webinar",
    title: "Launch",
    status: "draft",
    visibility: "public",
    scheduledAt: at,
    scheduledEndAt: null,
    allowAnonymousVoting: false,
    allowAnonymousQuestions: false,
    reminders: true,
    capacity: null,
    metadata: {},
    createdAt: at,
    updatedAt: at,
    publishedAt: null,
    startedAt: null,
    endedAt: null,
  })
  expect(event).toMatchObject({ timeZone: null, description: null, location: null })
})
