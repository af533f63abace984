/** The results of agenda commands: the entity that each one changed, as the reply of its contract has it. */
import type { AgendaCommandName, ReplyData } from "../../protocol/contract.ts"
import type { AgendaCommand, AgendaCommandType } from "../commands.ts"
import { activePhaseOf, findPhase, gatewayPhase, type LiveState, timerOf } from "./state.ts"

type EventResult = ReplyData<"event.end">
type PhaseResult = ReplyData<"phase.update">

/** Commands that gateway clients cannot send answer with the event, or with the phase that they added. */
type ResultOf<T extends AgendaCommandType> = T extends AgendaCommandName ? ReplyData<T> : EventResult | PhaseResult

export type AgendaResult = ResultOf<AgendaCommandType>

type ResultFrom<T extends AgendaCommandType> = (
  next: LiveState,
  d: Extract<AgendaCommand, { readonly type: T }>["d"],
) => ResultOf<T>

const eventResult = ({ event: { id, status } }: LiveState): EventResult => ({ event: { id, status } })

const phaseResult = (next: LiveState, { phaseId }: { readonly phaseId: string }): PhaseResult => {
  const phase = findPhase(next, phaseId)
  return { phase: phase === undefined ? null : gatewayPhase(phase) }
}

const timerResult: ResultFrom<"timer.extend"> = (next, { timerId }): ReplyData<"timer.extend"> => {
  const phase = findPhase(next, timerId)
  return { timer: phase === undefined ? null : timerOf(phase) }
}

const nextResult = (next: LiveState): ReplyData<"phase.next"> => {
  const phase = activePhaseOf(next)
  return { ...eventResult(next), phase: phase === undefined ? null : gatewayPhase(phase) }
}

/** A missing command is a compile error, and so is a result that is not the reply of the command's contract. */
const RESULTS: { readonly [T in AgendaCommandType]: ResultFrom<T> } = {
  "event.publish": eventResult,
  "event.start": eventResult,
  "event.end": eventResult,
  "event.patch": eventResult,
  "event.delete": eventResult,
  "phase.next": nextResult,
  "phase.update": phaseResult,
  "phase.append": phaseResult,
  "phases.order": eventResult,
  "phase.remove": eventResult,
  "timer.extend": timerResult,
  "timer.elapse": eventResult,
}

/** The result of a command that led to this state. */
export const resultOf = ({ type, d }: AgendaCommand, next: LiveState): AgendaResult => {
  // The compiler cannot see that the data belongs to the function of the same name.
  const result = RESULTS[type] as (next: LiveState, d: AgendaCommand["d"]) => AgendaResult
  return result(next, d)
}
