/**
 * The agenda: when its commands apply to the event and its phases, and their effects. The exported functions are the actions of the chart,
 * by name; `agenda-refusals.ts` has those that refuse. The chart decides which actions apply; none of them checks permission, and none writes the event's
 * status, which is the chart's value.
 */
import { isDeepStrictEqual } from "node:util"
import { endsBeforeItStarts, isKeptTooLate } from "../../model/event.ts"
import { MAX_PHASES_PER_EVENT, type PhaseState } from "../../model/phase.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import type { ReplyData } from "../../protocol/contract.ts"
import { isAgendaCommand, type Refused } from "../commands.ts"
import type { Happening, Of } from "../state/chart-events.ts"
import {
  activePhaseOf,
  findPhase,
  gatewayPhase,
  type LiveState,
  nextPendingPhase,
  orderFaults,
  PENDING,
  timerOf,
} from "../state/state.ts"
import { extendTimer } from "./timers.ts"
import type { Turn } from "./turn.ts"

const advances = (turn: Turn): boolean => activePhaseOf(turn.state)?.config.onTimerEnd === "advance"

const isTimerOfPhase = (turn: Turn, { d: { timerId } }: Of<"timer.extend">): boolean =>
  activePhaseOf(turn.state)?.id === timerId

/** Guards of the agenda's transitions. */
export const agendaGuards = {
  isOfAgenda: (_turn: Turn, event: Happening) => "d" in event && isAgendaCommand(event),
  /** The event is a command: commands that reach the root need a live event. */
  isSteering: (_turn: Turn, event: Happening) => "d" in event,
  isCancelled: (turn: Turn) => turn.state.event.cancelledAt !== null,
  isEmptyPatch: (_turn: Turn, { d }: Of<"event.patch">) => Object.keys(d).length === 0,
  canPatch: (turn: Turn, { d }: Of<"event.patch">) =>
    !endsBeforeItStarts({ ...turn.state.event, ...d }) && !isKeptTooLate(turn.state.event, d),
  canAppend: (turn: Turn) => turn.state.phases.length < MAX_PHASES_PER_EVENT,
  isPresentOrder: (turn: Turn, { d }: Of<"phases.order">) =>
    turn.state.phases.map(({ id }) => id).join() === d.phaseIds.join(),
  canOrder: (turn: Turn, { d }: Of<"phases.order">) => {
    const { missing, unknown, repeated } = orderFaults(turn.state.phases, d.phaseIds)
    return missing.length + unknown.length + repeated.length === 0
  },
  hasPhase: (turn: Turn, { d }: Of<"phase.remove">) => findPhase(turn.state, d.phaseId) !== undefined,
  canUpdatePhase: (turn: Turn, { d, rev }: Of<"phase.update">) => {
    const phase = findPhase(turn.state, d.phaseId)
    if (phase === undefined || (rev !== undefined && rev !== phase.rev)) return false
    return phase.status === "pending" || phase.status === "active"
  },
  /** The advance names a phase other than the active one: the caller is late, and nothing changes. */
  isLateAdvance: (turn: Turn, { d }: Of<"phase.next">) =>
    d.phaseId !== undefined && d.phaseId !== activePhaseOf(turn.state)?.id,
  /** The caller saw another revision of the active phase, or another phase: each phase starts with a new revision. */
  isStaleAdvance: (turn: Turn, { rev }: Of<"phase.next">) =>
    rev !== undefined && rev !== activePhaseOf(turn.state)?.rev,
  isGuarded: (_turn: Turn, { d }: Of<"phase.next">) => d.phaseId !== undefined,
  hasActivePhase: (turn: Turn) => activePhaseOf(turn.state) !== undefined,
  hasNextPhase: (turn: Turn) => nextPendingPhase(turn.state) !== undefined,
  /** Guards run before the actions, so that the phase that is about to begin is still the next one. */
  isNextTimed: (turn: Turn) => nextPendingPhase(turn.state)?.config.durationSeconds !== undefined,
  /** The end of the phase's timer begins the next phase. After the last phase it ends the event (`endsByTimer`). */
  advances: (turn: Turn) => advances(turn) && nextPendingPhase(turn.state) !== undefined,
  endsByTimer: advances,
  isTimerOfPhase,
  isExtendablePhase: (turn: Turn, command: Of<"timer.extend">) =>
    isTimerOfPhase(turn, command) &&
    activePhaseOf(turn.state)?.timerEndsAt !== null &&
    activePhaseOf(turn.state)?.config.extendable !== false,
  isTimerOfPoll: (turn: Turn, { d: { timerId } }: Of<"timer.extend">) => turn.get("poll", timerId) !== undefined,
}

const putPhases = (turn: Turn, phases: ReadonlyArray<PhaseState>): void => {
  turn.state = { ...turn.state, phases }
}

const putPhase = (turn: Turn, phase: PhaseState): void =>
  putPhases(
    turn,
    turn.state.phases.map((other) => (other.id === phase.id ? phase : other)),
  )

/** Changes a phase under a new revision. */
const changePhase = (turn: Turn, phase: PhaseState, change: Partial<PhaseState>): PhaseState => {
  const changed: PhaseState = { ...phase, ...change, rev: phase.rev + 1 }
  putPhase(turn, changed)
  return changed
}

const touch = (turn: Turn, change: Partial<LiveState["event"]>): void => {
  turn.state = { ...turn.state, event: { ...turn.state.event, ...change, updatedAt: turn.at } }
}

/** A revision higher than that of every phase, so that the active phase's revision also identifies the active phase. */
const newestRev = ({ phases }: LiveState): number => Math.max(...phases.map(({ rev }) => rev)) + 1

const eventView = ({ state }: Turn, status = state.event.status) => {
  const { id, title, visibility, startedAt, endedAt } = state.event
  return { id, title, status, visibility, startedAt, endedAt }
}

/** The reply of commands that change the event, read when the turn is over. */
export const answerEvent = (turn: Turn) => (): ReplyData<"event.end"> => {
  const { id, status } = turn.state.event
  return { event: { id, status } }
}

const phaseReply = (turn: Turn, id: string): ReplyData<"phase.update"> => {
  const phase = findPhase(turn.state, id)
  return { phase: phase === undefined ? null : gatewayPhase(phase) }
}

export const answerNext = (turn: Turn) => (): ReplyData<"phase.next"> => {
  const phase = activePhaseOf(turn.state)
  return { ...answerEvent(turn)(), phase: phase === undefined ? null : gatewayPhase(phase) }
}

export const publish = (turn: Turn) => {
  touch(turn, { publishedAt: turn.at })
  const { title, scheduledAt } = turn.state.event
  turn.publish("event.updated", "event", { event: eventView(turn) })
  turn.emitOccurrence("event.published", { title, scheduledAt })
  turn.raise({ type: "event.changed" })
  return answerEvent(turn)
}

/** Fields shared by the two webhook events of phases. */
const phaseFacts = ({ id, position, modality, startedAt }: PhaseState) => ({
  phaseId: id,
  position,
  modality,
  startedAt,
})

const endPhase = (turn: Turn, reason: "advance" | "end"): void => {
  const phase = activePhaseOf(turn.state)
  if (phase === undefined) return
  const timerRev = phase.timerEndsAt === null ? phase.timerRev : phase.timerRev + 1
  const ended = changePhase(turn, phase, { status: "ended", endedAt: turn.at, timerRev })
  const view = gatewayPhase(ended)
  turn.publish("phase.ended", "event", { phaseId: phase.id, reason, phase: view })
  turn.emitOccurrence("phase.ended", { ...phaseFacts(ended), endedAt: turn.at, reason })
  const timer = timerOf(ended)
  if (timer?.state === "cancelled") turn.publish("timer.updated", "event", { timer, phase: view })
  turn.raise({ type: "phase.over", phase })
}

const startPhase = (turn: Turn): void => {
  const phase = nextPendingPhase(turn.state)
  if (phase === undefined) return
  const { durationSeconds } = phase.config
  const started: PhaseState = {
    ...phase,
    status: "active",
    startedAt: turn.at,
    timerEndsAt: durationSeconds === undefined ? null : toTimestamp(turn.now + durationSeconds * 1000),
    timerRev: durationSeconds === undefined ? 0 : 1,
    rev: newestRev(turn.state),
  }
  putPhase(turn, started)
  const timer = timerOf(started)
  const { timerEndsAt } = started
  turn.publish("phase.started", "event", { phase: gatewayPhase(started), timers: timer === null ? [] : [timer] })
  turn.emitOccurrence("phase.started", { ...phaseFacts(started), timerEndsAt })
  turn.raise({ type: "phase.began", phase: started })
}

export const start = (turn: Turn) => {
  touch(turn, { startedAt: turn.at })
  const phaseId = nextPendingPhase(turn.state)?.id ?? null
  turn.publish("event.started", "event", { event: eventView(turn) })
  turn.emitOccurrence("event.started", { startedAt: turn.at, phaseId })
  startPhase(turn)
  turn.raise({ type: "event.changed" })
  return answerEvent(turn)
}

/** Ends the active phase, if any, and starts the next one: one step of the agenda. */
export const advance = (turn: Turn) => {
  endPhase(turn, "advance")
  startPhase(turn)
  return answerNext(turn)
}

/** Ends the agenda: the active phase ends, pending phases are skipped, connections are closed. The event ends next. */
const end = (turn: Turn, reason: "advance" | "end" | "delete"): void => {
  endPhase(turn, reason === "advance" ? "advance" : "end")
  const skip = (phase: PhaseState): PhaseState =>
    phase.status === "pending" ? { ...phase, status: "skipped", rev: phase.rev + 1 } : phase
  putPhases(turn, turn.state.phases.map(skip))
  touch(turn, { endedAt: turn.at })
  const phases = turn.state.phases.filter(({ status }) => status === "skipped").map(gatewayPhase)
  turn.publish("event.ended", "event", { event: eventView(turn, "ended"), endedAt: turn.at, reason, phases })
  turn.emitOccurrence("event.ended", { endedAt: turn.at, reason })
  turn.eject({ who: "everyone", reason: "ended" })
  turn.raise({ type: "event.over" })
}

export const endByHost = (turn: Turn) => {
  end(turn, "end")
  return answerEvent(turn)
}

export const endByAdvance = (turn: Turn) => {
  end(turn, "advance")
  return answerNext(turn)
}

/** Ends a live event before its deletion, so that its last dispatches are sent. */
export const endForDeletion = (turn: Turn) => {
  end(turn, "delete")
  turn.raise({ type: "event.gone" })
  return answerEvent(turn)
}

export const remove = (turn: Turn) => {
  turn.eject({ who: "everyone", reason: "ended" })
  return answerEvent(turn)
}

const plannedOf = ({ title, scheduledAt, scheduledEndAt }: LiveState["event"]) => ({
  title,
  scheduledAt,
  scheduledEndAt,
})

export const patchEvent = (turn: Turn, { d: patch }: Of<"event.patch">) => {
  const { event } = turn.state
  const previous = plannedOf(event)
  touch(turn, patch)
  const planned = plannedOf(turn.state.event)
  if (event.status === "scheduled" && !isDeepStrictEqual(planned, previous)) {
    turn.emitOccurrence("event.rescheduled", { ...planned, previous })
  }
  turn.publish("event.updated", "event", { event: eventView(turn) })
  turn.raise({ type: "event.changed" })
  return answerEvent(turn)
}

export const cancel = (turn: Turn, { d }: Of<"event.cancel">) => {
  const reason = d.reason ?? null
  touch(turn, { cancelledAt: turn.at, cancelReason: reason })
  const { title, scheduledAt } = turn.state.event
  turn.publish("event.updated", "event", { event: eventView(turn) })
  turn.emitOccurrence("event.cancelled", { title, scheduledAt, cancelledAt: turn.at, cancelReason: reason })
  return answerEvent(turn)
}

export const reinstate = (turn: Turn) => {
  touch(turn, { cancelledAt: null, cancelReason: null })
  const { title, scheduledAt } = turn.state.event
  turn.publish("event.updated", "event", { event: eventView(turn) })
  turn.emitOccurrence("event.reinstated", { title, scheduledAt })
  return answerEvent(turn)
}

export const appendPhase = (turn: Turn, { d: { phaseId, modality, config, featureSet } }: Of<"phase.append">) => {
  const { event, phases } = turn.state
  const phase: PhaseState = {
    id: phaseId,
    eventId: event.id,
    position: phases.reduce((last, { position }) => Math.max(last, position), -1) + 1,
    modality,
    config,
    featureSet,
    ...PENDING,
  }
  putPhases(turn, [...phases, phase])
  turn.publish("phase.appended", "event", { phase: gatewayPhase(phase) })
  return phaseReply(turn, phaseId)
}

/** Sets the position of each phase. A phase that moves gets a new revision, because clients would otherwise keep the old position. */
const placed = (phases: ReadonlyArray<PhaseState>): ReadonlyArray<PhaseState> =>
  phases.map((phase, position) => (phase.position === position ? phase : { ...phase, position, rev: phase.rev + 1 }))

const rearrange = (turn: Turn, phases: ReadonlyArray<PhaseState>) => {
  putPhases(turn, placed(phases))
  turn.publish("agenda.updated", "event", { phases: turn.state.phases.map(gatewayPhase) })
  return answerEvent(turn)
}

/** Reorders the phases. The ids are those of all phases. */
export const orderPhases = (turn: Turn, { d: { phaseIds } }: Of<"phases.order">) =>
  rearrange(
    turn,
    turn.state.phases.toSorted((a, b) => phaseIds.indexOf(a.id) - phaseIds.indexOf(b.id)),
  )

export const removePhase = (turn: Turn, { d: { phaseId } }: Of<"phase.remove">) =>
  rearrange(
    turn,
    turn.state.phases.filter(({ id }) => id !== phaseId),
  )

/** Updates a phase. `config` and `featureSet` are replaced as a whole; a running timer keeps its deadline (`timer.extend` changes it). */
export const updatePhase = (turn: Turn, { d }: Of<"phase.update">) => {
  const was = findPhase(turn.state, d.phaseId)
  if (was === undefined) return phaseReply(turn, d.phaseId)
  const { config = was.config, featureSet = was.featureSet } = d
  const phase = changePhase(turn, was, { config, featureSet })
  turn.publish("phase.updated", "event", { phase: gatewayPhase(phase) })
  if (phase.status === "active") turn.raise({ type: "phase.changed", phase })
  return phaseReply(turn, d.phaseId)
}

/** Extends the phase timer. An elapsed timer runs again from its extended deadline, or from now if that has passed too. */
export const extendPhase = (
  turn: Turn,
  command: Of<"timer.extend">,
): ReplyData<"timer.extend"> | Refused | undefined => {
  const was = activePhaseOf(turn.state)
  const timer = was === undefined ? null : timerOf(was)
  if (was === undefined || timer === null) return undefined
  const usedMs = ((was.config.durationSeconds ?? 0) + was.extendedSeconds) * 1000
  return extendTimer(turn, command, {
    timer,
    usedMs,
    longest: "A phase lasts at most 24 hours, extensions included.",
    write: ({ endsAt }) => {
      const extendedSeconds = was.extendedSeconds + command.d.seconds
      const { timerRev } = was
      const change = { timerEndsAt: endsAt, extendedSeconds, timerElapsed: false, timerRev: timerRev + 1 }
      const phase = changePhase(turn, was, change)
      const extended = timerOf(phase) ?? timer
      turn.publish("timer.updated", "event", { timer: extended, phase: gatewayPhase(phase) })
      turn.raise({ type: "phase.changed", phase })
      return extended
    },
  })
}

/** Called when the timer of the active phase has elapsed. */
export const elapsePhase = (turn: Turn): void => {
  const was = activePhaseOf(turn.state)
  if (was === undefined) return
  const phase = changePhase(turn, was, { timerElapsed: true, timerRev: was.timerRev + 1 })
  const timer = timerOf(phase)
  if (timer === null) return
  turn.publish("timer.elapsed", "event", { timerId: phase.id, timer, phase: gatewayPhase(phase) })
}

/** Lets the phase continue after its timer has elapsed. */
export const outlastTimer = (turn: Turn): void => turn.raise({ type: "phase.timeUp" })
