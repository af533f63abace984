/**
 * The state changes of a live event, as pure functions from state and command to the next state with its effects. The machine
 * decides which of them applies; no function here checks permission.
 */

import { MAX_PHASE_SECONDS, type PhaseState } from "../../model/phase.ts"
import { type Timestamp, toMillis, toTimestamp } from "../../model/timestamp.ts"
import { type DispatchData, dispatchOf, type OrderedDispatchName, type StreamFor } from "../../protocol/contract.ts"
import type { AgendaCommand, AgendaCommandType } from "../commands.ts"
import {
  activePhaseOf,
  type Effects,
  findPhase,
  gatewayPhase,
  type LiveState,
  nextPendingPhase,
  timerOf,
} from "./state.ts"

/** The machine's input: a command and the time it was received. */
export type MachineEvent = AgendaCommand & { readonly now: Timestamp }
type Of<T extends AgendaCommandType> = Extract<MachineEvent, { readonly type: T }>
export type EndReason = "advance" | "end" | "delete"

const withEffects = (state: LiveState, effects: Partial<Effects>): LiveState => ({
  ...state,
  effects: {
    dispatches: [...state.effects.dispatches, ...(effects.dispatches ?? [])],
    webhookEvents: [...state.effects.webhookEvents, ...(effects.webhookEvents ?? [])],
    ejections: [...state.effects.ejections, ...(effects.ejections ?? [])],
  },
})

const publishing = <T extends OrderedDispatchName>(
  t: T,
  stream: StreamFor<T>,
  d: DispatchData<T>,
): Partial<Effects> => ({ dispatches: [dispatchOf(t, stream, d)] })

const withPhase = (state: LiveState, phase: PhaseState): LiveState => ({
  ...state,
  phases: state.phases.map((other) => (other.id === phase.id ? phase : other)),
})

/** Returns the state with one phase changed, under a new revision if it differs, and the phase in the gateway's form. */
const replacePhase = (state: LiveState, phase: PhaseState) => {
  const changed: PhaseState = { ...phase, rev: phase.rev + 1 }
  return { next: withPhase(state, changed), view: gatewayPhase(changed) }
}

/** Higher than the revision of every phase, so that the revision of the active phase also identifies the active phase. */
const newestRev = ({ phases }: LiveState): number => Math.max(...phases.map(({ rev }) => rev)) + 1

const touchEvent = (state: LiveState, now: Timestamp, change: Partial<LiveState["event"]>): LiveState => ({
  ...state,
  event: { ...state.event, ...change, updatedAt: now },
})

const eventView = (state: LiveState) => {
  const { id, title, status, visibility, startedAt, endedAt } = state.event
  return { id, title, status, visibility, startedAt, endedAt }
}

export const publish = (state: LiveState, { now }: { readonly now: Timestamp }): LiveState => {
  const published = touchEvent(state, now, { status: "scheduled", publishedAt: now })
  const { title, scheduledAt } = published.event
  return withEffects(published, {
    ...publishing("event.updated", "event", { event: eventView(published) }),
    webhookEvents: [{ type: "event.published", extra: { title, scheduledAt } }],
  })
}

/** The fields for webhook receivers that the two types of phases share. */
const phaseNotice = ({ id, position, modality, startedAt }: PhaseState) => ({
  phaseId: id,
  position,
  modality,
  startedAt,
})

/** Ends the active phase, if any. */
const endActivePhase = (state: LiveState, now: Timestamp, reason: "advance" | "end"): LiveState => {
  const phase = activePhaseOf(state)
  if (phase === undefined) return state
  const ended: PhaseState = {
    ...phase,
    status: "ended",
    endedAt: now,
    timerRev: phase.timerEndsAt === null ? phase.timerRev : phase.timerRev + 1,
  }
  const { next, view } = replacePhase(state, ended)
  const announced = withEffects(next, {
    ...publishing("phase.ended", "event", { phaseId: phase.id, reason, phase: view }),
    webhookEvents: [{ type: "phase.ended", extra: { ...phaseNotice(ended), endedAt: now, reason } }],
  })
  const timer = timerOf(ended)
  return timer?.state === "cancelled"
    ? withEffects(announced, publishing("timer.updated", "event", { timer, phase: view }))
    : announced
}

/** Starts the first pending phase, if any, and its timer. */
const startNextPhase = (state: LiveState, now: Timestamp): LiveState => {
  const phase = nextPendingPhase(state)
  if (phase === undefined) return state
  const { durationSeconds } = phase.config
  const started: PhaseState = {
    ...phase,
    status: "active",
    startedAt: now,
    timerEndsAt: durationSeconds === undefined ? null : toTimestamp(toMillis(now) + durationSeconds * 1000),
    timerRev: durationSeconds === undefined ? 0 : 1,
    rev: newestRev(state),
  }
  const next = withPhase(state, started)
  const timer = timerOf(started)
  const { timerEndsAt } = started
  return withEffects(next, {
    ...publishing("phase.started", "event", { phase: gatewayPhase(started), timers: timer === null ? [] : [timer] }),
    webhookEvents: [{ type: "phase.started", extra: { ...phaseNotice(started), timerEndsAt } }],
  })
}

export const start = (state: LiveState, { now }: { readonly now: Timestamp }): LiveState => {
  const live = touchEvent(state, now, { status: "live", startedAt: now })
  const phaseId = nextPendingPhase(live)?.id ?? null
  const announced = withEffects(live, {
    ...publishing("event.started", "event", { event: eventView(live) }),
    webhookEvents: [{ type: "event.started", extra: { startedAt: now, phaseId } }],
  })
  return startNextPhase(announced, now)
}

/** Ends the active phase, if any, and starts the next one: one step of the agenda. */
export const advance = (state: LiveState, { now }: { readonly now: Timestamp }): LiveState =>
  startNextPhase(endActivePhase(state, now, "advance"), now)

/** Ends the event: the active phase ends, pending phases are skipped, connections are closed. */
export const end = (state: LiveState, now: Timestamp, reason: EndReason): LiveState => {
  const quiet = endActivePhase(state, now, reason === "advance" ? "advance" : "end")
  const skipped: LiveState = {
    ...quiet,
    phases: quiet.phases.map((phase) =>
      phase.status === "pending" ? { ...phase, status: "skipped", rev: phase.rev + 1 } : phase,
    ),
  }
  const ended = touchEvent(skipped, now, { status: "ended", endedAt: now })
  const phases = ended.phases.filter(({ status }) => status === "skipped").map(gatewayPhase)
  return withEffects(ended, {
    ...publishing("event.ended", "event", { event: eventView(ended), endedAt: now, reason, phases }),
    webhookEvents: [{ type: "event.ended", extra: { endedAt: now, reason } }],
    ejections: [{ who: "everyone", reason: "ended" }],
  })
}

/** Deletes the event; a live one ends first, so that its last dispatches are sent. */
export const remove = (state: LiveState, { now }: { readonly now: Timestamp }): LiveState => {
  const quiet =
    state.event.status === "live"
      ? end(state, now, "delete")
      : withEffects(state, { ejections: [{ who: "everyone", reason: "ended" }] })
  return { ...quiet, deleted: true }
}

export const patchEvent = (state: LiveState, { d: patch, now }: Of<"event.patch">): LiveState => {
  const patched = touchEvent(state, now, patch)
  return withEffects(patched, publishing("event.updated", "event", { event: eventView(patched) }))
}

export const appendPhase = (state: LiveState, { d: command }: Of<"phase.append">): LiveState => {
  const phase: PhaseState = {
    id: command.phaseId,
    eventId: state.event.id,
    position: state.phases.reduce((last, { position }) => Math.max(last, position), -1) + 1,
    modality: command.modality,
    config: command.config,
    featureSet: command.featureSet,
    status: "pending",
    startedAt: null,
    endedAt: null,
    timerEndsAt: null,
    extendedSeconds: 0,
    rev: 1,
    timerRev: 0,
    timerElapsed: false,
  }
  return withEffects(
    { ...state, phases: [...state.phases, phase] },
    publishing("phase.appended", "event", { phase: gatewayPhase(phase) }),
  )
}

/** The phases, at the places that they have in the list; one that moves has a new revision, or clients would keep the old place. */
const placed = (phases: ReadonlyArray<PhaseState>): ReadonlyArray<PhaseState> =>
  phases.map((phase, position) => (phase.position === position ? phase : { ...phase, position, rev: phase.rev + 1 }))

/** The agenda as it is from now on. */
const rearranged = (state: LiveState, phases: ReadonlyArray<PhaseState>): LiveState => {
  const next = placed(phases)
  return withEffects(
    { ...state, phases: next },
    publishing("agenda.updated", "event", { phases: next.map(gatewayPhase) }),
  )
}

/** The differences between a list and the phases in any order. */
export const orderFaults = (phases: ReadonlyArray<PhaseState>, ids: ReadonlyArray<string>) => {
  const known = new Set(phases.map(({ id }) => id))
  const named = new Set(ids)
  return {
    missing: [...known].filter((id) => !named.has(id)),
    unknown: [...named].filter((id) => !known.has(id)),
    repeated: [...named].filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id)),
  }
}

/** The ids are those of all phases. */
export const orderPhases = (state: LiveState, { d: { phaseIds } }: Of<"phases.order">): LiveState =>
  rearranged(
    state,
    state.phases.toSorted((a, b) => phaseIds.indexOf(a.id) - phaseIds.indexOf(b.id)),
  )

export const removePhase = (state: LiveState, { d: { phaseId } }: Of<"phase.remove">): LiveState =>
  rearranged(
    state,
    state.phases.filter(({ id }) => id !== phaseId),
  )

/** `config` and `featureSet` are replaced as a whole; a running timer keeps its deadline (`timer.extend` changes it). */
export const updatePhase = (state: LiveState, { d: command }: Of<"phase.update">): LiveState => {
  const phase = findPhase(state, command.phaseId)
  if (phase === undefined) return state
  const changed: PhaseState = {
    ...phase,
    config: command.config ?? phase.config,
    featureSet: command.featureSet ?? phase.featureSet,
  }
  const { next, view } = replacePhase(state, changed)
  return withEffects(next, publishing("phase.updated", "event", { phase: view }))
}

/** An elapsed timer runs again from its extended deadline, or from now when that has passed too. */
export const extendTimer = (state: LiveState, { d: { timerId, seconds }, now }: Of<"timer.extend">): LiveState => {
  const phase = findPhase(state, timerId)
  if (phase === undefined || phase.timerEndsAt === null) return state
  const from = phase.timerElapsed ? Math.max(toMillis(phase.timerEndsAt), toMillis(now)) : toMillis(phase.timerEndsAt)
  const extended: PhaseState = {
    ...phase,
    timerEndsAt: toTimestamp(from + seconds * 1000),
    extendedSeconds: phase.extendedSeconds + seconds,
    timerElapsed: false,
    timerRev: phase.timerRev + 1,
  }
  const { next, view } = replacePhase(state, extended)
  const timer = timerOf(extended)
  return timer === null ? next : withEffects(next, publishing("timer.updated", "event", { timer, phase: view }))
}

/** Would the timer, extended by so many seconds, run for more than a day? */
export const extendsTooFar = (phase: PhaseState, seconds: number): boolean =>
  (phase.config.durationSeconds ?? 0) + phase.extendedSeconds + seconds > MAX_PHASE_SECONDS

export const elapseTimer = (state: LiveState, { d: command }: Of<"timer.elapse">): LiveState => {
  const phase = findPhase(state, command.phaseId)
  if (phase === undefined) return state
  const elapsed: PhaseState = { ...phase, timerElapsed: true, timerRev: phase.timerRev + 1 }
  const { next, view } = replacePhase(state, elapsed)
  const timer = timerOf(elapsed)
  return timer === null
    ? next
    : withEffects(next, publishing("timer.elapsed", "event", { timerId: phase.id, timer, phase: view }))
}
