/** The inbox of a live event: one turn at a time in the order of arrival, commands gathered, bounds, deadlines and the end. */
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { expect, test } from "vitest"
import { type Envelope, NotOwner, type Outcome, StoreUnavailable, type Unreachable } from "../../src/actors/commands.ts"
import { FULL, Inbox } from "../../src/actors/runtime/inbox.ts"
import { makeMetrics } from "../../src/telemetry/metrics.ts"
import { envelope } from "../support/live-events.ts"

const metrics = makeMetrics()

const commandOf = (commandId: string): Envelope => envelope({ type: "event.end", d: {} }, { commandId })

const outcomesOf = (ids: ReadonlyArray<string>): ReadonlyArray<Outcome> =>
  ids.map((commandId) => ({ version: 1, result: { commandId }, duplicate: false, event: null }))

const exitOf = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Fiber.await(fiber))
const stop = (fiber: Fiber.Fiber<unknown, unknown>) => Effect.runPromise(Fiber.interrupt(fiber))

/** An inbox whose batches the test answers one by one. */
const openInbox = ({
  broken,
  ...given
}: {
  readonly most?: number
  readonly answersWithinMs?: number
  readonly broken?: () => void
} = {}) => {
  const batches: string[][] = []
  const answers: Array<(answer: Effect.Effect<ReadonlyArray<Outcome>, Unreachable>) => void> = []
  const inbox = new Inbox<Unreachable>(
    { most: 1024, fork: Effect.runFork, metrics, ...given },
    {
      perform: (envelopes) =>
        Effect.callback((resume) => {
          batches.push(envelopes.map(({ commandId }) => commandId))
          answers.push(resume)
        }),
      ...(broken !== undefined && { broken }),
    },
  )
  return {
    inbox,
    batches,
    /** Commands of another process. */
    request: (...ids: ReadonlyArray<string>) => Effect.runFork(inbox.execute(ids.map(commandOf))),
    /** A command of this process. */
    put: (id: string) => Effect.runFork(Effect.map(inbox.commands([commandOf(id)]), ([outcome]) => outcome)),
    answer: (batch: number) => answers[batch]?.(Effect.succeed(outcomesOf(batches[batch] ?? []))),
    fail: (batch: number, failure: Unreachable) => answers[batch]?.(Effect.fail(failure)),
    /** A turn that goes on until the test ends it, and cannot be interrupted. */
    occupy: (done: Deferred.Deferred<void>) => Effect.runFork(inbox.turn(Effect.uninterruptible(Deferred.await(done)))),
  }
}

const answered = (...ids: ReadonlyArray<string>) => Exit.succeed(outcomesOf(ids))
const answeredOne = (id: string) => Exit.succeed(outcomesOf([id])[0])
const tagOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string | undefined =>
  Exit.isFailure(exit) ? (Cause.squash(exit.cause) as { readonly _tag?: string })._tag : undefined

test("while one command is under way as many wait as may, one more is refused for now, and the others go together", async () => {
  const { put, batches, answer } = openInbox({ most: 3 })
  const waitedBefore = metrics.inboxWaiting.value()
  const fibers = ["a", "b", "c", "d", "e"].map(put)
  expect(await exitOf(fibers[4] ?? expect.fail())).toEqual(Exit.fail(FULL))
  expect(FULL.retryAfterSeconds).toBe(1)
  expect(metrics.inboxWaiting.value()).toBe(waitedBefore + 3)
  answer(0)
  await expect.poll(() => batches).toEqual([["a"], ["b", "c", "d"]])
  expect(metrics.inboxWaiting.value()).toBe(waitedBefore)
  answer(1)
  expect(await Promise.all(fibers.slice(0, 4).map(exitOf))).toEqual(["a", "b", "c", "d"].map(answeredOne))
})

test("commands that arrive during a batch, from here and from elsewhere, are the next one, and each gets its own outcomes", async () => {
  const { batches, answer, request, put } = openInbox()
  const first = put("a")
  const others = [request("b", "c"), request("d")]
  const own = put("e")
  expect(batches).toEqual([["a"]])
  answer(0)
  expect(await exitOf(first)).toEqual(answeredOne("a"))
  await expect.poll(() => batches).toEqual([["a"], ["b", "c", "d", "e"]])
  answer(1)
  expect(await Promise.all(others.map(exitOf))).toEqual([answered("b", "c"), answered("d")])
  expect(await exitOf(own)).toEqual(answeredOne("e"))
  expect(batches).toHaveLength(2)
})

test("a batch has 256 commands at most, in the order of the requests", async () => {
  const { batches, answer, request } = openInbox()
  const ids = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`)
  const all = [request("a"), request(...ids("b", 200)), request(...ids("c", 56)), request("d")]
  for (const n of [0, 1, 2]) {
    await expect.poll(() => batches.length).toBe(n + 1)
    answer(n)
  }
  await Promise.all(all.map(exitOf))
  expect(batches).toEqual([["a"], [...ids("b", 200), ...ids("c", 56)], ["d"]])
})

test("turns of other kinds come in the order of arrival, one at a time, and commands are gathered past them", async () => {
  const { inbox, batches, answer, put } = openInbox()
  const done: string[] = []
  const note = (what: string) => Effect.runFork(inbox.turn(Effect.sync(() => void done.push(what))))
  const first = put("a")
  const fibers = [note("x"), put("b"), note("y"), put("c")]
  expect(done).toEqual([])
  answer(0)
  await exitOf(first)
  await expect.poll(() => batches).toEqual([["a"], ["b", "c"]])
  expect(done).toEqual(["x"])
  answer(1)
  await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.await(fiber as Fiber.Fiber<unknown, unknown>))))
  expect(done).toEqual(["x", "y"])
})

test("a failure of the batch is that of each request; the next batch is not affected", async () => {
  const { batches, answer, fail, request } = openInbox()
  const first = request("a")
  const [second, third] = [request("b"), request("c")]
  answer(0)
  await exitOf(first)
  await expect.poll(() => batches.length).toBe(2)
  const fourth = request("d")
  fail(1, new StoreUnavailable())
  expect([await exitOf(second), await exitOf(third)]).toEqual([
    Exit.fail(new StoreUnavailable()),
    Exit.fail(new StoreUnavailable()),
  ])
  await expect.poll(() => batches.length).toBe(3)
  answer(2)
  expect(await exitOf(fourth)).toEqual(answered("d"))
})

test("a lost fence is told to all commands that wait, in their order, and to no later one", async () => {
  const { batches, answer, fail, put } = openInbox()
  const told: string[] = []
  const fibers = ["a", "b", "c"].map((id) => {
    const fiber = put(id)
    fiber.addObserver(() => void told.push(id))
    return fiber
  })
  fail(0, new NotOwner())
  expect((await Promise.all(fibers.map(exitOf))).map(tagOf)).toEqual(["NotOwner", "NotOwner", "NotOwner"])
  expect(told).toEqual(["a", "b", "c"])
  const later = put("d")
  await expect.poll(() => batches).toEqual([["a"], ["d"]])
  answer(1)
  expect(await exitOf(later)).toEqual(answeredOne("d"))
})

test("a request of another process whose caller has gone is not done later, and a turn that nobody waits for is interrupted", async () => {
  const { batches, answer, request } = openInbox()
  const first = request("a")
  const [gone, stays] = [request("b"), request("c")]
  await stop(gone)
  await stop(first)
  await expect.poll(() => batches).toEqual([["a"], ["c"]])
  const last = request("d")
  await stop(stays)
  await expect.poll(() => batches).toEqual([["a"], ["c"], ["d"]])
  answer(2)
  expect(await exitOf(last)).toEqual(answered("d"))
})

test("a batch goes on for the others when one of its callers has gone, and a command of this process is done without its caller", async () => {
  const { batches, answer, request, put } = openInbox()
  const first = request("a")
  const [gone, stays] = [request("b"), request("c")]
  await stop(put("d"))
  answer(0)
  await exitOf(first)
  await expect.poll(() => batches).toEqual([["a"], ["b", "c", "d"]])
  await stop(gone)
  answer(1)
  expect(await exitOf(stays)).toEqual(answered("c"))
})

test("a caller that stops waiting does not wait for work that cannot be interrupted, and the next turn does", async () => {
  const { batches, answer, occupy, put } = openInbox()
  const open = Deferred.makeUnsafe<void>()
  const exit = occupy(open)
  await stop(exit)
  expect(Exit.isFailure(await exitOf(exit))).toBe(true)
  const next = put("a")
  expect(batches).toEqual([])
  await Effect.runPromise(Deferred.succeed(open, undefined))
  await expect.poll(() => batches).toEqual([["a"]])
  answer(0)
  expect(await exitOf(next)).toEqual(answeredOne("a"))
})

test("a command that gets no answer in time is told so, and is not done when its turn has not come", async () => {
  const { batches, occupy, put } = openInbox({ answersWithinMs: 20 })
  const open = Deferred.makeUnsafe<void>()
  const other = occupy(open)
  const late = put("a")
  expect(tagOf(await exitOf(late))).toBe("TimeoutError")
  await Effect.runPromise(Deferred.succeed(open, undefined))
  await exitOf(other)
  const underWay = put("b")
  expect(tagOf(await exitOf(underWay))).toBe("TimeoutError")
  // The turn is interrupted with its last caller, so that the next one begins.
  expect(tagOf(await exitOf(put("c")))).toBe("TimeoutError")
  expect(batches).toEqual([["b"], ["c"]])
})

test("an event that leaves takes no more from this process, and ends when its turns are over", async () => {
  const { inbox, batches, answer, put } = openInbox()
  const fibers = ["a", "b"].map(put)
  let isLeft = false
  const left = Effect.runPromise(inbox.leave).then(() => {
    isLeft = true
  })
  expect(inbox.isLeaving).toBe(true)
  expect(await exitOf(put("c"))).toEqual(Exit.fail(new NotOwner()))
  answer(0)
  await expect.poll(() => batches).toEqual([["a"], ["b"]])
  expect(isLeft).toBe(false)
  answer(1)
  await left
  expect(await Promise.all(fibers.map(exitOf))).toEqual([answeredOne("a"), answeredOne("b")])
})

test("what takes too long when the event leaves is interrupted, and its commands are to be sent again", async () => {
  const { inbox, batches, put, occupy } = openInbox()
  const fibers = ["a", "b"].map(put)
  const turn = occupy(Deferred.makeUnsafe<void>())
  await Effect.runPromise(inbox.leave)
  expect((await Promise.all(fibers.map(exitOf))).map(tagOf)).toEqual(["NotOwner", "NotOwner"])
  const exit = await exitOf(turn)
  expect(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)).toBe(true)
  expect(batches).toEqual([["a"]])
})

test("a defect reaches its callers and is reported, and requests beyond the limit are noticed", async () => {
  let broken = 0
  const { inbox, occupy } = openInbox({ most: 1, broken: () => broken++ })
  const died = await Effect.runPromiseExit(inbox.turn(Effect.die("a defect")))
  expect([Exit.isFailure(died) && Cause.hasDies(died.cause), broken]).toEqual([true, 1])
  const open = Deferred.makeUnsafe<void>()
  const turns = [occupy(open), occupy(open)]
  expect(inbox.isFull).toBe(true)
  await Effect.runPromise(Deferred.succeed(open, undefined))
  await Promise.all(turns.map(exitOf))
  expect(inbox.isFull).toBe(false)
})

test("commands that come and are withdrawn while another turn goes on do not fill the inbox", async () => {
  const { inbox, request, occupy, batches, answer } = openInbox({ most: 3 })
  const done = Effect.runSync(Deferred.make<void>())
  const busy = occupy(done)
  for (let n = 0; n < 5; n++) await stop(request("gone"))
  expect(inbox.isFull).toBe(false)
  const last = request("a")
  Effect.runSync(Deferred.succeed(done, undefined))
  await exitOf(busy)
  await expect.poll(() => batches).toEqual([["a"]])
  answer(0)
  expect(await exitOf(last)).toEqual(answered("a"))
})
