/** The alarm of a live event, in virtual time. */
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { DeadlineTimer } from "../../src/actors/runtime/deadline-timer.ts"

const BEGIN = 1_000_000

beforeEach(() => {
  vi.useFakeTimers({ now: BEGIN, toFake: ["setTimeout", "clearTimeout", "Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** An alarm over deadlines at these times, and the moments at which it woke the event for each. */
const alarmFor = (...deadlines: ReadonlyArray<number>) => {
  const woken: { readonly due: number; readonly at: number; readonly now: number }[] = []
  const alarm = new DeadlineTimer({
    now: Date.now,
    fork: (effect) => void Effect.runSync(effect),
    next: (since) => {
      const at = deadlines.find((deadline) => deadline > since)
      return at === undefined ? undefined : { at, due: () => undefined }
    },
    see: (deadline, at) => Effect.sync(() => void woken.push({ due: deadline.at, at, now: Date.now() })),
    recover: Effect.void,
    isWanted: () => true,
  })
  alarm.set()
  return { alarm, woken }
}

test("a deadline is seen to in its own millisecond, and not in the one before", () => {
  const due = BEGIN + 5000
  const { woken } = alarmFor(due)
  vi.advanceTimersByTime(4999)
  expect(woken).toEqual([])
  vi.advanceTimersByTime(1)
  expect(woken).toEqual([{ due, at: due, now: due }])
})

test("each of several deadlines is seen to when it is due", () => {
  const due = [BEGIN + 10, BEGIN + 20, BEGIN + 60_000]
  const { woken } = alarmFor(...due)
  vi.advanceTimersByTime(120_000)
  expect(woken.map(({ now }) => now)).toEqual(due)
})

test("a deadline further away than a timer of Node reaches is seen to on its day", () => {
  const due = BEGIN + 60 * 86_400_000
  const { woken } = alarmFor(due)
  vi.advanceTimersByTime(due - BEGIN - 1)
  expect(woken).toEqual([])
  vi.advanceTimersByTime(1)
  expect(woken).toEqual([{ due, at: due, now: due }])
})

test("a stopped alarm wakes nobody", () => {
  const { alarm, woken } = alarmFor(BEGIN + 10)
  alarm.stop()
  alarm.set()
  vi.advanceTimersByTime(60_000)
  expect(woken).toEqual([])
})
