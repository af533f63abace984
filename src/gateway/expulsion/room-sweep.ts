/** Comparing the rooms that the media server has with those that the live events have. */
import type { Connected } from "../../media/livekit/media-server-api.ts"
import { parseId } from "../../model/ids.ts"
import type { Expulsion, RoomAccess } from "./room-access.ts"

export interface MediaRoom {
  readonly name: string
  readonly people: ReadonlyArray<Connected>
}

/** Of a name as `mediaRoomOf` writes it. */
export const eventOf = (name: string): string | undefined => {
  const [event = "", room = "", ...more] = name.split(":")
  return more.length > 0 || parseId(room) === undefined ? undefined : parseId(event)
}

/** The rooms of live events, by event; the media server may have rooms of other programs. */
export const roomsByEvent = (names: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const byEvent = new Map<string, string[]>()
  for (const name of names) {
    const eventId = eventOf(name)
    if (eventId === undefined) continue
    const known = byEvent.get(eventId)
    if (known === undefined) byEvent.set(eventId, [name])
    else known.push(name)
  }
  return byEvent
}

/** The people who are in a room without a seat there, and the rooms that nobody has a seat in. */
export const misplaced = (access: RoomAccess, open: ReadonlyArray<MediaRoom>): ReadonlyArray<Expulsion> => {
  const { rooms } = access
  return open.flatMap(({ name, people }): ReadonlyArray<Expulsion> => {
    if (!rooms.has(name)) return [{ type: "close", room: name }]
    return people
      .filter(({ identity }) => !access.roomsOf(identity).includes(name))
      .map(({ identity }) => ({ type: "expel", room: name, participantId: identity }))
  })
}
