/** Requests of several nodes for one event: gathered while a batch is under way, each answered with its own outcomes. */
import { Effect, Exit, Fiber, Semaphore } from "effect"
import { expect, test } from "vitest"
import { NotOwner, type Outcome, type Received, StoreUnavailable } from "../../src/actors/commands.ts"
import { CommandQueue } from "../../src/actors/runtime/command-queue.ts"

const commands = (...ids: ReadonlyArray<string>): ReadonlyArray<Received> =>
  ids.map((commandId) => ({ commandId, scope: "s" }) as Received)

const outcomesOf = (envelopes: ReadonlyArray<Received>): ReadonlyArray<Outcome> =>
  envelopes.map(({ commandId }) => ({ answer: commandId }) as unknown as Outcome)

type Batch = Parameters<ConstructorParameters<typeof CommandQueue>[0]["execute"]>[0]
type Result = ReturnType<ConstructorParameters<typeof CommandQueue>[0]["execute"]>

/** A queue whose batches the test answers one by one. */
const openQueue = () => {
  const batches: string[][] = []
  const answers: Array<(answer: Result) => void> = []
  const queue = new CommandQueue({
    exclusive: Semaphore.makeUnsafe(1).withPermits(1),
    execute: (envelopes: Batch) => {
      batches.push(envelopes.map(({ commandId }) => commandId))
      return Effect.callback((resume) => void answers.push(resume))
    },
  })
  const request = (...ids: ReadonlyArray<string>) => Effect.runFork(queue.execute(commands(...ids)))
  return { batches, answers, request }
}

const answered = (...ids: ReadonlyArray<string>) => Exit.succeed(outcomesOf(commands(...ids)))
const exitOf = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Fiber.await(fiber))

test("requests that arrive during a batch are the next one, and each gets its own outcomes", async () => {
  const { batches, answers, request } = openQueue()
  const first = request("a")
  const others = [request("b", "c"), request("d")]
  expect(batches).toEqual([["a"]])
  answers[0]?.(Effect.succeed(outcomesOf(commands("a"))))
  expect(await exitOf(first)).toEqual(answered("a"))
  await expect.poll(() => batches).toEqual([["a"], ["b", "c", "d"]])
  answers[1]?.(Effect.succeed(outcomesOf(commands("b", "c", "d"))))
  expect(await Promise.all(others.map(exitOf))).toEqual([answered("b", "c"), answered("d")])
  expect(batches).toHaveLength(2)
})

test("a batch has 256 commands at most, in the order of the requests", async () => {
  const { batches, answers, request } = openQueue()
  const ids = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`)
  const all = [request("a"), request(...ids("b", 200)), request(...ids("c", 56)), request("d")]
  for (const n of [0, 1, 2]) {
    await expect.poll(() => batches.length).toBe(n + 1)
    answers[n]?.(Effect.succeed(outcomesOf(commands(...(batches[n] ?? [])))))
  }
  await Promise.all(all.map(exitOf))
  expect(batches).toEqual([["a"], [...ids("b", 200), ...ids("c", 56)], ["d"]])
})

test("a failure of the batch is that of each request; the next batch is not affected", async () => {
  const { batches, answers, request } = openQueue()
  const first = request("a")
  const [second, third] = [request("b"), request("c")]
  answers[0]?.(Effect.succeed(outcomesOf(commands("a"))))
  await exitOf(first)
  await expect.poll(() => batches.length).toBe(2)
  answers[1]?.(new StoreUnavailable())
  expect([await exitOf(second), await exitOf(third)]).toEqual([
    Exit.fail(new StoreUnavailable()),
    Exit.fail(new StoreUnavailable()),
  ])
  const fourth = request("d")
  await expect.poll(() => batches.length).toBe(3)
  answers[2]?.(Effect.succeed(outcomesOf(commands("d"))))
  expect(await exitOf(fourth)).toEqual(answered("d"))
})

test("a request whose caller has gone is not done later, and one that carried others lets them be made again", async () => {
  const { batches, answers, request } = openQueue()
  const first = request("a")
  const [gone, stays] = [request("b"), request("c")]
  await Effect.runPromise(Fiber.interrupt(gone))
  await Effect.runPromise(Fiber.interrupt(first))
  await expect.poll(() => batches).toEqual([["a"], ["c"]])
  const last = request("d")
  await Effect.runPromise(Fiber.interrupt(stays))
  await expect.poll(() => batches).toEqual([["a"], ["c"], ["d"]])
  const carried = request("e")
  const other = request("f")
  answers[2]?.(Effect.succeed(outcomesOf(commands("d"))))
  expect(await exitOf(last)).toEqual(answered("d"))
  await expect.poll(() => batches.at(-1)).toEqual(["e", "f"])
  await Effect.runPromise(Fiber.interrupt(carried))
  expect(await exitOf(other)).toEqual(Exit.fail(new NotOwner()))
})
