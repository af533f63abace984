/**
 * The reasons of the machine's refusals. They are computed only after no transition was enabled, so that the rule is in the
 * machine alone.
 */
import { MAX_PHASES_PER_EVENT } from "../../model/phase.ts"
import { type AgendaCommandType, Refused } from "../commands.ts"
import { activePhase, findPhase, gatewayPhase, type LiveState, timerOf } from "./state.ts"
import { extendsTooFar, type MachineEvent } from "./transitions.ts"

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
  "phase.update": "changed",
  "timer.extend": "extended",
  "timer.elapse": "moved by a timer",
}

const phaseRefusal = (state: LiveState, command: MachineEvent): Refused | undefined => {
  if (command.type !== "phase.update" && command.type !== "timer.extend") return undefined
  const phase = findPhase(state, command.type === "timer.extend" ? command.d.timerId : command.d.phaseId)
  if (phase === undefined) return notFound(command.type === "timer.extend" ? "timer" : "phase")
  if (command.type === "phase.update") {
    return phase.status === "ended" || phase.status === "skipped"
      ? conflict(`The phase is ${phase.status} and cannot be changed any more.`)
      : conflict("The phase was changed meanwhile.", { phase: gatewayPhase(phase) })
  }
  if (phase.status !== "active") return conflict(`The phase is ${phase.status}; only the active phase can be extended.`)
  if (phase.timerEndsAt === null) return conflict("The active phase has no timer.")
  if (phase.config.extendable === false) return conflict("The phase is configured not to be extendable.")
  if (extendsTooFar(phase, command.d.seconds)) return conflict("A phase lasts at most 24 hours, extensions included.")
  return conflict("The timer was changed meanwhile.", { timer: timerOf(phase) })
}

const advanceRefusal = (state: LiveState, { rev }: Extract<MachineEvent, { readonly type: "phase.next" }>): Refused => {
  const phase = activePhase(state)
  if (rev === undefined || rev === phase?.rev) return conflict("The event has no phase to advance to.")
  return phase === undefined
    ? conflict("No phase is active.")
    : conflict("The phase was changed meanwhile, or another is active.", { phase: gatewayPhase(phase) })
}

export const refusalOf = (state: LiveState, command: MachineEvent): Refused => {
  const { status } = state.event
  const isOpen = status === "live" || (command.type !== "timer.extend" && status !== "ended")
  if (isOpen || command.type === "phase.update") {
    const refused = phaseRefusal(state, command)
    if (refused !== undefined) return refused
  }
  if (command.type === "event.patch") {
    return new Refused({ code: "bad_request", detail: "scheduledEndAt must not lie before scheduledAt." })
  }
  if (command.type === "phase.append" && status !== "ended") {
    return conflict(`An event has at most ${MAX_PHASES_PER_EVENT} phases.`)
  }
  if (command.type === "phase.next" && status === "live") return advanceRefusal(state, command)
  return conflict(`The event is ${status} and cannot be ${DEED[command.type]}.`)
}
