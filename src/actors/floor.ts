/**
 * The floor of a live event: all its records in memory, O(1) to find and to replace, whatever the size of the audience.
 * Only a `Turn` writes here, and what is read back for it. What could not be committed is forgotten together with the floor.
 */
import type { Kind, Records } from "../model/live-records.ts"

const EMPTY: ReadonlyMap<string, unknown> = new Map()

export class Floor {
  /** Kinds that have any: most events have none. */
  readonly #kinds = new Map<Kind, Map<string, unknown>>()

  get<K extends Kind>(kind: K, id: string): Records[K] | undefined {
    return this.#kinds.get(kind)?.get(id) as Records[K] | undefined
  }

  /** In the order in which they were first written. */
  all<K extends Kind>(kind: K): ReadonlyMap<string, Records[K]> {
    return (this.#kinds.get(kind) ?? EMPTY) as ReadonlyMap<string, Records[K]>
  }

  /** Writes a record, or removes it; gives back what was there. */
  write<K extends Kind>(kind: K, id: string, record: Records[K] | undefined): Records[K] | undefined {
    const before = this.get(kind, id)
    if (record === undefined) {
      this.#kinds.get(kind)?.delete(id)
      return before
    }
    const records = this.#kinds.get(kind) ?? new Map<string, unknown>()
    this.#kinds.set(kind, records.set(id, record))
    return before
  }
}
