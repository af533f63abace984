/**
 * Who met whom in which round of an event's rotations, over all its phases. It is what its rounds say and nothing else, so
 * it is restored from their records.
 * Invariant: a history never changes; `record` returns the next one. The index that makes look-ups fast is handed on to it,
 * so that a round costs no copy of everything before. An older history that is asked again builds its own anew.
 */

export interface MetGroup {
  readonly people: ReadonlyArray<string>
}

/** A round as it is kept: `n` is its number for people; what counts as long ago is the order of the records. */
export interface PastRound {
  readonly n: number
  readonly groups: ReadonlyArray<MetGroup>
}

export interface Meeting {
  /** How many rounds two people shared. */
  times: number
  /** Place of the latest of them, from 1. */
  last: number
}

/** Of each person, everyone met. */
type Meetings = Map<string, Map<string, Meeting>>

const partnersOf = (meetings: Meetings, person: string): Map<string, Meeting> => {
  const known = meetings.get(person)
  if (known !== undefined) return known
  const partners = new Map<string, Meeting>()
  meetings.set(person, partners)
  return partners
}

const meet = (meetings: Meetings, a: string, b: string, round: number): void => {
  const partners = partnersOf(meetings, a)
  const known = partners.get(b)
  if (known === undefined) {
    const meeting = { times: 1, last: round }
    partners.set(b, meeting)
    partnersOf(meetings, b).set(a, meeting)
  } else {
    known.times++
    known.last = round
  }
}

const addRound = (meetings: Meetings, { groups }: PastRound, place: number): Meetings => {
  for (const { people } of groups) {
    for (const [at, a] of people.entries()) {
      for (const b of people.slice(at + 1)) meet(meetings, a, b, place)
    }
  }
  return meetings
}

export class MeetingHistory {
  readonly rounds: ReadonlyArray<PastRound>
  #index: Meetings | undefined

  constructor(rounds: ReadonlyArray<PastRound>, index?: Meetings) {
    this.rounds = rounds
    this.#index = index
  }

  get #meetings(): Meetings {
    this.#index ??= this.rounds.reduce((index, round, at) => addRound(index, round, at + 1), new Map())
    return this.#index
  }

  /** Everyone this person met; to be read before the next `record`. */
  of(person: string): ReadonlyMap<string, Meeting> | undefined {
    return this.#meetings.get(person)
  }

  record(round: PastRound): MeetingHistory {
    const index = addRound(this.#meetings, round, this.rounds.length + 1)
    this.#index = undefined
    return new MeetingHistory([...this.rounds, round], index)
  }

  toJSON(): ReadonlyArray<PastRound> {
    return this.rounds
  }
}

export const restoreHistory = (rounds: ReadonlyArray<PastRound>): MeetingHistory => new MeetingHistory(rounds)
