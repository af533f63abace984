import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { lateRooms, type OpenRoom } from "../../src/model/breakouts/late-rooms.ts"

const room = (count: number, open = true): OpenRoom => ({ count, open })
const rooms = (counts: ReadonlyArray<number>): ReadonlyArray<OpenRoom> => counts.map((count) => room(count))
const ENOUGH = 100

/** People by room after so many more have come at once. */
const filledBy = (counts: ReadonlyArray<number>, people: number, size: number | null, most = ENOUGH): number[] => {
  const filled = [...counts]
  for (const place of lateRooms(rooms(counts), people, { size, most })) filled[place] = (filled[place] ?? 0) + 1
  return filled
}

/** The same when they come one after another. */
const oneByOne = (counts: ReadonlyArray<number>, people: number, size: number | null, most = ENOUGH): number[] =>
  Array.from({ length: people }).reduce<number[]>((before) => filledBy(before, 1, size, most), [...counts])

describe("rooms that were given", () => {
  test("the first of the emptiest open rooms is next", () => {
    const given = [room(3), room(1, false), room(2), room(2)]
    expect(lateRooms(given, 3, { size: null, most: ENOUGH })).toEqual([2, 3, 0])
  })

  test("nobody is placed where no room is open", () => {
    expect(lateRooms([], 2, { size: 2, most: ENOUGH })).toEqual([])
    expect(lateRooms([room(0, false)], 2, { size: null, most: ENOUGH })).toEqual([])
  })

  test("are levelled: nobody who comes late sits where more are than elsewhere", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(12), { minLength: 1, maxLength: 12 }), fc.nat(60), (counts, late) => {
        const filled = filledBy(counts, late, null)
        expect(filled).toEqual(oneByOne(counts, late, null))
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
  test.each([
    // Rooms opened before anybody came.
    { counts: [0], people: 4, size: 2, filled: [2, 2] },
    { counts: [0], people: 6, size: 2, filled: [2, 2, 2] },
    { counts: [0], people: 20, size: 4, filled: [4, 4, 4, 4, 4] },
    { counts: [0], people: 20, size: 6, filled: [6, 6, 6, 2] },
    { counts: [0], people: 20, size: 8, filled: [8, 8, 4] },
    { counts: [0], people: 3, size: 1, filled: [1, 1, 1] },
    // Some sit already: a plan may have made a trio of an odd number.
    { counts: [3], people: 3, size: 2, filled: [3, 2, 1] },
    { counts: [1, 2, 0], people: 3, size: 3, filled: [3, 3, 0] },
  ])("one after another: $people come to $counts with $size in a room", ({ counts, people, size, filled }) => {
    expect(oneByOne(counts, people, size)).toEqual(filled)
  })

  test.each([
    { counts: [0], people: 4, size: 3, filled: [2, 2] },
    { counts: [0], people: 7, size: 3, filled: [3, 2, 2] },
    { counts: [0], people: 5, size: 2, filled: [2, 2, 1] },
    // One takes no free place, so that the last one is not alone.
    { counts: [2], people: 2, size: 3, filled: [2, 2] },
    { counts: [3, 2], people: 4, size: 4, filled: [4, 3, 2] },
    { counts: [1], people: 2, size: 2, filled: [2, 1] },
    { counts: [1, 1], people: 3, size: 3, filled: [3, 2] },
  ])("together: $people come to $counts with $size in a room", ({ counts, people, size, filled }) => {
    expect(filledBy(counts, people, size)).toEqual(filled)
  })

  test("rooms that may not be more are filled further, the emptiest first", () => {
    expect(filledBy([2, 2], 3, 2, 2)).toEqual([4, 3])
    expect(oneByOne([0], 7, 2, 3)).toEqual([3, 2, 2])
  })
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

test("no arrangement of people who come at once leaves fewer people alone", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 2, max: 4 }),
      (counts, people, size) => {
        const fewest = Math.min(...Array.from(fillings(counts, people, size), alone))
        expect(alone(filledBy(counts, people, size))).toBe(fewest)
      },
    ),
    { numRuns: 1500 },
  )
})

interface Sitter {
  readonly room: number
}

test("whoever comes and goes, rooms keep their size, nobody is moved, and nobody new is alone beside a free place", () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ come: fc.integer({ min: 1, max: 7 }) }),
      // Which of those who are there go.
      fc.record({ go: fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 }) }),
    ),
    { minLength: 1, maxLength: 25 },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 2, max: 6 }), (given, size) => {
      let sitters: ReadonlyArray<Sitter> = []
      let opened = 1
      const countsNow = (): number[] =>
        Array.from({ length: opened }, (_, at) => sitters.filter((sitter) => sitter.room === at).length)
      for (const step of given) {
        if ("go" in step) {
          const gone = new Set(step.go.map((which) => which % Math.max(1, sitters.length)))
          sitters = sitters.filter((_, at) => !gone.has(at))
          continue
        }
        const before = countsNow()
        const places = lateRooms(rooms(before), step.come, { size, most: ENOUGH })
        expect(places.length).toBe(step.come)
        sitters = [...sitters, ...places.map((place) => ({ room: place }))]
        const highest = Math.max(...places)
        // Rooms are opened in order and never left empty.
        for (let next = opened; next <= highest; next++) expect(places).toContain(next)
        opened = Math.max(opened, highest + 1)
        const now = countsNow()
        expect(Math.max(...now)).toBeLessThanOrEqual(size)
        const helped = before.filter((count, at) => count === 1 && (now[at] ?? 0) > 1).length
        expect(helped).toBe(Math.min(alone(before), step.come))
        const lonely = places.filter((place) => now[place] === 1)
        expect(lonely.length).toBeLessThanOrEqual(1)
        if (lonely.length === 0) continue
        // All others are full, or empty.
        for (const [at, count] of now.entries()) expect(at === lonely[0] || count === 0 || count === size).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})
