/** The sender's state of an endpoint, and its age limit. */
import { Effect, Scope } from "effect"
import { expect, test } from "vitest"
import type { Database } from "../../src/store/database.ts"
import type { EndpointTarget } from "../../src/store/webhooks/webhook-deliveries.ts"
import { makeEndpointWatch } from "../../src/webhooks/endpoint-watch.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

const targetAt = (url: string) => ({ url }) as EndpointTarget

test("the newest look at an endpoint is believed, whatever order looks come back in, and for a moment only", async () => {
  const { timers, pass } = await openVirtualTime()
  const stored = targetAt("https://example.com/stored")
  const database = { run: () => Effect.succeed(new Map([["endpoint", stored]])) } as unknown as Database["Service"]
  const watch = makeEndpointWatch(timers, database, (effect) => Effect.orDie(effect), Scope.makeUnsafe())
  const target = () => Effect.runPromise(watch.target("endpoint"))
  await pass(100)
  const [older, newer] = [targetAt("https://example.com/older"), targetAt("https://example.com/newer")]
  watch.seen("endpoint", newer, timers.elapsed())
  // A claim that began earlier.
  watch.seen("endpoint", older, timers.elapsed() - 10)
  expect(await target()).toBe(newer)
  await pass(24)
  expect(await target()).toBe(newer)
  await pass(1)
  expect(await target()).toBe(stored)
})
