/**
 * Late joiners of open breakout rooms (`model/breakouts/late-rooms.ts`). If rooms were planned by size and all are full, a newcomer waits
 * in the main room for others. The breakout's record holds the waiting participants, so that neither a crash nor a move of the event ends
 * or prolongs a wait.
 */

import { lateRooms } from "../../../../model/breakouts/late-rooms.ts"
import { type Breakout, ONLY, type Room } from "../../../../model/live/live-records.ts"
import { toMillis, toTimestamp } from "../../../../model/timestamp.ts"
import type { Present } from "../../../presence/presence.ts"
import type { ReadContext, Turn } from "../../turn.ts"
import type { RecordDeadline } from "../activity.ts"
import { roomsChanged } from "../capture.ts"
import { MAX_ROOMS } from "./breakout-plans.ts"
import { isSeated, roleOf, roomIdAt, roomsOf, roomView, setRoom } from "./rooms.ts"

const ROOM_WAIT_MS = 2000

type Waiting = NonNullable<Breakout["waiting"]>

const oneMoreRoom = (turn: Turn, breakout: Breakout, place: number): Room => {
  const room: Room = { id: roomIdAt(breakout, place), name: `Room ${place + 1}`, count: 0, open: true, place, rev: 1 }
  turn.put("room", room.id, room)
  turn.publish("room.updated", "event", { room: roomView(room) })
  roomsChanged(turn)
  return room
}

/** Rooms with the participants in them now: the kept seat of an absent participant does not count. */
const roomsNow = (turn: Turn): ReadonlyArray<Room> => {
  const here = new Map<string, number>()
  for (const [id, seat] of turn.all("seat")) {
    if (!seat.away && turn.people.find(id) !== undefined) here.set(seat.roomId, (here.get(seat.roomId) ?? 0) + 1)
  }
  return roomsOf(turn.records).map((room) => ({ ...room, count: here.get(room.id) ?? 0 }))
}

const putWaiting = (turn: Turn, breakout: Breakout, waiting: Waiting): void => {
  const { waiting: before = [], ...rest } = breakout
  if (waiting.length === before.length && waiting.every(({ participantId: id }, n) => id === before[n]?.participantId))
    return
  turn.put("breakout", ONLY, waiting.length === 0 ? rest : { ...rest, waiting })
}

/** Waiting participants who are present, have no seat and may have one. */
const stillWaiting = (turn: Turn, { waiting = [] }: Breakout): Waiting =>
  waiting.filter(({ participantId }) => {
    const person = turn.people.find(participantId)
    return person !== undefined && turn.get("seat", participantId) === undefined && isSeated(roleOf(turn, person))
  })

/** Seats waiting and unplanned participants in rooms of the planned size, or lets them wait. */
const seatUnplanned = (turn: Turn, breakout: Breakout, coming: ReadonlyArray<string>, mayWait = true): void => {
  const before = stillWaiting(turn, breakout)
  const known = new Set(before.map(({ participantId }) => participantId))
  const until = toTimestamp(turn.now + (turn.deployment.roomWaitMs ?? ROOM_WAIT_MS))
  const added = coming.flatMap((participantId) => (known.has(participantId) ? [] : { participantId, until }))
  const people = [...before, ...added]
  const places = people.length === 0 ? [] : place(turn, breakout, people, mayWait)
  putWaiting(turn, breakout, mayWait ? people.slice(places.length) : [])
}

const place = (turn: Turn, breakout: Breakout, people: Waiting, mayWait: boolean): ReadonlyArray<number> => {
  const rooms = roomsNow(turn)
  const ids = rooms.map(({ id }) => id)
  const places = lateRooms(rooms, people.length, { size: breakout.size, most: MAX_ROOMS, mayWait })
  const last = Math.max(-1, ...places)
  while (ids.length <= last) ids.push(oneMoreRoom(turn, breakout, ids.length).id)
  for (const [at, index] of places.entries()) {
    const [person, room] = [people[at], turn.get("room", ids[index] ?? "")]
    if (person !== undefined && room !== undefined) setRoom(turn, person.participantId, room, breakout.endsAt)
  }
  return places
}

/** Called when a seat may have become free, or when a waiting participant may be gone. */
export const seatWaiting = (turn: Turn): void => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout?.waiting !== undefined) seatUnplanned(turn, breakout, [])
}

/** Ends the wait of a participant whom a host keeps in the main room. */
export const endWait = (turn: Turn, participantId: string): void => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout === undefined) return
  const { waiting = [] } = breakout
  putWaiting(
    turn,
    breakout,
    waiting.filter((one) => one.participantId !== participantId),
  )
}

/** The wait of the first participant is over: all waiting participants get a room together. */
const endWaits = (turn: Turn): void => {
  const breakout = turn.get("breakout", ONLY)
  const [first] = breakout?.waiting ?? []
  if (breakout === undefined || first === undefined || toMillis(first.until) > turn.now) return
  seatUnplanned(turn, breakout, [], false)
}

export const lateDeadlines = ({ records }: Pick<ReadContext, "records">): ReadonlyArray<RecordDeadline> => {
  const breakout = records.get("breakout", ONLY)
  const [first] = breakout?.waiting ?? []
  if (breakout === undefined || first === undefined) return []
  return [{ name: "room.wait", about: breakout.id, at: toMillis(first.until), due: endWaits }]
}

/** The planned room of each participant; null: to be seated by hand. */
const plannedRooms = (turn: Turn, breakout: Breakout): ReadonlyMap<string, string | null> => {
  const rooms = new Map<string, string | null>()
  const plan = turn.get("plan", breakout.planId)
  for (const [at, { people }] of plan?.rooms.entries() ?? []) {
    for (const id of people) rooms.set(id, roomIdAt(breakout, at))
  }
  for (const id of plan?.unplaced ?? []) rooms.set(id, null)
  return rooms
}

/** Seats planned participants in their rooms; returns the unplanned ones who get a room. */
const seatPlanned = (turn: Turn, breakout: Breakout, coming: ReadonlyArray<Present>): ReadonlyArray<string> => {
  const planned = plannedRooms(turn, breakout)
  const joins = breakout.late === "leastLoaded" && breakout.strategy !== "self"
  const unplanned: string[] = []
  for (const person of coming) {
    const role = roleOf(turn, person)
    if (role === "viewer") continue
    const id = planned.get(person.participantId)
    if (id === undefined && joins && isSeated(role)) unplanned.push(person.participantId)
    const room = turn.get("room", id ?? "")
    if (room !== undefined) setRoom(turn, person.participantId, room, breakout.endsAt)
  }
  return unplanned
}

/** Seats participants without a seat: in their planned room, or else by the breakout's rule for late joiners. Others may have left. */
export const seatLateJoiners = (turn: Turn, people: Iterable<Present>): void => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout === undefined || breakout.closesAt !== null) return
  const coming = [...people].filter(({ participantId }) => turn.get("seat", participantId) === undefined)
  const unplanned = coming.length === 0 ? [] : seatPlanned(turn, breakout, coming)
  if (unplanned.length > 0 || breakout.waiting !== undefined) seatUnplanned(turn, breakout, unplanned)
}
