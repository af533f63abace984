/**
 * Speed networking: timed rounds, each participant with a new partner while there are any. Pairing is a pure function of presence and past
 * meetings (`model/rotation/rotation-pairing.ts`). Every held round is stored, so that later rotations pair new partners too. Participants
 * who join take part from the next round; the partners of a participant who leaves are notified.
 */

import { ONLY, type Rotation } from "../../../../model/live/live-records.ts"
import { MODALITIES } from "../../../../model/modality.ts"
import { toMillis, toTimestamp } from "../../../../model/timestamp.ts"
import type { ReplyData } from "../../../../protocol/contract.ts"
import type { TimerView } from "../../../../protocol/messages/agenda.ts"
import type { RotationView } from "../../../../protocol/messages/rotation.ts"
import type { Refused } from "../../../commands.ts"
import type { Of } from "../../../state/chart-events.ts"
import { activePhaseOf } from "../../../state/state.ts"
import { extendTimer } from "../../timers.ts"
import type { ReadContext, Turn } from "../../turn.ts"
import { type Activity, refuse } from "../activity.ts"
import {
  beginRound,
  elapse,
  emptyRooms,
  finish,
  groupOf,
  pair,
  publishRound,
  restMs,
  rotationView,
  roundFor,
  roundOf,
  roundTimerOf,
  settleRotation,
  takingPart,
} from "./rotation-rounds.ts"

/** Time for further participants to join after a wait for participants. */
const GATHERING_MS = 5000

const NONE = refuse("conflict", "No rotation is going on.")
const NO_TIMER = refuse("conflict", "The rotation has no running timer.")

/** The current rotation. */
const current = ({ records }: Pick<ReadContext, "records">): Rotation | undefined => {
  const rotation = records.get("rotation", ONLY)
  return rotation?.status === "ended" ? undefined : rotation
}

type Start = Of<"rotation.start">["d"]

const start = (turn: Turn, { roundSeconds, breakSeconds = 0, rounds, groupSize = 2, odd = "bye" }: Start): void =>
  pair(turn, {
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

/** The other participants in the same room of the current round. */
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

/** The round continues without the participant. Their seat is kept until it ends: they may return. */
const miss = (turn: Turn, participantId: string): void => {
  const seat = turn.get("seat", participantId)
  if (seat === undefined || seat.missed === true) return
  publishToPartners(turn, participantId)
  turn.put("seat", participantId, { ...seat, missed: true })
}

/** Sends the round to the partners again, with this participant in it. */
const rejoin = (turn: Turn, participantId: string): void => {
  const { missed, ...seat } = turn.get("seat", participantId) ?? { roomId: "", away: false }
  if (missed !== true) return
  turn.put("seat", participantId, seat)
  for (const id of companions(turn, participantId)) publishRound(turn, id)
}

/** Takes the participant out of this round and the next ones. */
const optOut = (turn: Turn, participantId: string): void => {
  if (turn.get("seat", participantId) === undefined) return
  publishToPartners(turn, participantId)
  turn.remove("seat", participantId)
  turn.changeParticipant({ participantId, roomId: null })
}

/** Takes a participant who may no longer be there out of a running round; their partners are notified. */
export const leaveRound = (turn: Turn, participantId: string): void => {
  if (current(turn) !== undefined) optOut(turn, participantId)
}

/** Applies an action to the rotation, if there is one. */
const withRotation =
  (act: (turn: Turn, going: Rotation) => void) =>
  (turn: Turn): void => {
    const going = current(turn)
    if (going !== undefined) act(turn, going)
  }

type Reply = { readonly rotation: RotationView }

/** Reply with the rotation at the end of the turn, after a pairing. */
const reply = (turn: Turn) => (): Reply | Refused => {
  const last = turn.get("rotation", ONLY)
  return last === undefined ? NONE : { rotation: rotationView(last) }
}

const refuseWith =
  (detail: string) =>
  (turn: Turn): Refused => {
    const going = current(turn)
    return refuse("conflict", detail, going && { rotation: rotationView(going) })
  }

/** Handler of a host's command on the rotation. */
const steering =
  (act: (turn: Turn, going: Rotation) => void) =>
  (turn: Turn): (() => Reply | Refused) => {
    withRotation(act)(turn)
    return reply(turn)
  }

export const roundTimer = (context: Pick<ReadContext, "records">): TimerView | undefined => {
  const going = current(context)
  return going && roundTimerOf(going)
}

/** Chart guards on a rotation. */
export const rotationGuards = {
  hasRounds: (_turn: Turn, { phase: { modality, config } }: Of<"phase.began">) =>
    MODALITIES[modality].rooms === "paired" && config.rounds !== undefined && config.roundSeconds !== undefined,
  isStaleRotation: (turn: Turn, { rev }: { readonly rev?: number }) => rev !== undefined && rev !== current(turn)?.rev,
  isLastRound: (turn: Turn) => {
    const { n, rounds } = current(turn) ?? { n: 0, rounds: 0 }
    return rounds !== "exhaust" && n >= rounds
  },
  hasBreak: (turn: Turn) => {
    const going = current(turn)
    return going !== undefined && restMs(going) > 0
  },
  canPair: (turn: Turn) => takingPart(turn).length > 1,
  waitedForPeople: (turn: Turn) => current(turn)?.remainingMs === null,
  pausedRound: (turn: Turn) => current(turn)?.paused === "round",
  isTimerOfRound: (turn: Turn, { d: { timerId } }: Of<"timer.extend">) => roundTimer(turn)?.id === timerId,
  isOfRotation: (turn: Turn, { d: { timerId } }: Of<"timer.extend">) => turn.get("rotation", ONLY)?.id === timerId,
}

const pause = (turn: Turn, going: Rotation): void => {
  const { status, endsAt } = going
  const remainingMs = endsAt === null ? null : Math.max(0, toMillis(endsAt) - turn.now)
  settleRotation(turn, going, { paused: status === "break" ? "break" : "round", remainingMs })
}

const resume = (turn: Turn, going: Rotation): void => {
  const endsAt = toTimestamp(turn.now + (going.remainingMs ?? 0))
  settleRotation(turn, going, { paused: null, remainingMs: null, endsAt })
}

/** Chart actions on a rotation. */
export const rotationActions = {
  startRotation: (turn: Turn, { d }: Of<"rotation.start">) => {
    start(turn, d)
    return reply(turn)
  },
  startPlannedRotation: (turn: Turn, { phase: { config } }: Of<"phase.began">): void => {
    const { rounds, roundSeconds } = config
    if (rounds !== undefined && roundSeconds !== undefined) start(turn, { rounds, roundSeconds })
  },
  pairAgain: steering(pair),
  beginRound,
  waitForPeople: (turn: Turn, { rotation: going }: Of<"pairing.lacks">): void => emptyRooms(turn, going, null),
  finishPaired: (turn: Turn, { rotation: going }: Of<"pairing.done">): void => finish(turn, going),
  finishRotation: steering(finish),
  elapseRound: withRotation(elapse),
  restRotation: withRotation((turn, going) => emptyRooms(turn, going, restMs(going))),
  gatherPeople: withRotation((turn, going) => emptyRooms(turn, going, GATHERING_MS)),
  pauseRotation: steering(pause),
  resumeRotation: steering(resume),
  /** Extends the running round, or the break, for everyone in it. */
  extendRound: (turn: Turn, command: Of<"timer.extend">): ReplyData<"timer.extend"> | Refused | undefined => {
    const [going, timer] = [current(turn), roundTimer(turn)]
    if (going === undefined || timer === undefined) return undefined
    return extendTimer(turn, command, {
      timer,
      usedMs: toMillis(timer.endsAt) - toMillis(timer.startedAt),
      longest: "A round lasts at most a day.",
      write: ({ endsAt, extendedMs }) => roundTimerOf(settleRotation(turn, going, { endsAt, extendedMs })) ?? timer,
    })
  },
  answerRotation: reply,
  refuseNoRotation: (): Refused => NONE,
  refuseRotationGoing: refuseWith("A rotation is going on."),
  refuseStaleRotation: refuseWith("The rotation was changed meanwhile."),
  refuseNoRoundTimer: (): Refused => NO_TIMER,
  refusePausedTimer: (turn: Turn): Refused => {
    const timer = roundTimer(turn)
    return timer === undefined ? NO_TIMER : refuse("conflict", "The rotation is paused.", { timer })
  },
}

export const rotation = {
  commands: {
    "rotation.opt": (turn, { in: isIn }) => {
      if (turn.by === null) return refuse("forbidden", "Only people at the event take part or sit out.")
      const { participantId } = turn.by
      if (turn.get("opt", participantId)?.in !== isIn) {
        turn.put("opt", participantId, { in: isIn })
        turn.publish("me.opted", `me:${participantId}`, { in: isIn })
      }
      if (isIn) turn.raise({ type: "people.changed" })
      else optOut(turn, participantId)
      return { in: isIn }
    },
  },
  on: {
    "people.arrived": (turn, { people }) => {
      if (current(turn) === undefined) return
      for (const { participantId } of people) rejoin(turn, participantId)
    },
    "people.departed": (turn, { ids }) => {
      if (current(turn) === undefined) return
      for (const participantId of ids) miss(turn, participantId)
    },
  },
  holders: (records) => (current({ records }) === undefined ? [] : records.all("seat").keys()),
  view: ({ records }) => {
    const last = records.get("rotation", ONLY)
    return { rotation: last === undefined ? null : rotationView(last) }
  },
  personalView: ({ records }, participantId) => ({
    round: roundFor(records, participantId),
    optedOut: records.get("opt", participantId)?.in === false,
  }),
} satisfies Activity
