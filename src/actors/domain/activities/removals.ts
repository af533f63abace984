/** Removal of participants from the event: at once, and with `block` for good, until a host revokes it. */
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"

/** The one removal by a host, from inside and from the waiting room. Absent participants can be blocked as well. */
export const putOut = (turn: Turn, participantId: string, block: boolean): void => {
  const { removed } = turn.state
  if (block && !removed.includes(participantId)) {
    turn.state = { ...turn.state, removed: [...removed, participantId] }
  }
  turn.publish("participant.removed", "staff", { participantId, block })
  turn.eject({ who: "participant", participantId, reason: "removed" })
}

export const removals = {
  commands: {
    "participant.remove": (turn, { id, block = false }) => {
      const { status } = turn.state.event
      if (status !== "scheduled" && status !== "live") {
        return refuse("conflict", `The event is ${status}; nobody is removed from it.`)
      }
      putOut(turn, id, block)
      return { participantId: id, block }
    },
    "participant.unblock": (turn, { id }) => {
      const { removed } = turn.state
      if (!removed.includes(id)) return noSuch("removed participant")
      turn.state = { ...turn.state, removed: removed.filter((other) => other !== id) }
      turn.publish("participant.unblocked", "staff", { participantId: id })
      return { participantId: id }
    },
  },
  staffView: ({ state }) => ({ blocked: state.removed }),
} satisfies Activity
