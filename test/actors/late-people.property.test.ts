/** People who come to rooms of a size late, one by one and together, while others leave and time passes. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { BEGIN, EventInMemory } from "./machine/event-in-memory.ts"

const opened = (roomSize: number, ...people: ReadonlyArray<string>): EventInMemory =>
  new EventInMemory({ phases: [{ modality: "breakout", config: { roomSize } }], people }).start()

/** Those who sit in each room, in the order of the rooms. `here`: those who are at the event; all of them by default. */
const sittingIn = (event: EventInMemory, here?: ReadonlySet<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const rooms = [...event.records.all("room").values()].sort((a, b) => a.place - b.place)
  const seats = [...event.records.all("seat")].filter(([id, { away }]) => !away && here?.has(id) !== false)
  return rooms.map(({ id: room }) => seats.flatMap(([id, { roomId }]) => (roomId === room ? id : [])))
}
const counts = (event: EventInMemory): ReadonlyArray<number> => sittingIn(event).map(({ length }) => length)
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

const waitsUntil = (event: EventInMemory): ReadonlyArray<number> =>
  event.deadlines.filter(({ name }) => name === "room.wait").map(({ at }) => Date.parse(at) - BEGIN)

test("six who find rooms of four full open one at once, and two of them a smaller one after two seconds", () => {
  const event = opened(4, ...names("early", 4))
  event.come(...names("late", 6))
  expect(sittingIn(event).at(-1)).toEqual(["late0", "late1", "late2", "late3"])
  expect(counts(event)).toEqual([4, 4])
  expect(waitsUntil(event)).toEqual([2000])
  event.pass(1.999)
  expect(counts(event)).toEqual([4, 4])
  event.pass(0.001)
  expect(sittingIn(event).at(-1)).toEqual(["late4", "late5"])
  expect(counts(event)).toEqual([4, 4, 2])
  expect(waitsUntil(event)).toEqual([])
})

test("the wait is the first one's, and whoever comes meanwhile waits no longer", () => {
  const event = opened(3, ...names("early", 3))
  event.come("a")
  event.pass(1.5)
  event.come("b")
  expect(waitsUntil(event)).toEqual([2000])
  event.pass(0.5)
  expect(sittingIn(event).at(-1)).toEqual(["a", "b"])
})

test("as many as a room holds do not wait longer, and one who is left has two seconds of their own", () => {
  const event = opened(2, ...names("early", 2))
  event.come("a")
  event.pass(1)
  event.come("b", "c")
  expect(counts(event)).toEqual([2, 2])
  expect(waitsUntil(event)).toEqual([3000])
  event.pass(2)
  expect(counts(event)).toEqual([3, 2])
})

test("people who come slowly make each room larger by one, and then open the next", () => {
  const event = opened(2, ...names("early", 4))
  const grown = names("slow", 5).map((id) => {
    event.come(id)
    event.pass(2)
    return counts(event)
  })
  expect(grown).toEqual([
    [3, 2],
    [3, 3],
    [3, 3, 1],
    [3, 3, 2],
    [3, 3, 3],
  ])
})

test("the wait ends with a place that becomes free, with a departure, with a host's act, and with the rooms", () => {
  const roomOf = (event: EventInMemory, id: string) => event.records.get("seat", id)?.roomId
  const waiting = (): EventInMemory => {
    const event = opened(2, "early0", "early1")
    event.come("late")
    expect([roomOf(event, "late"), waitsUntil(event)]).toEqual([undefined, [2000]])
    return event
  }
  const [room] = [...opened(2, "early0", "early1").records.all("room").keys()]
  const ends: ReadonlyArray<readonly [act: (event: EventInMemory) => unknown, isSeated: boolean]> = [
    [(event) => event.go("early1"), true],
    [(event) => event.do("breakout.move", { id: "early1", roomId: null }), true],
    [(event) => event.do("breakout.move", { id: "late", roomId: room }), true],
    [(event) => event.do("breakout.move", { id: "late", roomId: null }), false],
    [(event) => event.go("late"), false],
    [(event) => event.do("breakout.close"), false],
    [(event) => event.do("breakout.close", { graceMs: 0 }), false],
    [(event) => event.do("event.end"), false],
  ]
  for (const [act, isSeated] of ends) {
    const event = waiting()
    act(event)
    expect(waitsUntil(event)).toEqual([])
    expect(roomOf(event, "late")).toBe(isSeated ? room : undefined)
    event.pass(5)
    expect(roomOf(event, "late")).toBe(isSeated ? room : undefined)
  }
})

type Step = { readonly come: number } | { readonly go: ReadonlyArray<number> } | { readonly pass: number }

const STEPS: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ come: fc.constant(1) }) },
    { weight: 2, arbitrary: fc.record({ come: fc.integer({ min: 1, max: 7 }) }) },
    // Which of those who are there go.
    { weight: 1, arbitrary: fc.record({ go: fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 }) }) },
    { weight: 4, arbitrary: fc.record({ pass: fc.constantFrom(100, 1000, 1999, 2000, 5000) }) },
  ),
  { minLength: 1, maxLength: 25 },
)

/** The event of a run, and who is there since when. */
interface Run {
  readonly event: EventInMemory
  readonly size: number
  readonly cameAt: Map<string, number>
  readonly here: Set<string>
}

const act = ({ event, cameAt, here }: Run, step: Step): void => {
  if ("pass" in step) event.pass(step.pass / 1000)
  else if ("come" in step) {
    const ids = Array.from({ length: step.come }, (_, n) => `p${cameAt.size + n}`)
    for (const id of ids) {
      cameAt.set(id, event.now)
      here.add(id)
    }
    event.come(...ids)
  } else {
    const all = [...here]
    const gone = new Set(step.go.flatMap((which) => all[which % Math.max(1, all.length)] ?? []))
    for (const id of gone) here.delete(id)
    event.go(...gone)
  }
}

type Rooms = ReadonlyArray<ReadonlyArray<string>>
/** The index of the room of everybody who sits in one. */
const seatsIn = (rooms: Rooms): ReadonlyMap<string, number> =>
  new Map(rooms.flatMap((people, room) => people.map((id) => [id, room] as const)))

const expectNobodyMoved = ({ here }: Run, before: Rooms, after: Rooms): void => {
  const seats = seatsIn(after)
  for (const [id, room] of seatsIn(before)) if (here.has(id)) expect(seats.get(id)).toBe(room)
}

const expectShortWaits = ({ event, size, cameAt, here }: Run, rooms: Rooms): void => {
  const seats = seatsIn(rooms)
  const waiting = [...here].filter((id) => !seats.has(id))
  for (const id of waiting) expect(event.now - (cameAt.get(id) ?? 0)).toBeLessThan(2000)
  expect(waiting.length).toBeLessThan(size)
  // Who waits has no place to take.
  if (waiting.length > 0) for (const people of rooms) expect(people.length).toBeGreaterThanOrEqual(size)
}

/** At most one newcomer sits alone: in an empty room beside full ones, or after a wait in a new one beside rooms with one person more. */
const expectCompany = ({ size }: Run, hasWaited: boolean, before: Rooms, after: Rooms): void => {
  const known = seatsIn(before)
  const lonely = after.filter(([only = "", ...others]) => only !== "" && others.length === 0 && !known.has(only))
  expect(lonely.length).toBeLessThanOrEqual(1)
  if (lonely.length === 0) return
  for (const people of after) {
    if (people.length === 0 || people === lonely[0]) continue
    expect(people.length).toBeGreaterThanOrEqual(hasWaited ? size + 1 : size)
  }
}

test("whoever comes and goes: nobody is moved, waits too long or sits alone needlessly, and no room holds two more", () => {
  fc.assert(
    fc.property(STEPS, fc.integer({ min: 1, max: 6 }), (steps, size) => {
      const run: Run = { event: opened(size), size, cameAt: new Map(), here: new Set() }
      let before: Rooms = []
      for (const step of steps) {
        act(run, step)
        const after = sittingIn(run.event, run.here)
        expectNobodyMoved(run, before, after)
        for (const people of after) expect(people.length).toBeLessThanOrEqual(size + 1)
        expectShortWaits(run, after)
        if (size > 1) expectCompany(run, "pass" in step, before, after)
        before = after
      }
    }),
    { numRuns: 400 },
  )
})
