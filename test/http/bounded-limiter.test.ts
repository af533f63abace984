import { RateLimiterRes } from "rate-limiter-flexible"
import { expect, test } from "vitest"
import { BoundedLimiter } from "../../src/http/bounded-limiter.ts"

const passes = (limiter: BoundedLimiter, key: string): Promise<boolean> =>
  limiter.consume(key).then(
    () => true,
    (cause: unknown) => {
      if (cause instanceof RateLimiterRes) return false
      throw cause
    },
  )
const times = async (limiter: BoundedLimiter, key: string, count: number): Promise<number> => {
  const outcomes = await Promise.all(Array.from({ length: count }, () => passes(limiter, key)))
  return outcomes.filter((outcome) => outcome).length
}

test("a quota lets so many through, a burst so many more, and what is given back counts again", async () => {
  const plain = new BoundedLimiter({ name: "a", quota: 3, windowSeconds: 60, burst: 0 }, 10)
  expect(await times(plain, "key", 3)).toBe(3)
  await plain.reward("key")
  expect(await times(plain, "key", 10)).toBe(1)
  expect(await times(plain, "other", 10)).toBe(3)
  const bursty = new BoundedLimiter({ name: "b", quota: 3, windowSeconds: 60, burst: 4 }, 10)
  expect(await times(bursty, "key", 20)).toBe(7)
})

test("the key counted longest ago is forgotten, and one that is still used is not", async () => {
  const limiter = new BoundedLimiter({ name: "a", quota: 1, windowSeconds: 600, burst: 0 }, 3)
  for (const key of ["a", "b", "c"]) expect(await passes(limiter, key)).toBe(true)
  expect(await passes(limiter, "a")).toBe(false)
  expect(await passes(limiter, "d")).toBe(true)
  // "b" had to go for "d"; "a" had been counted after it.
  expect([await passes(limiter, "a"), await passes(limiter, "b")]).toEqual([false, true])
  expect(limiter.size).toBe(3)
})

test("a quarter of a million long made-up keys take no more memory than those that are kept", async () => {
  const limiter = new BoundedLimiter({ name: "a", quota: 10, windowSeconds: 86_400, burst: 0 }, 7_000)
  const fill = async (from: number, count: number): Promise<void> => {
    for (let n = from; n < from + count; n++) await limiter.consume(`${"x".repeat(250)}${n}`)
  }
  await fill(0, 10_000)
  expect(limiter.size).toBe(7_000)
  const before = process.memoryUsage().heapUsed
  await fill(10_000, 250_000)
  expect(limiter.size).toBe(7_000)
  // Kept in full it would be 300 MB; garbage that was not collected yet is in it.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
}, 60_000)
