/**
 * The room for a person who comes while the breakout rooms are open: the least-loaded open room. Rooms that were planned by
 * size take half as many again; when all are that full, one more is opened. Rooms often open with the phase, when most people
 * are still on their way, and the late ones would otherwise fill the few rooms there are.
 */

export interface OpenRoom {
  readonly id: string
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

/** The open room with the fewest people, and of equal ones the first. */
export const leastLoaded = <Room extends OpenRoom>(rooms: ReadonlyArray<Room>): Room | undefined => {
  const open = rooms.filter((room) => room.open)
  return open.length === 0 ? undefined : open.reduce((least, room) => (room.count < least.count ? room : least))
}

/** People that a room planned for `size` takes. */
export const capacityOf = (size: number): number => size + Math.max(1, Math.floor(size / 2))

/** The room for one more person; `more`: in a new one. `undefined`: there is none. */
export const lateRoom = <Room extends OpenRoom>(
  rooms: ReadonlyArray<Room>,
  { size, most }: Limits,
): Room | "more" | undefined => {
  const least = leastLoaded(rooms)
  if (least === undefined || size === null || least.count < capacityOf(size)) return least
  return rooms.length < most ? "more" : least
}
