/** The call that a participant may be in now: that of their room, if the active phase has browser-to-browser rooms. */
import type { ActivePhase } from "../../actors/state/state.ts"
import { hasSeat, isStage, MODALITIES } from "../../model/modality.ts"
import type { EventRole } from "../../model/roles.ts"
import type { MeshSeat } from "../../protocol/messages/media.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { ParticipantStates } from "../connection/participant-states.ts"

/** Name of the call: the id of the room, or that of the phase for its main room. Null: the participant has no call. */
export const callOf = (role: EventRole, roomId: string | null, { id, modality }: ActivePhase): string | null => {
  if (id === null || modality === null || isStage(modality)) return null
  if (!hasSeat(role, modality)) return null
  if (roomId !== null) return roomId
  return MODALITIES[modality].hasMainCall ? id : null
}

/** Seat in a browser-to-browser call. */
export const meshSeat = (roomId: string | null): MeshSeat | null =>
  roomId === null ? null : { provider: "mesh", roomId }

/** The event's facts about participants, as known to the subscriber. */
export interface Facts {
  readonly phase: ActivePhase
  readonly participants: ParticipantStates
  readonly removed: ReadonlySet<string>
}

/** The call of a participant who is not connected: they keep their seat only while they would be admitted. */
export const callOfAbsent = (identity: Identity, { phase, participants, removed }: Facts): string | null => {
  const here = participants.here(identity)
  if (!here.manages && removed.has(here.participantId)) return null
  if (participants.admission(here) !== "in") return null
  return callOf(here.role, participants.roomOf(here.participantId), phase)
}
