/**
 * Lowers the cost of a seating by exchanging people between rooms. Rooms keep their sizes, fixed people stay, and units (people who are
 * kept together) move as one.
 *
 * The search ends after a fixed number of look-ups, not after a time: the same seating has to result on a busy machine and on an idle one,
 * or the dry run would differ from the plan that opens.
 */

/** People are numbers starting at 0; `rooms` is changed in place. */
interface Seating {
  readonly rooms: Array<Array<number>>
  /** People who sit and move with each person, including that person. */
  readonly unitOf: ReadonlyArray<ReadonlyArray<number>>
  readonly fixed: ReadonlySet<number>
  /** Cost of having both people in one room; symmetric, 0 or more. */
  readonly pairCost: (a: number, b: number) => number
}

/** About 10 ms of look-ups: 1,000 people in 250 rooms who have met often are planned well within 50 ms. */
const MAX_LOOKUPS = 80_000

export const roomCost = (people: ReadonlyArray<number>, pairCost: Seating["pairCost"]): number => {
  let cost = 0
  for (const [at, a] of people.entries()) {
    for (let other = at + 1; other < people.length; other++) cost += pairCost(a, people[other] ?? a)
  }
  return cost
}

class SwapSearch {
  readonly #seating: Seating
  readonly #roomOf: Array<number> = []
  #lookups = 0

  constructor(seating: Seating) {
    this.#seating = seating
    for (const [room, people] of seating.rooms.entries()) {
      for (const person of people) this.#roomOf[person] = room
    }
  }

  /** Passes over everybody until nothing improves. */
  run(): void {
    const people = this.#seating.rooms.flat().filter((person) => !this.#seating.fixed.has(person))
    let improved = true
    while (improved && !this.#isSpent) {
      improved = false
      for (const person of people) {
        if (this.#isSpent) return
        improved = this.#improve(person) || improved
      }
    }
  }

  get #isSpent(): boolean {
    return this.#lookups >= MAX_LOOKUPS
  }

  /** The people in the room of `person`. */
  #around(person: number): ReadonlyArray<number> {
    return this.#seating.rooms[this.#roomOf[person] ?? 0] ?? []
  }

  /** Cost of `people` in a room of `others`, not counting those who leave it. */
  #costAmong(people: ReadonlyArray<number>, others: ReadonlyArray<number>, leaving: ReadonlyArray<number>): number {
    let cost = 0
    for (const other of others) {
      if (leaving.includes(other)) continue
      for (const person of people) cost += this.#seating.pairCost(person, other)
    }
    this.#lookups += people.length * others.length
    return cost
  }

  /** Moves the person's unit to the first room where an exchange lowers the cost; rooms are tried starting with the next one. */
  #improve(person: number): boolean {
    const unit = this.#seating.unitOf[person] ?? [person]
    const here = this.#around(person)
    const costHere = this.#costAmong(unit, here, unit)
    if (costHere === 0) return false
    const { rooms } = this.#seating
    const from = this.#roomOf[person] ?? 0
    for (let step = 1; step < rooms.length; step++) {
      if (this.#isSpent) return false
      const there = rooms[(from + step) % rooms.length] ?? []
      const costThere = this.#costAmong(unit, there, [])
      for (const others of this.#exchangeable(there, unit.length)) {
        if (this.#gain(unit, costHere, costThere, others) <= 0) continue
        this.#exchange(unit, others)
        return true
      }
    }
    return false
  }

  /** Saving of an exchange; `costThere` is the cost of `unit` among everybody in the other room, including `others`. */
  #gain(unit: ReadonlyArray<number>, costHere: number, costThere: number, others: ReadonlyArray<number>): number {
    const [first] = others
    const [person] = unit
    if (first === undefined || person === undefined) return 0
    const before = costHere + this.#costAmong(others, this.#around(first), others)
    const after = costThere - this.#costAmong(unit, others, []) + this.#costAmong(others, this.#around(person), unit)
    return before - after
  }

  /** Groups of people who may leave a room in exchange for `size` people: a unit of that size, or as many people outside units. */
  *#exchangeable(room: ReadonlyArray<number>, size: number): Iterable<ReadonlyArray<number>> {
    const { fixed, unitOf } = this.#seating
    const free = room.filter((person) => !fixed.has(person))
    const singles = free.filter((person) => unitOf[person]?.length === 1)
    for (let at = 0; at + size <= singles.length; at++) yield singles.slice(at, at + size)
    if (size === 1) return
    for (const person of free) {
      const unit = unitOf[person] ?? []
      if (unit.length === size && unit[0] === person) yield unit
    }
  }

  #exchange(unit: ReadonlyArray<number>, others: ReadonlyArray<number>): void {
    const here = this.#roomOf[unit[0] ?? 0] ?? 0
    const there = this.#roomOf[others[0] ?? 0] ?? 0
    this.#move(unit, here, there)
    this.#move(others, there, here)
  }

  #move(people: ReadonlyArray<number>, from: number, to: number): void {
    const { rooms } = this.#seating
    rooms[from] = (rooms[from] ?? []).filter((person) => !people.includes(person))
    rooms[to] = [...(rooms[to] ?? []), ...people]
    for (const person of people) this.#roomOf[person] = to
  }
}

export const lowerCost = (seating: Seating): void => {
  if (seating.rooms.length > 1) new SwapSearch(seating).run()
}
