import fc from "fast-check"
import { expect, test } from "vitest"
import { BloomFilter } from "../../src/actors/commit/bloom-filter.ts"

const KEEP_MS = 1000

test("no id of the kept time is ever denied, whatever else there was", () => {
  const step = fc.record({ id: fc.string({ maxLength: 40 }), after: fc.integer({ min: 0, max: 400 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const filter = new BloomFilter(KEEP_MS, 0)
      const added: { id: string; at: number }[] = []
      let now = 0
      for (const { id, after } of steps) {
        now += after
        filter.add(id, now)
        added.push({ id, at: now })
        for (const known of added) if (now - known.at < KEEP_MS) expect(filter.has(known.id)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test("a new id is seldom taken for a known one, and old ones are let go", () => {
  const filter = new BloomFilter(KEEP_MS, 0)
  for (let n = 0; n < 150_000; n++) filter.add(`participant-${n % 5000} command-${n}`, 0)
  const mistaken = Array.from({ length: 20_000 }, (_, n) => filter.has(`participant-${n % 5000} new-${n}`))
  expect(mistaken.filter(Boolean).length).toBeLessThan(200)
  filter.add("late", 5000)
  expect(filter.has("participant-1 command-1")).toBe(false)
})
