/** Limits over several nodes, on a real database: counted together, or divided among the nodes. */
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { type ClusterLimits, type LimitName, RateLimits } from "../../src/http/limits/rate-limits.ts"
import { Unavailable } from "../../src/model/errors.ts"
import { giveBackTokens, takeTokens } from "../../src/store/limits/shared-buckets.ts"
import { query } from "../../src/store/query.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"

const database = sharedDatabase()
const sql = sharedStore(database)

const cluster = (nodes: number): ClusterLimits => ({
  nodes: () => nodes,
  take: (buckets) => query(() => takeTokens(sql, buckets)),
  giveBack: (buckets) => query(() => giveBackTokens(sql, buckets)),
})

const node = (limits: ClusterLimits): Promise<RateLimits["Service"]> =>
  Effect.runPromise(RateLimits.pipe(Effect.provide(RateLimits.layer(true, limits))))

const takeMany = async (limits: RateLimits["Service"], name: LimitName, key: string, times: number) => {
  const exits: Exit.Exit<unknown, unknown>[] = []
  for (let n = 0; n < times; n++) exits.push(await Effect.runPromiseExit(limits.take(name, key)))
  return exits.filter(Exit.isSuccess).length
}

test("wrong passwords, signups and emails are counted by all nodes together", async () => {
  const [first, second] = [await node(cluster(2)), await node(cluster(2))]
  expect(await takeMany(first, "loginFailure", "192.0.2.1 ada@example.com", 6)).toBe(6)
  expect(await takeMany(second, "loginFailure", "192.0.2.1 ada@example.com", 6)).toBe(4)
  expect(await takeMany(first, "loginFailure", "192.0.2.2 ada@example.com", 1)).toBe(1)
  await Effect.runPromise(first.giveBack("loginFailure", "192.0.2.1 ada@example.com"))
  expect(await takeMany(second, "loginFailure", "192.0.2.1 ada@example.com", 2)).toBe(1)
  const letters = [first, second, first, second].map((one) =>
    Effect.runPromiseExit(one.mail("entry", "bo@example.com")),
  )
  expect((await Promise.all(letters)).filter(Exit.isSuccess)).toHaveLength(3)
})

test("many addresses of one network do not multiply a caller's tries, on whichever node they come", async () => {
  const nodes = [await node(cluster(2)), await node(cluster(2))]
  let taken = 0
  for (let n = 0; n < 20; n++) {
    const site = `2001:db8:1:${n.toString(16)}::/64`
    for (const one of nodes) taken += await takeMany(one, "loginFailure", `${site} ada@example.com`, 5)
  }
  expect(taken).toBe(160)
})

test("each node gives its share of the other limits, and says so", async () => {
  for (const [nodes, share] of [
    [2, 100],
    [4, 50],
    [1, 200],
  ] as const) {
    const granted = Effect.gen(function* () {
      const limits = yield* RateLimits.pipe(Effect.provide(RateLimits.layer(true, cluster(nodes))))
      const take = () => Effect.forEach(Array.from({ length: 250 }), () => Effect.exit(limits.take("apiKey", "one")))
      const atOnce = yield* take()
      yield* TestClock.adjust("1 second")
      return [atOnce, yield* take()].map((exits) => exits.filter(Exit.isSuccess).length)
    })
    // The limit is 100 a second with a burst of 200.
    expect(await Effect.runPromise(Effect.provide(granted, TestClock.layer()))).toEqual([share, 100 / nodes])
  }
  // More nodes than tokens: each of them gives one.
  expect(await takeMany(await node(cluster(50)), "helpChat", "192.0.2.9", 3)).toBe(1)
  const headers = await Effect.runPromise((await node(cluster(2))).take("apiKey", "two"))
  expect(headers).toContainEqual(["ratelimit", expect.stringMatching(/^"apiKey";r=99;t=\d+$/)])
})

test("a venue has so many times the limit on all nodes together, of sign-ins and not of wrong passwords", async () => {
  const venues = (address: string) => (address === "192.0.2.40" ? 3 : 1)
  const open = () => Effect.runPromise(RateLimits.pipe(Effect.provide(RateLimits.layer(true, cluster(2), venues))))
  const [one, other] = [await open(), await open()]
  const together = async (name: LimitName, key: string, times: number) =>
    (await takeMany(one, name, key, times)) + (await takeMany(other, name, key, times))
  // 60 a minute.
  const taken = await together("login", "192.0.2.40", 120)
  expect(taken).toBeGreaterThanOrEqual(180)
  expect(await together("login", "192.0.2.41", 120)).toBeLessThan(taken)
  // What each node counts itself: 300 at once.
  expect(await takeMany(one, "joinCode", "192.0.2.40", 500)).toBeGreaterThanOrEqual(450)
  expect(await takeMany(one, "joinCode", "192.0.2.41", 500)).toBeLessThan(450)
  expect(await together("loginFailure", "192.0.2.40 ada@example.com", 12)).toBe(10)
})

test("while the database cannot answer each node counts alone", async () => {
  const away = Effect.fail(new Unavailable({ detail: "away", retryAfterSeconds: 1 }))
  const alone = await node({ nodes: () => 2, take: () => away, giveBack: () => away })
  expect(await takeMany(alone, "loginFailure", "192.0.2.3 ada@example.com", 12)).toBe(5)
  await Effect.runPromise(alone.giveBack("loginFailure", "192.0.2.3 ada@example.com"))
  expect(await takeMany(alone, "loginFailure", "192.0.2.3 ada@example.com", 2)).toBe(1)
})
