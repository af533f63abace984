import { expect, test } from "vitest"
import { makePlaces } from "../../src/webhooks/concurrency-slots.ts"

test("one endpoint gets an eighth of the places, and at least one", () => {
  expect(makePlaces(64).perEndpoint).toBe(8)
  expect(makePlaces(1).perEndpoint).toBe(1)
})

test("places are counted as a whole and by endpoint", () => {
  const places = makePlaces(16)
  for (const endpoint of ["a", "a", "b"]) places.take(endpoint)
  expect(places.free()).toBe(13)
  expect([...places.busy()]).toEqual([
    ["a", 2],
    ["b", 1],
  ])
  expect(places.leave("a")).toBe(false)
  expect(places.leave("a")).toBe(true)
  expect(places.leave("b")).toBe(true)
  expect(places.free()).toBe(16)
  expect(places.busy().size).toBe(0)
})

test("an endpoint that answers slowly keeps one place until it answers fast", () => {
  const places = makePlaces(64)
  places.answered("slow", 10_000)
  expect(places.perEndpoint - (places.busy().get("slow") ?? 0)).toBe(1)
  places.answered("slow", 20)
  expect(places.busy().get("slow") ?? 0).toBe(0)
})
