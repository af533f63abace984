/**
 * Seating of breakout rooms. A plan is a pure function of the request and its seed, so that the dry run is the plan that opens later.
 * Invariants: everyone is in one room or unplaced; pins hold; sizes differ by at most one, unless pins force it. Requested rooms are used
 * as far as there are people; if the rooms are derived from a size, no person sits alone, unless pins force it.
 */

import { type Random, seededRandom, shuffled } from "../pairing/seeded-random.ts"
import { lowerCost, roomCost } from "../pairing/swap-search.ts"
import { type PlanNote, planNotes } from "./breakout-notes.ts"
import { mergeBlocks } from "./keep-together.ts"
import { askedRoomSizes, roomCount, roomSizes } from "./room-sizes.ts"

export interface BreakoutRequest {
  /** The people to be seated, each once. Staff are included only through pins, not in this list. */
  readonly people: ReadonlyArray<string>
  /** Approximate number of people per room; ignored if `rooms` is given. Without either there is one room. */
  readonly size?: number
  /** Number or names of the rooms. All of them are created, even if some hold one person or, with fewer people than rooms, none. */
  readonly rooms?: number | ReadonlyArray<string>
  /** `manual` seats only pinned people; `self` seats no people and offers the rooms. */
  readonly strategy: "balanced" | "manual" | "self"
  /** Room index of each pinned person; a pin to a nonexistent room is ignored. */
  readonly pinned?: { readonly [personId: string]: number }
  readonly keepTogether?: ReadonlyArray<ReadonlyArray<string>>
  /** Groups whose members should not share a room. */
  readonly keepApart?: ReadonlyArray<ReadonlyArray<string>>
  /** How often two people have met before. */
  readonly met?: (a: string, b: string) => number
  readonly seed: number
}

export interface PlannedRoom {
  readonly index: number
  readonly name: string
  readonly people: ReadonlyArray<string>
}

export interface PlannedRooms {
  readonly rooms: ReadonlyArray<PlannedRoom>
  readonly unplaced: ReadonlyArray<string>
  /** 0: no two people share a room who are to be kept apart or have met. */
  readonly cost: number
  /** Blocks (merged where they overlap) for which no room had space, or whose pins are in different rooms. */
  readonly split: ReadonlyArray<ReadonlyArray<string>>
  /** Deviations from the request. */
  readonly notes: ReadonlyArray<PlanNote>
}

type Seating = Omit<PlannedRooms, "notes">

/** Keeping people apart weighs more than any number of earlier meetings. */
const APART_COST = 1_000_000

/** Whether the rooms were requested, rather than derived from a size. */
const isAskedFor = ({ rooms }: BreakoutRequest): boolean => typeof rooms === "number" || (rooms?.length ?? 0) > 0

const roomNames = ({ rooms, size }: BreakoutRequest, seats: number): ReadonlyArray<string> => {
  if (typeof rooms === "object" && rooms.length > 0) return rooms
  const asked = typeof rooms === "number" ? rooms : undefined
  const count = asked ?? (size === undefined ? 1 : roomCount(seats, size))
  return Array.from({ length: Math.max(1, count) }, (_, index) => `Room ${index + 1}`)
}

/** Fills rooms up to their sizes, most constrained people first. */
class Placing {
  readonly rooms: ReadonlyArray<Array<string>>
  readonly split: Array<ReadonlyArray<string>> = []
  readonly #sizes: ReadonlyArray<number>
  readonly #roomOf = new Map<string, number>()

  constructor(pins: ReadonlyMap<string, number>, seats: number, rooms: number, isAsked: boolean) {
    this.rooms = Array.from({ length: rooms }, () => [])
    for (const [person, room] of pins) this.#put(person, room)
    this.#sizes = (isAsked ? askedRoomSizes : roomSizes)(
      seats,
      this.rooms.map(({ length }) => length),
    )
  }

  /** Seats a block. Returns its members by room: all together, unless the block had to be split. */
  block(members: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> {
    const own = new Set(members.flatMap((member) => this.#roomOf.get(member) ?? []))
    let rest = members.filter((member) => !this.#roomOf.has(member))
    const [pinnedRoom] = own
    if (pinnedRoom !== undefined && rest.length > 0) rest = this.#seat(rest, pinnedRoom)
    while (rest.length > 0) {
      const room = this.#emptiest(rest.length) ?? this.#emptiest(1) ?? 0
      rest = this.#seat(rest, room)
    }
    const parts = new Map<number, Array<string>>()
    for (const member of members) {
      const room = this.#roomOf.get(member) ?? 0
      parts.set(room, [...(parts.get(room) ?? []), member])
    }
    if (parts.size > 1) this.split.push(members)
    return [...parts.values()]
  }

  /** Seats everyone without a room, each in the least-filled room. */
  everyone(people: ReadonlyArray<string>): void {
    const left = people.filter((person) => !this.#roomOf.has(person)).values()
    for (let least = 0, next = left.next(); next.done !== true; least++) {
      for (const [room, { length }] of this.rooms.entries()) {
        if (next.done === true || length !== least || this.#space(room) <= 0) continue
        this.#put(next.value, room)
        next = left.next()
      }
    }
  }

  #put(person: string, room: number): void {
    this.rooms[room]?.push(person)
    this.#roomOf.set(person, room)
  }

  #space(room: number): number {
    return (this.#sizes[room] ?? 0) - (this.rooms[room]?.length ?? 0)
  }

  /** Seats as many people as fit into the room; returns the others. */
  #seat(people: ReadonlyArray<string>, room: number): Array<string> {
    const fitting = Math.max(0, this.#space(room))
    for (const person of people.slice(0, fitting)) this.#put(person, room)
    return people.slice(fitting)
  }

  /** The least-filled room with space for this number of people. */
  #emptiest(people: number): number | undefined {
    let best: number | undefined
    for (const [room, { length }] of this.rooms.entries()) {
      if (this.#space(room) < people) continue
      if (best === undefined || length < (this.rooms[best]?.length ?? 0)) best = room
    }
    return best
  }
}

const pairCosts = (ids: ReadonlyArray<string>, { keepApart = [], met }: BreakoutRequest) => {
  const enemies = new Map<string, Set<string>>()
  for (const group of keepApart) {
    for (const person of group) {
      const others = enemies.get(person) ?? new Set()
      for (const other of group) others.add(other)
      enemies.set(person, others)
    }
  }
  const apart = ids.map((id) => enemies.get(id))
  return (a: number, b: number): number => {
    const other = ids[b] ?? ""
    const cost = apart[a]?.has(other) === true ? APART_COST : 0
    return met === undefined ? cost : cost + met(ids[a] ?? "", other) ** 2
  }
}

const balanced = (
  request: BreakoutRequest,
  pins: ReadonlyMap<string, number>,
  names: ReadonlyArray<string>,
  random: Random,
): Seating => {
  const ids = [...new Set([...pins.keys(), ...request.people])]
  const placing = new Placing(pins, ids.length, names.length, isAskedFor(request))
  const blocks = [...mergeBlocks(request.keepTogether ?? [], new Set(ids))].sort((a, b) => b.length - a.length)
  const units = blocks.flatMap((block) => placing.block(block))
  placing.everyone(shuffled(new Set(request.people), random))

  const numberOf = new Map(ids.map((id, number) => [id, number]))
  const numbers = (people: ReadonlyArray<string>) => people.map((id) => numberOf.get(id) ?? 0)
  const unitOf: Array<ReadonlyArray<number>> = ids.map((_, number) => [number])
  const fixed = new Set(numbers([...pins.keys()]))
  for (const unit of units.map(numbers)) {
    for (const member of unit) unitOf[member] = unit
    if (unit.some((member) => fixed.has(member))) for (const member of unit) fixed.add(member)
  }
  const pairCost = pairCosts(ids, request)
  const rooms = placing.rooms.map(numbers)
  let cost = 0
  if (request.met !== undefined || request.keepApart !== undefined) {
    lowerCost({ rooms, unitOf, fixed, pairCost })
    for (const room of rooms) cost += roomCost(room, pairCost)
  }
  return {
    rooms: rooms.map((people, index) => ({
      index,
      name: names[index] ?? "",
      people: people.map((number) => ids[number] ?? ""),
    })),
    unplaced: [],
    cost,
    split: placing.split,
  }
}

/** Seats the pinned people for `manual`, and nobody for `self`. */
const unbalanced = (
  { people, strategy }: BreakoutRequest,
  pins: ReadonlyMap<string, number>,
  names: ReadonlyArray<string>,
): Seating => {
  const seated = strategy === "manual" ? pins : new Map<string, number>()
  return {
    rooms: names.map((name, index) => ({
      index,
      name,
      people: [...seated].flatMap(([person, room]) => (room === index ? person : [])),
    })),
    unplaced: people.filter((person) => !seated.has(person)),
    cost: 0,
    split: [],
  }
}

export const planBreakout = (request: BreakoutRequest): PlannedRooms => {
  const { people, pinned = {}, strategy } = request
  const names = roomNames(request, new Set([...people, ...Object.keys(pinned)]).size)
  const pins = new Map(Object.entries(pinned).filter(([, room]) => names[room] !== undefined))
  const seating =
    strategy === "balanced"
      ? balanced(request, pins, names, seededRandom(request.seed))
      : unbalanced(request, pins, names)
  const { rooms, unplaced, split, cost } = seating
  const notes = planNotes({
    strategy,
    sizes: rooms.map((room) => room.people.length),
    size: isAskedFor(request) ? undefined : request.size,
    unplaced: unplaced.length,
    ignoredPins: Object.keys(pinned).length - pins.size,
    isSplit: split.length > 0,
    isTogether: cost >= APART_COST,
  })
  return { ...seating, notes }
}
