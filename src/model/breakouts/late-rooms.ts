/**
 * Rooms for people who come while the breakout rooms are open. Nobody who sits in a room is moved.
 * Rooms that were given are levelled. Where rooms were planned by size, newcomers take the free places, first those beside people who sit
 * alone. The others wait for each other, because people often come within moments: as many as a room holds open one at once, and when the wait
 * is over, two or more who are left open a smaller one. A single one joins the smallest room instead of sitting alone, but only if no more than
 * `size` people are there: people who come one by one would otherwise all gather in one room. Only when no more rooms may be opened are the
 * least-loaded ones filled further.
 */

export interface OpenRoom {
  /** People in the room now: a kept seat of an absent person does not count. */
  readonly count: number
  readonly open: boolean
}

interface Limits {
  /** People a room was planned for; null: the rooms were given. */
  readonly size: number | null
  /** Rooms there may be. */
  readonly most: number
  /** False: the wait is over, and everybody gets a room. */
  readonly mayWait: boolean
}

/** Newcomers by room, as they are placed one after another. */
class Placing {
  readonly places: number[] = []
  readonly #counts: number[]
  readonly #people: number

  constructor(counts: ReadonlyArray<number>, people: number) {
    this.#counts = [...counts]
    this.#people = people
  }

  /** Newcomers without a room. */
  get left(): number {
    return this.#people - this.places.length
  }

  countOf(room: number): number {
    return this.#counts[room] ?? 0
  }

  sit(room: number, people = 1): void {
    this.#counts[room] = this.countOf(room) + people
    for (let n = 0; n < people; n++) this.places.push(room)
  }

  /** Takes the last newcomer back out of a room in which two others remain. */
  spare(): void {
    const last = this.places.findLastIndex((room) => this.countOf(room) > 2)
    const [room] = last === -1 ? [] : this.places.splice(last, 1)
    if (room !== undefined) this.#counts[room] = this.countOf(room) - 1
  }

  /** The room with the fewest people, and of equal ones the first. */
  leastLoaded(rooms: ReadonlyArray<number>): number | undefined {
    return rooms.reduce<number | undefined>(
      (least, room) => (least === undefined || this.countOf(room) < this.countOf(least) ? room : least),
      undefined,
    )
  }

  /** Seats everybody who is left, each in the least-loaded room. */
  level(rooms: ReadonlyArray<number>): void {
    while (this.left > 0) this.sit(this.leastLoaded(rooms) ?? 0)
  }
}

/** Takes free places: in rooms where people sit, and then in empty ones. */
const takePlaces = (placing: Placing, size: number, open: ReadonlyArray<number>): void => {
  const isEmpty = (room: number): boolean => placing.countOf(room) === 0
  const [occupied, empty] = [open.filter((room) => !isEmpty(room)), open.filter(isEmpty)]
  while (placing.left > 0) {
    const free = placing.leastLoaded(occupied.filter((room) => placing.countOf(room) < size))
    if (free === undefined) break
    placing.sit(free)
  }
  if (placing.left === 1 && size > 1 && empty.length > 0) placing.spare()
  const begun = empty.slice(0, Math.ceil(placing.left / size))
  for (let n = Math.min(placing.left, begun.length * size); n > 0; n--) {
    placing.sit(placing.leastLoaded(begun) ?? 0)
  }
}

/** Those for whom there is no place open rooms together, or wait. `next`: the first room to be opened. */
const openTogether = (
  placing: Placing,
  open: ReadonlyArray<number>,
  next: number,
  { size, most, mayWait }: Limits & { readonly size: number },
): void => {
  const rooms = [...open]
  let opening = next
  for (; opening < most && placing.left >= size; opening++) {
    placing.sit(opening, size)
    rooms.push(opening)
  }
  if (opening >= most) placing.level(rooms)
  else if (mayWait || placing.left === 0) return
  else if (placing.left > 1) placing.sit(opening, placing.left)
  else placing.sit(placing.leastLoaded(rooms.filter((room) => placing.countOf(room) <= size)) ?? opening)
}

/**
 * The rooms of so many newcomers, by index; an index beyond the rooms is that of one to be opened. Where there are fewer than newcomers, the
 * last newcomers wait. Empty also when there is no open room.
 */
export const lateRooms = (
  rooms: ReadonlyArray<OpenRoom>,
  people: number,
  { size, ...limits }: Limits,
): ReadonlyArray<number> => {
  const open = [...rooms.keys()].filter((room) => rooms[room]?.open === true)
  if (open.length === 0) return []
  const placing = new Placing(
    rooms.map(({ count }) => count),
    people,
  )
  if (size === null) placing.level(open)
  else {
    takePlaces(placing, size, open)
    openTogether(placing, open, rooms.length, { ...limits, size })
  }
  return placing.places
}
