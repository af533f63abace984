/** Whether an id that a host names is that of somebody. */
import { parseId } from "../../../model/ids.ts"
import type { Turn } from "../turn.ts"

/** Kinds of records that a participant has who was here once. */
const OF_PEOPLE = ["hand", "seat", "stage", "role", "mute", "admission", "waiting"] as const

/** The participant is here, may still return, or has left something. */
export const isHere = (turn: Turn, id: string): boolean => {
  if (turn.everybody.find(id) !== undefined || turn.state.removed.includes(id)) return true
  if (OF_PEOPLE.some((kind) => turn.get(kind, id) !== undefined)) return true
  for (const { participantId } of turn.everybody.waiting()) if (participantId === id) return true
  for (const { participantId } of turn.everybody.absent()) if (participantId === id) return true
  return false
}

/** Somebody who has not come yet is not known to the live event: at least it is an id that a participant may have. */
export const mayBeSomebody = (id: string): boolean => parseId(id.replace(/^(?:guest|reg|anon):/, "")) !== undefined
