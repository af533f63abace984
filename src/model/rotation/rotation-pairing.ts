/**
 * Groups of the next round of speed networking: a pure function of state, presence and seed.
 * Invariants: everyone present is in one group or has the bye; with an even number nobody has the bye, with an odd number one person has
 * it, and nobody has a second bye before everyone present had a first.
 *
 * Guarantee (pairs): with n present in round r and n >= 2r, or n - 1 >= 2r when n is odd, no two meet again, however people came, left or
 * paused before. In that case everybody has met at most r - 1 people. If n is odd the bye goes to a person whose turn it is; an even number
 * m >= 2r remains, each of whom has not met at least m - 1 - (r - 1) >= m/2 of the others. Then everyone can be paired, and pair-repair.ts
 * gives the reason why its search finds the pairs, at any n. The guarantee does not depend on the circle method; with it an unchanged
 * roster gets all its n - 1 rounds. A trio takes two meetings from each of its three, so with `trio` read "r - 1" as the most people any
 * present person has met.
 */
import { planBreakout } from "../breakouts/breakout-plan.ts"
import { completePairing } from "../pairing/maximum-matching.ts"
import { type MeetingHistory, type MeetingsAmong, type PastRound, restoreHistory } from "../pairing/meeting-history.ts"
import { repair } from "../pairing/pair-repair.ts"
import { Pairing } from "../pairing/pairing.ts"
import { pairAgain } from "../pairing/repeat-pairs.ts"
import { seededRandom } from "../pairing/seeded-random.ts"
import { circlePairs, type Seats, seatPeople, unseat } from "./rotation-seats.ts"

/** Count per person; absent people have 0. */
interface Counts {
  readonly [personId: string]: number
}

/** Plain JSON except for the history, which serialises itself as its rounds. */
export interface RotationState {
  readonly seats: Seats
  /** People with a seat who missed the last round. */
  readonly missing?: ReadonlyArray<string>
  /** How far the seats have rotated. */
  readonly turn: number
  /** Number of byes per person. */
  readonly byes: Counts
  /** Times a person sat in a group of three because the number was odd. */
  readonly trios: Counts
  readonly history: MeetingHistory
}

export interface RotationOptions {
  readonly groupSize: number
  /** Treatment of the person left over: a break, or a third seat with two others. Groups above two need neither. */
  readonly odd: "bye" | "trio"
  readonly seed: number
}

export interface RoundGroup {
  readonly people: ReadonlyArray<string>
  /** True: some of the group have met before. */
  readonly repeat: boolean
}

export interface RotationRound {
  /** State after this round. */
  readonly state: RotationState
  readonly groups: ReadonlyArray<RoundGroup>
  readonly byes: ReadonlyArray<string>
}

/** Most people for the exact search, which costs the square of the number for each path. */
const MAX_EXACT = 500

/** `history`: the event's earlier rotations, so that people meet others in the next one. */
export const startRotation = (history: MeetingHistory = restoreHistory([])): RotationState => ({
  seats: [],
  turn: 0,
  byes: {},
  trios: {},
  history,
})

/** Restores the state from its JSON, or from its stored part and the records of the rounds. */
export const restoreRotation = (
  stored: Omit<RotationState, "history"> & { readonly history: ReadonlyArray<PastRound> },
): RotationState => ({ ...stored, history: restoreHistory(stored.history) })

/** Removes people who have left. A person who misses one round keeps the seat; a person who misses two in a row has left it. */
const withoutLeavers = (
  { seats, missing = [] }: RotationState,
  present: ReadonlyArray<string>,
): { readonly seats: Seats; readonly missing: ReadonlyArray<string> } => {
  const here = new Set(present)
  const wasMissing = new Set(missing)
  const away = seats.filter((person) => person !== null).filter((person) => !here.has(person))
  const left = new Set(away.filter((person) => wasMissing.has(person)))
  return { seats: unseat(seats, left), missing: away.filter((person) => !left.has(person)) }
}

const countUp = (counts: Counts, people: ReadonlyArray<string>): Counts =>
  people.length === 0
    ? counts
    : { ...counts, ...Object.fromEntries(people.map((person) => [person, (counts[person] ?? 0) + 1])) }

const isRepeat = (people: ReadonlyArray<string>, history: MeetingHistory): boolean => {
  const meetings = history.among(people)
  return people.some((_, a) => people.some((_, b) => meetings.haveMet(a, b)))
}

/** The present people as numbers. If their number is odd, one more number is the empty chair: its mate has no partner. */
class Round {
  readonly #people: ReadonlyArray<string>
  readonly #meetings: MeetingsAmong
  readonly #turns: ReadonlyArray<number>
  readonly #fewestTurns: number
  readonly pairing: Pairing

  /** `turns`: how often each person had the empty chair. */
  constructor(people: ReadonlyArray<string>, history: MeetingHistory, turns: Counts) {
    this.#people = people
    this.#meetings = history.among(people)
    this.#turns = people.map((person) => turns[person] ?? 0)
    this.#fewestTurns = this.#turns.reduce((least, count) => Math.min(least, count), Infinity)
    const size = people.length + (people.length % 2)
    this.pairing = new Pairing(size, (a, b) => {
      if (a === b) return false
      return this.#isChair(a, b) ? this.#isTurnOf(Math.min(a, b)) : !this.#meetings.haveMet(a, b)
    })
  }

  get #chair(): number {
    return this.#people.length
  }

  #isChair(a: number, b: number): boolean {
    return a === this.#chair || b === this.#chair
  }

  /** Last meeting as the pairing sees it: people who may be paired have not met, and only people whose turn it is may take the chair. */
  readonly #lastMet = (a: number, b: number): number => {
    if (this.#isChair(a, b)) return this.#isTurnOf(Math.min(a, b)) ? 0 : Infinity
    return this.#meetings.last(a, b)
  }

  #isTurnOf(person: number): boolean {
    return this.#turns[person] === this.#fewestTurns
  }

  /** Gives everybody a mate: first by the circle method, and as a last resort by meeting again. */
  pairUp(seats: Seats, turn: number): void {
    this.#takeCirclePairs(seats, turn)
    if (this.#people.length % 2 === 1) this.#fillChair()
    repair(this.pairing)
    if (this.pairing.size <= MAX_EXACT && this.pairing.mateOf.includes(-1)) completePairing(this.pairing)
    pairAgain(this.pairing, this.#lastMet)
  }

  #takeCirclePairs(seats: Seats, turn: number): void {
    const numberOf = new Map(this.#people.map((person, number) => [person, number]))
    for (const [one, other] of circlePairs(seats.length, turn)) {
      const a = numberOf.get(seats[one] ?? "")
      const b = numberOf.get(seats[other] ?? "")
      if (a !== undefined && b !== undefined && this.pairing.mayPair(a, b)) this.pairing.pair(a, b)
    }
  }

  /** Gives the chair to a free person whose turn it is, or else to one of a pair, whose partner the search may still pair again. */
  #fillChair(): void {
    const { pairing } = this
    const willing = [...this.#people.keys()].filter((person) => this.#isTurnOf(person))
    const person = willing.find((candidate) => pairing.isFree(candidate)) ?? willing[0] ?? 0
    if (!pairing.isFree(person)) pairing.part(person)
    pairing.pair(person, this.#chair)
  }

  /** The pairs of people, and the person left with the chair. */
  result(): { readonly pairs: Array<ReadonlyArray<string>>; readonly left: string | undefined } {
    const pairs: Array<ReadonlyArray<string>> = []
    let left: string | undefined
    for (const [a, b] of this.pairing.pairs()) {
      if (b === this.#chair) left = this.#people[a]
      else pairs.push([this.#people[a] ?? "", this.#people[b] ?? ""])
    }
    return { pairs, left }
  }
}

/** The pair that a third person joins: the one in which they have met fewest, and of equal ones the one with the fewest earlier trios. */
const pairToJoin = (
  person: string,
  pairs: ReadonlyArray<ReadonlyArray<string>>,
  { history, trios }: RotationState,
): number => {
  const burden = (pair: ReadonlyArray<string>): number => {
    const meetings = history.among([...pair, person])
    const known = pair.filter((_, at) => meetings.haveMet(at, pair.length)).length
    return known * 1_000_000 + pair.reduce((sum, other) => sum + (trios[other] ?? 0), 0)
  }
  const burdens = pairs.map(burden)
  return burdens.indexOf(burdens.reduce((least, next) => Math.min(least, next), Infinity))
}

const nextPairs = (
  state: RotationState,
  present: ReadonlyArray<string>,
  odd: RotationOptions["odd"],
  seed: number,
): RotationRound => {
  const { seats: kept, missing } = withoutLeavers(state, present)
  const { seats, isNew } = seatPeople(kept, present, seededRandom(seed))
  const turn = isNew ? 0 : state.turn
  const wantsTrio = odd === "trio" && present.length > 1
  const round = new Round(present, state.history, wantsTrio ? state.trios : state.byes)
  round.pairUp(seats, turn)
  const { pairs, left } = round.result()
  let trio: ReadonlyArray<string> = []
  if (wantsTrio && left !== undefined) {
    const at = pairToJoin(left, pairs, state)
    trio = [...(pairs[at] ?? []), left]
    pairs[at] = trio
  }
  const byes = wantsTrio || left === undefined ? [] : [left]
  const next: RotationState = {
    ...state,
    seats,
    missing: isNew ? [] : missing,
    turn: turn + 1,
    byes: countUp(state.byes, byes),
    trios: countUp(state.trios, trio),
  }
  return finish(next, pairs, byes)
}

/** Groups above two: seated like breakout rooms, at the lowest cost that a limited search finds. */
const nextGroups = (
  state: RotationState,
  present: ReadonlyArray<string>,
  size: number,
  seed: number,
): RotationRound => {
  if (present.length < 2) return finish({ ...state, byes: countUp(state.byes, present) }, [], present)
  const numberOf = new Map(present.map((person, number) => [person, number]))
  const meetings = state.history.among(present)
  const met = (a: string, b: string) => meetings.times(numberOf.get(a) ?? -1, numberOf.get(b) ?? -1)
  const { rooms } = planBreakout({ people: present, size, strategy: "balanced", met, seed })
  return finish(
    state,
    rooms.map(({ people }) => people),
    [],
  )
}

const finish = (
  state: RotationState,
  people: ReadonlyArray<ReadonlyArray<string>>,
  byes: ReadonlyArray<string>,
): RotationRound => {
  const groups = people.map((group) => ({ people: group, repeat: isRepeat(group, state.history) }))
  const history = state.history.record({ n: state.history.rounds.length + 1, groups })
  return { state: { ...state, history }, groups, byes }
}

/** `present`: the people in this round, each once. The same arguments give the same round. */
export const nextRound = (
  state: RotationState,
  present: ReadonlyArray<string>,
  { groupSize, odd, seed }: RotationOptions,
): RotationRound => {
  const roundSeed = seed + state.history.rounds.length * 0x9e37_79b9
  return groupSize > 2 ? nextGroups(state, present, groupSize, roundSeed) : nextPairs(state, present, odd, roundSeed)
}
