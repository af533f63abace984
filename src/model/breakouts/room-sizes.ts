/**
 * The number of breakout rooms, and the number of people in each.
 * Invariants: sizes differ by at most one; if the rooms are derived from a size, nobody sits alone when there are two people. Only pins can
 * force either. Requested rooms are all used, as far as there are people.
 */

/** Number of rooms for `people` at about `size` each: never so many that one person would be alone. */
export const roomCount = (people: number, size: number): number =>
  Math.max(1, Math.min(Math.round(people / size), Math.floor(people / 2)))

/** Adds each person to the room with the fewest people; of equal rooms, the first. */
const fill = (people: number, pinned: ReadonlyArray<number>, inUse: ReadonlyArray<number>): Array<number> => {
  const sizes = [...pinned]
  let left = people - pinned.reduce((sum, count) => sum + count, 0)
  for (let least = 0; left > 0; least++) {
    for (const room of inUse) {
      if (left === 0 || sizes[room] !== least) continue
      sizes[room] = least + 1
      left--
    }
  }
  return sizes
}

/** Number of people in each requested room, given how many are pinned to it (`people` includes them). */
export const askedRoomSizes = (people: number, pinned: ReadonlyArray<number>): ReadonlyArray<number> =>
  fill(people, pinned, [...pinned.keys()])

/**
 * Number of people in each room derived from a size. Rooms that cannot hold two people, because pins elsewhere leave too few, stay empty.
 */
export const roomSizes = (people: number, pinned: ReadonlyArray<number>): ReadonlyArray<number> => {
  const rooms = [...pinned.keys()]
  const unpinned = rooms.filter((room) => pinned[room] === 0)
  const pinnedRooms = rooms.length - unpinned.length
  const free = people - pinned.reduce((sum, count) => sum + count, 0)
  const most = Math.min(Math.floor(people / 2) - pinnedRooms, Math.floor(free / 2))
  const spare = unpinned.slice(0, Math.max(1, most))
  while (true) {
    const inUse = rooms.filter((room) => pinned[room] !== 0 || spare.includes(room))
    const sizes = fill(people, pinned, inUse)
    const alone = people > 1 && inUse.some((room) => sizes[room] === 1)
    if (!alone || spare.length === 0 || inUse.length === 1) return sizes
    spare.pop()
  }
}
