import { expect, test } from "vitest"
import { ReplayBuffer, ReplayBuffers } from "../../src/gateway/recovery/replay-buffers.ts"

const LIMITS = { maxAgeMs: 1000, maxEntries: 5, maxLength: 1000 }

const filled = (count: number, limits = LIMITS, head = 0): ReplayBuffer => {
  const buffer = new ReplayBuffer(limits, head)
  for (let n = 1; n <= count; n++) buffer.push({ frame: `f${head + n}` }, 0)
  return buffer
}

const framesOf = (buffer: ReplayBuffer, cursor: number, upTo: number) =>
  buffer.between(cursor, upTo).map(({ frame }) => frame)

test("a buffer gives the dispatches between two positions, in order", () => {
  const buffer = filled(4, LIMITS, 10)
  expect([buffer.oldest, buffer.head]).toEqual([11, 14])
  expect(framesOf(buffer, 10, 14)).toEqual(["f11", "f12", "f13", "f14"])
  expect(framesOf(buffer, 12, 13)).toEqual(["f13"])
  expect(framesOf(buffer, 14, 14)).toEqual([])
})

test("it covers exactly the cursors whose successors it holds", () => {
  const buffer = filled(8)
  expect([2, 3, 8, 9].map((cursor) => buffer.covers(cursor))).toEqual([false, true, true, false])
  expect(filled(0, LIMITS, 7).covers(7)).toBe(true)
})

test("it lets go by number, by size and by age", () => {
  expect(filled(8).oldest).toBe(4)
  expect(filled(8, { ...LIMITS, maxLength: 6 }).oldest).toBe(6)
  const buffer = filled(3)
  buffer.push({ frame: "f4" }, 900)
  buffer.trim(1500)
  expect(framesOf(buffer, 3, 4)).toEqual(["f4"])
  expect(buffer.covers(2)).toBe(false)
})

test("its positions stay right over thousands of entries", () => {
  const buffer = filled(5000)
  expect([buffer.oldest, buffer.head]).toEqual([4996, 5000])
  expect(framesOf(buffer, 4997, 5000)).toEqual(["f4998", "f4999", "f5000"])
})

test("streams go on after a reading only if it names the head of every own stream that is known", () => {
  const buffers = new ReplayBuffers(1000, 5)
  for (const stream of ["event", "me:ann"]) {
    buffers.push({ stream, s: 1, version: 1, at: new Date(0).toISOString(), frame: "f1" }, 0)
  }
  expect(buffers.reach({ event: 1, "me:ann": 1 }, [])).toBe(true)
  expect(buffers.reach({ event: 1 }, [])).toBe(false)
})
