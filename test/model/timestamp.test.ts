import fc from "fast-check"
import { expect, test } from "vitest"
import { parseId } from "../../src/model/ids.ts"
import { parseTimestamp } from "../../src/model/timestamp.ts"

test("a moment is read with its offset, to the millisecond", () => {
  for (const [text, normalised] of [
    ["2026-11-20T18:00:00Z", "2026-11-20T18:00:00.000Z"],
    ["2026-11-20t18:00:00.123456789+05:30", "2026-11-20T12:30:00.123Z"],
    ["2024-02-29T00:00:00-01:00", "2024-02-29T01:00:00.000Z"],
  ] as const) {
    expect(parseTimestamp(text)).toBe(normalised)
  }
})

test("what is no moment of the calendar is refused", () => {
  for (const text of [
    "2026-11-20",
    "2026-11-20T18:00:00",
    "2026-11-20 18:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-11-20T24:01:00Z",
    "20261120T180000Z",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59",
    "",
  ]) {
    expect(parseTimestamp(text), text).toBeUndefined()
  }
})

test("every moment survives a round trip, and order is the text's order", () => {
  const moment = fc.date({
    min: new Date("0001-01-02T00:00:00Z"),
    max: new Date("9999-12-30T00:00:00Z"),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      expect(parseTimestamp(a.toISOString())).toBe(a.toISOString())
      expect(a.toISOString() < b.toISOString()).toBe(a.getTime() < b.getTime())
    }),
  )
})

test("an id is a UUID in any case, folded to lower", () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(parseId(id.toUpperCase())).toBe(id)
    }),
  )
  for (const text of ["", "x", "0".repeat(36), "{00000000-0000-0000-0000-000000000000}"])
    expect(parseId(text)).toBeUndefined()
})
