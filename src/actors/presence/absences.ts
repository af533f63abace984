/** Participants without a connection who may still return (`model/live/holdings.ts`). They keep what they hold until their time is over. */

interface Absence<Person> {
  /** Unix milliseconds. */
  readonly until: number
  /** Undefined: only the id is known, from what the participant held before this activation. */
  readonly person: Person | undefined
}

/** Both collections are created on first use: most events have no absent participants. */
export class Absences<Person> {
  /** Absences in the order in which they end: all last equally long. */
  #absences: Map<string, Absence<Person>> | undefined
  /** Participants who left for good and are not awaited. */
  #left: Set<string> | undefined

  begin(participantId: string, until: number, person?: Person): void {
    this.#absences ??= new Map()
    this.#absences.delete(participantId)
    this.#absences.set(participantId, { until, person })
  }

  /** The participant left for good. */
  leave(participantId: string): void {
    this.#absences?.delete(participantId)
    this.#left ??= new Set()
    this.#left.add(participantId)
  }

  end(participantId: string): void {
    this.#absences?.delete(participantId)
    this.#left?.delete(participantId)
  }

  *all(): IterableIterator<Person> {
    for (const { person } of this.#absences?.values() ?? []) if (person !== undefined) yield person
  }

  /** End of the earliest absence; undefined: nobody is absent. */
  get next(): number | undefined {
    for (const { until } of this.#absences?.values() ?? []) return until
    return undefined
  }

  /** Removes and returns the participants who have departed: those who left, and those whose time is over. */
  lapse(now: number): ReadonlyArray<string> {
    const departed = [...(this.#left ?? [])]
    this.#left = undefined
    for (const [participantId, { until }] of this.#absences ?? []) {
      if (until > now) break
      this.#absences?.delete(participantId)
      departed.push(participantId)
    }
    return departed
  }
}
