/** Actions of the event's chart, by their names in the chart. */
import type { TimerView } from "../../protocol/messages/agenda.ts"
import { broadcastActions } from "../domain/activities/broadcast.ts"
import { captureActions } from "../domain/activities/capture.ts"
import { hostActions } from "../domain/activities/host-absence.ts"
import { lobbyActions } from "../domain/activities/lobby.ts"
import { breakoutActions, roomTimer } from "../domain/activities/rooms/breakout.ts"
import { rotationActions, roundTimer } from "../domain/activities/rooms/rotation.ts"
import * as agenda from "../domain/agenda.ts"
import { agendaRefusals } from "../domain/agenda-refusals.ts"
import { warn } from "../domain/timers.ts"
import type { Turn } from "../domain/turn.ts"
import { phaseTimer } from "./delays.ts"
import { askPoll, closePolls } from "./poll-chart.ts"

const warnOf = (timerIn: (turn: Turn) => TimerView | undefined) => (turn: Turn) => {
  const timer = timerIn(turn)
  if (timer !== undefined) warn(turn, timer)
}

const { agendaGuards: _, ...agendaActions } = agenda

export const ACTIONS = {
  ...agendaActions,
  warnOfPhase: warnOf(phaseTimer),
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
