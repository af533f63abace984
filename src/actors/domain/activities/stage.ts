/**
 * The stage and roles: invitations onto the stage, and roles given by hosts. A role given here takes precedence over the token's role for
 * this event; for a user of the workspace it is also stored in the event's list.
 */

import { parseId } from "../../../model/ids.ts"
import type { StageRecord } from "../../../model/live/live-records.ts"
import { acceptedRoles, MODALITIES } from "../../../model/modality.ts"
import type { EventRole } from "../../../model/roles.ts"
import { toMillis, toTimestamp } from "../../../model/timestamp.ts"
import type { ReplyData } from "../../../protocol/contract.ts"
import type { StageView } from "../../../protocol/messages/hands.ts"
import type { Refused } from "../../commands.ts"
import type { Present } from "../../presence/presence.ts"
import { activePhaseOf } from "../../state/state.ts"
import { actingRole } from "../acting-role.ts"
import type { ReadContext, Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { lowerHand } from "./hands.ts"
import { roleOf } from "./rooms/rooms.ts"

/** Validity of an invitation. */
const INVITATION_MS = 60_000

const NOT_INVITED = refuse("conflict", "You are not invited onto the stage, or the invitation has expired.")

/** Role of a participant on stage. Without an active phase the rules of a call apply. */
const speakingRole = (turn: Turn): EventRole => {
  const phase = activePhaseOf(turn.state)
  return phase === undefined ? "participant" : MODALITIES[phase.modality].speaks
}

/** The stage record without the participant's former role, which is not for others. */
const stageView = ({ state, expiresAt }: StageRecord): StageView => ({ state, expiresAt })

/** The participant's stage record: on stage, or with an invitation that has not expired. */
const placeNow = ({ records, now }: Pick<ReadContext, "records" | "now">, participantId: string) => {
  const found = records.get("stage", participantId)
  return found?.expiresAt == null || toMillis(found.expiresAt) > now ? found : undefined
}

const become = (turn: Turn, participantId: string, role: EventRole, because: "role" | "stage"): void => {
  turn.put("role", participantId, { role })
  turn.changeParticipant({ participantId, role, because })
}

const place = (turn: Turn, participantId: string): StageRecord | undefined => turn.get("stage", participantId)

const invite = (turn: Turn, person: Present): ReplyData<"stage.invite"> | Refused => {
  const { participantId } = person
  if (actingRole(turn.records, person) === "anonymous") {
    return refuse("conflict", "A participant without a name cannot come onto the stage; give them a role first.")
  }
  const known = place(turn, participantId)
  if (known?.state === "on") return { participantId, stage: stageView(known) }
  const expiresAt = toTimestamp(turn.now + INVITATION_MS)
  const stage: StageRecord = { state: "invited", expiresAt, before: roleOf(turn, person) }
  turn.put("stage", participantId, stage)
  turn.publish("stage.invited", `me:${participantId}`, { expiresAt })
  return { participantId, stage: stageView(stage) }
}

const accept = (turn: Turn, participantId: string): ReplyData<"stage.accept"> | Refused => {
  const invited = place(turn, participantId)
  if (invited?.state === "on") return { stage: stageView(invited) }
  if (invited === undefined || placeNow(turn, participantId) === undefined) return NOT_INVITED
  const stage: StageRecord = { ...invited, state: "on", expiresAt: null }
  turn.put("stage", participantId, stage)
  turn.publish("me.stage", `me:${participantId}`, { stage: stageView(stage) })
  lowerHand(turn, participantId)
  const role = speakingRole(turn)
  if (invited.before === "viewer" || invited.before === "participant") become(turn, participantId, role, "stage")
  else turn.changeParticipant({ participantId })
  return { stage: stageView(stage) }
}

const leave = (turn: Turn, participantId: string): void => {
  const stage = place(turn, participantId)
  if (stage === undefined) return
  turn.remove("stage", participantId)
  if (stage.state === "on" && turn.get("role", participantId)?.role !== stage.before) {
    become(turn, participantId, stage.before, "stage")
  }
}

/** Only callers who manage the workspace may give or change the administrator role. */
const isForWorkspace = (turn: Turn, roles: ReadonlyArray<EventRole | undefined>): boolean =>
  turn.by !== null && roles.includes("workspace_admin")

const setRole = (turn: Turn, id: string, role: EventRole): ReplyData<"role.set"> | Refused => {
  const person = turn.people.find(id)
  const given = turn.get("role", id)
  if (person === undefined && given === undefined) return noSuch("participant")
  const accepted = acceptedRoles(turn.state.phases.map(({ modality }) => modality))
  if (!accepted.includes(role)) {
    return refuse("role_not_on_event", `The event accepts only these roles: ${accepted.join(", ")}.`)
  }
  const before = given?.role ?? person?.role
  if (isForWorkspace(turn, [before, role])) return refuse("forbidden", "Administrators are the workspace's to make.")
  if (before !== role) {
    turn.remove("stage", id)
    become(turn, id, role, "role")
    // A user's id is a UUID and their participant id; nothing else is known here of an absent participant.
    const userId = person === undefined ? parseId(id) : person.userId
    if (userId != null) turn.put("membership", userId, { role })
  }
  return { participantId: id, role }
}

/** Ends a role that a host or the stage gave; gateways look up the user's stored role. */
const forgetRole = (turn: Turn, userId: string): { readonly participantId: string } => {
  if (turn.get("role", userId) !== undefined) {
    if (place(turn, userId) !== undefined) turn.publish("me.stage", `me:${userId}`, { stage: null })
    turn.remove("stage", userId)
    turn.remove("role", userId)
    turn.changeParticipant({ participantId: userId, role: null })
  }
  return { participantId: userId }
}

/** Ends a role given here that contradicts the workspace's list, but not while the participant is invited or on stage. */
const checkRole = (
  turn: Turn,
  { userId, stored }: { readonly userId: string; readonly stored: EventRole | null },
): { readonly participantId: string; readonly isForgotten: boolean } => {
  const given = turn.get("role", userId)?.role
  const isForgotten = given !== undefined && given !== stored && placeNow(turn, userId) === undefined
  if (isForgotten) forgetRole(turn, userId)
  return { participantId: userId, isForgotten }
}

export const stage = {
  commands: {
    "stage.invite": (turn, { id }) => {
      const person = turn.people.find(id)
      return person === undefined ? noSuch("participant") : invite(turn, person)
    },
    "stage.accept": (turn) => accept(turn, turn.by?.participantId ?? ""),
    "stage.leave": (turn) => {
      const id = turn.by?.participantId ?? ""
      if (place(turn, id) !== undefined) turn.publish("me.stage", `me:${id}`, { stage: null })
      leave(turn, id)
      return { stage: null }
    },
    "role.set": (turn, { id, role }) => setRole(turn, id, role),
    "role.forget": (turn, { userId }) => forgetRole(turn, userId),
    "role.check": checkRole,
  },
  on: {
    "phase.over": (turn) => {
      for (const id of [...turn.all("stage").keys()]) leave(turn, id)
    },
  },
  personalView: (context, participantId) => {
    const found = placeNow(context, participantId)
    return { stage: found === undefined ? null : stageView(found) }
  },
} satisfies Activity
