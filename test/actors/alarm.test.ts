/** The alarm of a live event, in virtual time. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { DeadlineTimer } from "../../src/actors/runtime/deadline-timer.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

const BEGIN = 1_000_000

/** An alarm over deadlines at these times, and the moments at which it woke the event for each. */
const alarmFor = async (...deadlines: ReadonlyArray<number>) => {
  const { timers, pass } = await openVirtualTime(BEGIN)
  const woken: { readonly due: number; readonly at: number; readonly now: number }[] = []
  const fork = (effect: Effect.Effect<unknown>): void => void Effect.runSync(effect)
  const awaited: ConstructorParameters<typeof DeadlineTimer>[1] = {
    nextDeadline: (since) => {
      const at = deadlines.find((deadline) => deadline > since)
      return at === undefined ? undefined : { at, due: () => undefined }
    },
    meet: (deadline, at) => Effect.sync(() => void woken.push({ due: deadline.at, at, now: timers.now() })),
    recover: () => Effect.void,
  }
  const alarm = new DeadlineTimer({ timers, fork }, awaited)
  alarm.set()
  return { alarm, woken, pass }
}

test("a deadline is seen to in its own millisecond, and not in the one before", async () => {
  const due = BEGIN + 5000
  const { woken, pass } = await alarmFor(due)
  await pass(4999)
  expect(woken).toEqual([])
  await pass(1)
  expect(woken).toEqual([{ due, at: due, now: due }])
})

test("each of several deadlines is seen to when it is due", async () => {
  const due = [BEGIN + 10, BEGIN + 20, BEGIN + 60_000]
  const { woken, pass } = await alarmFor(...due)
  await pass(120_000)
  expect(woken.map(({ now }) => now)).toEqual(due)
})

test("a deadline further away than a timer of Node reaches is seen to on its day", async () => {
  const due = BEGIN + 60 * 86_400_000
  const { woken, pass } = await alarmFor(due)
  await pass(due - BEGIN - 1)
  expect(woken).toEqual([])
  await pass(1)
  expect(woken).toEqual([{ due, at: due, now: due }])
})

test("an end that was missed is seen to late, and brings back no warning that was missed after it", async () => {
  const { timers, pass } = await openVirtualTime(BEGIN)
  const [end, missed, coming] = [BEGIN - 5000, BEGIN - 2000, BEGIN + 10]
  const woken: number[] = []
  const fork = (effect: Effect.Effect<unknown>): void => void Effect.runSync(effect)
  const awaited: ConstructorParameters<typeof DeadlineTimer>[1] = {
    nextDeadline: (since) => {
      const at = woken.includes(end) ? [missed, coming].find((warning) => warning > since) : end
      return at === undefined ? undefined : { at, due: () => undefined }
    },
    meet: ({ at }) => Effect.sync(() => void woken.push(at)),
    recover: () => Effect.void,
  }
  const alarm = new DeadlineTimer({ timers, fork }, awaited)
  alarm.set()
  await pass(60_000)
  expect(woken).toEqual([end, coming])
})

test("a stopped alarm wakes nobody", async () => {
  const { alarm, woken, pass } = await alarmFor(BEGIN + 10)
  alarm.stop()
  alarm.set()
  await pass(60_000)
  expect(woken).toEqual([])
})
