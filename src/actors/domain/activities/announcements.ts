/** Announcements by hosts to everyone, or to selected rooms. */
import type { Activity } from "./activity.ts"
import { noSuch, refuse } from "./activity.ts"

export const announcements = {
  commands: {
    announce: (turn, { text, targets = "all" }) => {
      const { status } = turn.state.event
      if (status !== "scheduled" && status !== "live") {
        return refuse("conflict", `The event is ${status} and cannot be addressed.`)
      }
      const by = turn.by === null ? null : { participantId: turn.by.participantId, name: turn.by.name }
      const announcement = { id: turn.freshId, text, by, at: turn.at }
      if (targets === "all") turn.publish("announcement", "event", announcement)
      const rooms = targets === "all" ? [] : [...new Set(targets)]
      if (rooms.some((id) => turn.get("room", id) === undefined)) return noSuch("room")
      for (const id of rooms) turn.publish("announcement", `room:${id}`, announcement)
      return { announcement }
    },
  },
} satisfies Activity
