import fc from "fast-check"
import { expect, test } from "vitest"
import { type CallerClass, FairQueue } from "../../src/identity/accounts/fair-queue.ts"

/** A queue whose jobs end when the test says so; notes what begins and what is refused. */
const openQueue = (atOnce: number, waiting: number) => {
  const queue = new FairQueue({ atOnce, waiting: () => waiting })
  const begun: string[] = []
  const refused: string[] = []
  const enter = (caller: string, name = caller, callerClass: CallerClass = "unknown") => {
    const job = { caller, callerClass, begin: () => void begun.push(name), refuse: () => void refused.push(name) }
    const takeBack = queue.enter(job)
    if (takeBack === undefined) refused.push(name)
    return takeBack
  }
  return { queue, begun, refused, enter }
}

test("jobs begin at once while there is room, and then callers take turns", () => {
  const { queue, begun, enter } = openQueue(2, 100)
  for (const name of ["a1", "a2", "a3", "a4"]) enter("a", name)
  enter("b", "b1")
  enter("c", "c1")
  expect(begun).toEqual(["a1", "a2"])
  for (let n = 0; n < 4; n++) queue.ended()
  expect(begun).toEqual(["a1", "a2", "a3", "b1", "c1", "a4"])
})

test("callers that misbehaved come after all others", () => {
  const { queue, begun, enter } = openQueue(1, 100)
  enter("x")
  for (let n = 0; n < 3; n++) enter(`bad ${n}`, undefined, "suspect")
  enter("good")
  for (let n = 0; n < 4; n++) queue.ended()
  expect(begun).toEqual(["x", "good", "bad 0", "bad 1", "bad 2"])
})

test("when as much waits as may, the caller with the most gives way, and nobody to one with as much", () => {
  const { begun, refused, enter } = openQueue(1, 4)
  enter("x")
  for (const name of ["a1", "a2", "a3", "a4"]) enter("a", name)
  enter("b", "b1")
  expect(refused).toEqual(["a4"])
  enter("c", "c1")
  expect(refused).toEqual(["a4", "a3"])
  // Two, one and one wait: a second one of b's would leave a no better off.
  enter("b", "b2")
  expect(refused).toEqual(["a4", "a3", "b2"])
  enter("d", "d1")
  expect(refused).toEqual(["a4", "a3", "b2", "a2"])
  enter("e", "e1")
  expect(refused).toEqual(["a4", "a3", "b2", "a2", "e1"])
  expect(begun).toEqual(["x"])
})

test("a suspect gives way to anybody who is none", () => {
  const { refused, enter } = openQueue(1, 2)
  enter("x")
  enter("bad", "bad 1", "suspect")
  enter("good", "good 1")
  enter("good", "good 2")
  expect(refused).toEqual(["bad 1"])
  enter("bad", "bad 2", "suspect")
  expect(refused).toEqual(["bad 1", "bad 2"])
})

test("the known are served first, and everybody else gives way to them, strangers after suspects", () => {
  const { queue, begun, refused, enter } = openQueue(1, 3)
  enter("x")
  enter("stranger 1")
  enter("stranger 2")
  enter("bad", "bad", "suspect")
  enter("friend", "friend 1", "known")
  expect(refused).toEqual(["bad"])
  enter("friend", "friend 2", "known")
  expect(refused).toEqual(["bad", "stranger 1"])
  // Friends among themselves are not better off than anybody with as much.
  enter("another friend", "friend 3", "known")
  expect(refused).toEqual(["bad", "stranger 1", "stranger 2"])
  for (let n = 0; n < 4; n++) queue.ended()
  expect(begun).toEqual(["x", "friend 1", "friend 3", "friend 2"])
})

test("better classes pass a waiting one over eight times, and no longer", () => {
  const { queue, begun, enter } = openQueue(1, 100)
  enter("x")
  enter("bad", "suspect", "suspect")
  enter("stranger", "unknown", "unknown")
  for (let n = 0; n < 30; n++) enter("friend", "known", "known")
  for (let n = 0; n < 20; n++) queue.ended()
  const known = (times: number): string[] => Array(times).fill("known")
  // Both have waited for eight; the least class goes first.
  expect(begun).toEqual(["x", ...known(8), "suspect", "unknown", ...known(10)])
})

test("a class that no job of waits in is not passed over", () => {
  const { queue, begun, enter } = openQueue(1, 100)
  enter("x")
  for (let n = 0; n < 20; n++) enter("friend", "known", "known")
  for (let n = 0; n < 10; n++) queue.ended()
  enter("bad", "suspect", "suspect")
  for (let n = 0; n < 9; n++) queue.ended()
  expect(begun.slice(11)).toEqual([...Array(8).fill("known"), "suspect"])
})

test("a job that was taken back never begins, and leaves its place to others", () => {
  const { queue, begun, refused, enter } = openQueue(1, 1)
  enter("x")
  const takeBack = enter("a")
  takeBack?.()
  takeBack?.()
  enter("b")
  queue.ended()
  queue.ended()
  enter("c")
  expect([begun, refused, queue.waiting]).toEqual([["x", "b", "c"], [], 0])
})

type Step = "end" | number | { readonly caller: number; readonly callerClass: CallerClass }

/** A queue that is played with at random; every job's fate is noted, and noted once. */
const playground = (atOnce: number, most: number) => {
  const queue = new FairQueue({ atOnce, waiting: () => most })
  const fates: Array<string | undefined> = []
  const takeBacks: Array<(() => void) | undefined> = []
  let running = 0
  const settle = (n: number, fate: string): void => {
    expect(fates[n]).toBeUndefined()
    fates[n] = fate
  }
  const end = (): void => {
    if (running === 0) return
    running--
    queue.ended()
  }
  const enter = (caller: number, callerClass: CallerClass): void => {
    const n = fates.push(undefined) - 1
    const begin = (): void => {
      running++
      settle(n, "begun")
    }
    const refuse = (): void => settle(n, "refused")
    takeBacks[n] = queue.enter({ caller: String(caller), callerClass, begin, refuse })
    if (takeBacks[n] === undefined) refuse()
  }
  const takeBack = (n: number): void => {
    if (fates[n] === undefined && takeBacks[n] !== undefined) settle(n, "taken back")
    takeBacks[n]?.()
  }
  const take = (step: Step): void => {
    if (step === "end") end()
    else if (typeof step === "number") takeBack(step)
    else enter(step.caller, step.callerClass)
    expect(running).toBeLessThanOrEqual(atOnce)
    expect(queue.waiting).toBeLessThanOrEqual(most)
  }
  const drain = (): void => {
    while (running > 0) end()
    expect(queue.waiting).toBe(0)
    expect(fates.every((fate) => fate !== undefined)).toBe(true)
  }
  return { take, drain }
}

test("whatever comes: never more run or wait than may, every job begins, is refused or taken back once, and the rest drains", () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        caller: fc.integer({ min: 0, max: 5 }),
        callerClass: fc.constantFrom("known", "unknown", "suspect"),
      }),
    },
    { weight: 3, arbitrary: fc.constant("end" as const) },
    { weight: 1, arbitrary: fc.nat(30) },
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 6 }),
      fc.array(step),
      (atOnce, most, steps) => {
        const { take, drain } = playground(atOnce, most)
        for (const one of steps) take(one)
        drain()
      },
    ),
    { numRuns: 1_000 },
  )
})
