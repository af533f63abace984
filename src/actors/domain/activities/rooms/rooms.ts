/** Seating in rooms, and leaving them. The count of a room always equals the number of its seats. */
import { namedId } from "../../../../model/ids.ts"
import type { Breakout, Room } from "../../../../model/live/live-records.ts"
import { type EventRole, isStaff } from "../../../../model/roles.ts"
import type { RoomView } from "../../../../protocol/messages/breakouts.ts"
import type { Present } from "../../../presence/presence.ts"
import type { RecordStore } from "../../../state/record-store.ts"
import type { Turn } from "../../turn.ts"

/** The participant's stored role at this event. */
export const roleOf = (turn: Turn, person: Pick<Present, "participantId" | "role">): EventRole =>
  turn.get("role", person.participantId)?.role ?? person.role

/** Staff visit rooms and viewers watch; all other roles have a seat. */
export const isSeated = (role: EventRole): boolean => !isStaff(role) && role !== "viewer"

/** Id of the room at a position of a breakout. */
export const roomIdAt = (breakout: Pick<Breakout, "id">, place: number): string =>
  namedId(breakout.id, "room", String(place))

/** Rooms in the order of their positions. */
export const roomsOf = (records: RecordStore): ReadonlyArray<Room> =>
  [...records.all("room").values()].sort((a, b) => a.place - b.place)

export const roomView = ({ place: _place, ...room }: Room): RoomView => room

/** The room of a participant's seat; null: the main room. */
export const roomOf = (records: RecordStore, participantId: string | undefined): string | null => {
  const seat = participantId === undefined ? undefined : records.get("seat", participantId)
  return seat === undefined || seat.away ? null : seat.roomId
}

const recount = (turn: Turn, roomId: string, by: number): void => {
  const room = turn.get("room", roomId)
  if (room === undefined) return
  const counted: Room = { ...room, count: room.count + by, rev: room.rev + 1 }
  turn.put("room", roomId, counted)
  turn.publish("room.updated", "event", { room: roomView(counted) })
}

/** Seats a participant whom the room's count already includes. */
export const sit = (turn: Turn, participantId: string, room: Room, endsAt: string | null): void => {
  turn.put("seat", participantId, { roomId: room.id, away: false })
  turn.publish("assignment.updated", `me:${participantId}`, { roomId: room.id, name: room.name, endsAt })
  turn.changeParticipant({ participantId, roomId: room.id })
}

/** Moves a participant into a room, out of their current one. */
export const setRoom = (turn: Turn, participantId: string, room: Room, endsAt: string | null): void => {
  const seat = turn.get("seat", participantId)
  if (seat?.roomId === room.id && !seat.away) return
  if (seat !== undefined && !seat.away) recount(turn, seat.roomId, -1)
  recount(turn, room.id, 1)
  sit(turn, participantId, room, endsAt)
}

/** Moves a participant to the main room. `keep`: their seat is kept. */
export const leaveRoom = (turn: Turn, participantId: string, keep: boolean): void => {
  const seat = turn.get("seat", participantId)
  if (seat === undefined) return
  if (keep) turn.put("seat", participantId, { ...seat, away: true })
  else turn.remove("seat", participantId)
  if (seat.away) return
  recount(turn, seat.roomId, -1)
  turn.publish("assignment.ended", `me:${participantId}`, { roomId: seat.roomId, returnAt: turn.at })
  turn.changeParticipant({ participantId, roomId: null })
}
