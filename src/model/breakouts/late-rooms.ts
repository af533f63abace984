/**
 * Rooms for people who come while the breakout rooms are open. Nobody who sits in a room is moved.
 * Rooms that were given are levelled. Rooms that were planned by size hold no more people than that: newcomers fill the free places, first those
 * beside people who sit alone, and the others open rooms together. A newcomer sits alone only if no arrangement of the newcomers avoids it. Only
 * when no more rooms may be opened are the least-loaded ones filled further.
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
}

/** Newcomers by room, as they are placed one after another. */
class Placing {
  readonly places: number[] = []
  readonly #counts: number[]

  constructor(counts: ReadonlyArray<number>) {
    this.#counts = [...counts]
  }

  countOf(room: number): number {
    return this.#counts[room] ?? 0
  }

  sit(room: number): void {
    this.#counts[room] = this.countOf(room) + 1
    this.places.push(room)
  }

  /** Takes the last newcomer back out of a room in which two others remain. */
  spare(): boolean {
    const last = this.places.findLastIndex((room) => this.countOf(room) > 2)
    const [room] = last === -1 ? [] : this.places.splice(last, 1)
    if (room === undefined) return false
    this.#counts[room] = this.countOf(room) - 1
    return true
  }

  /** The room with the fewest people, and of equal ones the first. */
  leastLoaded(rooms: ReadonlyArray<number>): number | undefined {
    return rooms.reduce<number | undefined>(
      (least, room) => (least === undefined || this.countOf(room) < this.countOf(least) ? room : least),
      undefined,
    )
  }
}

/** Places in rooms where people sit already, and then in fresh ones. */
const placeBySize = (
  placing: Placing,
  people: number,
  size: number,
  open: ReadonlyArray<number>,
  fresh: ReadonlyArray<number>,
) => {
  const occupied = open.filter((room) => placing.countOf(room) > 0)
  while (placing.places.length < people) {
    const free = placing.leastLoaded(occupied.filter((room) => placing.countOf(room) < size))
    if (free === undefined) break
    placing.sit(free)
  }
  const isOneLeft = placing.places.length === people - 1
  if (isOneLeft && size > 1 && fresh.length > 0) placing.spare()
  const left = people - placing.places.length
  const opened = fresh.slice(0, Math.ceil(left / size))
  for (let n = 0; n < Math.min(left, opened.length * size); n++) placing.sit(opened[n % opened.length] ?? 0)
  return [...open, ...opened]
}

/**
 * The room of each of so many newcomers, by its index; an index beyond the rooms is that of one to be opened. Empty: there is no
 * open room.
 */
export const lateRooms = (
  rooms: ReadonlyArray<OpenRoom>,
  people: number,
  { size, most }: Limits,
): ReadonlyArray<number> => {
  const open = [...rooms.keys()].filter((room) => rooms[room]?.open === true)
  if (open.length === 0) return []
  const placing = new Placing(rooms.map(({ count }) => count))
  const empty = open.filter((room) => placing.countOf(room) === 0)
  const more = Array.from({ length: Math.max(0, most - rooms.length) }, (_, n) => rooms.length + n)
  const used = size === null ? open : placeBySize(placing, people, size, open, [...empty, ...more])
  while (placing.places.length < people) placing.sit(placing.leastLoaded(used) ?? 0)
  return placing.places
}
