/** State of a live event: its chart, its agenda, and the effects that gateways see. */
import type { Event, EventStatus, EventWithPhases } from "../../model/event.ts"
import type { Occurrence } from "../../model/integrations/occurrences.ts"
import type { Feature, Phase, PhaseState } from "../../model/phase.ts"
import type { EventRole } from "../../model/roles.ts"
import type { PhaseView, TimerView } from "../../protocol/messages/agenda.ts"
import { NO_TRAITS, type PhaseTraits } from "../../protocol/rule.ts"
import { type ChartSnapshot, lifeOf } from "./chart-snapshot.ts"

/** An occurrence that has no id yet. */
export type NewOccurrence = Pick<Occurrence, "type" | "extra">

/** Actions of gateways on sockets after the commit. */
export type Ejection =
  | { readonly who: "everyone"; readonly reason: "ended" }
  | { readonly who: "participant"; readonly participantId: string; readonly reason: "removed" }

/** Changes of a participant's role, room or admission; only changed fields are present. */
export interface ParticipantChange {
  readonly participantId: string
  /** The stored role; null: a role given here ended, and the user's stored role applies. */
  readonly role?: EventRole | null
  /** Reason for the change of role. */
  readonly because?: "role" | "stage"
  /** The participant's room; null: the main room. */
  readonly roomId?: string | null
  /** `waiting`: in the waiting room, under every policy. */
  readonly admission?: "admitted" | "waiting" | "denied"
  /** True: the participant may not return; false: they may again. */
  readonly barred?: boolean
  /** A host's block or mute, or a hold in the waiting room: it applies to everybody with the participant's email address. */
  readonly isDecision?: true
  /** Whether the participant may receive the tally of this poll. */
  readonly pollSubscription?: { readonly id: string; readonly on: boolean }
}

export interface LiveState {
  /** State of everything that hosts control. The event's status is read from it. */
  readonly chart: ChartSnapshot
  readonly event: Event
  readonly phases: ReadonlyArray<PhaseState>
  /** Participants removed for good. */
  readonly removed: ReadonlyArray<string>
}

export const isDeleted = ({ chart }: Pick<LiveState, "chart">): boolean => lifeOf(chart) === "deleted"

/** The state of a phase that has not begun. */
export const PENDING = {
  status: "pending",
  startedAt: null,
  endedAt: null,
  timerEndsAt: null,
  extendedSeconds: 0,
  rev: 1,
  timerRev: 0,
  timerElapsed: false,
} as const satisfies Partial<PhaseState>

export const activePhaseOf = (state: Pick<LiveState, "phases">): PhaseState | undefined =>
  state.phases.find((phase) => phase.status === "active")

export const nextPendingPhase = (state: LiveState): PhaseState | undefined =>
  state.phases.find((phase) => phase.status === "pending")

export const findPhase = (state: LiveState, id: string): PhaseState | undefined =>
  state.phases.find((phase) => phase.id === id)

/** The missing, repeated and unknown ids of a list of phases, in any order. */
export const orderFaults = (phases: ReadonlyArray<PhaseState>, ids: ReadonlyArray<string>) => {
  const known = new Set(phases.map(({ id }) => id))
  const named = new Set(ids)
  return {
    missing: [...known].filter((id) => !named.has(id)),
    unknown: [...named].filter((id) => !known.has(id)),
    repeated: [...named].filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id)),
  }
}

/** The active phase as gateways know it. */
export interface ActivePhase extends PhaseTraits {
  /** Null when no phase is active. */
  readonly id: string | null
}

export const NO_PHASE: ActivePhase = { ...NO_TRAITS, id: null }

const isOpenBefore = (status: EventStatus, feature: Feature): boolean =>
  status === "scheduled" || (status === "draft" && feature === "polls")

/**
 * The facts about the active phase on which permissions depend. A scheduled event has the features of all its phases, so that questions can
 * be asked and polls prepared; in a draft, polls can be prepared.
 */
export const phaseTraits = ({ event, phases }: Pick<LiveState, "event" | "phases">): ActivePhase => {
  const active = phases.find(({ status }) => status === "active")
  const coming = active === undefined ? phases.flatMap(({ featureSet }) => featureSet) : []
  const features = active?.featureSet ?? coming.filter((feature) => isOpenBefore(event.status, feature))
  return {
    id: active?.id ?? null,
    modality: active?.modality ?? null,
    featureSet: active === undefined ? [...new Set(features)] : features,
    anonymous: { questions: event.allowAnonymousQuestions, voting: event.allowAnonymousVoting },
  }
}

/** The phase in its REST form, without the gateway's revisions. */
const restPhase = ({ rev: _rev, timerRev: _timerRev, timerElapsed: _elapsed, ...phase }: PhaseState): Phase => phase

export const restEvent = (state: LiveState): EventWithPhases => ({
  ...state.event,
  phases: state.phases.map(restPhase),
  activePhaseId: activePhaseOf(state)?.id ?? null,
})

const timerState = (phase: PhaseState): TimerView["state"] => {
  if (phase.timerElapsed) return "elapsed"
  return phase.status === "active" ? "running" : "cancelled"
}

/** The phase's timer in its gateway form. A phase has at most one timer, which has the phase's id. */
export const timerOf = (phase: PhaseState): TimerView | null =>
  phase.timerEndsAt === null || phase.startedAt === null
    ? null
    : {
        id: phase.id,
        scope: "phase",
        ref: phase.id,
        state: timerState(phase),
        startedAt: phase.startedAt,
        endsAt: phase.timerEndsAt,
        extendedMs: phase.extendedSeconds * 1000,
        rev: phase.timerRev,
      }

/** The phase in its gateway form. */
export const gatewayPhase = (phase: PhaseState): PhaseView => ({
  ...restPhase(phase),
  rev: phase.rev,
})
