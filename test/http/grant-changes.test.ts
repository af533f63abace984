/** Telling live events of changed roles, on a virtual clock. */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { pino } from "pino"
import { expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { announceRoles } from "../../src/http/handlers/workspaces/grant-changes.ts"
import { type GrantChange, GrantChanges } from "../../src/identity/grant-changes.ts"
import { NotFound, Unavailable } from "../../src/model/errors.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"

const WHO = { eventId: "an event", userId: "a user" }

/** The log lines and announcements while the live event gives this answer for three minutes. */
const announcing = async (failure: Unavailable | NotFound) => {
  const lines: unknown[] = []
  const published: GrantChange[] = []
  let asked = 0
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const services = Layer.mergeAll(
    TestClock.layer(),
    Layer.succeed(Telemetry, Telemetry.make(log)),
    Layer.mock(LiveEvents, {
      execute: () =>
        Effect.suspend(() => {
          asked++
          return Effect.fail(failure)
        }),
      onForgotten: () => () => {},
    }),
    Layer.succeed(GrantChanges, {
      publish: (change) => published.push(change),
      subscribe: () => () => {},
      settled: () => Promise.resolve(),
      addGateway: () => () => {},
    }),
  )
  await Effect.runPromise(
    Effect.gen(function* () {
      const answering = yield* Effect.forkChild(announceRoles([WHO]))
      yield* TestClock.adjust("1 second")
      // The caller has been answered by now.
      yield* Fiber.await(answering)
      yield* TestClock.adjust("3 minutes")
    }).pipe(Effect.provide(services)),
  )
  return { lines, published, asked }
}

test("a live event that cannot be reached for two minutes is logged as an error, with the user; the sockets are checked", async () => {
  const { lines, published, asked } = await announcing(new Unavailable({ detail: "full", retryAfterSeconds: 1 }))
  expect(lines).toEqual([expect.objectContaining({ level: 50, ...WHO })])
  expect([published, asked]).toEqual([[WHO, WHO], 121])
})

test("an absent event is sent no change", async () => {
  const { lines, published, asked } = await announcing(NotFound.of("event"))
  expect([lines, published, asked]).toEqual([[], [WHO], 1])
})
