/**
 * The newest dispatches of one stream, shared by everyone who may hear it: what a reconnecting client missed is either all
 * in here and replayed exactly, or it gets a snapshot. Bounded by age, number and size.
 * Invariant: entries are contiguous up to `head`.
 */

import type { Outgoing } from "../transport/outgoing.ts"

export interface RingLimits {
  readonly maxAgeMs: number
  readonly maxEntries: number
  /** UTF-16 units, about bytes. */
  readonly maxLength: number
}

interface Entry extends Outgoing {
  /** Unix milliseconds. */
  readonly at: number
}

export class ReplayBuffer {
  #entries: Entry[] = []
  /** Index of the oldest entry that is kept; what lies before it is dropped in bulk. */
  #from = 0
  #length = 0
  #head: number
  readonly #limits: RingLimits

  /** `head`: the highest `s` that happened before the ring began. */
  constructor(limits: RingLimits, head: number) {
    this.#limits = limits
    this.#head = head
  }

  /** Highest `s`. */
  get head(): number {
    return this.#head
  }

  /** Lowest `s` that is kept; `head + 1` when none is. */
  get oldest(): number {
    return this.#head - (this.#entries.length - this.#from) + 1
  }

  get isEmpty(): boolean {
    return this.#entries.length === this.#from
  }

  /** Adds the dispatch whose place is `head + 1`. */
  push({ frame, seatable }: Outgoing, at: number): void {
    this.#entries.push(seatable === undefined ? { frame, at } : { frame, at, seatable })
    this.#length += frame.length
    this.#head++
    this.trim(at)
  }

  /** Can a client that has seen `cursor` be brought up by a replay alone? */
  covers(cursor: number): boolean {
    return cursor >= this.oldest - 1 && cursor <= this.#head
  }

  /** Dispatches after `cursor` up to and including `upTo`, in order. The caller has asked `covers(cursor)`. */
  between(cursor: number, upTo: number): ReadonlyArray<Outgoing> {
    const start = this.#from + (cursor + 1 - this.oldest)
    return this.#entries.slice(start, start + Math.max(0, upTo - cursor))
  }

  trim(now: number): void {
    const { maxAgeMs, maxEntries, maxLength } = this.#limits
    for (let entry = this.#entries[this.#from]; entry !== undefined; entry = this.#entries[this.#from]) {
      const isOver = this.#entries.length - this.#from > maxEntries || this.#length > maxLength
      if (!isOver && now - entry.at <= maxAgeMs) break
      this.#length -= entry.frame.length
      this.#from++
    }
    if (this.#from > 64 && this.#from * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#from)
      this.#from = 0
    }
  }
}
