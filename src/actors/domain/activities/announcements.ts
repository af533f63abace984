/** Announcements by hosts to everyone, or to selected rooms, at once or prepared for later. */
import type { Refused } from "../../commands.ts"
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"

const MAX_PREPARED = 100
/** Most room ids of all prepared announcements together, so that the hosts' snapshot stays small. */
const MAX_ROOMS = 1_000

const roomsOf = (targets: "all" | ReadonlyArray<string>): ReadonlyArray<string> | null =>
  targets === "all" ? null : [...new Set(targets)]

const send = (turn: Turn, text: string, roomIds: ReadonlyArray<string> | null) => {
  const { status } = turn.state.event
  if (status !== "scheduled" && status !== "live") {
    return refuse("conflict", `The event is ${status} and cannot be addressed.`)
  }
  if (roomIds?.some((id) => turn.get("room", id) === undefined)) return noSuch("room")
  const by = turn.by === null ? null : { participantId: turn.by.participantId, name: turn.by.name }
  const announcement = { id: turn.freshId, text, by, at: turn.at }
  if (roomIds === null) turn.publish("announcement", "event", announcement)
  else for (const id of roomIds) turn.publish("announcement", `room:${id}`, announcement)
  return { announcement }
}

const discard = (turn: Turn, id: string): Refused | undefined => {
  if (turn.get("prepared", id) === undefined) return noSuch("prepared announcement")
  turn.remove("prepared", id)
  turn.publish("announcement.discarded", "staff", { id })
  return undefined
}

export const announcements = {
  commands: {
    announce: (turn, { text, targets = "all" }) => send(turn, text, roomsOf(targets)),
    "announcement.prepare": (turn, { text, targets = "all" }) => {
      if (turn.state.event.status === "ended") return refuse("conflict", "The event has ended.")
      if (turn.all("prepared").size >= MAX_PREPARED) {
        return refuse("conflict", `At most ${MAX_PREPARED} announcements can be prepared.`)
      }
      const prepared = { text, roomIds: roomsOf(targets), at: turn.at }
      const rooms = [prepared, ...turn.all("prepared").values()].reduce(
        (sum, { roomIds }) => sum + (roomIds?.length ?? 0),
        0,
      )
      if (rooms > MAX_ROOMS) return refuse("conflict", `Prepared announcements can name ${MAX_ROOMS} rooms together.`)
      turn.put("prepared", turn.freshId, prepared)
      const view = { id: turn.freshId, ...prepared }
      turn.publish("announcement.prepared", "staff", { prepared: view })
      return { prepared: view }
    },
    "announcement.discard": (turn, { id }) => discard(turn, id) ?? { id },
    "announcement.send": (turn, { id }) => {
      const prepared = turn.get("prepared", id)
      if (prepared === undefined) return noSuch("prepared announcement")
      const sent = send(turn, prepared.text, prepared.roomIds)
      if ("announcement" in sent) discard(turn, id)
      return sent
    },
  },
  staffView: ({ records }) => ({
    preparedAnnouncements: [...records.all("prepared")].map(([id, prepared]) => ({ id, ...prepared })),
  }),
} satisfies Activity
