/**
 * The number of breakout rooms, and the number of people in each.
 * Invariants: sizes differ by at most one; where the rooms follow from a size, no person sits alone when there are two. Only pins
 * can force either. Requested rooms are all used, as far as there are people.
 */

/** Rooms for `people` when each is to hold about `size`: never so many that one person would be alone. */
export const roomCount = (people: number, size: number): number =>
  Math.max(1, Math.min(Math.round(people / size), Math.floor(people / 2)))

/** Each of `people` goes to the room with the fewest; the first of equal rooms gets the one left over. */
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

/** The number of people in each of the rooms that were asked for, given how many are pinned to it (`people` includes them). */
export const askedRoomSizes = (people: number, pinned: ReadonlyArray<number>): ReadonlyArray<number> =>
  fill(people, pinned, [...pinned.keys()])

/** The same for rooms that follow from a size. Those that cannot hold two, because pins elsewhere leave too few, stay empty. */
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
