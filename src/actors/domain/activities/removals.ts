/** Removal of participants from the event: for now, or with `block` for good, until a host revokes it. */
import { parseId } from "../../../model/ids.ts"
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"

/** Kinds of records that belong to a participant who has been present. */
const OF_PEOPLE = ["hand", "seat", "stage", "role", "mute", "admission", "waiting"] as const

/** Whether the participant is present or waiting, may still return, was removed, or has records. */
export const isHere = (turn: Turn, id: string): boolean => {
  if (turn.everybody.find(id) !== undefined || turn.state.removed.includes(id)) return true
  if (OF_PEOPLE.some((kind) => turn.get(kind, id) !== undefined)) return true
  for (const { participantId } of turn.everybody.waiting()) if (participantId === id) return true
  for (const { participantId } of turn.everybody.absent()) if (participantId === id) return true
  return false
}

/** Whether the id may belong to a participant. The live event does not know people who have not come yet, so only the form is checked. */
export const mayBeSomebody = (id: string): boolean => parseId(id.replace(/^(?:guest|reg|anon):/, "")) !== undefined

/** Removes a participant from inside and from the waiting room. Absent participants can be blocked as well. */
export const removeParticipant = (turn: Turn, participantId: string, block: boolean): void => {
  const { removed } = turn.state
  if (block && !removed.includes(participantId)) {
    turn.state = { ...turn.state, removed: [...removed, participantId] }
  }
  turn.publish("participant.removed", "staff", { participantId, block })
  turn.eject({ who: "participant", participantId, reason: "removed" })
}

/** Revokes a permanent removal. */
const letBack = (turn: Turn, participantId: string): void => {
  const { removed } = turn.state
  turn.state = { ...turn.state, removed: removed.filter((other) => other !== participantId) }
  turn.publish("participant.unblocked", "staff", { participantId })
}

/**
 * Revokes the block of a workspace manager who has arrived. A host blocked them while they were away, when the live event could not know
 * their rights. The block never applied to them, and must not apply once they no longer manage the workspace.
 */
export const unblock = (turn: Turn, participantId: string): void => {
  if (!turn.state.removed.includes(participantId)) return
  letBack(turn, participantId)
  turn.changeParticipant({ participantId, barred: false })
}

export const removals = {
  commands: {
    "participant.remove": (turn, { id, block = false }) => {
      const { status } = turn.state.event
      if (status !== "scheduled" && status !== "live") {
        return refuse("conflict", `The event is ${status}; nobody is removed from it.`)
      }
      if (!isHere(turn, id) && !(block && mayBeSomebody(id))) return noSuch("participant")
      removeParticipant(turn, id, block)
      return { participantId: id, block }
    },
    "participant.unblock": (turn, { id }) => {
      if (!turn.state.removed.includes(id)) return noSuch("removed participant")
      letBack(turn, id)
      return { participantId: id }
    },
  },
  staffView: ({ state }) => ({ blocked: state.removed }),
} satisfies Activity
