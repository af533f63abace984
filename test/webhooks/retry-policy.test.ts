import fc from "fast-check"
import { expect, test } from "vitest"
import { JITTER, nextDelayMs, retryAfterMs } from "../../src/webhooks/retry-policy.ts"

const delays = { min: 0, max: 604_800_000 }
const schedule = fc.array(fc.integer(delays), { maxLength: 30 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test("each delay is the scheduled one, stretched by less than a fifth", () => {
  fc.assert(
    fc.property(schedule, fc.integer(delays), random, (before, scheduled, chance) => {
      const delay = nextDelayMs([...before, scheduled], before.length + 1, chance)
      expect(delay).toBeGreaterThanOrEqual(scheduled)
      expect(delay).toBeLessThanOrEqual(scheduled * (1 + JITTER))
    }),
  )
})

test("a schedule of n delays allows n retries and no more", () => {
  fc.assert(
    fc.property(schedule, random, (delays, chance) => {
      const retries = Array.from({ length: 40 }, (_, index) => nextDelayMs(delays, index + 1, chance))
      expect(retries.filter((delay) => delay !== undefined)).toHaveLength(delays.length)
    }),
  )
})

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37)
const HOUR = 3_600_000

test.each<[string | undefined, number]>([
  [undefined, 0],
  ["", 0],
  ["0", 0],
  ["2", 2_000],
  [" 120 ", 120_000],
  ["3600", HOUR],
  ["3601", HOUR],
  ["9".repeat(400), HOUR],
  ["-5", 0],
  ["1.5", 0],
  ["1e3", 0],
  ["0x10", 0],
  ["soon", 0],
  ["2, 3", 0],
  ["Sun, 06 Nov 1994 08:50:37 GMT", 60_000],
  ["Sunday, 06-Nov-94 08:50:37 GMT", 60_000],
  ["Sun Nov  6 08:50:37 1994", 60_000],
  ["Sun, 06 Nov 1994 08:49:36 GMT", 0],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["Tue, 19 Jan 2038 03:14:08 GMT", HOUR],
  ["Fri, 31 Dec 9999 23:59:59 GMT", HOUR],
  ["Sun, 31 Nov 1994 25:61:61 GMT", 0],
  ["Sun, never GMT", 0],
  ["Sun, \u0000 GMT", 0],
])("Retry-After %j asks for %i ms", (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms)
})

test("no try is made before the time for which the receiver asked, nor earlier than scheduled, nor later than an hour", () => {
  fc.assert(
    fc.property(fc.integer(delays), fc.integer({ min: 0, max: HOUR }), random, (scheduled, after, chance) => {
      const delay = nextDelayMs([scheduled], 1, chance, after) ?? Number.NaN
      expect(delay).toBeGreaterThanOrEqual(Math.max(scheduled, after))
      expect(delay).toBeLessThanOrEqual(Math.max(scheduled * (1 + JITTER), Math.min(HOUR, after * (1 + JITTER))))
    }),
  )
  expect(nextDelayMs([], 1, 0, HOUR)).toBeUndefined()
})
