/** Starts of a series: against another implementation of RFC 5545, over changes of the clocks, and within their bounds. */
import { Result, Schema } from "effect"
import fc from "fast-check"
import ICAL from "ical.js"
import { describe, expect, test } from "vitest"
import { RecurrenceRule, startsOf } from "../../src/model/recurrence.ts"

const starts = (rule: string, first: string, timeZone = "Europe/Berlin") =>
  Result.getOrThrow(startsOf(rule, first, timeZone))
const faultOf = (rule: string, first = "2027-03-01T18:00:00.000Z"): string | undefined =>
  Result.match(startsOf(rule, first, "Europe/Berlin"), { onFailure: (fault) => fault, onSuccess: () => undefined })

const ZONES = ["Europe/Berlin", "America/New_York", "UTC"] as const
const clocks = new Map<string, Intl.DateTimeFormat>(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }),
  ]),
)
/** The time of a clock in the zone, as in 2027-03-28T02:30. */
const shown = (at: string, timeZone: string): string =>
  clocks.get(timeZone)?.format(new Date(at)).replace(" ", "T") ?? "no clock"

describe("the local time stays over a change of the clocks", () => {
  test.each([
    ["to summer time", "Europe/Berlin", "2027-03-24T17:00:00.000Z", ["2027-03-24T17:00", "2027-03-31T16:00"]],
    ["to winter time", "Europe/Berlin", "2027-10-27T16:00:00.000Z", ["2027-10-27T16:00", "2027-11-03T17:00"]],
    ["in the south", "Australia/Sydney", "2027-03-31T08:00:00.000Z", ["2027-03-31T08:00", "2027-04-07T09:00"]],
    ["by half an hour", "Australia/Lord_Howe", "2027-03-31T08:00:00.000Z", ["2027-03-31T08:00", "2027-04-07T08:30"]],
    [
      "that the zone does not have",
      "Asia/Kolkata",
      "2027-03-24T17:00:00.000Z",
      ["2027-03-24T17:00", "2027-03-31T17:00"],
    ],
  ])("%s", (_name, timeZone, first, expected) => {
    expect(starts("FREQ=WEEKLY;COUNT=2", first, timeZone)).toEqual(expected.map((at) => `${at}:00.000Z`))
  })

  test("a time that the clocks skip is an hour later on that day alone", () => {
    const days = starts("FREQ=DAILY;COUNT=3", "2027-03-27T01:30:00.000Z")
    expect(days.map((at) => shown(at, "Europe/Berlin"))).toEqual([
      "2027-03-27T02:30",
      "2027-03-28T03:30",
      "2027-03-29T02:30",
    ])
  })

  test("a time that the clocks show twice is the first of the two", () => {
    expect(starts("FREQ=DAILY;COUNT=3", "2027-10-30T00:30:00.000Z")).toEqual([
      "2027-10-30T00:30:00.000Z",
      "2027-10-31T00:30:00.000Z",
      "2027-11-01T01:30:00.000Z",
    ])
  })
})

describe("random rules name what another implementation names", () => {
  const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
  const some = <T>(values: fc.Arbitrary<T>, maxLength: number) =>
    fc.uniqueArray(values, { minLength: 1, maxLength }).map((all) => all.join(","))
  const days = some(fc.constantFrom(...DAYS), 4)
  const ordinal = fc.constantFrom(-2, -1, 1, 2, 3, 4)
  const monthDays = some(fc.constantFrom(1, 2, 15, 28, 29, 30, 31, -1, -5), 3)
  const months = some(fc.integer({ min: 1, max: 12 }), 4)
  const numbered = some(
    fc.tuple(ordinal, fc.constantFrom(...DAYS)).map((pair) => pair.join("")),
    3,
  )
  const more: { readonly [frequency: string]: ReadonlyArray<fc.Arbitrary<string>> } = {
    DAILY: [fc.constant(""), days.map((list) => `;BYDAY=${list}`), months.map((list) => `;BYMONTH=${list}`)],
    WEEKLY: [
      fc.constant(""),
      days.map((list) => `;BYDAY=${list}`),
      fc.tuple(days, fc.constantFrom("MO", "SU", "WE")).map(([list, start]) => `;BYDAY=${list};WKST=${start}`),
    ],
    MONTHLY: [
      fc.constant(""),
      monthDays.map((list) => `;BYMONTHDAY=${list}`),
      numbered.map((list) => `;BYDAY=${list}`),
      fc.tuple(days, fc.constantFrom(1, -1, 2)).map(([list, position]) => `;BYDAY=${list};BYSETPOS=${position}`),
    ],
    YEARLY: [
      months.map((list) => `;BYMONTH=${list}`),
      // The peer makes a date of the 30th of February.
      fc
        .tuple(months, some(fc.integer({ min: 1, max: 28 }), 3))
        .map(([list, each]) => `;BYMONTH=${list};BYMONTHDAY=${each}`),
      fc.tuple(months, numbered).map(([list, each]) => `;BYMONTH=${list};BYDAY=${each}`),
    ],
  }
  const rules = fc
    .constantFrom(...Object.keys(more))
    .chain((frequency) =>
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.oneof(...(more[frequency] ?? [])))
        .map(([interval, rest]) => `FREQ=${frequency};INTERVAL=${interval}${rest}`),
    )
  // Local times from the weeks around both changes of the clocks, and the hours that they skip and repeat. The peer makes a date of the 29th of
  // each February, so that no start has that day.
  const wall = fc
    .tuple(
      fc.constantFrom("2027-03-", "2027-10-", "2028-02-", "2027-12-"),
      fc.integer({ min: 10, max: 28 }),
      fc.constantFrom("01:30", "02:30", "12:00", "19:15"),
    )
    .map(([month, day, time]) => `${month}${day}T${time}:00`)

  /** Local times that ical.js finds, at most `most` within two years. */
  const peers = (rule: string, from: string, most: number): ReadonlyArray<string> => {
    const start = ICAL.Time.fromDateTimeString(from)
    const end = ICAL.Time.fromDateTimeString(`${Number(from.slice(0, 4)) + 2}${from.slice(4)}`)
    const iterator = ICAL.Recur.fromString(rule).iterator(start)
    const found: string[] = []
    for (
      let next = iterator.next();
      next !== null && found.length < most && next.compare(end) <= 0;
      next = iterator.next()
    ) {
      if (next.compare(start) >= 0) found.push(next.toString())
    }
    return found
  }

  test("with COUNT, in three zones", () => {
    let compared = 0
    fc.assert(
      fc.property(rules, wall, fc.constantFrom(...ZONES), (rule, from, timeZone) => {
        // The peer counts the start as an occurrence whether the rule names it or not; the second one is the rule's own.
        const [, begin] = peers(rule, from, 2)
        fc.pre(begin !== undefined)
        const again = peers(rule, begin ?? "", 40)
        const first = instantOf(again[0] ?? "", timeZone)
        // The first event is a time of the zone: it is never in an hour that the clocks skip.
        fc.pre(shown(first, timeZone) === again[0]?.slice(0, 16))
        expect([rule, starts(`${rule};COUNT=${again.length}`, first, timeZone)]).toEqual([
          rule,
          again.map((at) => instantOf(at, timeZone)),
        ])
        compared += 1
      }),
      { numRuns: 300 },
    )
    expect(compared).toBeGreaterThanOrEqual(200)
  })
})

/** The time at which the zone's clock shows this, found among the hours: the first, or the one as far behind a gap. */
const instantOf = (wall: string, timeZone: string): string => {
  const at = Date.parse(`${wall}Z`)
  const find = (text: string): string | undefined => {
    for (let hours = -6; hours <= 6; hours += 1) {
      const time = new Date(at + hours * 3_600_000).toISOString()
      if (shown(time, timeZone) === text) return time
    }
    return undefined
  }
  return find(wall.slice(0, 16)) ?? find(new Date(at + 3_600_000).toISOString().slice(0, 16)) ?? "never"
}

describe("a rule has bounds", () => {
  const decode = Schema.decodeUnknownResult(RecurrenceRule)

  test("is refused where it has no end, more than one, too many, or parts that are not taken", () => {
    for (const rule of [
      "FREQ=SECONDLY;COUNT=5",
      "FREQ=HOURLY;COUNT=5",
      "FREQ=DAILY;COUNT=1000000000",
      "FREQ=DAILY;COUNT=101",
      "FREQ=DAILY;COUNT=0",
      "FREQ=DAILY",
      "COUNT=3",
      "FREQ=DAILY;COUNT=3;UNTIL=20270401",
      "FREQ=DAILY;COUNT=3;COUNT=1000000000",
      "FREQ=DAILY;COUNT=3;INTERVAL=0",
      "FREQ=DAILY;COUNT=3;BYSECOND=1,2,3",
      "FREQ=DAILY;COUNT=3;RSCALE=HEBREW",
      "FREQ=DAILY;UNTIL=20270401T120000",
      "FREQ=DAILY;COUNT=3\nDTSTART:20270101T000000Z",
      "freq=daily;count=3",
      "",
      `FREQ=DAILY;COUNT=3;BYMONTHDAY=${"1,".repeat(100)}1`,
    ]) {
      expect(Result.isFailure(decode(rule)), rule).toBe(true)
    }
  })

  test("is refused with what is wrong with it", () => {
    for (const [rule, fault] of [
      ["FREQ=DAILY;COUNT=2;INTERVAL=999", "must end within two years"],
      ["FREQ=DAILY;UNTIL=20290302", "must end within two years"],
      ["FREQ=DAILY;UNTIL=20280301", "names more than 100 events"],
      ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=5", "must name the start of the first event"],
      ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5", "must name the start of the first event"],
      ["FREQ=WEEKLY;BYDAY=TU;COUNT=5", "must name the start of the first event"],
      ["FREQ=DAILY;UNTIL=20260101", "must name the start of the first event"],
      ["FREQ=WEEKLY;BYDAY=XX;COUNT=5", expect.stringMatching(/^is no rule of RFC 5545: /)],
      ["FREQ=WEEKLY;BYDAY=1MO;COUNT=5", expect.stringMatching(/^is no rule of RFC 5545: /)],
    ] as const) {
      expect(faultOf(rule)).toEqual(fault)
    }
  })

  test("two years and a hundred events are within them", () => {
    expect(starts("FREQ=YEARLY;COUNT=3", "2027-03-01T18:00:00.000Z")).toHaveLength(3)
    expect(starts("FREQ=DAILY;COUNT=100", "2027-03-01T18:00:00.000Z")).toHaveLength(100)
    expect(starts("FREQ=MONTHLY;UNTIL=20290301T180000Z", "2027-03-01T18:00:00.000Z")).toHaveLength(25)
  })

  test("UNTIL includes its moment, and a day to its end in the zone", () => {
    const first = "2027-03-01T22:30:00.000Z"
    expect(starts("FREQ=DAILY;UNTIL=20270303T223000Z", first)).toHaveLength(3)
    expect(starts("FREQ=DAILY;UNTIL=20270303T222959Z", first)).toHaveLength(2)
    expect(starts("FREQ=DAILY;UNTIL=20270303", first)).toHaveLength(3)
  })
})
