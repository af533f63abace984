import fc from "fast-check"
import { expect, test } from "vitest"
import { JITTER, nextDelayMs } from "../../src/webhooks/retry-policy.ts"

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
