/**
 * What a live event knows, and what one step has to say. `LiveState` is the machine's context: plain data, restored from
 * the event's rows. Effects gather in `effects` during one pure transition and are carried out only after its commit.
 */
import type { Event, EventWithPhases } from "../model/event.ts"
import type { PhaseTraits } from "../model/permissions.ts"
import type { Phase, PhaseState } from "../model/phase.ts"
import type { Timestamp } from "../model/timestamp.ts"
import type { WebhookEventType } from "../model/webhook-events.ts"

/** Streams a dispatch may go to: everyone admitted, or hosts and workspace admins. */
export type Stream = "event" | "staff"

/** An ordered dispatch before it has its place in the stream. */
export interface Dispatch {
  readonly stream: Stream
  readonly t: string
  readonly d: { readonly [field: string]: unknown }
}

/** A webhook occurrence before it has its id. */
export interface Notice {
  readonly type: WebhookEventType
  readonly extra: { readonly [field: string]: unknown }
}

/** What the gateways must do to sockets after the commit. */
export type Ejection =
  | { readonly who: "everyone"; readonly reason: "ended" }
  | { readonly who: "participant"; readonly participantId: string; readonly reason: "removed" }

export interface Effects {
  readonly dispatches: ReadonlyArray<Dispatch>
  readonly notices: ReadonlyArray<Notice>
  readonly ejections: ReadonlyArray<Ejection>
}

export const NO_EFFECTS: Effects = { dispatches: [], notices: [], ejections: [] }

export interface LiveState {
  readonly event: Event
  readonly phases: ReadonlyArray<PhaseState>
  /** Participants removed for good. */
  readonly removed: ReadonlyArray<string>
  readonly deleted: boolean
  readonly effects: Effects
}

export const activePhase = (state: LiveState): PhaseState | undefined =>
  state.phases.find((phase) => phase.status === "active")

export const nextPendingPhase = (state: LiveState): PhaseState | undefined =>
  state.phases.find((phase) => phase.status === "pending")

export const findPhase = (state: LiveState, id: string): PhaseState | undefined =>
  state.phases.find((phase) => phase.id === id)

/** What of the active phase decides who may do what. */
export const phaseTraits = (state: LiveState): PhaseTraits | null => {
  const phase = activePhase(state)
  return phase === undefined ? null : { modality: phase.modality, featureSet: phase.featureSet }
}

/** The phase as REST returns it, without the gateway's revisions. */
export const restPhase = ({ rev: _rev, timerRev: _timerRev, timerElapsed: _elapsed, ...phase }: PhaseState): Phase =>
  phase

export const restEvent = (state: LiveState): EventWithPhases => ({
  ...state.event,
  phases: state.phases.map(restPhase),
  activePhaseId: activePhase(state)?.id ?? null,
})

export interface TimerView {
  readonly id: string
  readonly scope: "phase"
  readonly ref: string
  readonly state: "running" | "elapsed" | "cancelled"
  readonly startedAt: Timestamp
  readonly endsAt: Timestamp
  readonly extendedMs: number
  readonly rev: number
}

const timerState = (phase: PhaseState): TimerView["state"] => {
  if (phase.timerElapsed) return "elapsed"
  return phase.status === "active" ? "running" : "cancelled"
}

/** The phase's timer as the gateway shows it; a phase has at most one, and the timer's id is the phase's. */
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

/** The phase as the gateway shows it. */
export const gatewayPhase = (phase: PhaseState): { readonly [field: string]: unknown } => ({
  ...restPhase(phase),
  rev: phase.rev,
})

export const activeTimers = (state: LiveState): ReadonlyArray<TimerView> => {
  const phase = activePhase(state)
  const timer = phase === undefined ? null : timerOf(phase)
  return timer === null ? [] : [timer]
}
