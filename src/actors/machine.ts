/**
 * The live event as a statechart (specification §3). Pure: it is only ever run through XState's `transition`, with ids and
 * times in the command. A command that enables no transition is refused; `refusal.ts` says why. Timers are deadlines in
 * the context that come back as `timerElapsed` commands, because XState does not restore `after` timers.
 */
import { assign, setup } from "xstate"
import { endsBeforeItStarts } from "../model/event.ts"
import { MAX_PHASES_PER_EVENT } from "../model/phase.ts"
import { activePhase, findPhase, type LiveState, nextPendingPhase } from "./state.ts"
import type { MachineEvent } from "./steps.ts"
import * as steps from "./steps.ts"

type Guarded = { readonly context: LiveState; readonly event: MachineEvent }

/** The guard of an advance names a phase that is not active (any more): the caller is late, nothing moves. */
const isLateAdvance = ({ context, event }: Guarded): boolean =>
  event.type === "advance" && event.phaseId !== null && event.phaseId !== activePhase(context)?.id

/** The caller looked at another revision of the active phase, or at another phase: each starts with a new one. */
const isStaleAdvance = ({ context, event }: Guarded): boolean =>
  event.type === "advance" && event.rev !== undefined && event.rev !== activePhase(context)?.rev

const hasNextPhase = ({ context }: Guarded): boolean => nextPendingPhase(context) !== undefined

const isLastPhase = (guarded: Guarded): boolean => activePhase(guarded.context) !== undefined && !hasNextPhase(guarded)

const canPatch = ({ context, event }: Guarded): boolean =>
  event.type === "patchEvent" && !endsBeforeItStarts({ ...context.event, ...event.patch })

const canAppend = ({ context }: Guarded): boolean => context.phases.length < MAX_PHASES_PER_EVENT

const canUpdatePhase = ({ context, event }: Guarded): boolean => {
  if (event.type !== "updatePhase") return false
  const phase = findPhase(context, event.phaseId)
  if (phase === undefined || (event.rev !== undefined && event.rev !== phase.rev)) return false
  return phase.status === "pending" || phase.status === "active"
}

const canExtend = ({ context, event }: Guarded): boolean => {
  if (event.type !== "extendTimer") return false
  const phase = findPhase(context, event.phaseId)
  if (phase?.status !== "active" || phase.timerEndsAt === null || phase.config.extendable === false) return false
  if (event.rev !== undefined && event.rev !== phase.timerRev) return false
  return !steps.extendsTooFar(phase, event.seconds)
}

/** The deadline the driver saw is still the phase's, and has not been dealt with. */
const isTimerCurrent = ({ context, event }: Guarded): boolean => {
  if (event.type !== "timerElapsed") return false
  const phase = findPhase(context, event.phaseId)
  return phase?.status === "active" && phase.timerEndsAt === event.endsAt && !phase.timerElapsed
}

const advancesByTimer = (guarded: Guarded): boolean =>
  isTimerCurrent(guarded) && activePhase(guarded.context)?.config.onTimerEnd === "advance"

/** An action from a step that takes exactly this kind of command. */
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

export const liveEventMachine = setup({
  types: { context: {} as LiveState, events: {} as MachineEvent, input: {} as LiveState },
  guards: {
    isEmptyPatch: ({ event }) => event.type === "patchEvent" && Object.keys(event.patch).length === 0,
    isStaleAdvance,
    isLateAdvance,
    hasNextPhase,
    isLastPhase,
    canPatch,
    canAppend,
    canUpdatePhase,
    canExtend,
    isTimerCurrent,
    advancesByTimer,
    advancesByTimerToEnd: (guarded) => advancesByTimer(guarded) && isLastPhase(guarded),
    isGuarded: ({ event }) => event.type === "advance" && event.phaseId !== null,
  },
  actions: {
    answerCurrentState: () => {},
    publish: apply("publish", steps.publish),
    start: apply("start", steps.start),
    advance: assign(({ context, event }) => steps.advance(context, event)),
    elapseTimer: apply("timerElapsed", steps.elapseTimer),
    extendTimer: apply("extendTimer", steps.extendTimer),
    endByAdvance: endBecauseOf("advance"),
    endByHost: endBecauseOf("end"),
    patchEvent: apply("patchEvent", steps.patchEvent),
    appendPhase: apply("appendPhase", steps.appendPhase),
    updatePhase: apply("updatePhase", steps.updatePhase),
    remove: apply("delete", steps.remove),
  },
}).createMachine({
  id: "liveEvent",
  initial: "draft",
  context: ({ input }) => input,
  on: {
    patchEvent: [
      { guard: "isEmptyPatch", actions: "answerCurrentState" },
      { guard: "canPatch", actions: "patchEvent" },
    ],
    updatePhase: { guard: "canUpdatePhase", actions: "updatePhase" },
    delete: { target: ".deleted", actions: "remove" },
  },
  states: {
    draft: {
      on: {
        publish: { target: "scheduled", actions: "publish" },
        appendPhase: { guard: "canAppend", actions: "appendPhase" },
      },
    },
    scheduled: {
      on: {
        start: { target: "live", actions: "start" },
        appendPhase: { guard: "canAppend", actions: "appendPhase" },
      },
    },
    live: {
      on: {
        advance: [
          // Leads nowhere and does nothing: refused.
          { guard: "isStaleAdvance" },
          { guard: "isLateAdvance", actions: "answerCurrentState" },
          { guard: "hasNextPhase", actions: "advance" },
          { guard: "isLastPhase", target: "ended", actions: "endByAdvance" },
        ],
        end: { target: "ended", actions: "endByHost" },
        extendTimer: { guard: "canExtend", actions: "extendTimer" },
        timerElapsed: [
          { guard: "advancesByTimerToEnd", target: "ended", actions: ["elapseTimer", "endByAdvance"] },
          { guard: "advancesByTimer", actions: ["elapseTimer", "advance"] },
          { guard: "isTimerCurrent", actions: "elapseTimer" },
        ],
        appendPhase: { guard: "canAppend", actions: "appendPhase" },
      },
    },
    ended: {
      on: {
        // The retry of the last guarded advance: answered with the state it made.
        advance: [{ guard: "isStaleAdvance" }, { guard: "isGuarded", actions: "answerCurrentState" }],
      },
    },
    deleted: {},
  },
})
