/**
 * The live event as a statechart (specification §3). It is pure and runs only through XState's `transition`, with ids and times
 * in the command. A command that no state handles does not compile. Each command finds one transition: its guards are asked once, in their order, and the last ones refuse. Timers are
 * deadlines in the context that return as `timer.elapse` commands, because XState does not restore `after` timers.
 */
import { assign, setup } from "xstate"
import { endsBeforeItStarts } from "../../model/event.ts"
import { MAX_PHASES_PER_EVENT } from "../../model/phase.ts"
import type { ExpectNone } from "../../protocol/expect-none.ts"
import type { AgendaCommandType } from "../commands.ts"
import {
  advancedMeanwhile,
  endsTooEarly,
  isNotTheAgenda,
  noPhaseLeft,
  noSuchPhase,
  phaseIsFixed,
  type Refuse,
  timerIsFixed,
  tooManyPhases,
  wrongState,
} from "./refusals.ts"
import { activePhaseOf, findPhase, type LiveState, NO_EFFECTS, nextPendingPhase } from "./state.ts"
import type { MachineEvent } from "./transitions.ts"
import * as steps from "./transitions.ts"

type Guarded = { readonly context: LiveState; readonly event: MachineEvent }

/** The guard of an advance names a phase that is not active (any more): the caller is late, and nothing changes. */
const isLateAdvance = ({ context, event }: Guarded): boolean =>
  event.type === "phase.next" && event.d.phaseId !== undefined && event.d.phaseId !== activePhaseOf(context)?.id

/** The caller saw another revision of the active phase, or another phase: each phase starts with a new revision. */
const isStaleAdvance = ({ context, event }: Guarded): boolean =>
  event.type === "phase.next" && event.rev !== undefined && event.rev !== activePhaseOf(context)?.rev

const hasNextPhase = ({ context }: Guarded): boolean => nextPendingPhase(context) !== undefined

const isLastPhase = (guarded: Guarded): boolean =>
  activePhaseOf(guarded.context) !== undefined && !hasNextPhase(guarded)

const canPatch = ({ context, event }: Guarded): boolean =>
  event.type === "event.patch" && !endsBeforeItStarts({ ...context.event, ...event.d })

const canAppend = ({ context }: Guarded): boolean => context.phases.length < MAX_PHASES_PER_EVENT

const isPresentOrder = ({ context, event }: Guarded): boolean =>
  event.type === "phases.order" && context.phases.map(({ id }) => id).join() === event.d.phaseIds.join()

const canOrder = ({ context, event }: Guarded): boolean => {
  if (event.type !== "phases.order") return false
  const { missing, unknown, repeated } = steps.orderFaults(context.phases, event.d.phaseIds)
  return missing.length + unknown.length + repeated.length === 0
}

const hasPhase = ({ context, event }: Guarded): boolean =>
  event.type === "phase.remove" && findPhase(context, event.d.phaseId) !== undefined

const canUpdatePhase = ({ context, event }: Guarded): boolean => {
  if (event.type !== "phase.update") return false
  const phase = findPhase(context, event.d.phaseId)
  if (phase === undefined || (event.rev !== undefined && event.rev !== phase.rev)) return false
  return phase.status === "pending" || phase.status === "active"
}

const canExtend = ({ context, event }: Guarded): boolean => {
  if (event.type !== "timer.extend") return false
  const phase = findPhase(context, event.d.timerId)
  if (phase?.status !== "active" || phase.timerEndsAt === null || phase.config.extendable === false) return false
  if (event.rev !== undefined && event.rev !== phase.timerRev) return false
  return !steps.extendsTooFar(phase, event.d.seconds)
}

/** The deadline that the timer saw is still the phase's and has not been handled. */
const isTimerCurrent = ({ context, event }: Guarded): boolean => {
  if (event.type !== "timer.elapse") return false
  const phase = findPhase(context, event.d.phaseId)
  return phase?.status === "active" && phase.timerEndsAt === event.d.endsAt && !phase.timerElapsed
}

const advancesByTimer = (guarded: Guarded): boolean =>
  isTimerCurrent(guarded) && activePhaseOf(guarded.context)?.config.onTimerEnd === "advance"

/** An action from a function that takes exactly this kind of command. */
const apply = <T extends MachineEvent["type"]>(
  type: T,
  step: (state: LiveState, event: Extract<MachineEvent, { readonly type: T }>) => LiveState,
) =>
  assign<LiveState, MachineEvent, undefined, MachineEvent, never>(({ context, event }) =>
    event.type === type ? step(context, event as Extract<MachineEvent, { readonly type: T }>) : context,
  )

const endBecauseOf = (reason: steps.EndReason) =>
  assign<LiveState, MachineEvent, undefined, MachineEvent, never>(({ context, event }) =>
    steps.end(context, event.now, reason),
  )

/** The transition of a command that is refused: the state stays as it is. */
const refuse = <T extends MachineEvent["type"]>(type: T, because: Refuse<T>) => ({
  actions: apply(type, (state, event) => ({ ...state, effects: { ...NO_EFFECTS, refused: because(state, event) } })),
})

const refuseInThisState = {
  actions: assign<LiveState, MachineEvent, undefined, MachineEvent, never>(({ context, event }) => ({
    ...context,
    effects: { ...NO_EFFECTS, refused: wrongState(context, event) },
  })),
}

/** The changes of an agenda that has not begun. */
const ARRANGING = {
  "phases.order": [
    { guard: "isPresentOrder", actions: "answerCurrentState" },
    { guard: "canOrder", actions: "orderPhases" },
    refuse("phases.order", isNotTheAgenda),
  ],
  "phase.remove": [{ guard: "hasPhase", actions: "removePhase" }, refuse("phase.remove", noSuchPhase)],
} as const

const CHART = {
  id: "liveEvent",
  initial: "draft",
  context: ({ input }: { readonly input: LiveState }) => input,
  on: {
    "event.patch": [
      { guard: "isEmptyPatch", actions: "answerCurrentState" },
      { guard: "canPatch", actions: "patchEvent" },
      refuse("event.patch", endsTooEarly),
    ],
    "phase.update": [{ guard: "canUpdatePhase", actions: "updatePhase" }, refuse("phase.update", phaseIsFixed)],
    "event.delete": { target: ".deleted", actions: "remove" },
    "*": refuseInThisState,
  },
  states: {
    draft: {
      on: {
        ...ARRANGING,
        "event.publish": { target: "scheduled", actions: "publish" },
        "phase.append": [{ guard: "canAppend", actions: "appendPhase" }, refuse("phase.append", tooManyPhases)],
      },
    },
    scheduled: {
      on: {
        ...ARRANGING,
        "event.start": { target: "live", actions: "start" },
        "phase.append": [{ guard: "canAppend", actions: "appendPhase" }, refuse("phase.append", tooManyPhases)],
      },
    },
    live: {
      on: {
        "phase.next": [
          { guard: "isStaleAdvance", ...refuse("phase.next", advancedMeanwhile) },
          { guard: "isLateAdvance", actions: "answerCurrentState" },
          { guard: "hasNextPhase", actions: "advance" },
          { guard: "isLastPhase", target: "ended", actions: "endByAdvance" },
          refuse("phase.next", noPhaseLeft),
        ],
        "event.end": { target: "ended", actions: "endByHost" },
        "timer.extend": [{ guard: "canExtend", actions: "extendTimer" }, refuse("timer.extend", timerIsFixed)],
        "timer.elapse": [
          { guard: "advancesByTimerToEnd", target: "ended", actions: ["elapseTimer", "endByAdvance"] },
          { guard: "advancesByTimer", actions: ["elapseTimer", "advance"] },
          { guard: "isTimerCurrent", actions: "elapseTimer" },
        ],
        "phase.append": [{ guard: "canAppend", actions: "appendPhase" }, refuse("phase.append", tooManyPhases)],
      },
    },
    ended: {
      on: {
        // A retry of the last guarded advance gets the state that the first one made.
        "phase.next": [
          { guard: "isStaleAdvance", ...refuseInThisState },
          { guard: "isGuarded", actions: "answerCurrentState" },
        ],
      },
    },
    deleted: {},
  },
} as const

type On<State> = State extends { readonly on: infer Transitions } ? keyof Transitions : never
type States = (typeof CHART)["states"]
type Unhandled = Exclude<
  AgendaCommandType,
  On<typeof CHART> | { readonly [S in keyof States]: On<States[S]> }[keyof States]
>

export const liveEventMachine = setup({
  types: { context: {} as LiveState, events: {} as MachineEvent, input: {} as LiveState },
  guards: {
    isEmptyPatch: ({ event }) => event.type === "event.patch" && Object.keys(event.d).length === 0,
    isStaleAdvance,
    isLateAdvance,
    hasNextPhase,
    isLastPhase,
    canPatch,
    canAppend,
    isPresentOrder,
    canOrder,
    hasPhase,
    canUpdatePhase,
    canExtend,
    isTimerCurrent,
    advancesByTimer,
    advancesByTimerToEnd: (guarded) => advancesByTimer(guarded) && isLastPhase(guarded),
    isGuarded: ({ event }) => event.type === "phase.next" && event.d.phaseId !== undefined,
  },
  actions: {
    answerCurrentState: () => {},
    publish: apply("event.publish", steps.publish),
    start: apply("event.start", steps.start),
    advance: assign(({ context, event }) => steps.advance(context, event)),
    elapseTimer: apply("timer.elapse", steps.elapseTimer),
    extendTimer: apply("timer.extend", steps.extendTimer),
    endByAdvance: endBecauseOf("advance"),
    endByHost: endBecauseOf("end"),
    patchEvent: apply("event.patch", steps.patchEvent),
    appendPhase: apply("phase.append", steps.appendPhase),
    orderPhases: apply("phases.order", steps.orderPhases),
    removePhase: apply("phase.remove", steps.removePhase),
    updatePhase: apply("phase.update", steps.updatePhase),
    remove: apply("event.delete", steps.remove),
  },
}).createMachine(CHART satisfies ExpectNone<"agenda command without a transition", Unhandled>)
