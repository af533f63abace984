import { describe, expect, test } from "vitest"
import { PLAN_NOTES } from "../../src/model/breakouts/breakout-notes.ts"
import { type BreakoutRequest, planBreakout } from "../../src/model/breakouts/breakout-plan.ts"
import { seededRandom, shuffled } from "../../src/model/pairing/seeded-random.ts"

const people = (count: number) => Array.from({ length: count }, (_, number) => `p${number}`)
const balanced = { strategy: "balanced", seed: 1 } as const
const sizes = (request: { people: ReadonlyArray<string>; size?: number; rooms?: number }) =>
  planBreakout({ ...balanced, ...request }).rooms.map((room) => room.people.length)

describe("a balanced plan", () => {
  test("by size seats nobody alone: seven in twos are three, two and two", () => {
    expect(sizes({ people: people(7), size: 2 })).toEqual([3, 2, 2])
    expect(sizes({ people: people(3), size: 1 })).toEqual([3])
  })

  test("has the rooms that were asked for, also with one person each, and with none where people are fewer", () => {
    expect(sizes({ people: people(7), rooms: 5 })).toEqual([2, 2, 1, 1, 1])
    expect(sizes({ people: people(3), rooms: 3 })).toEqual([1, 1, 1])
    expect(sizes({ people: people(2), rooms: 4 })).toEqual([1, 1, 0, 0])
    expect(sizes({ people: [], rooms: 2 })).toEqual([0, 0])
  })

  test("has one room for nobody, for one person, and for fewer people than a room holds", () => {
    expect(sizes({ people: [], size: 4 })).toEqual([0])
    expect(sizes({ people: people(1), size: 4 })).toEqual([1])
    expect(sizes({ people: people(3), size: 100 })).toEqual([3])
    expect(sizes({ people: people(3) })).toEqual([3])
  })

  test("has rooms with the given names, or numbered ones", () => {
    const named = planBreakout({ ...balanced, people: people(4), rooms: ["Red", "Blue"] })
    expect(named.rooms.map(({ index, name }) => [index, name])).toEqual([
      [0, "Red"],
      [1, "Blue"],
    ])
    expect(planBreakout({ ...balanced, people: people(4), size: 2 }).rooms.map(({ name }) => name)).toEqual([
      "Room 1",
      "Room 2",
    ])
  })

  test("seats staff who are pinned, and counts them", () => {
    const plan = planBreakout({ ...balanced, people: people(5), rooms: 2, pinned: { host: 1 } })
    expect(plan.rooms.map((room) => room.people.length)).toEqual([3, 3])
    expect(plan.rooms[1]?.people).toContain("host")
  })

  test("by size leaves a room empty when pins elsewhere leave one person for it; one that was asked for is used", () => {
    const pinned = { p0: 0, p1: 0, p2: 0, p3: 0 }
    const lengths = (request: { size?: number; rooms?: number }) =>
      planBreakout({ ...balanced, people: people(5), pinned, ...request }).rooms.map((room) => room.people.length)
    expect(lengths({ size: 2 })).toEqual([5, 0])
    expect(lengths({ rooms: 2 })).toEqual([4, 1])
  })

  test("joins overlapping blocks, and a block follows its pinned member", () => {
    const plan = planBreakout({
      ...balanced,
      people: people(9),
      rooms: 3,
      pinned: { p2: 2 },
      keepTogether: [
        ["p0", "p1"],
        ["p1", "p2"],
      ],
    })
    expect([...(plan.rooms[2]?.people ?? [])].toSorted()).toEqual(["p0", "p1", "p2"])
    expect(plan.split).toEqual([])
  })

  test("splits a block that is larger than a room, with a note", () => {
    const plan = planBreakout({ ...balanced, people: people(6), rooms: 2, keepTogether: [people(4)] })
    expect(plan.rooms.map((room) => room.people.length)).toEqual([3, 3])
    expect(plan.split).toEqual([people(4)])
  })

  test("places large blocks first, so that small ones do not take their room", () => {
    const keepTogether = [people(8).slice(0, 2), people(8).slice(2, 4), people(8).slice(4)]
    const plan = planBreakout({ ...balanced, people: people(8), rooms: 2, keepTogether })
    expect(plan.split).toEqual([])
  })

  test("exchanges a block for another when everybody is in one", () => {
    const keepTogether = [0, 2, 4, 6].map((at) => people(8).slice(at, at + 2))
    for (const other of ["p2", "p4", "p6"]) {
      const plan = planBreakout({ ...balanced, people: people(8), rooms: 2, keepTogether, keepApart: [["p0", other]] })
      expect([plan.cost, plan.split]).toEqual([0, []])
    }
  })

  test("exchanges whole blocks to keep people apart", () => {
    for (let seed = 0; seed < 50; seed++) {
      const plan = planBreakout({
        people: people(12),
        rooms: 2,
        strategy: "balanced",
        pinned: { p6: 0, p7: 0 },
        keepTogether: [
          ["p0", "p1"],
          ["p2", "p3"],
        ],
        keepApart: [
          ["p0", "p6"],
          ["p2", "p7"],
        ],
        seed,
      })
      expect(plan.cost).toBe(0)
    }
  })
})

describe("notes", () => {
  const codes = (request: Partial<BreakoutRequest>) =>
    planBreakout({ ...balanced, people: people(7), ...request }).notes.map(({ code }) => code)

  test.each<[string, Partial<BreakoutRequest>, ReadonlyArray<string>]>([
    ["nothing odd", { size: 3 }, []],
    ["rooms as asked", { rooms: 3 }, []],
    ["nobody is there", { people: [], rooms: 3 }, []],
    ["one person in one room", { people: people(1), size: 1 }, []],
    ["fewer rooms than the size asks for", { size: 1 }, ["fewer_rooms"]],
    ["somebody alone", { rooms: 5 }, ["room_of_one"]],
    ["more rooms than people", { people: people(2), rooms: 3 }, ["room_of_one", "empty_rooms"]],
    [
      "pins that leave a room empty",
      { people: people(5), size: 2, pinned: { p0: 0, p1: 0, p2: 0, p3: 0 } },
      ["fewer_rooms", "empty_rooms"],
    ],
    ["a pin to no room", { rooms: 2, pinned: { p1: 5 } }, ["pin_ignored"]],
    ["a block larger than a room", { rooms: 2, keepTogether: [people(5)] }, ["block_split"]],
    ["two who should be apart in one room", { rooms: 1, keepApart: [people(2)] }, ["apart_together"]],
    ["seated by hand", { rooms: 2, strategy: "manual", pinned: { p0: 0 } }, ["manual_unplaced"]],
    ["all seated by hand", { people: people(1), rooms: 2, strategy: "manual", pinned: { p0: 0 } }, []],
    ["by their own choice", { rooms: 2, strategy: "self" }, ["self_unplaced"]],
  ])("name unexpected results: %s", (_name, request, expected) => {
    expect(codes(request)).toEqual(expected)
  })

  test("have a sentence each", () => {
    for (const { code, text } of planBreakout({ ...balanced, people: people(7), rooms: 9, pinned: { p0: 99 } }).notes) {
      expect(text).toBe(PLAN_NOTES[code])
      expect(text).toMatch(/^[A-Z].*\.$/)
    }
  })
})

test("another seed is another plan", () => {
  const plans = [1, 2, 3, 4].map((seed) =>
    JSON.stringify(planBreakout({ ...balanced, people: people(40), size: 4, seed })),
  )
  expect(new Set(plans).size).toBe(4)
})

test("a manual plan seats pinned people; a plan of free choice seats nobody", () => {
  const request = { people: people(3), rooms: 2, pinned: { p1: 1, host: 0 }, seed: 1 }
  const manual = planBreakout({ ...request, strategy: "manual" })
  expect(manual.rooms.map((room) => room.people)).toEqual([["host"], ["p1"]])
  expect(manual.unplaced).toEqual(["p0", "p2"])
  const self = planBreakout({ ...request, strategy: "self" })
  expect(self.rooms.map((room) => room.people)).toEqual([[], []])
  expect(self.unplaced).toEqual(people(3))
})

test("chance repeats itself with its seed, is spread evenly, and loses nobody", () => {
  const random = seededRandom(7)
  const counts = [0, 0, 0, 0]
  for (let draw = 0; draw < 4000; draw++) {
    const drawn = Math.floor(random() * 4)
    counts[drawn] = (counts[drawn] ?? 0) + 1
  }
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120)
  expect(shuffled(people(30), seededRandom(7))).toEqual(shuffled(people(30), seededRandom(7)))
  expect(shuffled(people(30), seededRandom(7)).toSorted()).toEqual(people(30).toSorted())
  const firsts = new Set(
    Array.from({ length: 200 }, (_, seed) => shuffled(["a", "b", "c"], seededRandom(seed)).join("")),
  )
  expect(firsts.size).toBe(6)
})
