import { expect, test } from "vitest"
import { makeSlots } from "../../src/webhooks/concurrency-slots.ts"

test("one endpoint gets an eighth of the slots, and at least one", () => {
  expect(makeSlots(64).perEndpoint).toBe(8)
  expect(makeSlots(1).perEndpoint).toBe(1)
})

test("slots are counted as a whole and by endpoint", () => {
  const slots = makeSlots(16)
  for (const endpoint of ["a", "a", "b"]) slots.take(endpoint)
  expect(slots.free()).toBe(13)
  expect([...slots.busy()]).toEqual([
    ["a", 2],
    ["b", 1],
  ])
  expect(slots.leave("a")).toBe(false)
  expect(slots.leave("a")).toBe(true)
  expect(slots.leave("b")).toBe(true)
  expect(slots.free()).toBe(16)
  expect(slots.busy().size).toBe(0)
})

test("the faster an endpoint answers, the longer its runs are, while it has a slot", () => {
  const slots = makeSlots(64)
  const runAfter = (ms: number) => {
    slots.answered("a", ms)
    return slots.runLengths().get("a")
  }
  expect(runAfter(5)).toBeUndefined()
  slots.take("a")
  expect([9_000, 251, 100, 10, 3, 0.4].map(runAfter)).toEqual([1, 1, 2, 25, 64, 64])
  slots.leave("a")
  expect(slots.runLengths().size).toBe(0)
})

test("an endpoint that answers slowly keeps one place until it answers fast", () => {
  const slots = makeSlots(64)
  slots.answered("slow", 10_000)
  expect(slots.perEndpoint - (slots.busy().get("slow") ?? 0)).toBe(1)
  // It has no slot between its runs.
  slots.take("slow")
  slots.leave("slow")
  expect(slots.runLengths().get("slow")).toBe(1)
  slots.answered("slow", 20)
  expect(slots.runLengths().size).toBe(0)
  expect(slots.busy().get("slow") ?? 0).toBe(0)
})
