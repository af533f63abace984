/**
 * Meetings in the rounds of an event's rotations, over all its phases. The history contains only the content of the rounds, so it can be
 * restored from their records.
 * Invariant: a history is immutable; `record` returns the next one. The index for fast look-ups is passed on to it, so that a round does
 * not copy everything before. An older history that is read again rebuilds its own index.
 */

export interface MetGroup {
  readonly people: ReadonlyArray<string>
}

/** A stored round: `n` is its number for people; the age of a meeting is the order of the records. */
export interface PastRound {
  readonly n: number
  readonly groups: ReadonlyArray<MetGroup>
}

/** The meetings of one person. `partners` and `rounds` run in parallel, oldest first. */
interface Met {
  readonly number: number
  /** One bit per number of another person: a search reads it often, and a set would be too slow. 10,000 people: 12 MB in all. */
  bits: Uint32Array
  readonly partners: Array<number>
  readonly rounds: Array<number>
}

const hasBit = (bits: Uint32Array, at: number): boolean => (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1

const meet = (one: Met, other: Met, round: number): void => {
  const word = other.number >>> 5
  if (word >= one.bits.length) {
    const longer = new Uint32Array(word + 1)
    longer.set(one.bits)
    one.bits = longer
  }
  one.bits[word] = (one.bits[word] ?? 0) | (1 << (other.number & 31))
  one.partners.push(other.number)
  one.rounds.push(round)
}

class MeetingIndex {
  readonly #met = new Map<string, Met>()

  of(person: string): Met | undefined {
    return this.#met.get(person)
  }

  add({ groups }: PastRound, place: number): void {
    for (const { people } of groups) {
      const members = people.map((person) => this.#known(person))
      for (const [at, one] of members.entries()) {
        for (const other of members.slice(at + 1)) {
          meet(one, other, place)
          meet(other, one, place)
        }
      }
    }
  }

  #known(person: string): Met {
    const known = this.#met.get(person)
    if (known !== undefined) return known
    const met = { number: this.#met.size, bits: new Uint32Array(1), partners: [], rounds: [] }
    this.#met.set(person, met)
    return met
  }
}

/** The meetings among some people, who are numbers here: their indexes in the list. */
export class MeetingsAmong {
  readonly #met: ReadonlyArray<Met | undefined>

  constructor(met: ReadonlyArray<Met | undefined>) {
    this.#met = met
  }

  haveMet(a: number, b: number): boolean {
    const one = this.#met[a]
    const other = this.#met[b]
    return one !== undefined && other !== undefined && hasBit(one.bits, other.number)
  }

  /** Position in the history, starting at 1, of the latest round that two people shared; 0 when they share none. */
  last(a: number, b: number): number {
    if (!this.haveMet(a, b)) return 0
    const one = this.#met[a]
    return one?.rounds[one.partners.lastIndexOf(this.#met[b]?.number ?? -1)] ?? 0
  }

  /** Number of rounds in which two people met. */
  times(a: number, b: number): number {
    if (!this.haveMet(a, b)) return 0
    const number = this.#met[b]?.number
    return this.#met[a]?.partners.filter((partner) => partner === number).length ?? 0
  }
}

export class MeetingHistory {
  readonly rounds: ReadonlyArray<PastRound>
  #index: MeetingIndex | undefined

  constructor(rounds: ReadonlyArray<PastRound>, index?: MeetingIndex) {
    this.rounds = rounds
    this.#index = index
  }

  get #indexed(): MeetingIndex {
    if (this.#index === undefined) {
      this.#index = new MeetingIndex()
      for (const [at, round] of this.rounds.entries()) this.#index.add(round, at + 1)
    }
    return this.#index
  }

  /** Meetings among these people. Valid until the next `record`. */
  among(people: ReadonlyArray<string>): MeetingsAmong {
    const index = this.#indexed
    return new MeetingsAmong(people.map((person) => index.of(person)))
  }

  record(round: PastRound): MeetingHistory {
    const index = this.#indexed
    this.#index = undefined
    index.add(round, this.rounds.length + 1)
    return new MeetingHistory([...this.rounds, round], index)
  }

  toJSON(): ReadonlyArray<PastRound> {
    return this.rounds
  }
}

export const restoreHistory = (rounds: ReadonlyArray<PastRound>): MeetingHistory => new MeetingHistory(rounds)
