/**
 * Rounds of a rotation: pairing the present participants, seating them, and the round as each of them sees it. A seat outlives a lost
 * connection while its round runs. Dispatches of a round and `ready` use the same view.
 */
import { namedId } from "../../../../model/ids.ts"
import { ONLY, type Rotation, type Round } from "../../../../model/live/live-records.ts"
import {
  nextRound,
  type RotationState,
  type RoundGroup,
  restoreRotation,
} from "../../../../model/rotation/rotation-pairing.ts"
import { byCodeUnits } from "../../../../model/text/compared.ts"
import { toTimestamp } from "../../../../model/timestamp.ts"
import type { TimerView } from "../../../../protocol/messages/agenda.ts"
import type { RotationRoundView, RotationView } from "../../../../protocol/messages/rotation.ts"
import type { Of } from "../../../state/chart-events.ts"
import type { RecordStore } from "../../../state/record-store.ts"
import type { Turn } from "../../turn.ts"
import { isSeated, roleOf } from "./rooms.ts"

/** Time to prepare before a round, taken from the break. */
const MAX_LEAD_MS = 3000

type Stored = Omit<RotationState, "history">

/** Cache of the pairing's state after a rotation's last round. Without it, each round would recompute from all past rounds who has met. */
const memories = new WeakMap<Rotation, RotationState>()

/** All rounds and breakouts of the event, oldest first. */
export const roundsOf = (records: RecordStore) =>
  [...records.all("round").values()]
    .sort((a, b) => byCodeUnits(a.at, b.at) || a.n - b.n)
    .map(({ n, groups }) => ({ n, groups: groups.map((people) => ({ people })) }))

const memoryOf = (turn: Turn, rotation: Rotation): RotationState =>
  memories.get(rotation) ?? restoreRotation({ ...(rotation.seating as Stored), history: roundsOf(turn.records) })

export const rotationView = (rotation: Rotation): RotationView => {
  const { seating: _seating, paused: _paused, extendedMs: _extendedMs, ...view } = rotation
  return view
}

export const roundTimerOf = (rotation: Rotation): TimerView | undefined => {
  const { id, n, status, startsAt, endsAt, remainingMs, extendedMs = 0, rev } = rotation
  if (startsAt === null || endsAt === null || status === "ended") return undefined
  const left = remainingMs === null ? {} : { remainingMs }
  const state = status === "paused" ? "paused" : "running"
  return { id, scope: "round", ref: String(n), state, startedAt: startsAt, endsAt, ...left, extendedMs, rev }
}

/** Stores and publishes the rotation, with the chart's state as its status. The round end applies to everyone in the round. */
export const settleRotation = (
  turn: Turn,
  before: Rotation,
  change: Partial<Omit<Rotation, "status">>,
  memory: RotationState | undefined = memories.get(before),
): Rotation => {
  const state = turn.region("rotation")
  const next: Rotation = { ...before, ...change, status: state === "idle" ? "ended" : state, rev: before.rev + 1 }
  if (memory !== undefined) memories.set(next, memory)
  turn.put("rotation", ONLY, next)
  turn.publish("rotation.state", "event", { rotation: rotationView(next) })
  const [was, is] = [roundTimerOf(before), roundTimerOf(next)]
  if (is !== undefined) turn.publish("timer.updated", "event", { timer: is })
  else if (was !== undefined)
    turn.publish("timer.updated", "event", { timer: { ...was, state: "cancelled", rev: next.rev } })
  return next
}

/** Publishes that the timer has elapsed. The change that follows in the same turn builds on it. */
export const elapse = (turn: Turn, before: Rotation): void => {
  const rev = before.rev + 1
  const timer = roundTimerOf(before)
  if (timer !== undefined) {
    turn.publish("timer.elapsed", "event", { timerId: timer.id, timer: { ...timer, state: "elapsed", rev } })
  }
  const next: Rotation = { ...before, endsAt: null, rev }
  const memory = memories.get(before)
  if (memory !== undefined) memories.set(next, memory)
  turn.put("rotation", ONLY, next)
}

/** Participants to be paired: those with a seat who have not opted out, and staff who opted in. */
export const takingPart = (turn: Turn): ReadonlyArray<string> =>
  [...turn.people.all()].flatMap((person) => {
    const role = roleOf(turn, person)
    const isIn = turn.get("opt", person.participantId)?.in ?? isSeated(role)
    return isIn && role !== "viewer" ? [person.participantId] : []
  })

const breakMs = ({ breakSeconds }: Rotation): number => breakSeconds * 1000
const leadMs = (rotation: Rotation): number => Math.min(MAX_LEAD_MS, breakMs(rotation))

const roundId = ({ id, n }: Rotation): string => `${id} ${n}`
const roomId = ({ id, n }: Rotation, group: number): string => namedId(id, "round", String(n), String(group))

/** Whether a round is running or paused. */
const isInRound = ({ status, paused }: Rotation): boolean => status === "round" || paused === "round"

export const roundOf = (records: RecordStore, rotation: Rotation | undefined): Round | undefined =>
  rotation === undefined || !isInRound(rotation) ? undefined : records.get("round", roundId(rotation))

/** Members of a group who are still in its room, connected or briefly absent. */
const partnersOf = (
  records: RecordStore,
  people: ReadonlyArray<string>,
  self: string,
  room: string,
): RotationRoundView["partners"] =>
  people.flatMap((participantId) => {
    const seat = records.get("seat", participantId)
    return participantId === self || seat?.roomId !== room ? [] : [{ participantId, name: seat.name ?? "" }]
  })

/** `group`: -1 for participants without one, whose room is null. */
const roundInGroup = (
  records: RecordStore,
  rotation: Rotation,
  round: Round,
  group: number,
  room: string | null,
  self: string,
): RotationRoundView => {
  // Both are set while a round of the rotation runs.
  const { n, startsAt, endsAt } = rotation
  const people = round.groups[group]
  return {
    n,
    startsAt: startsAt ?? round.at,
    endsAt: endsAt ?? round.at,
    leadMs: leadMs(rotation),
    roomId: room,
    partners: people === undefined || room === null ? [] : partnersOf(records, people, self, room),
    bye: people === undefined,
    repeat: round.repeats.includes(group),
  }
}

/** A participant's group at the start of the round; -1: none. */
export const groupOf = (round: Round, participantId: string): number =>
  round.groups.findIndex((people) => people.includes(participantId))

/** The round as one participant sees it; null when they are not in it. */
export const roundFor = (records: RecordStore, participantId: string): RotationRoundView | null => {
  const rotation = records.get("rotation", ONLY)
  const round = roundOf(records, rotation)
  if (rotation === undefined || round === undefined) return null
  const isBye = round.byes.includes(participantId) && records.get("opt", participantId)?.in !== false
  if (!isBye && records.get("seat", participantId) === undefined) return null
  const group = groupOf(round, participantId)
  const room = group === -1 ? null : roomId(rotation, group)
  return roundInGroup(records, rotation, round, group, room, participantId)
}

export const publishRound = (turn: Turn, participantId: string): void => {
  const round = roundFor(turn.records, participantId)
  if (round !== null) turn.publish("rotation.round", `me:${participantId}`, round)
}

/** Moves everyone to the main room, except participants who go on to another room. */
const empty = (turn: Turn, staying: ReadonlySet<string> = new Set()): void => {
  for (const [participantId] of turn.all("seat")) {
    if (staying.has(participantId)) continue
    turn.remove("seat", participantId)
    turn.changeParticipant({ participantId, roomId: null })
  }
}

const seatAll = (turn: Turn, rotation: Rotation, round: Round): void => {
  empty(turn, new Set(round.groups.flat()))
  for (const [group, people] of round.groups.entries()) {
    const room = roomId(rotation, group)
    for (const id of people) {
      turn.put("seat", id, { roomId: room, away: false, name: turn.people.find(id)?.name ?? "" })
      turn.changeParticipant({ participantId: id, roomId: room })
    }
    for (const id of people)
      turn.publish("rotation.round", `me:${id}`, roundInGroup(turn.records, rotation, round, group, room, id))
  }
  for (const id of round.byes)
    turn.publish("rotation.round", `me:${id}`, roundInGroup(turn.records, rotation, round, -1, null, id))
}

/** True when these groups have no new pair and no other round could have one. Larger groups are not searched further. */
const isExhausted = (
  groups: ReadonlyArray<RoundGroup>,
  { history }: RotationState,
  present: ReadonlyArray<string>,
  groupSize: number,
): boolean => {
  if (!groups.every(({ repeat }) => repeat)) return false
  const met = history.among(present)
  const numberOf = new Map(present.map((id, number) => [id, number]))
  const everyPair = (people: ReadonlyArray<string>, holds: (a: number, b: number) => boolean): boolean => {
    const numbers = people.map((id) => numberOf.get(id) ?? -1)
    return numbers.every((a, at) => numbers.slice(at + 1).every((b) => holds(a, b)))
  }
  if (groupSize === 2) return everyPair(present, (a, b) => met.haveMet(a, b))
  return groups.every(({ people }) => everyPair(people, (a, b) => met.times(a, b) > 1))
}

/** Fields of a timer that has just started, or when there is none. */
const AFRESH = { remainingMs: null, paused: null, extendedMs: 0 } as const

export const finish = (turn: Turn, rotation: Rotation): void => {
  empty(turn)
  settleRotation(turn, rotation, { startsAt: null, endsAt: null, ...AFRESH })
}

/** Leaves all rooms empty until the next pairing; `null`: until there are participants to pair. */
export const emptyRooms = (turn: Turn, rotation: Rotation, forMs: number | null): void => {
  empty(turn)
  const endsAt = forMs === null ? null : toTimestamp(turn.now + forMs)
  settleRotation(turn, rotation, { startsAt: turn.at, endsAt, ...AFRESH })
}

/** Pairs the present participants, and raises the result for the chart. */
export const pair = (turn: Turn, rotation: Rotation): void => {
  const present = takingPart(turn)
  if (present.length < 2) {
    turn.raise({ type: "pairing.lacks", rotation })
    return
  }
  const { groupSize, odd } = rotation
  const seed = Number.parseInt(rotation.id.slice(0, 8), 16)
  const pairing = nextRound(memoryOf(turn, rotation), present, { groupSize, odd, seed })
  const isOver = rotation.rounds === "exhaust" && isExhausted(pairing.groups, pairing.state, present, groupSize)
  turn.raise(isOver ? { type: "pairing.done", rotation } : { type: "pairing.found", rotation, pairing })
}

/** Begins the round of a pairing. */
export const beginRound = (turn: Turn, { rotation, pairing }: Of<"pairing.found">): void => {
  const { state, groups, byes } = pairing
  const { history: _history, ...seating } = state
  const startsAt = turn.now + leadMs(rotation)
  const change = {
    n: rotation.n + 1,
    startsAt: toTimestamp(startsAt),
    endsAt: toTimestamp(startsAt + rotation.roundSeconds * 1000),
    ...AFRESH,
    pairs: groups.length,
    byes: byes.length,
    seating,
  }
  const begun = settleRotation(turn, rotation, change, state)
  const repeats = groups.flatMap(({ repeat }, group) => (repeat ? [group] : []))
  const id = roundId(begun)
  const round = { id, n: begun.n, at: turn.at, groups: groups.map(({ people }) => people), repeats, byes }
  turn.put("round", id, round)
  seatAll(turn, begun, round)
}

/** Time in milliseconds for which rooms are empty after a round. */
export const restMs = (rotation: Rotation): number => breakMs(rotation) - leadMs(rotation)
