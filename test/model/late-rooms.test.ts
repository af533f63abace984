import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { lateRooms, type OpenRoom } from "../../src/model/breakouts/late-rooms.ts"

const room = (count: number, open = true): OpenRoom => ({ count, open })
const rooms = (counts: ReadonlyArray<number>): ReadonlyArray<OpenRoom> => counts.map((count) => room(count))
const ENOUGH = 100

interface Filled {
  readonly size: number | null
  readonly most?: number
  readonly mayWait?: boolean
}

/** People by room after so many more have come at once, and by default have waited for others. */
const filledBy = (
  counts: ReadonlyArray<number>,
  people: number,
  { size, most = ENOUGH, mayWait = false }: Filled,
): number[] => {
  const filled = [...counts]
  for (const place of lateRooms(rooms(counts), people, { size, most, mayWait }))
    filled[place] = (filled[place] ?? 0) + 1
  return filled
}

/** The same when they come one after another, each after the wait of the one before. */
const oneByOne = (counts: ReadonlyArray<number>, people: number, how: Filled): number[] =>
  Array.from({ length: people }).reduce<number[]>((before) => filledBy(before, 1, how), [...counts])

describe("rooms that were given", () => {
  test("the first of the emptiest open rooms is next", () => {
    const given = [room(3), room(1, false), room(2), room(2)]
    expect(lateRooms(given, 3, { size: null, most: ENOUGH, mayWait: true })).toEqual([2, 3, 0])
  })

  test("nobody is placed where no room is open", () => {
    expect(lateRooms([], 2, { size: 2, most: ENOUGH, mayWait: true })).toEqual([])
    expect(lateRooms([room(0, false)], 2, { size: null, most: ENOUGH, mayWait: false })).toEqual([])
  })

  test("are levelled: nobody who comes late sits where more are than elsewhere", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(12), { minLength: 1, maxLength: 12 }), fc.nat(60), (counts, late) => {
        const filled = filledBy(counts, late, { size: null, mayWait: true })
        expect(filled).toEqual(oneByOne(counts, late, { size: null, mayWait: true }))
        expect(filled.length).toBe(counts.length)
        const least = Math.min(...filled)
        for (const [at, count] of filled.entries()) {
          const before = counts[at] ?? 0
          expect(count).toBeGreaterThanOrEqual(before)
          if (count > before) expect(count - least).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe("rooms by size", () => {
  test("one after another they fill rooms, and then new ones", () => {
    for (const { counts, people, size, filled } of [
      { counts: [0], people: 4, size: 2, filled: [3, 1] },
      { counts: [0], people: 6, size: 2, filled: [3, 3] },
      { counts: [0], people: 20, size: 4, filled: [5, 5, 5, 5] },
      { counts: [0], people: 20, size: 6, filled: [7, 7, 6] },
      { counts: [0], people: 20, size: 8, filled: [9, 9, 2] },
      { counts: [0], people: 3, size: 1, filled: [1, 1, 1] },
      { counts: [3], people: 3, size: 2, filled: [3, 3] },
      { counts: [4], people: 3, size: 3, filled: [4, 3] },
      { counts: [4, 4, 4], people: 4, size: 4, filled: [5, 5, 5, 1] },
      { counts: [1, 2, 0], people: 3, size: 3, filled: [3, 3, 0] },
      { counts: [4, 0], people: 2, size: 4, filled: [4, 2] },
    ]) {
      expect(oneByOne(counts, people, { size })).toEqual(filled)
    }
  })

  test("together they fill rooms, and what does not fit comes one by one", () => {
    for (const { counts, people, size, atOnce, atLast } of [
      { counts: [0], people: 4, size: 3, atOnce: [3], atLast: [4] },
      { counts: [0], people: 7, size: 3, atOnce: [3, 3], atLast: [4, 3] },
      { counts: [0, 0], people: 4, size: 3, atOnce: [2, 2], atLast: [2, 2] },
      { counts: [0], people: 3, size: 1, atOnce: [1, 1, 1], atLast: [1, 1, 1] },
      { counts: [4], people: 6, size: 4, atOnce: [4, 4], atLast: [4, 4, 2] },
      { counts: [4], people: 3, size: 4, atOnce: [4], atLast: [4, 3] },
      { counts: [2], people: 3, size: 2, atOnce: [2, 2], atLast: [3, 2] },
      { counts: [1], people: 2, size: 2, atOnce: [2], atLast: [3] },
      { counts: [1, 1], people: 3, size: 3, atOnce: [3, 2], atLast: [3, 2] },
      { counts: [3, 2], people: 4, size: 4, atOnce: [4, 4], atLast: [5, 4] },
      { counts: [5, 4], people: 1, size: 4, atOnce: [5, 4], atLast: [5, 5] },
      { counts: [5, 5], people: 1, size: 4, atOnce: [5, 5], atLast: [5, 5, 1] },
      { counts: [6, 5], people: 2, size: 4, atOnce: [6, 5], atLast: [6, 5, 2] },
      // One takes no free place, so that the last one does not begin an empty room alone.
      { counts: [3, 0], people: 2, size: 4, atOnce: [3, 2], atLast: [3, 2] },
      { counts: [1, 0], people: 2, size: 2, atOnce: [2, 1], atLast: [2, 1] },
    ]) {
      expect(filledBy(counts, people, { size, mayWait: true })).toEqual(atOnce)
      expect(filledBy(counts, people, { size })).toEqual(atLast)
    }
  })

  test.each([true, false])(
    "rooms that may not be more are filled further, the emptiest first, without a wait",
    (mayWait) => {
      expect(filledBy([2, 2], 3, { size: 2, most: 2, mayWait })).toEqual([4, 3])
      expect(filledBy([2, 2], 3, { size: 2, most: 3, mayWait })).toEqual([3, 2, 2])
      expect(oneByOne([3, 3], 4, { size: 2, most: 3 })).toEqual([4, 3, 3])
    },
  )
})

/** Every number of people that so many newcomers can bring to each room, without more than `size` in one that is filled. */
function* fillings(counts: ReadonlyArray<number>, people: number, size: number): Generator<ReadonlyArray<number>> {
  const [first, ...others] = counts
  if (first === undefined) {
    yield* groupings(people, size)
    return
  }
  for (let more = 0; more === 0 || (more <= people && first + more <= size); more++) {
    for (const rest of fillings(others, people - more, size)) yield [first + more, ...rest]
  }
}

/** Every way to form new rooms, the largest first. */
function* groupings(people: number, largest: number): Generator<ReadonlyArray<number>> {
  if (people === 0) yield []
  for (let group = Math.min(people, largest); group >= 1; group--) {
    for (const rest of groupings(people - group, group)) yield [group, ...rest]
  }
}

const alone = (counts: ReadonlyArray<number>): number => counts.filter((count) => count === 1).length

test("no arrangement of people who have waited together leaves fewer people alone", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 2, max: 4 }),
      (counts, people, size) => {
        const fewest = Math.min(...Array.from(fillings(counts, people, size), alone))
        expect(alone(filledBy(counts, people, { size }))).toBeLessThanOrEqual(fewest)
      },
    ),
    { numRuns: 1500 },
  )
})
