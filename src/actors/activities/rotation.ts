/**
 * Speed networking: rounds on the clock, everybody with somebody new for as long as there is somebody new. Pairing is a pure
 * function of who is here and who has met (model/rotation-pairing.ts); every round that was held is kept, so that people
 * meet others in the next rotation too. Joiners take part from the next round; who leaves is missed by their partners.
 */
import { ONLY, type Rotation, type Round } from "../../model/live-records.ts"
import { nextRound, type RotationState, type RoundGroup, restoreRotation } from "../../model/rotation-pairing.ts"
import { toMillis, toTimestamp } from "../../model/timestamp.ts"
import { activePhase, type TimerView } from "../state.ts"
import type { Turn } from "../turn.ts"
import { type Activity, type ActivityDeadline, type Fields, refuse, type Scene } from "./activity.ts"
import { isSeated, roleOf } from "./rooms.ts"

/** Time to get ready, out of the break before a round. */
const MAX_LEAD_MS = 3000
/** With nobody to pair, one looks again after this long. */
const LOOK_AGAIN_MS = 5000

const NONE = refuse("conflict", "No rotation is going on.")

type Stored = Omit<RotationState, "history">

/** The pairing's memory of a rotation, while it is in memory: who has met is otherwise read from all past rounds. */
const memories = new WeakMap<Rotation, RotationState>()

const roundsOf = (turn: Turn): ReadonlyArray<Round> =>
  [...turn.all("round").values()].sort((a, b) => (a.at < b.at ? -1 : 1) || a.n - b.n)

const memoryOf = (turn: Turn, rotation: Rotation): RotationState =>
  memories.get(rotation) ??
  restoreRotation({
    ...(rotation.seating as Stored),
    history: roundsOf(turn).map(({ n, groups }) => ({ n, groups: groups.map((people) => ({ people })) })),
  })

const FRESH: Stored = { seats: [], turn: 0, byes: {}, trios: {} }

const viewOf = ({ seating: _seating, paused: _paused, ...rotation }: Rotation): Fields => ({ ...rotation })

const isGoingOn = (rotation: Rotation | undefined): rotation is Rotation =>
  rotation !== undefined && rotation.status !== "ended"

const current = (turn: Turn): Rotation | undefined => {
  const rotation = turn.get("rotation", ONLY)
  return isGoingOn(rotation) ? rotation : undefined
}

const timerOf = (rotation: Rotation): TimerView | undefined => {
  const { id, status, startsAt, endsAt, remainingMs, rev } = rotation
  if (startsAt === null || endsAt === null || status === "ended") return undefined
  const timer = { id, scope: "round", ref: String(rotation.n), startsAt, endsAt, extendedMs: 0, rev } as const
  const state = status === "paused" ? "paused" : "running"
  return {
    id: timer.id,
    scope: timer.scope,
    ref: timer.ref,
    state,
    startedAt: startsAt,
    endsAt,
    ...(remainingMs === null ? {} : { remainingMs }),
    extendedMs: 0,
    rev,
  }
}

/** Keeps the rotation as it is now and tells everyone. */
const settle = (turn: Turn, rotation: Rotation, memory?: RotationState): Rotation => {
  const next = { ...rotation, rev: rotation.rev + 1 }
  if (memory !== undefined) memories.set(next, memory)
  turn.put("rotation", ONLY, next)
  turn.toAll("rotation.state", { rotation: viewOf(next) })
  return next
}

/** Who is to be paired: those with a seat who do not sit out, and whoever of staff wants to. */
const takingPart = (turn: Turn): ReadonlyArray<string> =>
  [...turn.people.all()]
    .filter((person) => turn.get("opt", person.participantId)?.in ?? isSeated(roleOf(turn, person)))
    .map(({ participantId }) => participantId)

const breakMs = ({ breakSeconds }: Rotation): number => breakSeconds * 1000
const leadMs = (rotation: Rotation): number => Math.min(MAX_LEAD_MS, breakMs(rotation))

const empty = (turn: Turn): void => {
  for (const [participantId] of turn.all("seat")) {
    turn.remove("seat", participantId)
    turn.stand({ participantId, roomId: null })
  }
}

const partnersOf = (turn: Turn, people: ReadonlyArray<string>, self: string): ReadonlyArray<Fields> =>
  people
    .filter((id) => id !== self)
    .map((participantId) => ({ participantId, name: turn.people.find(participantId)?.name ?? "" }))

const tellRound = (
  turn: Turn,
  rotation: Rotation,
  groups: ReadonlyArray<RoundGroup>,
  byes: ReadonlyArray<string>,
): void => {
  const { n, startsAt, endsAt } = rotation
  const round = { n, startsAt, endsAt, leadMs: leadMs(rotation) }
  for (const [index, { people, repeat }] of groups.entries()) {
    const roomId = turn.idFor("room", String(n), String(index))
    for (const id of people) {
      turn.put("seat", id, { roomId, away: false })
      turn.toOne(id, "rotation.round", { ...round, roomId, partners: partnersOf(turn, people, id), bye: false, repeat })
      turn.stand({ participantId: id, roomId })
    }
  }
  for (const id of byes) {
    turn.toOne(id, "rotation.round", { ...round, roomId: null, partners: [], bye: true, repeat: false })
  }
}

const finish = (turn: Turn, rotation: Rotation): Rotation => {
  empty(turn)
  return settle(turn, { ...rotation, status: "ended", startsAt: null, endsAt: null, remainingMs: null, paused: null })
}

const rest = (turn: Turn, rotation: Rotation, forMs: number): Rotation => {
  empty(turn)
  return settle(turn, { ...rotation, status: "break", startsAt: turn.at, endsAt: toTimestamp(turn.now + forMs) })
}

/** Pairs whoever is here and begins their round; ends the rotation when there is nobody new to meet. */
const beginRound = (turn: Turn, rotation: Rotation): Rotation => {
  const present = takingPart(turn)
  if (present.length < 2) return rest(turn, rotation, Math.max(LOOK_AGAIN_MS, breakMs(rotation)))
  const { groupSize, odd } = rotation
  const seed = Number.parseInt(rotation.id.slice(0, 8), 16)
  const { state, groups, byes } = nextRound(memoryOf(turn, rotation), present, { groupSize, odd, seed })
  if (rotation.rounds === "exhaust" && groups.every(({ repeat }) => repeat)) return finish(turn, rotation)
  empty(turn)
  const n = rotation.n + 1
  const startsAt = turn.now + leadMs(rotation)
  const { history: _history, ...seating } = state
  const round = settle(
    turn,
    {
      ...rotation,
      status: "round",
      n,
      startsAt: toTimestamp(startsAt),
      endsAt: toTimestamp(startsAt + rotation.roundSeconds * 1000),
      remainingMs: null,
      paused: null,
      pairs: groups.length,
      byes: byes.length,
      seating,
    },
    state,
  )
  const id = `${rotation.id} ${n}`
  const repeats = groups.flatMap(({ repeat }, index) => (repeat ? [index] : []))
  turn.put("round", id, { id, n, at: turn.at, groups: groups.map(({ people }) => people), repeats, byes })
  tellRound(turn, round, groups, byes)
  return round
}

const isLast = ({ n, rounds }: Rotation): boolean => rounds !== "exhaust" && n >= rounds

/** A round is over: a break, the next one, or the end. */
const endRound = (turn: Turn, rotation: Rotation): Rotation => {
  if (isLast(rotation)) return finish(turn, rotation)
  const pause = breakMs(rotation) - leadMs(rotation)
  return breakMs(rotation) > 0 ? rest(turn, rotation, pause) : beginRound(turn, rotation)
}

interface Start {
  readonly roundSeconds: number
  readonly breakSeconds?: number
  readonly rounds: number | "exhaust"
  readonly groupSize?: number
  readonly odd?: "bye" | "trio"
}

const start = (turn: Turn, { roundSeconds, breakSeconds = 0, rounds, groupSize = 2, odd = "bye" }: Start): Rotation =>
  beginRound(turn, {
    id: turn.idFor("rotation"),
    phaseId: activePhase(turn.state)?.id ?? "",
    status: "break",
    roundSeconds,
    breakSeconds,
    rounds,
    groupSize,
    odd,
    n: 0,
    startsAt: null,
    endsAt: null,
    remainingMs: null,
    paused: null,
    pairs: 0,
    byes: 0,
    seating: FRESH,
    rev: 0,
  })

/** The round goes on without them: whoever they sat with is told, and they are back in the main room. */
const missFrom = (turn: Turn, participantId: string): void => {
  const rotation = current(turn)
  const seat = turn.get("seat", participantId)
  if (rotation === undefined || seat === undefined) return
  const round = turn.get("round", `${rotation.id} ${rotation.n}`)
  const group = round?.groups.find((people) => people.includes(participantId)) ?? []
  for (const id of group) {
    const isStill = turn.get("seat", id)?.roomId === seat.roomId
    if (id !== participantId && isStill) turn.toOne(id, "rotation.partnerLeft", { participantId, n: rotation.n })
  }
  turn.remove("seat", participantId)
  turn.stand({ participantId, roomId: null })
}

/** Whoever lost their link comes back to those they sat with, if any of them is still there. */
const bringBack = (turn: Turn, participantId: string): void => {
  const rotation = current(turn)
  const round = rotation === undefined ? undefined : turn.get("round", `${rotation.id} ${rotation.n}`)
  if (rotation?.status !== "round" || round === undefined || turn.get("seat", participantId) !== undefined) return
  const index = round.groups.findIndex((people) => people.includes(participantId))
  const people = round.groups[index] ?? []
  const roomId = people.flatMap((id) => turn.get("seat", id)?.roomId ?? [])[0]
  if (roomId === undefined) return
  const { n, startsAt, endsAt } = rotation
  const told = { n, startsAt, endsAt, leadMs: leadMs(rotation), roomId, bye: false }
  const repeat = round.repeats.includes(index)
  turn.put("seat", participantId, { roomId, away: false })
  turn.toOne(participantId, "rotation.round", { ...told, partners: partnersOf(turn, people, participantId), repeat })
  turn.stand({ participantId, roomId })
}

const dueOf = (rotation: Rotation): ActivityDeadline | undefined => {
  if (rotation.status !== "round" && rotation.status !== "break") return undefined
  if (rotation.endsAt === null) return undefined
  return {
    at: toMillis(rotation.endsAt),
    due: (turn) => {
      const now = current(turn)
      if (now?.rev !== rotation.rev || now.id !== rotation.id) return
      if (now.status === "round") endRound(turn, now)
      else beginRound(turn, now)
    },
  }
}

const pause = (turn: Turn): Fields | ReturnType<typeof refuse> => {
  const rotation = current(turn)
  if (rotation === undefined) return NONE
  if (rotation.status === "paused" || rotation.endsAt === null) return { rotation: viewOf(rotation) }
  const remainingMs = Math.max(0, toMillis(rotation.endsAt) - turn.now)
  const of = rotation.status === "break" ? "break" : "round"
  const paused = settle(turn, { ...rotation, status: "paused", paused: of, remainingMs })
  tellTimer(turn, paused)
  return { rotation: viewOf(paused) }
}

const resume = (turn: Turn): Fields | ReturnType<typeof refuse> => {
  const rotation = current(turn)
  if (rotation === undefined) return NONE
  if (rotation.status !== "paused") return { rotation: viewOf(rotation) }
  const endsAt = toTimestamp(turn.now + (rotation.remainingMs ?? 0))
  const status = rotation.paused ?? "round"
  const resumed = settle(turn, { ...rotation, status, paused: null, remainingMs: null, endsAt })
  tellTimer(turn, resumed)
  return { rotation: viewOf(resumed) }
}

const tellTimer = (turn: Turn, rotation: Rotation): void => {
  const timer = timerOf(rotation)
  if (timer !== undefined) turn.toAll("timer.updated", { timer })
}

export const rotation: Activity = {
  commands: {
    "rotation.start": (turn, d) => {
      const going = current(turn)
      if (going !== undefined) return refuse("conflict", "A rotation is going on.", { rotation: viewOf(going) })
      return { rotation: viewOf(start(turn, d)) }
    },
    "rotation.skip": (turn) => {
      const going = current(turn)
      if (going === undefined) return NONE
      return { rotation: viewOf(isLast(going) ? finish(turn, going) : beginRound(turn, going)) }
    },
    "rotation.pause": pause,
    "rotation.resume": resume,
    "rotation.stop": (turn) => {
      const going = current(turn)
      return going === undefined ? NONE : { rotation: viewOf(finish(turn, going)) }
    },
    "rotation.opt": (turn, { in: isIn }) => {
      const id = turn.by?.participantId ?? ""
      if (turn.get("opt", id)?.in !== isIn) turn.put("opt", id, { in: isIn })
      if (!isIn) missFrom(turn, id)
      return { in: isIn }
    },
  },
  phaseStarted: (turn, { modality, config: { rounds, roundSeconds } }) => {
    if (modality === "rotation" && rounds !== undefined && roundSeconds !== undefined)
      start(turn, { rounds, roundSeconds })
  },
  phaseEnded: (turn) => {
    const going = current(turn)
    if (going !== undefined) finish(turn, going)
  },
  arrived: (turn, people) => {
    for (const { participantId } of people) bringBack(turn, participantId)
  },
  departed: (turn, people) => {
    if (current(turn) === undefined) return
    for (const { participantId } of people) missFrom(turn, participantId)
  },
  deadlines: ({ floor }) => {
    const going = floor.get("rotation", ONLY)
    const due = isGoingOn(going) ? dueOf(going) : undefined
    return due === undefined ? [] : [due]
  },
  timers: ({ floor }) => {
    const going = floor.get("rotation", ONLY)
    const timer = isGoingOn(going) ? timerOf(going) : undefined
    return timer === undefined ? [] : [timer]
  },
  view: ({ floor }) => {
    const last = floor.get("rotation", ONLY)
    return { rotation: last === undefined ? null : viewOf(last) }
  },
  personalView: (scene, participantId) => ({
    round: roundOf(scene, participantId),
    optedOut: scene.floor.get("opt", participantId)?.in === false,
  }),
}

/** The round somebody is in, for who comes (back) in the middle of it. */
const roundOf = ({ floor, people }: Scene, participantId: string): Fields | null => {
  const going = floor.get("rotation", ONLY)
  if (!isGoingOn(going) || going.n === 0 || going.status === "break" || going.paused === "break") return null
  const round = floor.get("round", `${going.id} ${going.n}`)
  const seat = floor.get("seat", participantId)
  const index = round?.groups.findIndex((one) => one.includes(participantId)) ?? -1
  const group = round?.groups[index]
  const isBye = round?.byes.includes(participantId) === true
  if (!isBye && (group === undefined || seat === undefined)) return null
  const partners = (group ?? [])
    .filter((id) => id !== participantId)
    .map((id) => ({ participantId: id, name: people.find(id)?.name ?? "" }))
  return {
    n: going.n,
    startsAt: going.startsAt,
    endsAt: going.endsAt,
    roomId: seat?.roomId ?? null,
    partners,
    bye: isBye,
    repeat: round?.repeats.includes(index) === true,
    leadMs: leadMs(going),
  }
}
