/** Guards of the chart's transitions: on the event and its command, and on the records of the turn. */
import { endsBeforeItStarts, isKeptTooLate } from "../../model/event.ts"
import { MAX_PHASES_PER_EVENT, type PhaseState } from "../../model/phase.ts"
import { isAgendaCommand } from "../commands.ts"
import { broadcastGuards } from "../domain/activities/broadcast.ts"
import { captureGuards } from "../domain/activities/capture.ts"
import { hostGuards } from "../domain/activities/host-absence.ts"
import { breakoutGuards } from "../domain/activities/rooms/breakout.ts"
import { rotationGuards } from "../domain/activities/rooms/rotation.ts"
import type { Turn } from "../domain/turn.ts"
import { lobbyPolicy } from "../presence/admission-policy.ts"
import type { Happening, Of } from "../state/chart-events.ts"
import { activePhaseOf, findPhase, nextPendingPhase, orderFaults } from "../state/state.ts"

const active = (turn: Turn): PhaseState | undefined => activePhaseOf(turn.state)
const next = (turn: Turn): PhaseState | undefined => nextPendingPhase(turn.state)

const advances = (turn: Turn): boolean => active(turn)?.config.onTimerEnd === "advance"

const isTimerOfPhase = (turn: Turn, { d: { timerId } }: Of<"timer.extend">): boolean => active(turn)?.id === timerId

const AGENDA = {
  isOfAgenda: (_turn: Turn, event: Happening) => "d" in event && isAgendaCommand(event),
  /** The event is a command: commands that reach the root need a live event. */
  isSteering: (_turn: Turn, event: Happening) => "d" in event,
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
  /** The guarded advance names a phase that is not active, or no longer: the caller is late, and nothing changes. */
  isLateAdvance: (turn: Turn, { d }: Of<"phase.next">) => d.phaseId !== undefined && d.phaseId !== active(turn)?.id,
  /** The caller saw another revision of the active phase, or another phase: each phase starts with a new revision. */
  isStaleAdvance: (turn: Turn, { rev }: Of<"phase.next">) => rev !== undefined && rev !== active(turn)?.rev,
  isGuarded: (_turn: Turn, { d }: Of<"phase.next">) => d.phaseId !== undefined,
  hasActivePhase: (turn: Turn) => active(turn) !== undefined,
  hasNextPhase: (turn: Turn) => next(turn) !== undefined,
  /** The phase that begins is the next one until the transition's actions are performed. */
  isNextTimed: (turn: Turn) => next(turn)?.config.durationSeconds !== undefined,
  /** The end of the phase's timer ends the phase, and the event with the last phase. */
  advances: (turn: Turn) => advances(turn) && next(turn) !== undefined,
  endsByTimer: advances,
  isTimerOfPhase,
  isExtendablePhase: (turn: Turn, command: Of<"timer.extend">) =>
    isTimerOfPhase(turn, command) && active(turn)?.timerEndsAt !== null && active(turn)?.config.extendable !== false,
  isTimerOfPoll: (turn: Turn, { d: { timerId } }: Of<"timer.extend">) => turn.get("poll", timerId) !== undefined,
}

const policy = (turn: Turn) => lobbyPolicy(turn.state, turn.records)

const DOOR = {
  isDoorOpen: (turn: Turn) => policy(turn) === "open",
  isDoorAsking: (turn: Turn) => policy(turn) === "ask",
  isDoorShut: (turn: Turn) => policy(turn) === "closed",
}

const ALL = {
  ...AGENDA,
  ...DOOR,
  ...broadcastGuards,
  ...breakoutGuards,
  ...rotationGuards,
  ...captureGuards,
  ...hostGuards,
}

export type GuardName = keyof typeof ALL

/** An event as the chart receives it. `turn`: the records and people that guards read. */
export type ChartEvent = Happening & { readonly turn: Turn }

type Asked = { readonly event: ChartEvent }

/** The guards in the form that XState calls. The chart passes a guard only events of its type, which the compiler cannot see. */
export const GUARDS = Object.fromEntries(
  Object.entries(ALL).map(([name, guard]) => [
    name,
    ({ event }: Asked) => (guard as (turn: Turn, event: ChartEvent) => boolean)(event.turn, event),
  ]),
) as Record<GuardName, (asked: Asked) => boolean>
