import fc from "fast-check"
import { expect, test } from "vitest"
import { capacityOf, lateRoom, leastLoaded, type OpenRoom } from "../../src/model/breakouts/late-rooms.ts"

const room = (id: string, count: number, open = true): OpenRoom => ({ id, count, open })

test("the least-loaded is the first of the emptiest open rooms", () => {
  expect(leastLoaded([room("a", 3), room("b", 1, false), room("c", 2), room("d", 2)])?.id).toBe("c")
  expect(leastLoaded([room("a", 0, false)])).toBeUndefined()
  expect(lateRoom([], { size: 2, most: 10 })).toBeUndefined()
})

const opening = fc.record({
  counts: fc.array(fc.nat(12), { minLength: 1, maxLength: 12 }),
  late: fc.nat(60),
  most: fc.integer({ min: 12, max: 20 }),
})

/** Everybody who comes late, one after another. */
const fill = ({ counts, late, most }: { counts: number[]; late: number; most: number }, size: number | null) => {
  let rooms = counts.map((count, at) => room(String(at), count))
  for (let n = 0; n < late; n++) {
    const chosen = lateRoom(rooms, { size, most })
    if (chosen === "more") rooms = [...rooms, room(String(rooms.length), 1)]
    else rooms = rooms.map((other) => (other.id === chosen?.id ? { ...other, count: other.count + 1 } : other))
  }
  return rooms
}

test("rooms that were given are levelled: nobody who comes late sits where more are than elsewhere", () => {
  fc.assert(
    fc.property(opening, (given) => {
      const rooms = fill(given, null)
      expect(rooms.length).toBe(given.counts.length)
      const least = Math.min(...rooms.map(({ count }) => count))
      for (const [at, { count }] of rooms.entries()) {
        const before = given.counts[at] ?? 0
        expect(count).toBeGreaterThanOrEqual(before)
        if (count > before) expect(count - least).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 3000 },
  )
})

test("rooms planned by size are filled to half as many again before one more opens, and no further while one may", () => {
  fc.assert(
    fc.property(opening, fc.integer({ min: 1, max: 8 }), (given, size) => {
      const rooms = fill(given, size)
      const capacity = capacityOf(size)
      const added = rooms.slice(given.counts.length)
      for (const [at, { count }] of rooms.entries()) {
        const before = given.counts[at] ?? 0
        expect(count).toBeGreaterThanOrEqual(before)
        if (rooms.length < given.most && count > before) expect(count).toBeLessThanOrEqual(capacity)
        if (added.length > 0)
          expect(count).toBeGreaterThanOrEqual(Math.min(capacity, at < rooms.length - 1 ? capacity : 1))
      }
      expect(rooms.reduce((sum, { count }) => sum + count, 0)).toBe(
        given.counts.reduce((sum, count) => sum + count, 0) + given.late,
      )
      expect(rooms.length).toBeLessThanOrEqual(given.most)
    }),
    { numRuns: 3000 },
  )
})
