/**
 * Speed networking: timed rounds, each participant with a new partner while there are new ones. Pairing is a pure function of
 * presence and past meetings (`model/pairing/rotation-pairing.ts`). Every held round is stored, so that later rotations pair new partners
 * too. Participants that join take part from the next round; the partners of one that leaves are notified.
 */
import { ONLY, type Rotation } from "../../../../model/live/live-records.ts"
import { toMillis, toTimestamp } from "../../../../model/timestamp.ts"
import type { RotationView } from "../../../../protocol/topics/rotation.ts"
import type { Refused } from "../../../commands.ts"
import { activePhaseOf } from "../../state.ts"
import type { Turn } from "../../turn.ts"
import { type Activity, type ActivityDeadline, type ReadContext, refuse } from "../activity.ts"
import {
  beginRound,
  elapse,
  endRound,
  finish,
  groupOf,
  isLast,
  publishRound,
  rest,
  rotationView,
  roundFor,
  roundOf,
  roundTimerOf,
  settle,
  takingPart,
} from "./rotation-rounds.ts"

/** After a wait for participants, others get this long to join too. */
const GATHERING_MS = 5000
const DAY_MS = 86_400_000

const NONE = refuse("conflict", "No rotation is going on.")

/** The current rotation. */
const current = ({ records }: Pick<ReadContext, "records">): Rotation | undefined => {
  const rotation = records.get("rotation", ONLY)
  return rotation?.status === "ended" ? undefined : rotation
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
    phaseId: activePhaseOf(turn.state)?.id ?? "",
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
    seating: { seats: [], turn: 0, byes: {}, trios: {} },
    rev: 0,
  })

/** The other participants in the same room of the round now. */
const companions = (turn: Turn, participantId: string): ReadonlyArray<string> => {
  const round = roundOf(turn.records, current(turn))
  const seat = turn.get("seat", participantId)
  if (round === undefined || seat === undefined) return []
  const group = round.groups[groupOf(round, participantId)] ?? []
  return group.filter((id) => id !== participantId && turn.get("seat", id)?.roomId === seat.roomId)
}

const publishToPartners = (turn: Turn, participantId: string): void => {
  const { n = 0 } = current(turn) ?? {}
  for (const id of companions(turn, participantId))
    turn.publish("rotation.partnerLeft", `me:${id}`, { participantId, n })
}

/** The round goes on without them. Their seat is kept until it ends: they may return. */
const miss = (turn: Turn, participantId: string): void => {
  const seat = turn.get("seat", participantId)
  if (seat === undefined || seat.missed === true) return
  publishToPartners(turn, participantId)
  turn.put("seat", participantId, { ...seat, missed: true })
}

/** Their partners receive the round again, with this participant in it. */
const rejoin = (turn: Turn, participantId: string): void => {
  const { missed, ...seat } = turn.get("seat", participantId) ?? { roomId: "", away: false }
  if (missed !== true) return
  turn.put("seat", participantId, seat)
  for (const id of companions(turn, participantId)) publishRound(turn, id)
}

/** Sits out the rest of the round, and the next ones. */
const optOut = (turn: Turn, participantId: string): void => {
  if (turn.get("seat", participantId) === undefined) return
  publishToPartners(turn, participantId)
  turn.remove("seat", participantId)
  turn.changeParticipant({ participantId, roomId: null })
}

/** For a participant that may not be there any more: they leave a running round, and their partners are notified. */
export const leaveRound = (turn: Turn, participantId: string): void => {
  if (current(turn) !== undefined) optOut(turn, participantId)
}

/** A rotation that waits for participants goes on soon after there are two. */
const gather = (turn: Turn): void => {
  const going = current(turn)
  if (going?.status === "break" && going.endsAt === null && takingPart(turn).length > 1) {
    rest(turn, going, GATHERING_MS)
  }
}

const dueOf = (rotation: Rotation): ActivityDeadline | undefined => {
  const { id, rev, status, endsAt } = rotation
  if (status === "paused" || endsAt === null) return undefined
  return {
    at: toMillis(endsAt),
    due: (turn) => {
      const now = current(turn)
      if (now?.rev !== rev || now.id !== id) return
      const over = elapse(turn, now)
      if (over.status === "round") endRound(turn, over)
      else beginRound(turn, over)
    },
  }
}

const pause = (turn: Turn, going: Rotation): Rotation => {
  const { status, endsAt } = going
  if (status !== "round" && status !== "break") return going
  const remainingMs = endsAt === null ? null : Math.max(0, toMillis(endsAt) - turn.now)
  return settle(turn, going, { status: "paused", paused: status, remainingMs })
}

const resume = (turn: Turn, going: Rotation): Rotation => {
  if (going.status !== "paused") return going
  const { paused, remainingMs } = going
  if (remainingMs === null) return beginRound(turn, going)
  const endsAt = toTimestamp(turn.now + remainingMs)
  return settle(turn, going, { status: paused ?? "round", paused: null, remainingMs: null, endsAt })
}

/** Extends the running round, or the break, for everyone in it. */
const extend: Activity["extend"] = (turn, { id, seconds, rev }) => {
  const last = turn.get("rotation", ONLY)
  if (last === undefined || last.id !== id) return undefined
  const timer = roundTimerOf(last)
  if (timer === undefined) return refuse("conflict", "The rotation has no running timer.")
  if (timer.state !== "running") return refuse("conflict", "The rotation is paused.", { timer })
  if (rev !== undefined && rev !== last.rev) return refuse("conflict", "The timer was changed meanwhile.", { timer })
  const endsAt = toMillis(timer.endsAt) + seconds * 1000
  if (endsAt - toMillis(timer.startedAt) > DAY_MS) return refuse("conflict", "A round lasts at most a day.")
  const extendedMs = timer.extendedMs + seconds * 1000
  return { timer: roundTimerOf(settle(turn, last, { endsAt: toTimestamp(endsAt), extendedMs })) ?? timer }
}

/** A host's command on the current rotation. */
const steering =
  (steer: (turn: Turn, going: Rotation) => Rotation) =>
  (turn: Turn, _d: object, rev: number | undefined): { readonly rotation: RotationView } | Refused => {
    const going = current(turn)
    if (going === undefined) return NONE
    return rev === undefined || rev === going.rev
      ? { rotation: rotationView(steer(turn, going)) }
      : refuse("conflict", "The rotation was changed meanwhile.", { rotation: rotationView(going) })
  }

export const rotation = {
  commands: {
    "rotation.start": (turn, d) => {
      const going = current(turn)
      if (going === undefined) return { rotation: rotationView(start(turn, d)) }
      return refuse("conflict", "A rotation is going on.", { rotation: rotationView(going) })
    },
    "rotation.skip": steering((turn, going) => (isLast(going) ? finish(turn, going) : beginRound(turn, going))),
    "rotation.pause": steering(pause),
    "rotation.resume": steering(resume),
    "rotation.stop": steering(finish),
    "rotation.opt": (turn, { in: isIn }) => {
      if (turn.by === null) return refuse("forbidden", "Only people at the event take part or sit out.")
      const { participantId } = turn.by
      if (turn.get("opt", participantId)?.in !== isIn) {
        turn.put("opt", participantId, { in: isIn })
        turn.publish("me.opted", `me:${participantId}`, { in: isIn })
      }
      if (isIn) gather(turn)
      else optOut(turn, participantId)
      return { in: isIn }
    },
  },
  phaseStarted: (turn, { modality, config: { rounds, roundSeconds } }) => {
    if (modality === "rotation" && rounds !== undefined && roundSeconds !== undefined) {
      start(turn, { rounds, roundSeconds })
    }
  },
  phaseEnded: (turn) => {
    const going = current(turn)
    if (going !== undefined) finish(turn, going)
  },
  arrived: (turn, people) => {
    if (current(turn) === undefined) return
    for (const { participantId } of people) rejoin(turn, participantId)
    gather(turn)
  },
  holdings: {
    holders: (records) => (current({ records }) === undefined ? [] : records.all("seat").keys()),
    release: (turn, participantIds) => {
      if (current(turn) === undefined) return
      for (const participantId of participantIds) miss(turn, participantId)
    },
  },
  deadlines: (context) => {
    const going = current(context)
    const due = going === undefined ? undefined : dueOf(going)
    return due === undefined ? [] : [due]
  },
  timers: (context) => {
    const going = current(context)
    const timer = going === undefined ? undefined : roundTimerOf(going)
    return timer === undefined ? [] : [timer]
  },
  extend,
  view: ({ records }) => {
    const last = records.get("rotation", ONLY)
    return { rotation: last === undefined ? null : rotationView(last) }
  },
  personalView: ({ records }, participantId) => ({
    round: roundFor(records, participantId),
    optedOut: records.get("opt", participantId)?.in === false,
  }),
} satisfies Activity
