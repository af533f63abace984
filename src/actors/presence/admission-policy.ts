/**
 * Admission of participants. A host's policy overrides the active phase's configuration, the absence of all hosts may override both, and
 * only calls have a waiting room. The live event and the gateways share these functions.
 */

import { ONLY } from "../../model/live/live-records.ts"
import type { LobbyPolicy } from "../../model/live/live-values.ts"
import { isStage } from "../../model/modality.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { PhaseState } from "../../model/phase.ts"
import type { RecordStore } from "../state/record-store.ts"
import { activePhaseOf, type LiveState } from "../state/state.ts"

/** Result of an admission check. */
export type AdmissionResult = "in" | "waits" | "denied"

interface Visitor {
  readonly participantId: string
  readonly kind: ParticipantKind
  readonly walkIn?: boolean | undefined
  readonly manages?: boolean | undefined
}

const removedSets = new WeakMap<LiveState["removed"], ReadonlySet<string>>()

/** Whether the participant was removed for good. Participants who manage the workspace are exempt. */
export const isRemoved = ({ removed }: LiveState, { participantId, manages }: Visitor): boolean => {
  if (manages === true || removed.length === 0) return false
  const known = removedSets.get(removed) ?? new Set(removed)
  removedSets.set(removed, known)
  return known.has(participantId)
}

type Configured = Pick<PhaseState, "modality" | "config">

/** The policy of a phase, including the effect of absent hosts. */
export const policyOf = (phase: Configured | undefined, records: RecordStore): LobbyPolicy =>
  phase !== undefined && !isStage(phase.modality) && records.get("hostAway", ONLY)?.measure === "lobbyClosed"
    ? "closed"
    : policyBeside(phase, records)

/** The policy of a phase while a host is present. */
export const policyBeside = (phase: Configured | undefined, records: RecordStore): LobbyPolicy => {
  if (phase === undefined || isStage(phase.modality)) return "open"
  return records.get("settings", ONLY)?.lobby ?? phase.config.lobby ?? "open"
}

export const lobbyPolicy = (state: LiveState, records: RecordStore): LobbyPolicy =>
  policyOf(activePhaseOf(state), records)

/** Whether the visitor is neither a member of the workspace nor in the event's list. */
export const isWalkIn = ({ kind, walkIn = kind !== "user" }: Visitor): boolean => walkIn

/** `decided`: a host's decision on the participant. */
export const admissionUnder = (
  policy: LobbyPolicy,
  decided: "admitted" | "held" | undefined,
  walkIn: boolean,
): AdmissionResult => {
  if (decided === "held") return "waits"
  if (decided === "admitted" || !walkIn || policy === "open") return "in"
  return policy === "ask" ? "waits" : "denied"
}

/** The admission of visitors. A removed participant is not inside, even before their gateway reports it. */
export const admissions = (state: LiveState, records: RecordStore): ((visitor: Visitor) => AdmissionResult) => {
  const policy = lobbyPolicy(state, records)
  return (visitor) =>
    isRemoved(state, visitor)
      ? "denied"
      : admissionUnder(policy, records.get("admission", visitor.participantId)?.state, isWalkIn(visitor))
}

export const admissionOf = (state: LiveState, records: RecordStore, visitor: Visitor): AdmissionResult =>
  admissions(state, records)(visitor)
