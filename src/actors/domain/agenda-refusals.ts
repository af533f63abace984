/** Actions of the chart that refuse a command of the agenda, by name, with the texts of the refusals. */
import { isKeptTooLate } from "../../model/event.ts"
import { MAX_PHASES_PER_EVENT } from "../../model/phase.ts"
import { firstFaults } from "../../model/schema-faults.ts"
import { type AgendaCommandType, type Refused, refusedField } from "../commands.ts"
import type { Of } from "../state/chart-events.ts"
import { activePhaseOf, findPhase, gatewayPhase, type LiveState, orderFaults } from "../state/state.ts"
import { noSuch, refuse, type ViewFields } from "./activities/activity.ts"
import type { Turn } from "./turn.ts"

const conflict = (detail: string, current?: ViewFields): Refused => refuse("conflict", detail, current)

/** Past participle of each command, for "… cannot be …". */
const DEED: Record<AgendaCommandType, string> = {
  "event.publish": "published",
  "event.start": "started",
  "phase.next": "advanced",
  "event.end": "ended",
  "event.delete": "deleted",
  "event.patch": "changed",
  "event.cancel": "cancelled",
  "event.reinstate": "reinstated",
  "phase.append": "given a phase",
  "phases.order": "put in another order",
  "phase.remove": "deprived of a phase",
  "phase.update": "changed",
  "timer.extend": "extended",
}

/** Commands that need a live event. */
const NEED_LIVE: ReadonlySet<AgendaCommandType> = new Set(["phase.next", "event.end", "timer.extend"])

/** The command that has to come first, if one helps. */
const firstStep = (status: LiveState["event"]["status"], type: AgendaCommandType): string => {
  if (status === "draft" && type === "event.start") return " Publish it first."
  if (status === "draft" && NEED_LIVE.has(type)) return " Publish and start it first."
  if (status === "scheduled" && NEED_LIVE.has(type)) return " Start it first."
  return ""
}

export const agendaRefusals = {
  /** The command does not apply to an event in this state. */
  refuseState: ({ state: { event } }: Turn, { type }: { readonly type: AgendaCommandType }): Refused =>
    conflict(`The event is ${event.status} and cannot be ${DEED[type]}.${firstStep(event.status, type)}`),
  /** A cancelled event starts no more. */
  refuseCancelled: (): Refused => conflict("The event is cancelled. Reinstate it first."),
  refuseSecondCancellation: (): Refused => conflict("The event is cancelled already."),
  refuseReinstatement: (): Refused => conflict("The event is not cancelled."),
  /** Commands of hosts need a live event. */
  refuseNotLive: ({ state: { event } }: Turn): Refused => conflict(`The event is ${event.status}, and not live.`),
  refusePatch: ({ state: { event } }: Turn, { d }: Of<"event.patch">): Refused =>
    isKeptTooLate(event, d)
      ? conflict("The event has begun without its history, which can be kept from the beginning only.")
      : refusedField("scheduledEndAt", "must not lie before scheduledAt"),
  refuseTooManyPhases: (): Refused => conflict(`An event has at most ${MAX_PHASES_PER_EVENT} phases.`),
  refuseOrder: ({ state: { phases } }: Turn, { d: { phaseIds } }: Of<"phases.order">): Refused => {
    const { missing, unknown, repeated } = orderFaults(phases, phaseIds)
    const faults = [
      ...missing.map((id) => `${id} is missing`),
      ...unknown.map((id) => `${id} is no phase of the event`),
      ...repeated.map((id) => `${id} is there twice`),
    ]
    return refusedField("phaseIds", firstFaults(faults))
  },
  refuseNoPhase: (): Refused => noSuch("phase"),
  refusePhaseUpdate: ({ state }: Turn, { d }: Of<"phase.update">): Refused => {
    const phase = findPhase(state, d.phaseId)
    if (phase === undefined) return noSuch("phase")
    return phase.status === "ended" || phase.status === "skipped"
      ? conflict(`The phase is ${phase.status} and cannot be changed any more.`)
      : conflict("The phase was changed meanwhile.", { phase: gatewayPhase(phase) })
  },
  /** The active phase has no timer, or one that cannot be extended. */
  refusePhaseTimer: ({ state }: Turn): Refused =>
    conflict(
      activePhaseOf(state)?.timerEndsAt === null
        ? "The active phase has no timer."
        : "The phase is configured not to be extendable.",
    ),
  /** The timer belongs neither to an active phase nor to anything else that is running. */
  refuseTimer: ({ state }: Turn, { d }: Of<"timer.extend">): Refused => {
    const phase = findPhase(state, d.timerId)
    return phase === undefined
      ? noSuch("timer")
      : conflict(`The phase is ${phase.status}; only the active phase can be extended.`)
  },
  refuseAdvancedMeanwhile: ({ state }: Turn): Refused => {
    const phase = activePhaseOf(state)
    return phase === undefined
      ? conflict("No phase is active.")
      : conflict("The phase was changed meanwhile, or another is active.", { phase: gatewayPhase(phase) })
  },
  refuseNoPhaseLeft: (): Refused => conflict("The event has no phase to advance to."),
}
