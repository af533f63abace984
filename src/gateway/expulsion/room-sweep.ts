/** Compares the media server's rooms with those of the live events. */
import type { Connected } from "../../media/livekit/media-server-api.ts"
import { parseId } from "../../model/ids.ts"
import type { Expulsion, RoomAccess } from "./room-access.ts"

export interface MediaRoom {
  readonly name: string
  readonly people: ReadonlyArray<Connected>
}

/** The event of a room name written by `mediaRoomOf`. */
export const eventOf = (name: string): string | undefined => {
  const [event = "", room = "", ...more] = name.split(":")
  return more.length > 0 || parseId(room) === undefined ? undefined : parseId(event)
}

/** Rooms of live events, by event; the media server may have rooms of other applications. */
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

/** People in a room without a seat there, and rooms in which nobody has a seat. */
export const misplaced = (access: RoomAccess, open: ReadonlyArray<MediaRoom>): ReadonlyArray<Expulsion> => {
  const { rooms } = access
  return open.flatMap(({ name, people }): ReadonlyArray<Expulsion> => {
    if (!rooms.has(name)) return [{ type: "close", room: name }]
    return people
      .filter(({ identity }) => !access.roomsOf(identity).includes(name))
      .map(({ identity }) => ({ type: "expel", room: name, participantId: identity }))
  })
}
