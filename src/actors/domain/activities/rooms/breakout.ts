/**
 * Breakout rooms: a plan, rooms with participants, late joiners, and the return of everyone. A seat outlives a lost connection: a
 * participant that returns finds their room. A seated participant is moved only by a host or by themselves. All rooms end
 * together: the end in `breakout.updated` holds for every earlier assignment.
 */
import { ONLY, type Room } from "../../../../model/live/live-records.ts"
import { isStaff } from "../../../../model/roles.ts"
import { toMillis, toTimestamp } from "../../../../model/timestamp.ts"
import type { ReplyData } from "../../../../protocol/contract.ts"
import type { AssignmentView } from "../../../../protocol/topics/breakouts.ts"
import { type Refused, refusedField } from "../../../commands.ts"
import type { Turn } from "../../turn.ts"
import { type Activity, type ActivityDeadline, noSuch, type ReadContext, refuse } from "../activity.ts"
import { mutedWith } from "../mutes.ts"
import { keepPlan, MAX_ROOMS, makePlan } from "./breakout-plans.ts"
import {
  breakoutTimerOf,
  breakoutView,
  closeAll,
  DEFAULT_GRACE_MS,
  open,
  prolong,
  seatLateJoiners,
  startClosing,
} from "./breakout-rooms.ts"
import { leaveRoom, roleOf, roomsOf, roomView, setRoom } from "./rooms.ts"

const DAY_MS = 86_400_000

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
  // The seat is kept, so that a return after a lost connection does not seat them anew.
  leaveRoom(turn, id, true)
  return { participantId: id, roomId: null }
}

const extend: Activity["extend"] = (turn, { id, seconds, rev }) => {
  const breakout = current(turn)
  if (breakout === undefined || breakout.id !== id) return undefined
  const timer = breakoutTimerOf(breakout)
  const isOver = breakout.closesAt !== null && !breakout.timeIsUp
  if (timer === undefined || isOver) return refuse("conflict", "The breakout has no running timer.")
  if (rev !== undefined && rev !== breakout.rev) {
    return refuse("conflict", "The timer was changed meanwhile.", { timer: { ...timer } })
  }
  const from = breakout.timeIsUp ? Math.max(toMillis(timer.endsAt), turn.now) : toMillis(timer.endsAt)
  const endsAt = from + seconds * 1000
  if (endsAt - toMillis(breakout.openedAt) > DAY_MS) return refuse("conflict", "A breakout lasts at most a day.")
  const extended = breakoutTimerOf(prolong(turn, breakout, toTimestamp(endsAt), breakout.extendedMs + seconds * 1000))
  const now = extended ?? timer
  turn.publish("timer.updated", "event", { timer: now })
  return { timer: now }
}

/** The end of the grace, or of the breakout's own timer. */
const deadlineOf = (context: ReadContext): ActivityDeadline | undefined => {
  const breakout = current(context)
  if (breakout === undefined) return undefined
  const { closesAt, endsAt, timed } = breakout
  if (closesAt !== null) {
    const due = (turn: Turn): void => {
      if (current(turn)?.closesAt === closesAt) closeAll(turn)
    }
    return { at: toMillis(closesAt), due }
  }
  if (!timed || endsAt === null) return undefined
  const due = (turn: Turn): void => {
    const now = current(turn)
    if (now?.endsAt === endsAt && now.closesAt === null) startClosing(turn, DEFAULT_GRACE_MS, true)
  }
  return { at: toMillis(endsAt), due }
}

const assignmentOf = (context: ReadContext, participantId: string): AssignmentView | null => {
  const seat = context.records.get("seat", participantId)
  const room = seat === undefined ? undefined : context.records.get("room", seat.roomId)
  if (seat === undefined || seat.away || room === undefined) return null
  return { roomId: room.id, name: room.name, endsAt: current(context)?.endsAt ?? null }
}

/** A refusal when the caller saw another revision of the breakout. */
const stale = (turn: Turn, rev: number | undefined): Refused | undefined => {
  const current = turn.get("breakout", ONLY)
  return current === undefined || rev === undefined || rev === current.rev
    ? undefined
    : refuse("conflict", "The breakout was changed meanwhile.", { breakout: breakoutView(current) })
}

const staleRoom = (turn: Turn, roomId: string, rev: number | undefined): Refused | undefined => {
  const room = turn.get("room", roomId)
  return room === undefined || rev === undefined || rev === room.rev
    ? undefined
    : refuse("conflict", "The room was changed meanwhile.", { room: roomView(room) })
}

export const breakout = {
  commands: {
    "breakout.plan": (turn, d) => {
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
    "breakout.open": (turn, { planId, durationMs = null, late = "leastLoaded" }) => {
      const plan = turn.get("plan", planId)
      if (plan === undefined) return noSuch("plan")
      const going = current(turn)
      if (going !== undefined) {
        return refuse("conflict", "A breakout is open already.", { breakout: breakoutView(going) })
      }
      const opened = open(turn, plan, { durationMs, late })
      return { breakout: breakoutView(opened), rooms: roomsOf(turn.records).map(roomView) }
    },
    "breakout.move": (turn, { id, roomId }, rev) => stale(turn, rev) ?? moveOther(turn, id, roomId),
    "breakout.close": (turn, { graceMs = DEFAULT_GRACE_MS }, rev) => {
      const late = stale(turn, rev)
      if (late !== undefined) return late
      const closing = startClosing(turn, graceMs, false)
      return closing === undefined ? NONE : { breakout: breakoutView(closing) }
    },
    "room.choose": (turn, { roomId }, rev) => staleRoom(turn, roomId, rev) ?? choose(turn, roomId),
    "room.return": (turn) => {
      const id = turn.by?.participantId ?? ""
      if (turn.get("seat", id)?.away !== false) return IN_NO_ROOM
      leaveRoom(turn, id, !isCallerStaff(turn))
      return { roomId: null }
    },
    "room.help": (turn, { text = null }) => {
      const seat = turn.get("seat", turn.by?.participantId ?? "")
      if (seat === undefined || seat.away || turn.by === null) return IN_NO_ROOM
      const refused = mutedWith(turn, text)
      if (refused !== undefined) return refused
      const { participantId, name } = turn.by
      turn.publish("room.help", "staff", { roomId: seat.roomId, by: { participantId, name }, text, at: turn.at })
      return { roomId: seat.roomId }
    },
  },
  phaseStarted: (turn, phase) => {
    const size = phase.config.roomSize
    if (phase.modality !== "breakout" || size === undefined) return
    const { plan: bySize } = makePlan(turn, { strategy: "balanced", size })
    const isTooMany = bySize.rooms.length > MAX_ROOMS
    const plan = isTooMany ? makePlan(turn, { strategy: "balanced", rooms: MAX_ROOMS }).plan : bySize
    keepPlan(turn, plan)
    open(turn, plan, { durationMs: null, late: "leastLoaded" })
  },
  // A phase that ends with its timer closes its rooms.
  phaseElapsed: (turn, phase) => {
    const isOn = turn.state.phases.some(({ id, status }) => id === phase.id && status === "active")
    if (isOn && current(turn)?.timed === false) startClosing(turn, DEFAULT_GRACE_MS, true)
  },
  phaseUpdated: (turn, { id, timerEndsAt, timerElapsed }) => {
    const breakout = current(turn)
    if (breakout === undefined || breakout.timed || breakout.phaseId !== id) return
    if (timerEndsAt === null || timerElapsed || timerEndsAt === breakout.endsAt) return
    prolong(turn, breakout, timerEndsAt, 0)
  },
  phaseEnded: closeAll,
  arrived: seatLateJoiners,
  // They cannot return, so their seat is not kept.
  barred: (turn, participantId) => leaveRoom(turn, participantId, false),
  deadlines: (context) => {
    const deadline = deadlineOf(context)
    return deadline === undefined ? [] : [deadline]
  },
  timers: (context) => {
    const breakout = current(context)
    const timer = breakout === undefined ? undefined : breakoutTimerOf(breakout)
    return timer === undefined ? [] : [timer]
  },
  extend,
  view: (context) => {
    const breakout = current(context)
    return {
      breakout: breakout === undefined ? null : breakoutView(breakout),
      rooms: roomsOf(context.records).map(roomView),
    }
  },
  personalView: (context, participantId) => ({ assignment: assignmentOf(context, participantId) }),
} satisfies Activity
