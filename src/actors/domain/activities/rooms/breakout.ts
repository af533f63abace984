/**
 * Breakout rooms: a plan, rooms with participants, late joiners, and the return of everyone. A seat outlives a lost connection: a
 * participant who returns finds their room. Only a host or the participant moves a seated participant. All rooms end together: the end in
 * `breakout.updated` overrides that of every earlier assignment.
 */

import { type Breakout, ONLY, type Room } from "../../../../model/live/live-records.ts"
import { MODALITIES } from "../../../../model/modality.ts"
import { isStaff } from "../../../../model/roles.ts"
import { toMillis } from "../../../../model/timestamp.ts"
import type { ReplyData } from "../../../../protocol/contract.ts"
import type { TimerView } from "../../../../protocol/messages/agenda.ts"
import type { AssignmentView } from "../../../../protocol/messages/breakouts.ts"
import { type Refused, refusedField } from "../../../commands.ts"
import type { Of } from "../../../state/chart-events.ts"
import { extendTimer } from "../../timers.ts"
import type { ReadContext, Turn } from "../../turn.ts"
import { type Activity, noSuch, refuse } from "../activity.ts"
import { mutedWith } from "../mutes.ts"
import { keepPlan, MAX_ROOMS, makePlan } from "./breakout-plans.ts"
import {
  breakoutTimerOf,
  breakoutView,
  closeAll,
  DEFAULT_GRACE_MS,
  open,
  prolong,
  startClosing,
} from "./breakout-rooms.ts"
import { endWait, lateDeadlines, seatLateJoiners, seatWaiting } from "./late-joiners.ts"
import { leaveRoom, roleOf, roomOf, roomsOf, roomView, setRoom } from "./rooms.ts"

const NONE = refuse("conflict", "No breakout is open.")
const IN_NO_ROOM = refuse("conflict", "You are in no room.")
const SEATLESS = refuse("conflict", "Who only watches has no place in a room.")

const current = ({ records }: Pick<ReadContext, "records">) => records.get("breakout", ONLY)

const isCallerStaff = (turn: Turn): boolean => turn.by !== null && isStaff(roleOf(turn, turn.by))

type Moved = ReplyData<"room.choose">

const move = (turn: Turn, participantId: string, roomId: string): Moved | Refused => {
  const breakout = current(turn)
  const room = turn.get("room", roomId)
  if (room === undefined || breakout === undefined) return noSuch("room")
  if (!room.open) return refuse("conflict", "The room is closed.", { room: roomView(room) })
  setRoom(turn, participantId, room, breakout.endsAt)
  seatWaiting(turn)
  const after: Room = turn.get("room", roomId) ?? room
  return { participantId, roomId, room: roomView(after) }
}

const choose = (turn: Turn, roomId: string): Moved | Refused => {
  const breakout = current(turn)
  if (breakout === undefined || turn.by === null) return NONE
  const { participantId } = turn.by
  const seat = turn.get("seat", participantId)
  const mayChoose = breakout.strategy === "self" || (breakout.late === "ask" && seat === undefined)
  if (seat?.roomId !== roomId && !mayChoose && !isCallerStaff(turn)) {
    return refuse("forbidden", "Rooms are assigned in this breakout.")
  }
  return move(turn, participantId, roomId)
}

const moveOther = (turn: Turn, id: string, roomId: string | null): ReplyData<"breakout.move"> | Refused => {
  if (current(turn) === undefined) return NONE
  const person = turn.people.find(id)
  if (person === undefined && turn.get("seat", id) === undefined) return noSuch("participant")
  if (roomId !== null) {
    return person !== undefined && roleOf(turn, person) === "viewer" ? SEATLESS : move(turn, id, roomId)
  }
  // The seat is kept, so that a return after a lost connection does not assign a new one.
  leaveRoom(turn, id, true)
  endWait(turn, id)
  seatWaiting(turn)
  return { participantId: id, roomId: null }
}

const assignmentOf = (context: ReadContext, participantId: string): AssignmentView | null => {
  const room = context.records.get("room", roomOf(context.records, participantId) ?? "")
  return room === undefined ? null : { roomId: room.id, name: room.name, endsAt: current(context)?.endsAt ?? null }
}

/** Whether the caller saw another revision of the breakout. */
const isStale = (turn: Turn, { rev }: { readonly rev?: number | undefined }): boolean =>
  rev !== undefined && rev !== current(turn)?.rev

const refuseWith =
  (detail: string) =>
  (turn: Turn): Refused => {
    const breakout = current(turn)
    return breakout === undefined ? NONE : refuse("conflict", detail, { breakout: breakoutView(breakout) })
  }

const refuseStale = refuseWith("The breakout was changed meanwhile.")

const staleRoom = (turn: Turn, roomId: string, rev: number | undefined): Refused | undefined => {
  const room = turn.get("room", roomId)
  return room === undefined || rev === undefined || rev === room.rev
    ? undefined
    : refuse("conflict", "The room was changed meanwhile.", { room: roomView(room) })
}

export const roomTimer = (context: Pick<ReadContext, "records">): TimerView | undefined => {
  const breakout = current(context)
  return breakout && breakoutTimerOf(breakout)
}

const isTimerOfRooms = (turn: Turn, { d: { timerId } }: Of<"timer.extend">): boolean => roomTimer(turn)?.id === timerId

/** Whether the phase timer that ends the rooms has a new end. */
const movesRooms = (turn: Turn, { phase: { id, timerEndsAt, timerElapsed } }: Of<"phase.changed">): boolean => {
  const breakout = current(turn)
  if (breakout === undefined || breakout.timed || breakout.phaseId !== id) return false
  return timerEndsAt !== null && !timerElapsed && timerEndsAt !== breakout.endsAt
}

/** Chart guards on breakout rooms. */
export const breakoutGuards = {
  hasRoomSize: (_turn: Turn, { phase: { modality, config } }: Of<"phase.began">) =>
    MODALITIES[modality].rooms === "planned" && config.roomSize !== undefined,
  namesNoPlan: (turn: Turn, { d: { planId } }: Of<"breakout.open">) => turn.get("plan", planId) === undefined,
  isStaleBreakout: isStale,
  closesAtOnce: (_turn: Turn, { d: { graceMs } }: Of<"breakout.close">) => graceMs === 0,
  /** The rooms are closing already, no later than this command asks for. */
  closesLater: (turn: Turn, { d: { graceMs = DEFAULT_GRACE_MS } }: Of<"breakout.close">) => {
    const closesAt = current(turn)?.closesAt ?? null
    return closesAt !== null && toMillis(closesAt) <= turn.now + graceMs
  },
  /** The rooms have no timer of their own. */
  endsWithPhase: (turn: Turn) => current(turn)?.timed === false,
  movesRooms,
  /** The rooms were closing because the phase's time was up, and the phase now has more time. */
  reopensRooms: (turn: Turn, raised: Of<"phase.changed">) =>
    movesRooms(turn, raised) && current(turn)?.timeIsUp === true,
  isTimerOfRooms,
  isElapsedOfRooms: (turn: Turn, command: Of<"timer.extend">) =>
    isTimerOfRooms(turn, command) && current(turn)?.timeIsUp === true,
  isOfRooms: (turn: Turn, { d: { timerId } }: Of<"timer.extend">) => current(turn)?.id === timerId,
}

const closingReply = (closing: Breakout | undefined): ReplyData<"breakout.close"> | Refused =>
  closing === undefined ? NONE : { breakout: breakoutView(closing) }

/** Chart actions on breakout rooms. */
export const breakoutActions = {
  planRooms: (turn: Turn, { d }: Of<"breakout.plan">): ReplyData<"breakout.plan"> | Refused => {
    const rooms = typeof d.rooms === "number" ? d.rooms : d.rooms?.length
    if (d.strategy !== "balanced" && rooms === undefined) {
      return refusedField("rooms", `the strategy ${d.strategy} needs their number or their names`)
    }
    const { plan, notes } = makePlan(turn, d)
    if (plan.rooms.length > MAX_ROOMS) return refusedField("rooms", `at most ${MAX_ROOMS} can be open`)
    keepPlan(turn, plan)
    const { size: _size, ...view } = plan
    return { plan: { ...view, notes } }
  },
  openRooms: (turn: Turn, { d }: Of<"breakout.open">): ReplyData<"breakout.open"> | Refused => {
    const { planId, durationMs = null, late = "leastLoaded" } = d
    const plan = turn.get("plan", planId)
    if (plan === undefined) return noSuch("plan")
    const opened = open(turn, plan, { durationMs, late })
    return { breakout: breakoutView(opened), rooms: roomsOf(turn.records).map(roomView) }
  },
  /** Opens the rooms that the phase's configuration asks for. */
  openPlannedRooms: (turn: Turn, { phase }: Of<"phase.began">): void => {
    const size = phase.config.roomSize
    if (size === undefined) return
    const { plan: bySize } = makePlan(turn, { strategy: "balanced", size })
    const isTooMany = bySize.rooms.length > MAX_ROOMS
    const plan = isTooMany ? makePlan(turn, { strategy: "balanced", rooms: MAX_ROOMS }).plan : bySize
    keepPlan(turn, plan)
    open(turn, plan, { durationMs: null, late: "leastLoaded" })
  },
  closeRoomsSoon: (turn: Turn, { d: { graceMs = DEFAULT_GRACE_MS } }: Of<"breakout.close">) =>
    closingReply(startClosing(turn, graceMs, false)),
  closeRoomsNow: (turn: Turn) => {
    const closing = startClosing(turn, 0, false)
    closeAll(turn)
    return closingReply(closing)
  },
  closeRoomsInTime: (turn: Turn): void => void startClosing(turn, DEFAULT_GRACE_MS, true),
  removeRooms: closeAll,
  prolongRooms: (turn: Turn, { phase: { timerEndsAt } }: Of<"phase.changed">): void => {
    const breakout = current(turn)
    if (breakout !== undefined && timerEndsAt !== null) prolong(turn, breakout, timerEndsAt, 0)
  },
  extendRooms: (turn: Turn, command: Of<"timer.extend">): ReplyData<"timer.extend"> | Refused | undefined => {
    const [breakout, timer] = [current(turn), roomTimer(turn)]
    if (breakout === undefined || timer === undefined) return undefined
    return extendTimer(turn, command, {
      timer,
      usedMs: Math.max(toMillis(timer.endsAt), turn.now) - toMillis(breakout.openedAt),
      longest: "A breakout lasts at most a day.",
      write: ({ endsAt, extendedMs }) => {
        const extended = breakoutTimerOf(prolong(turn, breakout, endsAt, extendedMs)) ?? timer
        turn.publish("timer.updated", "event", { timer: extended })
        return extended
      },
    })
  },
  answerBreakout: (turn: Turn) => closingReply(current(turn)),
  refuseNoPlan: (): Refused => noSuch("plan"),
  refuseNoBreakout: (): Refused => NONE,
  refuseStaleBreakout: refuseStale,
  refuseOpenBreakout: refuseWith("A breakout is open already."),
  refuseNoRoomTimer: (): Refused => refuse("conflict", "The breakout has no running timer."),
}

export const breakout = {
  commands: {
    "breakout.move": (turn, { id, roomId }, rev) =>
      current(turn) !== undefined && isStale(turn, { rev }) ? refuseStale(turn) : moveOther(turn, id, roomId),
    "room.choose": (turn, { roomId }, rev) => staleRoom(turn, roomId, rev) ?? choose(turn, roomId),
    "room.return": (turn) => {
      const id = turn.by?.participantId ?? ""
      if (roomOf(turn.records, id) === null) return IN_NO_ROOM
      leaveRoom(turn, id, !isCallerStaff(turn))
      seatWaiting(turn)
      return { roomId: null }
    },
    "room.help": (turn, { text = null }) => {
      const roomId = roomOf(turn.records, turn.by?.participantId)
      if (roomId === null || turn.by === null) return IN_NO_ROOM
      const refused = mutedWith(turn, text)
      if (refused !== undefined) return refused
      const { participantId, name } = turn.by
      turn.publish("room.help", "staff", { roomId, by: { participantId, name }, text, at: turn.at })
      return { roomId }
    },
  },
  on: {
    "people.arrived": (turn, { people }) => seatLateJoiners(turn, people),
    // A barred participant cannot return, so the seat is not kept.
    "person.barred": (turn, { id }) => {
      leaveRoom(turn, id, false)
      seatWaiting(turn)
    },
  },
  deadlines: lateDeadlines,
  view: (context) => {
    const breakout = current(context)
    return {
      breakout: breakout === undefined ? null : breakoutView(breakout),
      rooms: roomsOf(context.records).map(roomView),
    }
  },
  personalView: (context, participantId) => ({ assignment: assignmentOf(context, participantId) }),
} satisfies Activity
