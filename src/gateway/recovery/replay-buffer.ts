/**
 * The newest dispatches of one stream, shared by its subscribers. Either the buffer has everything that a reconnecting client missed and
 * replays it exactly, or the client gets a snapshot. Limited by age, number and size. Invariant: entries are contiguous up to `head`.
 */

import type { Outgoing } from "../transport/outgoing.ts"

export interface ReplayLimits {
  readonly maxAgeMs: number
  readonly maxEntries: number
  /** Size in UTF-16 units, roughly bytes. */
  readonly maxLength: number
}

interface Entry extends Outgoing {
  /** Unix milliseconds. */
  readonly at: number
}

export class ReplayBuffer {
  #entries: Entry[] = []
  /** Index of the oldest kept entry; entries before it are dropped in bulk. */
  #from = 0
  #length = 0
  #head: number
  readonly #limits: ReplayLimits

  /** `head`: the highest `s` before the buffer's first entry. */
  constructor(limits: ReplayLimits, head: number) {
    this.#limits = limits
    this.#head = head
  }

  /** Highest `s`. */
  get head(): number {
    return this.#head
  }

  /** Lowest kept `s`; `head + 1` when the buffer is empty. */
  get oldest(): number {
    return this.#head - (this.#entries.length - this.#from) + 1
  }

  get isEmpty(): boolean {
    return this.#entries.length === this.#from
  }

  /** Adds the dispatch whose position is `head + 1`. */
  push({ frame, seatable }: Outgoing, at: number): void {
    this.#entries.push(seatable === undefined ? { frame, at } : { frame, at, seatable })
    this.#length += frame.length
    this.#head++
    this.trim(at)
  }

  /** Whether a replay alone can bring a client at `cursor` up to date. */
  covers(cursor: number): boolean {
    return cursor >= this.oldest - 1 && cursor <= this.#head
  }

  /** Dispatches after `cursor` up to and including `upTo`, in order. The caller has checked `covers(cursor)`. */
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
