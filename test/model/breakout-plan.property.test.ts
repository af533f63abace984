import fc from "fast-check"
import { expect, test } from "vitest"
import { type BreakoutRequest, type PlannedRooms, planBreakout } from "../../src/model/breakouts/breakout-plan.ts"

const people = (count: number) => Array.from({ length: count }, (_, number) => `p${number}`)
const seed = fc.integer()
const sizesOf = (plan: PlannedRooms) => plan.rooms.map((room) => room.people.length)
const roomOf = (plan: PlannedRooms, person: string) => plan.rooms.find((room) => room.people.includes(person))?.index

/** Everything that can be asked at once, contradictions included. */
const anyRequest: fc.Arbitrary<BreakoutRequest> = fc
  .record({
    count: fc.integer({ min: 0, max: 40 }),
    shape: fc.oneof(
      fc.record({ size: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ rooms: fc.integer({ min: 1, max: 15 }) }),
      fc.record({ rooms: fc.array(fc.string(), { minLength: 1, maxLength: 8 }) }),
      fc.constant({}),
    ),
    strategy: fc.constantFrom("balanced" as const, "balanced" as const, "manual" as const, "self" as const),
    pins: fc.array(fc.tuple(fc.nat(45), fc.integer({ min: -1, max: 16 })), { maxLength: 12 }),
    keepTogether: fc.array(fc.array(fc.nat(45), { maxLength: 6 }), { maxLength: 5 }),
    keepApart: fc.array(fc.array(fc.nat(45), { maxLength: 4 }), { maxLength: 4 }),
    met: fc.option(fc.nat(6)),
    seed,
  })
  .map(({ count, shape, strategy, pins, keepTogether, keepApart, met, seed }) => ({
    people: people(count),
    ...shape,
    strategy,
    pinned: Object.fromEntries(pins.map(([person, room]) => [`p${person}`, room])),
    keepTogether: keepTogether.map((block) => block.map((person) => `p${person}`)),
    keepApart: keepApart.map((group) => group.map((person) => `p${person}`)),
    ...(met === null ? {} : { met: (a: string, b: string) => (Number(a.slice(1)) + Number(b.slice(1)) + met) % 3 }),
    seed,
  }))

/** The pins that name a room that there is. */
const pinsOf = (request: BreakoutRequest, plan: PlannedRooms) =>
  Object.entries(request.pinned ?? {}).filter(([, room]) => plan.rooms[room] !== undefined)

test("everyone is somewhere exactly once, pins hold, and nobody is seated who was not named", () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      const plan = planBreakout(request)
      const pins = request.strategy === "self" ? [] : pinsOf(request, plan)
      const everyone = new Set([...request.people, ...pins.map(([person]) => person)])
      const placed = [...plan.rooms.flatMap((room) => room.people), ...plan.unplaced]
      expect(placed.toSorted()).toEqual([...everyone].toSorted())
      for (const [person, room] of pins) expect(roomOf(plan, person)).toBe(room)
      if (request.strategy === "balanced") expect(plan.unplaced).toEqual([])
      else expect(plan.rooms.flatMap((room) => room.people).length).toBe(pins.length)
    }),
    { numRuns: 150 },
  )
})

test("the same request gives the same plan", () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      expect(planBreakout(request)).toEqual(planBreakout(request))
    }),
    { numRuns: 150 },
  )
})

test("where rooms follow from a size nobody sits alone, unless a pin is why", () => {
  fc.assert(
    fc.property(anyRequest, ({ rooms: _rooms, ...request }) => {
      const plan = planBreakout({ ...request, strategy: "balanced" })
      const seated = plan.rooms.flatMap((room) => room.people).length
      const pins = new Set(pinsOf(request, plan).map(([person]) => person))
      if (seated < 2) return
      for (const room of plan.rooms) {
        if (room.people.length === 1) expect(pins.has(room.people[0] ?? "")).toBe(true)
      }
    }),
    { numRuns: 150 },
  )
})

test("without pins there are as many rooms as the size asks for, and their sizes differ by at most one", () => {
  fc.assert(
    fc.property(anyRequest, fc.integer({ min: 1, max: 50 }), ({ pinned, rooms, ...request }, size) => {
      const plan = planBreakout({ ...request, size, strategy: "balanced" })
      const n = request.people.length
      expect(plan.rooms.length).toBe(Math.max(1, Math.min(Math.round(n / size), Math.floor(n / 2))))
      const sizes = sizesOf(plan)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
    }),
    { numRuns: 150 },
  )
})

test("there are as many rooms as were asked for, and as many of them are used as there are people for", () => {
  fc.assert(
    fc.property(anyRequest, fc.integer({ min: 1, max: 60 }), ({ pinned: _pinned, ...request }, rooms) => {
      const sizes = sizesOf(planBreakout({ ...request, rooms, strategy: "balanced" }))
      expect(sizes.length).toBe(rooms)
      expect(sizes.filter((size) => size > 0).length).toBe(Math.min(rooms, request.people.length))
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
    }),
    { numRuns: 150 },
  )
})

test("pins that leave space for it keep sizes within one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 1, max: 40 }), seed, (n, rooms, seed) => {
      const filled = Math.min(rooms, n)
      const least = Math.floor(n / filled)
      const pinned = Object.fromEntries(people(least).map((person) => [person, filled - 1]))
      const sizes = sizesOf(planBreakout({ people: people(n), rooms, pinned, strategy: "balanced", seed }))
      const used = sizes.filter((size) => size > 0)
      expect([sizes.length, used.length]).toEqual([rooms, filled])
      expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(1)
    }),
    { numRuns: 150 },
  )
})

test("a room that is used less than another, somebody alone and somebody unplaced are never without a note", () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      const plan = planBreakout(request)
      const codes: ReadonlyArray<string> = plan.notes.map(({ code }) => code)
      const sizes = sizesOf(plan)
      const isBalanced = request.strategy === "balanced"
      const seated = sizes.reduce((sum, size) => sum + size, 0)
      expect(codes.includes("empty_rooms")).toBe(isBalanced && seated > 0 && sizes.includes(0))
      expect(codes.includes("room_of_one")).toBe(isBalanced && seated > 1 && sizes.includes(1))
      expect(codes.some((code) => code.endsWith("_unplaced"))).toBe(plan.unplaced.length > 0)
      expect(codes.includes("block_split")).toBe(plan.split.length > 0)
      const isIgnored = Object.keys(request.pinned ?? {}).length > pinsOf(request, plan).length
      expect(codes.includes("pin_ignored")).toBe(isIgnored)
      if (request.rooms !== undefined) expect(codes).not.toContain("fewer_rooms")
      expect(new Set(codes).size).toBe(codes.length)
    }),
    { numRuns: 150 },
  )
})

test("blocks stay together when there are no more of them than rooms and each fits any room", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 60 }),
      fc.integer({ min: 2, max: 8 }),
      fc.array(fc.integer({ min: 2, max: 8 }), { minLength: 1, maxLength: 10 }),
      fc.boolean(),
      seed,
      (n, size, lengths, hasMet, seed) => {
        const least = Math.floor(n / Math.max(1, Math.min(Math.round(n / size), Math.floor(n / 2))))
        const rooms = Math.max(1, Math.min(Math.round(n / size), Math.floor(n / 2)))
        const left = people(n)
        const blocks = lengths.slice(0, rooms).map((length) => left.splice(0, Math.min(length, least)))
        const met = hasMet ? (a: string, b: string) => (a.length + b.length) % 2 : () => 0
        const plan = planBreakout({
          people: people(n),
          size,
          strategy: "balanced",
          keepTogether: blocks,
          keepApart: [people(n).slice(-4)],
          met,
          seed,
        })
        expect(plan.split).toEqual([])
        for (const block of blocks) expect(new Set(block.map((person) => roomOf(plan, person))).size).toBeLessThan(2)
      },
    ),
    { numRuns: 150 },
  )
})

test("a block is together or reported as split, and the search never parts one that was placed whole", () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      const plan = planBreakout({ ...request, strategy: "balanced" })
      const split = new Set(plan.split.flat())
      const seated = new Set(plan.rooms.flatMap((room) => room.people))
      for (const block of request.keepTogether ?? []) {
        const rooms = new Set(block.filter((person) => seated.has(person)).map((person) => roomOf(plan, person)))
        if (rooms.size > 1) expect(block.some((person) => split.has(person))).toBe(true)
      }
    }),
    { numRuns: 150 },
  )
})

test("two who are to be apart are, when there are two rooms and nothing else binds them", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 60 }),
      fc.integer({ min: 2, max: 20 }),
      fc.uniqueArray(fc.nat(3), { minLength: 2, maxLength: 2 }),
      fc.boolean(),
      seed,
      (n, rooms, pair, isPinned, seed) => {
        const apart = pair.map((number) => `p${number}`)
        const pinned = isPinned ? { [apart[0] ?? ""]: 1 } : {}
        const plan = planBreakout({ people: people(n), rooms, pinned, strategy: "balanced", keepApart: [apart], seed })
        expect(plan.cost).toBe(0)
        expect(roomOf(plan, apart[0] ?? "")).not.toBe(roomOf(plan, apart[1] ?? ""))
      },
    ),
    { numRuns: 150 },
  )
})

test("a second plan mixes those whom the first one brought together, where there is space to", () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 6 }), fc.integer({ min: 8, max: 12 }), seed, (size, rooms, seed) => {
      const request = { people: people(size * rooms), rooms, strategy: "balanced", seed } as const
      const first = planBreakout(request)
      const met = (a: string, b: string) => (roomOf(first, a) === roomOf(first, b) ? 1 : 0)
      const second = planBreakout({ ...request, met })
      expect(second.cost).toBe(0)
    }),
    { numRuns: 80 },
  )
})
