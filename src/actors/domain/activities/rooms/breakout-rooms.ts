/** Breakout rooms from opening to closing: the seats, and the return of everyone to the main room. */

import { type Breakout, type BreakoutPlan, ONLY, type Room } from "../../../../model/live/live-records.ts"
import { toTimestamp } from "../../../../model/timestamp.ts"
import type { TimerView } from "../../../../protocol/messages/agenda.ts"
import type { BreakoutView } from "../../../../protocol/messages/breakouts.ts"
import { activePhaseOf } from "../../../state/state.ts"
import type { Turn } from "../../turn.ts"
import { noteClosedRooms, roomsChanged } from "../capture.ts"
import { seatLateJoiners } from "./late-joiners.ts"
import { roomIdAt, roomView, sit } from "./rooms.ts"

export const DEFAULT_GRACE_MS = 10_000
/** Members of a room of at most this size count as having met. */
const MOST_MET = 12

export const breakoutView = (breakout: Breakout): BreakoutView => {
  const { id, phaseId, strategy, late, openedAt, endsAt, closesAt, rev } = breakout
  return { id, phaseId, strategy, late, openedAt, endsAt, closesAt, rev }
}

/** The breakout's own timer, if it has one. */
export const breakoutTimerOf = (breakout: Breakout): TimerView | undefined => {
  const { id, timed, openedAt, endsAt, closesAt, timeIsUp, extendedMs, rev } = breakout
  if (!timed || endsAt === null) return undefined
  const over = timeIsUp ? "elapsed" : "cancelled"
  const state = closesAt === null ? "running" : over
  return { id, scope: "room", ref: id, state, startedAt: openedAt, endsAt, extendedMs, rev }
}

interface Opening {
  /** Null: the rooms end with the phase's timer, if it has one. */
  readonly durationMs: number | null
  readonly late: Breakout["late"]
}

const newBreakout = (turn: Turn, plan: BreakoutPlan, { durationMs, late }: Opening): Breakout => {
  const phase = activePhaseOf(turn.state)
  const phaseEnd = phase === undefined || phase.timerElapsed ? null : phase.timerEndsAt
  return {
    id: turn.idFor("breakout"),
    phaseId: phase?.id ?? "",
    planId: plan.id,
    strategy: plan.strategy,
    size: plan.size,
    late,
    openedAt: turn.at,
    endsAt: durationMs === null ? phaseEnd : toTimestamp(turn.now + durationMs),
    timed: durationMs !== null,
    extendedMs: 0,
    closesAt: null,
    timeIsUp: false,
    rev: 1,
  }
}

/** Opens rooms as planned. Participants who left meanwhile find their room on return; new ones are late joiners. */
export const open = (turn: Turn, plan: BreakoutPlan, opening: Opening): Breakout => {
  const breakout = newBreakout(turn, plan, opening)
  turn.put("breakout", ONLY, breakout)
  const seats: [Room, ReadonlyArray<string>][] = plan.rooms.map(({ name, people }, place) => {
    const here = people.filter((id) => turn.people.find(id) !== undefined)
    return [{ id: roomIdAt(breakout, place), name, count: here.length, open: true, place, rev: 1 }, here]
  })
  for (const [room] of seats) turn.put("room", room.id, room)
  const rooms = seats.map(([room]) => roomView(room))
  turn.publish("breakout.opened", "event", { breakout: breakoutView(breakout), rooms })
  const timer = breakoutTimerOf(breakout)
  if (timer !== undefined) turn.publish("timer.updated", "event", { timer })
  for (const [room, people] of seats) for (const id of people) sit(turn, id, room, breakout.endsAt)
  seatLateJoiners(turn, turn.people.all())
  roomsChanged(turn)
  return breakout
}

/** Records who shared a room when it ended, for later plans and rounds. */
const recordMeetings = (turn: Turn, { id }: Breakout): void => {
  const groups = new Map<string, string[]>()
  for (const [participantId, { roomId: room }] of turn.all("seat")) {
    const people = groups.get(room) ?? []
    people.push(participantId)
    groups.set(room, people)
  }
  const met = [...groups.values()].filter((people) => people.length > 1 && people.length <= MOST_MET)
  if (met.length > 0) turn.put("round", id, { id, n: 0, at: turn.at, groups: met, repeats: [], byes: [] })
}

/** Moves everyone to the main room and removes the rooms. */
export const closeAll = (turn: Turn): void => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout === undefined) return
  recordMeetings(turn, breakout)
  if (breakout.closesAt === null) {
    // The phase closes the rooms without a grace period: clients act on `closesAt` at once.
    const closing = { ...breakout, closesAt: turn.at, rev: breakout.rev + 1 }
    turn.publish("breakout.closing", "event", { breakout: breakoutView(closing) })
    publishTimerOver(turn, closing)
  }
  for (const [id, seat] of turn.all("seat")) {
    turn.remove("seat", id)
    if (seat.away) continue
    turn.publish("assignment.ended", `me:${id}`, { roomId: seat.roomId, returnAt: turn.at })
    turn.changeParticipant({ participantId: id, roomId: null })
  }
  noteClosedRooms(turn, breakout)
  for (const id of turn.all("room").keys()) turn.remove("room", id)
  turn.remove("breakout", ONLY)
  roomsChanged(turn)
  turn.publish("breakout.closed", "event", { id: breakout.id })
}

const publishTimerOver = (turn: Turn, breakout: Breakout): void => {
  const timer = breakoutTimerOf(breakout)
  if (timer === undefined) return
  if (breakout.timeIsUp) turn.publish("timer.elapsed", "event", { timerId: timer.id, timer })
  else turn.publish("timer.updated", "event", { timer })
}

/** Announces when everyone returns to the main room. */
export const startClosing = (turn: Turn, graceMs: number, timeIsUp: boolean): Breakout | undefined => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout === undefined) return undefined
  const { waiting: _over, ...going } = breakout
  const closing = { ...going, closesAt: toTimestamp(turn.now + graceMs), timeIsUp, rev: breakout.rev + 1 }
  turn.put("breakout", ONLY, closing)
  turn.publish("breakout.closing", "event", { breakout: breakoutView(closing) })
  if (breakout.closesAt === null) publishTimerOver(turn, closing)
  return closing
}

/** Publishes a later end for all rooms, once. Rooms that were closing because their time was up stay open. */
export const prolong = (turn: Turn, breakout: Breakout, endsAt: string, extendedMs: number): Breakout => {
  const again = breakout.timeIsUp ? { closesAt: null, timeIsUp: false } : {}
  const next: Breakout = { ...breakout, ...again, endsAt, extendedMs, rev: breakout.rev + 1 }
  turn.put("breakout", ONLY, next)
  turn.publish("breakout.updated", "event", { breakout: breakoutView(next) })
  if (breakout.timeIsUp) seatLateJoiners(turn, turn.people.all())
  return next
}
