/** The refusals of the statechart, worded. The chart decides which applies. */
import { MAX_PHASES_PER_EVENT } from "../../model/phase.ts"
import { firstFaults } from "../../model/schema-faults.ts"
import { type AgendaCommandType, Refused, refusedField } from "../commands.ts"
import { activePhaseOf, findPhase, gatewayPhase, type LiveState, timerOf } from "./state.ts"
import { extendsTooFar, type MachineEvent, orderFaults } from "./transitions.ts"

/** The refusal of a command of this type in this state. */
export type Refuse<T extends MachineEvent["type"]> = (
  state: LiveState,
  event: Extract<MachineEvent, { readonly type: T }>,
) => Refused

const conflict = (detail: string, current?: { readonly [field: string]: unknown }): Refused =>
  new Refused(current === undefined ? { code: "conflict", detail } : { code: "conflict", detail, current })

const notFound = (what: string): Refused => new Refused({ code: "not_found", detail: `No such ${what}.` })

/** The action of a command, for "… cannot be …". */
const DEED: Record<AgendaCommandType, string> = {
  "event.publish": "published",
  "event.start": "started",
  "phase.next": "advanced",
  "event.end": "ended",
  "event.delete": "deleted",
  "event.patch": "changed",
  "phase.append": "given a phase",
  "phases.order": "put in another order",
  "phase.remove": "deprived of a phase",
  "phase.update": "changed",
  "timer.extend": "extended",
  "timer.elapse": "moved by a timer",
}

/** Commands for an event that is live. */
const NEED_LIVE: ReadonlySet<AgendaCommandType> = new Set(["phase.next", "event.end", "timer.extend"])

/** The command that has to come first, if one helps. */
const firstStep = (status: LiveState["event"]["status"], type: AgendaCommandType): string => {
  if (status === "draft" && type === "event.start") return " Publish it first."
  if (status === "draft" && NEED_LIVE.has(type)) return " Publish and start it first."
  if (status === "scheduled" && NEED_LIVE.has(type)) return " Start it first."
  return ""
}

/** The command is none for an event in this state. */
export const wrongState = ({ event }: LiveState, { type }: MachineEvent): Refused =>
  conflict(`The event is ${event.status} and cannot be ${DEED[type]}.${firstStep(event.status, type)}`)

export const endsTooEarly: Refuse<"event.patch"> = () =>
  refusedField("scheduledEndAt", "must not lie before scheduledAt")

export const tooManyPhases: Refuse<"phase.append"> = () =>
  conflict(`An event has at most ${MAX_PHASES_PER_EVENT} phases.`)

export const isNotTheAgenda: Refuse<"phases.order"> = ({ phases }, { d: { phaseIds } }) => {
  const { missing, unknown, repeated } = orderFaults(phases, phaseIds)
  const faults = [
    ...missing.map((id) => `${id} is missing`),
    ...unknown.map((id) => `${id} is no phase of the event`),
    ...repeated.map((id) => `${id} is there twice`),
  ]
  return refusedField("phaseIds", firstFaults(faults))
}

export const noSuchPhase: Refuse<"phase.remove"> = () => notFound("phase")

export const phaseIsFixed: Refuse<"phase.update"> = (state, { d }) => {
  const phase = findPhase(state, d.phaseId)
  if (phase === undefined) return notFound("phase")
  return phase.status === "ended" || phase.status === "skipped"
    ? conflict(`The phase is ${phase.status} and cannot be changed any more.`)
    : conflict("The phase was changed meanwhile.", { phase: gatewayPhase(phase) })
}

export const timerIsFixed: Refuse<"timer.extend"> = (state, { d }) => {
  const phase = findPhase(state, d.timerId)
  if (phase === undefined) return notFound("timer")
  if (phase.status !== "active") return conflict(`The phase is ${phase.status}; only the active phase can be extended.`)
  if (phase.timerEndsAt === null) return conflict("The active phase has no timer.")
  if (phase.config.extendable === false) return conflict("The phase is configured not to be extendable.")
  if (extendsTooFar(phase, d.seconds)) return conflict("A phase lasts at most 24 hours, extensions included.")
  return conflict("The timer was changed meanwhile.", { timer: timerOf(phase) })
}

export const advancedMeanwhile: Refuse<"phase.next"> = (state) => {
  const phase = activePhaseOf(state)
  return phase === undefined
    ? conflict("No phase is active.")
    : conflict("The phase was changed meanwhile, or another is active.", { phase: gatewayPhase(phase) })
}

export const noPhaseLeft: Refuse<"phase.next"> = () => conflict("The event has no phase to advance to.")
