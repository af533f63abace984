/** Participants without a connection who may still return (`model/live/holdings.ts`). They keep what they hold until their time is over. */

interface Absence<Person> {
  /** Unix milliseconds. */
  readonly until: number
  /** Undefined: only their id is known, from what they held before this activation. */
  readonly person: Person | undefined
}

/** Both collections are made by the first who enters them: of most events nobody is absent. */
export class Absences<Person> {
  /** In the order in which they end: all of them are equally long. */
  #absences: Map<string, Absence<Person>> | undefined
  /** Those who left for good: they are not awaited. */
  #left: Set<string> | undefined

  begin(participantId: string, until: number, person?: Person): void {
    this.#absences ??= new Map()
    this.#absences.delete(participantId)
    this.#absences.set(participantId, { until, person })
  }

  /** The participant has departed. */
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

  /** When the next one is over; undefined: nobody is absent. */
  get next(): number | undefined {
    for (const { until } of this.#absences?.values() ?? []) return until
    return undefined
  }

  /** The participants who left, and those whose time is over. They have departed, and are no longer here. */
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
