/**
 * Rooms for people who come while the breakout rooms are open. Nobody who sits in a room is moved.
 * Predefined rooms are levelled. If rooms were planned by size, newcomers take the free seats, first those beside people who sit alone. The
 * others wait for each other, because people often come within moments: as many as a room holds open one at once, and when the wait is
 * over, two or more who are left open a smaller one. A single newcomer joins the smallest room instead of sitting alone, but only if at
 * most `size` people are there: otherwise people who come one by one would all gather in one room. The least-loaded rooms are filled
 * further only when no more rooms may be opened.
 */

export interface OpenRoom {
  /** People in the room now: the kept seat of an absent person does not count. */
  readonly count: number
  readonly open: boolean
}

interface Limits {
  /** Number of people for which a room was planned; null: the rooms were given. */
  readonly size: number | null
  /** Most rooms allowed. */
  readonly most: number
  /** False: the wait is over, and everybody gets a room. */
  readonly mayWait: boolean
}

/** Rooms of the newcomers, placed one after another. */
class Placing {
  readonly places: number[] = []
  readonly #counts: number[]
  readonly #people: number

  constructor(counts: ReadonlyArray<number>, people: number) {
    this.#counts = [...counts]
    this.#people = people
  }

  /** Number of newcomers without a room. */
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

  /** Takes the last newcomer out of a room in which at least two others remain. */
  spare(): void {
    const last = this.places.findLastIndex((room) => this.countOf(room) > 2)
    const [room] = last === -1 ? [] : this.places.splice(last, 1)
    if (room !== undefined) this.#counts[room] = this.countOf(room) - 1
  }

  /** The room with the fewest people; the first of equal ones. */
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

/** Takes free seats: in occupied rooms first, then in empty ones. */
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

/** Opens rooms for groups of newcomers without a free seat, or lets them wait. `next`: index of the first room to open. */
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
 * Room indexes of the newcomers; an index beyond the rooms stands for a room to be opened. If there are fewer indexes than newcomers, the
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
