/** Gathering of requests, in virtual time: when it runs, and when it does not. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { DueRun, inPortions, Throttle } from "../../src/clock/throttle.ts"
import { currentTimers, systemTimers } from "../../src/clock/timers.ts"
import { openVirtualTime, type VirtualTime } from "../support/virtual-time.ts"

const BEGIN = 1_000_000

/** The moments of runs, in milliseconds since the beginning. */
const runsOf = ({ timers }: VirtualTime) => {
  const runs: number[] = []
  return { runs, run: () => void runs.push(timers.now() - BEGIN) }
}

test("effects run with the system's timers, or with those of their test clock", async () => {
  expect(Effect.runSync(currentTimers)).toBe(systemTimers)
  const virtual = await Effect.runPromise(Effect.provide(currentTimers, TestClock.layer()))
  expect(virtual).not.toBe(systemTimers)
  expect(virtual.now()).toBe(0)
})

test("a due run comes in its millisecond and not before, and once", async () => {
  const time = await openVirtualTime(BEGIN)
  const { runs, run } = runsOf(time)
  const due = new DueRun(time.timers, run)
  due.within(100)
  await time.pass(99)
  expect([runs, due.isPending]).toEqual([[], true])
  await time.pass(1)
  expect([runs, due.isPending]).toEqual([[100], false])
  await time.pass(1000)
  expect(runs).toEqual([100])
})

test("of several requests the earliest counts, and a cancelled one never comes", async () => {
  const time = await openVirtualTime(BEGIN)
  const { runs, run } = runsOf(time)
  const due = new DueRun(time.timers, run)
  due.within(100)
  due.within(40)
  due.within(70)
  await time.pass(200)
  expect(runs).toEqual([40])
  due.within(10)
  due.cancel()
  await time.pass(200)
  expect(runs).toEqual([40])
})

test("whatever is requested when: a due run comes at the earliest of the times that were asked for", async () => {
  const request = fc.record({ pause: fc.integer({ min: 0, max: 40 }), ms: fc.integer({ min: 1, max: 100 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 15 }), async (requests) => {
      const time = await openVirtualTime(BEGIN)
      const { runs, run } = runsOf(time)
      const due = new DueRun(time.timers, run)
      const expected: number[] = []
      let now = 0
      let dueAt = Number.POSITIVE_INFINITY
      for (const { pause, ms } of requests) {
        await time.pass(pause)
        now += pause
        if (dueAt <= now) {
          expected.push(dueAt)
          dueAt = Number.POSITIVE_INFINITY
        }
        due.within(ms)
        dueAt = Math.min(dueAt, now + ms)
      }
      await time.pass(100)
      expect(runs).toEqual([...expected, dueAt])
    }),
    { numRuns: 100 },
  )
})

test("a throttle runs at once after a pause, then once per interval, and after the last request", async () => {
  const time = await openVirtualTime(BEGIN)
  const { runs, run } = runsOf(time)
  const throttle = new Throttle(time.timers, () => 50, run)
  throttle.request()
  throttle.request()
  await time.pass(49)
  expect(runs).toEqual([0])
  await time.pass(1)
  expect(runs).toEqual([0, 50])
  await time.pass(30)
  throttle.request()
  await time.pass(19)
  expect(runs).toEqual([0, 50])
  await time.pass(1)
  expect(runs).toEqual([0, 50, 100])
  await time.pass(500)
  throttle.request()
  expect(runs).toEqual([0, 50, 100, 600])
})

test("whatever is requested when: two runs are an interval apart, and every request is followed by one within it", async () => {
  const EVERY = 20
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 45 }), { maxLength: 25 }), async (pauses) => {
      const time = await openVirtualTime(BEGIN)
      const { runs, run } = runsOf(time)
      const throttle = new Throttle(time.timers, () => EVERY, run)
      const requests: number[] = []
      for (const pause of pauses) {
        await time.pass(pause)
        requests.push(time.timers.now() - BEGIN)
        throttle.request()
      }
      await time.pass(EVERY)
      const done = runs.length
      await time.pass(3 * EVERY)
      expect(runs).toHaveLength(done)
      for (const [n, at] of runs.entries()) if (n > 0) expect(at - (runs[n - 1] ?? 0)).toBeGreaterThanOrEqual(EVERY)
      for (const at of requests) expect(runs.some((ran) => ran >= at && ran <= at + EVERY)).toBe(true)
      expect(runs.length).toBeLessThanOrEqual(requests.length)
    }),
    { numRuns: 100 },
  )
})

test("a forced run takes the place of the pending one, and the next interval begins with it", async () => {
  const time = await openVirtualTime(BEGIN)
  const { runs, run } = runsOf(time)
  const throttle = new Throttle(time.timers, () => 50, run)
  throttle.request()
  throttle.request()
  await time.pass(20)
  throttle.runNow()
  throttle.request()
  await time.pass(49)
  expect(runs).toEqual([0, 20])
  await time.pass(1)
  expect(runs).toEqual([0, 20, 70])
})

test("a list is done in portions, the first at once, each once and in order, until it is dropped", async () => {
  const time = await openVirtualTime(BEGIN)
  const done: string[] = []
  const each = (one: number): void => void done.push(`${one}@${time.timers.now() - BEGIN}`)
  const numbers = [1, 2, 3, 4, 5, 6, 7]
  const drop = inPortions(time.timers, numbers, { atOnce: 3, pauseMs: 10 }, each)
  await time.pass(0)
  expect(done).toEqual(["1@0", "2@0", "3@0"])
  await time.pass(10)
  expect(done.slice(3)).toEqual(["4@10", "5@10", "6@10"])
  drop()
  await time.pass(100)
  expect(done).toHaveLength(6)
  inPortions(time.timers, [], { atOnce: 3, pauseMs: 10 }, each)
  inPortions(time.timers, numbers, { atOnce: 100, pauseMs: 10 }, each)
  await time.pass(100)
  expect(done.slice(6)).toEqual(numbers.map((n) => `${n}@110`))
})

test("a list that is dropped from within a portion ends with that portion", async () => {
  const time = await openVirtualTime(BEGIN)
  const done: number[] = []
  const drop = inPortions(time.timers, [1, 2, 3, 4, 5], { atOnce: 2, pauseMs: 10 }, (one) => {
    done.push(one)
    if (one === 3) drop()
  })
  await time.pass(100)
  expect(done).toEqual([1, 2, 3, 4])
})
