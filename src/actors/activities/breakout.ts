/**
 * Breakout rooms: a plan that says what would open, rooms with people in them, late joiners, and everyone's way back. A
 * seat outlives a broken link: who comes back finds their room. Nobody seated is moved but by a host or by themselves.
 */
import { lateRoom, planBreakout } from "../../model/breakout-plan.ts"
import { type Breakout, type BreakoutPlan, ONLY, type Room } from "../../model/live-records.ts"
import type { PhaseState } from "../../model/phase.ts"
import { isStaff } from "../../model/roles.ts"
import { toMillis, toTimestamp } from "../../model/timestamp.ts"
import type { Refused } from "../commands.ts"
import { activePhase, type TimerView } from "../state.ts"
import type { Turn } from "../turn.ts"
import { type Activity, type ActivityDeadline, type Fields, noSuch, refuse, type Scene } from "./activity.ts"
import { isSeated, leaveRoom, roleOf, setRoom, sit } from "./rooms.ts"

/** A host may try as many plans as these before the oldest is forgotten. */
const MAX_PLANS = 20
const MAX_ROOMS = 500
const DEFAULT_GRACE_MS = 10_000
const DAY_MS = 86_400_000

const NONE = refuse("conflict", "No breakout is open.")

const viewOf = ({ extendedMs: _extended, size: _size, ...breakout }: Breakout): Fields => ({ ...breakout })

/** A breakout without a timer of its own ends with its phase's. */
const endOf = (breakout: Breakout, phase: PhaseState | undefined): string | null =>
  breakout.endsAt ?? (phase?.id === breakout.phaseId && !phase.timerElapsed ? phase.timerEndsAt : null)

/** People to be seated: who is here, but for staff and for those who only watch. */
const seatable = (turn: Turn): ReadonlyArray<string> =>
  [...turn.people.all()].filter((person) => isSeated(roleOf(turn, person))).map(({ participantId }) => participantId)

/** How often two have met in rounds of this event. */
const meetings = (turn: Turn): ((a: string, b: string) => number) | undefined => {
  const rounds = [...turn.all("round").values()]
  if (rounds.length === 0) return undefined
  const met = new Map<string, number>()
  for (const { groups } of rounds) {
    for (const group of groups) {
      for (const a of group) for (const b of group) met.set(`${a} ${b}`, (met.get(`${a} ${b}`) ?? 0) + 1)
    }
  }
  return (a, b) => met.get(`${a} ${b}`) ?? 0
}

type PlanRequest = Omit<Parameters<typeof planBreakout>[0], "people" | "seed"> & { readonly seed?: number }

/** A seed that is the same whenever the same turn is taken. */
const seedOf = (turn: Turn): number => Number.parseInt(turn.idFor("seed").slice(0, 8), 16)

const makePlan = (turn: Turn, request: PlanRequest): BreakoutPlan => {
  const { seed = seedOf(turn), ...asked } = request
  const met = meetings(turn)
  const planned = planBreakout({ ...asked, people: seatable(turn), seed, ...(met === undefined ? {} : { met }) })
  return {
    id: turn.freshId,
    strategy: request.strategy,
    seed,
    rooms: planned.rooms.map(({ name, people }) => ({ name, people })),
    unplaced: planned.unplaced,
    size: asked.rooms === undefined && asked.strategy === "balanced" ? (asked.size ?? null) : null,
    at: turn.at,
  }
}

const keepPlan = (turn: Turn, plan: BreakoutPlan): void => {
  turn.put("plan", plan.id, plan)
  const plans = [...turn.all("plan").keys()]
  for (const id of plans.slice(0, Math.max(0, plans.length - MAX_PLANS))) turn.remove("plan", id)
}

interface Opening {
  readonly endsAt: string | null
  readonly late: Breakout["late"]
}

/** Opens rooms as planned; who left meanwhile is not seated, who came is a late joiner. */
const open = (turn: Turn, plan: BreakoutPlan, { endsAt, late }: Opening): Breakout => {
  const phase = activePhase(turn.state)
  const breakout: Breakout = {
    id: turn.idFor("breakout"),
    phaseId: phase?.id ?? "",
    strategy: plan.strategy,
    size: plan.size,
    late,
    openedAt: turn.at,
    endsAt,
    extendedMs: 0,
    closesAt: null,
    rev: 1,
  }
  turn.put("breakout", ONLY, breakout)
  const seats: [Room, ReadonlyArray<string>][] = plan.rooms.map(({ name, people }, index) => {
    const here = people.filter((id) => turn.people.find(id) !== undefined)
    return [{ id: turn.idFor("room", String(index)), name, count: here.length, open: true, rev: 1 }, here]
  })
  for (const [room] of seats) turn.put("room", room.id, room)
  turn.toAll("breakout.opened", { breakout: viewOf(breakout), rooms: seats.map(([room]) => room) })
  const until = endOf(breakout, phase)
  for (const [room, people] of seats) for (const id of people) sit(turn, id, room, until)
  seatLateJoiners(turn, seatable(turn))
  return breakout
}

/** Rooms planned by size take half as many again before one more is opened: most people may come after the opening. */
const isCrowded = ({ count }: Room, { size }: Breakout): boolean =>
  size !== null && count >= size + Math.max(1, Math.floor(size / 2))

const oneMoreRoom = (turn: Turn): Room => {
  const number = turn.all("room").size + 1
  const room: Room = { id: turn.idFor("late", String(number)), name: `Room ${number}`, count: 0, open: true, rev: 1 }
  turn.put("room", room.id, room)
  turn.toAll("room.updated", { room })
  return room
}

/** Seats those who have no place yet, as the breakout has it; those who had one get it back. */
const seatLateJoiners = (turn: Turn, people: ReadonlyArray<string>): void => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout === undefined || breakout.closesAt !== null) return
  const until = endOf(breakout, activePhase(turn.state))
  for (const id of people) {
    const seat = turn.get("seat", id)
    if (seat !== undefined || breakout.late !== "leastLoaded" || breakout.strategy === "self") continue
    const least = lateRoom([...turn.all("room").values()])
    const room = least === undefined || isCrowded(least, breakout) ? oneMoreRoom(turn) : least
    setRoom(turn, id, room, until)
  }
}

/** Everyone comes back to the main room, and the rooms are gone. */
const closeAll = (turn: Turn): void => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout === undefined) return
  for (const [id, seat] of turn.all("seat")) {
    turn.remove("seat", id)
    if (!seat.away) turn.toOne(id, "assignment.ended", { roomId: seat.roomId, returnAt: turn.at })
    turn.stand({ participantId: id, roomId: null })
  }
  for (const id of turn.all("room").keys()) turn.remove("room", id)
  turn.remove("breakout", ONLY)
  turn.toAll("breakout.closed", { id: breakout.id })
}

/** Closing always warns: everyone is told when they will be brought back. */
const startClosing = (turn: Turn, graceMs: number): Breakout | undefined => {
  const breakout = turn.get("breakout", ONLY)
  if (breakout === undefined || breakout.closesAt !== null) return breakout
  const closing = { ...breakout, closesAt: toTimestamp(turn.now + graceMs), rev: breakout.rev + 1 }
  turn.put("breakout", ONLY, closing)
  turn.toAll("breakout.closing", { breakout: viewOf(closing) })
  if (graceMs === 0) closeAll(turn)
  return closing
}

const deadlineOf = (breakout: Breakout): ActivityDeadline | undefined => {
  const { closesAt, endsAt } = breakout
  if (closesAt !== null) {
    return {
      at: toMillis(closesAt),
      due: (turn) => {
        if (turn.get("breakout", ONLY)?.closesAt === closesAt) closeAll(turn)
      },
    }
  }
  if (endsAt === null) return undefined
  return {
    at: toMillis(endsAt),
    due: (turn) => {
      const now = turn.get("breakout", ONLY)
      if (now?.endsAt === endsAt && now.closesAt === null) startClosing(turn, DEFAULT_GRACE_MS)
    },
  }
}

const timerOf = (breakout: Breakout): TimerView | undefined =>
  breakout.endsAt === null
    ? undefined
    : {
        id: breakout.id,
        scope: "room",
        ref: breakout.id,
        state: breakout.closesAt === null ? "running" : "elapsed",
        startedAt: breakout.openedAt,
        endsAt: breakout.endsAt,
        extendedMs: breakout.extendedMs,
        rev: breakout.rev,
      }

const roomFor = (turn: Turn, roomId: string): Room | Refused => {
  const room = turn.get("room", roomId)
  if (room === undefined || turn.get("breakout", ONLY) === undefined) return noSuch("room")
  return room.open ? room : refuse("conflict", "The room is closed.", { room })
}

const move = (turn: Turn, id: string, roomId: string): Fields | Refused => {
  const room = roomFor(turn, roomId)
  if (!("id" in room)) return room
  const breakout = turn.get("breakout", ONLY)
  if (breakout !== undefined) setRoom(turn, id, room, endOf(breakout, activePhase(turn.state)))
  return { participantId: id, roomId, room: turn.get("room", roomId) ?? room }
}

export const breakout: Activity = {
  commands: {
    "breakout.plan": (turn, d) => {
      const rooms = typeof d.rooms === "number" ? d.rooms : d.rooms?.length
      if (d.strategy !== "balanced" && rooms === undefined) {
        return refuse("bad_request", `A plan by the strategy ${d.strategy} needs rooms: their number or their names.`)
      }
      const plan = makePlan(turn, d)
      if (plan.rooms.length > MAX_ROOMS) return refuse("bad_request", `At most ${MAX_ROOMS} rooms can be open.`)
      keepPlan(turn, plan)
      const { size: _size, ...view } = plan
      return { plan: view }
    },
    "breakout.open": (turn, { planId, durationMs, late = "leastLoaded" }) => {
      const plan = turn.get("plan", planId)
      if (plan === undefined) return noSuch("plan")
      const current = turn.get("breakout", ONLY)
      if (current !== undefined) return refuse("conflict", "A breakout is open already.", { breakout: viewOf(current) })
      const endsAt = durationMs === undefined ? null : toTimestamp(turn.now + durationMs)
      const opened = open(turn, plan, { endsAt, late })
      return { breakout: viewOf(opened), rooms: [...turn.all("room").values()] }
    },
    "breakout.move": (turn, { id, roomId }) => {
      if (turn.get("breakout", ONLY) === undefined) return NONE
      if (turn.people.find(id) === undefined && turn.get("seat", id) === undefined) return noSuch("participant")
      if (roomId !== null) return move(turn, id, roomId)
      leaveRoom(turn, id, false)
      return { participantId: id, roomId: null }
    },
    "breakout.close": (turn, { graceMs = DEFAULT_GRACE_MS }) => {
      const closing = startClosing(turn, graceMs)
      return closing === undefined ? NONE : { breakout: viewOf(closing) }
    },
    "room.choose": (turn, { roomId }) => {
      const current = turn.get("breakout", ONLY)
      if (current === undefined || turn.by === null) return NONE
      const { participantId } = turn.by
      const seat = turn.get("seat", participantId)
      const isOwn = seat?.roomId === roomId
      const mayChoose = current.strategy === "self" || (current.late === "ask" && seat === undefined)
      const host = turn.people.find(participantId)
      if (!isOwn && !mayChoose && !(host !== undefined && isStaff(roleOf(turn, host)))) {
        return refuse("forbidden", "Rooms are assigned in this breakout.")
      }
      return move(turn, participantId, roomId)
    },
    "room.return": (turn) => {
      const id = turn.by?.participantId ?? ""
      if (turn.get("seat", id) === undefined) return refuse("conflict", "You are in no room.")
      leaveRoom(turn, id, true)
      return { roomId: null }
    },
    "room.help": (turn, { text = null }) => {
      const seat = turn.get("seat", turn.by?.participantId ?? "")
      if (seat === undefined || seat.away || turn.by === null) return refuse("conflict", "You are in no room.")
      const { participantId, name } = turn.by
      turn.toStaff("room.help", { roomId: seat.roomId, by: { participantId, name }, text, at: turn.at })
      return { roomId: seat.roomId }
    },
  },
  phaseStarted: (turn, phase) => {
    const size = phase.config.roomSize
    if (phase.modality !== "breakout" || size === undefined) return
    const plan = makePlan(turn, { strategy: "balanced", size })
    open(turn, plan, { endsAt: null, late: "leastLoaded" })
  },
  phaseElapsed: (turn) => {
    const current = turn.get("breakout", ONLY)
    if (current !== undefined && current.endsAt === null) startClosing(turn, DEFAULT_GRACE_MS)
  },
  phaseEnded: closeAll,
  arrived: (turn, people) => {
    const ids = new Set(people.map(({ participantId }) => participantId))
    seatLateJoiners(
      turn,
      seatable(turn).filter((id) => ids.has(id)),
    )
  },
  deadlines: ({ floor }) => {
    const current = floor.get("breakout", ONLY)
    const deadline = current === undefined ? undefined : deadlineOf(current)
    return deadline === undefined ? [] : [deadline]
  },
  timers: ({ floor }) => {
    const current = floor.get("breakout", ONLY)
    const timer = current === undefined ? undefined : timerOf(current)
    return timer === undefined ? [] : [timer]
  },
  extend: (turn, { id, seconds, rev }) => {
    const current = turn.get("breakout", ONLY)
    if (current === undefined || current.id !== id) return undefined
    const timer = timerOf(current)
    if (timer === undefined || current.closesAt !== null)
      return refuse("conflict", "The breakout has no running timer.")
    if (rev !== undefined && rev !== current.rev)
      return refuse("conflict", "The timer was changed meanwhile.", { timer })
    const extendedMs = current.extendedMs + seconds * 1000
    const endsAt = toTimestamp(toMillis(timer.endsAt) + seconds * 1000)
    if (toMillis(endsAt) - toMillis(current.openedAt) > DAY_MS)
      return refuse("conflict", "A breakout lasts at most a day.")
    const extended = { ...current, endsAt, extendedMs, rev: current.rev + 1 }
    turn.put("breakout", ONLY, extended)
    const extendedTimer = timerOf(extended)
    turn.toAll("timer.updated", { timer: extendedTimer })
    turn.toAll("breakout.updated", { breakout: viewOf(extended) })
    return { timer: extendedTimer }
  },
  view: ({ floor }) => {
    const current = floor.get("breakout", ONLY)
    return { breakout: current === undefined ? null : viewOf(current), rooms: [...floor.all("room").values()] }
  },
  personalView: (scene, participantId) => ({ assignment: assignmentOf(scene, participantId) }),
}

const assignmentOf = ({ floor, state }: Scene, participantId: string): Fields | null => {
  const seat = floor.get("seat", participantId)
  const current = floor.get("breakout", ONLY)
  const room = seat === undefined ? undefined : floor.get("room", seat.roomId)
  if (seat === undefined || seat.away || room === undefined || current === undefined) return null
  return { roomId: room.id, name: room.name, endsAt: endOf(current, activePhase(state)) }
}
