/**
 * One command on one state, decided purely: either a refusal, or the next state with its effects and the reply.
 * Permission comes first (it depends on the active phase, which only the actor knows for sure), then the machine.
 */
import { type Snapshot, transition } from "xstate"
import { can } from "../model/permissions.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { type Command, type Envelope, GATEWAY_NAME, Refused } from "./commands.ts"
import { liveEventMachine } from "./machine.ts"
import { refusalOf } from "./refusal.ts"
import { activePhase, findPhase, gatewayPhase, type LiveState, NO_EFFECTS, phaseTraits, timerOf } from "./state.ts"
import type { MachineEvent } from "./steps.ts"

export interface Decision {
  readonly next: LiveState
  readonly result: { readonly [field: string]: unknown }
  /** Nothing changes and nothing is said: there is nothing to commit. */
  readonly idle: boolean
}

/** The machine's snapshot for a state: the state chart's value is the event's status. */
const snapshotOf = (state: LiveState) =>
  liveEventMachine.resolveState({
    value: state.deleted ? "deleted" : state.event.status,
    context: { ...state, effects: NO_EFFECTS },
  })

const forbid = (state: LiveState, envelope: Envelope): Refused | undefined => {
  const name = GATEWAY_NAME[envelope.command.type]
  if (envelope.role === null || name === undefined) return undefined
  const permission = can(envelope.role, phaseTraits(state), name)
  return permission === "allowed"
    ? undefined
    : new Refused({ code: permission, detail: `Your role in the current phase does not allow ${name}.` })
}

/** What a reply carries: the entity that the command touched. */
const resultOf = (command: Command, next: LiveState): Decision["result"] => {
  const event = { id: next.event.id, status: next.event.status }
  switch (command.type) {
    case "updatePhase":
    case "appendPhase": {
      const phase = findPhase(next, command.phaseId)
      return { phase: phase === undefined ? null : gatewayPhase(phase) }
    }
    case "extendTimer": {
      const phase = findPhase(next, command.phaseId)
      return { timer: phase === undefined ? null : timerOf(phase) }
    }
    case "advance": {
      const phase = activePhase(next)
      return { event, phase: phase === undefined ? null : gatewayPhase(phase) }
    }
    case "announce":
      return { announcement: { id: command.announcementId, text: command.text, by: command.by } }
    case "removeParticipant":
      return { participantId: command.participantId, block: command.block }
    default:
      return { event }
  }
}

export const decide = (state: LiveState, envelope: Envelope): Decision | Refused => {
  const refused = forbid(state, envelope)
  if (refused !== undefined) return refused
  const event: MachineEvent = { ...envelope.command, now: toTimestamp(envelope.at) }
  const before = snapshotOf(state)
  if (!before.can(event)) return refusalOf(state, event)
  const [after] = transition(liveEventMachine, before, event)
  // An action that throws puts XState's snapshot in error; that is a defect of ours and must not be committed.
  if ((after as Snapshot<unknown>).status === "error") throw after.error
  const { effects, ...next } = after.context
  const idle = effects.dispatches.length === 0 && effects.notices.length === 0 && effects.ejections.length === 0
  return { next: { ...next, effects }, result: resultOf(envelope.command, after.context), idle }
}
