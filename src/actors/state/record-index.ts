/** Indexes of records for frequent reads that need an order or groups. The record store updates them with every write. */

export interface RecordIndex<R> {
  add(id: string, record: R): void
  remove(id: string, record: R): void
}

/** Sorted records. An insertion near the end is O(1); others move the records behind them. */
export class SortedIndex<R> implements RecordIndex<R> {
  readonly #records: R[] = []
  readonly #compare: (a: R, b: R) => number

  /** `compare`: a total order in which two different records are never equal. */
  constructor(compare: (a: R, b: R) => number) {
    this.#compare = compare
  }

  /** A copy of the first `count` records. */
  first(count: number): ReadonlyArray<R> {
    return this.#records.slice(0, count)
  }

  add(_id: string, record: R): void {
    this.#records.splice(this.#positionOf(record), 0, record)
  }

  remove(_id: string, record: R): void {
    const position = this.#positionOf(record)
    const found = this.#records[position]
    if (found !== undefined && this.#compare(found, record) === 0) this.#records.splice(position, 1)
  }

  /** Position of the record, or where it would be inserted. */
  #positionOf(record: R): number {
    const last = this.#records.at(-1)
    if (last === undefined || this.#compare(last, record) < 0) return this.#records.length
    let [from, to] = [0, this.#records.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const other = this.#records[middle]
      if (other !== undefined && this.#compare(other, record) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** Grouped records; within a group in the order in which they were written. */
export class GroupIndex<R> implements RecordIndex<R> {
  /** Created by the first record: most events have none. */
  #groups: Map<string, Map<string, R>> | undefined
  readonly #groupOf: (record: R) => string

  constructor(groupOf: (record: R) => string) {
    this.#groupOf = groupOf
  }

  of(group: string): ReadonlyMap<string, R> {
    return this.#groups?.get(group) ?? new Map()
  }

  *sizes(): IterableIterator<readonly [group: string, size: number]> {
    for (const [group, { size }] of this.#groups ?? []) yield [group, size]
  }

  add(id: string, record: R): void {
    const group = this.#groupOf(record)
    this.#groups ??= new Map()
    const records = this.#groups.get(group) ?? new Map<string, R>()
    this.#groups.set(group, records.set(id, record))
  }

  remove(id: string, record: R): void {
    const group = this.#groupOf(record)
    const records = this.#groups?.get(group)
    records?.delete(id)
    if (records?.size === 0) this.#groups?.delete(group)
  }
}
