/** The actions of the event's chart, by their names in the chart. */
import { broadcastActions } from "../domain/activities/broadcast.ts"
import { captureActions } from "../domain/activities/capture.ts"
import { hostActions } from "../domain/activities/host-absence.ts"
import { lobbyActions } from "../domain/activities/lobby.ts"
import { breakoutActions, roomTimer } from "../domain/activities/rooms/breakout.ts"
import { rotationActions, roundTimer } from "../domain/activities/rooms/rotation.ts"
import * as agenda from "../domain/agenda.ts"
import { agendaRefusals } from "../domain/refusals.ts"
import { activePhaseOf, timerOf } from "../domain/state.ts"
import { warn } from "../domain/timers.ts"
import type { Turn } from "../domain/turn.ts"
import { askPoll, closePolls } from "./polls.ts"

const warnOf = (timerIn: (turn: Turn) => Parameters<typeof warn>[1] | null | undefined) => (turn: Turn) => {
  const timer = timerIn(turn)
  if (timer != null) warn(turn, timer)
}

export const ACTIONS = {
  publish: agenda.publish,
  start: agenda.start,
  advance: agenda.advance,
  endByAdvance: agenda.endByAdvance,
  endByHost: agenda.endByHost,
  endForDeletion: agenda.endForDeletion,
  remove: agenda.remove,
  patchEvent: agenda.patchEvent,
  appendPhase: agenda.appendPhase,
  orderPhases: agenda.orderPhases,
  removePhase: agenda.removePhase,
  updatePhase: agenda.updatePhase,
  extendPhase: agenda.extendPhase,
  elapsePhase: agenda.elapsePhase,
  outlastTimer: agenda.outlastTimer,
  answerEvent: agenda.eventReply,
  answerNext: agenda.nextReply,
  warnOfPhase: warnOf((turn) => {
    const phase = activePhaseOf(turn.state)
    return phase && timerOf(phase)
  }),
  warnOfRooms: warnOf(roomTimer),
  warnOfRound: warnOf(roundTimer),
  askPoll,
  closePolls,
  ...agendaRefusals,
  ...lobbyActions,
  ...breakoutActions,
  ...rotationActions,
  ...broadcastActions,
  ...captureActions,
  ...hostActions,
}

export type ActionName = keyof typeof ACTIONS
