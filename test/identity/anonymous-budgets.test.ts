import { Effect } from "effect"
import { expect, test } from "vitest"
import { type AnonymousAct, AnonymousBudgets } from "../../src/identity/callers/anonymous-budgets.ts"

const open = (strict = true) => Effect.runSync(Effect.provide(AnonymousBudgets, AnonymousBudgets.layer(strict)))

/** How many of `times` acts at one moment are allowed. */
const allowed = (
  budgets: AnonymousBudgets["Service"],
  act: AnonymousAct,
  {
    times,
    eventId = "event",
    address = "192.0.2.1",
    now = 0,
  }: { times: number } & Partial<Record<"eventId" | "address", string>> & { now?: number },
): number =>
  Array.from({ length: times }, () => budgets.spend(act, eventId, address, now)).filter((wait) => wait === 0).length

test.each([
  ["questions", 10, 0.5],
  ["votes", 300, 30],
  ["reactions", 500, 100],
] as const)("of %s an address has %i at once and %d a second", (act, burst, perSecond) => {
  const budgets = open()
  expect(allowed(budgets, act, { times: burst + 50 })).toBe(burst)
  expect(budgets.spend(act, "event", "192.0.2.1", 0)).toBe(Math.ceil(1000 / perSecond))
  expect(allowed(budgets, act, { times: burst, now: 4_000 })).toBe(perSecond * 4)
  expect(allowed(budgets, act, { times: 5, address: "192.0.2.2" })).toBe(5)
  expect(allowed(budgets, act, { times: 5, eventId: "another" })).toBe(5)
})

test("the acts of one kind cost nothing of another", () => {
  const budgets = open()
  expect(allowed(budgets, "questions", { times: 20 })).toBe(10)
  expect(allowed(budgets, "votes", { times: 20 })).toBe(20)
})

test("sixteen /64s of a /48 have limits of their own, all others of it together nothing more", () => {
  const budgets = open()
  const of = (site: number): number =>
    allowed(budgets, "questions", { times: 20, address: `2001:470:1:${site.toString(16)}::/64` })
  const sites = Array.from({ length: 40 }, (_, site) => of(site))
  expect(sites).toEqual(sites.map((_, site) => (site < 16 ? 10 : 0)))
  expect(allowed(budgets, "questions", { times: 20, address: "2001:470:2:0::/64" })).toBe(10)
})

test("a hundred thousand made-up addresses are forgotten, those used last are not", () => {
  const budgets = open()
  for (let n = 0; n < 100_000; n++) {
    budgets.spend("questions", "event", `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 0)
    if (n % 1000 === 0) budgets.spend("questions", "event", "192.0.2.1", 0)
  }
  expect(allowed(budgets, "questions", { times: 20 })).toBe(0)
})

test("ten reactions in one command are ten", () => {
  const budgets = open()
  const times = Array.from({ length: 60 }, () => budgets.spend("reactions", "event", "192.0.2.1", 0, 10))
  expect(times.filter((wait) => wait === 0)).toHaveLength(50)
})

test("outside production everything is allowed", () => {
  expect(allowed(open(false), "questions", { times: 500 })).toBe(500)
})
