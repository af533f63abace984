/** The nodes that live, as each look at the database shows them, and the ones that are gone since the look before. */
import type { Timers } from "../clock/timers.ts"
import { Listeners } from "../model/listeners.ts"

export interface GoneNode {
  readonly node: string
  /** Null: it was never seen. */
  readonly address: string | null
}

export class Membership {
  readonly #timers: Timers
  /** A node that is not seen for so long after it was heard of is gone. */
  readonly #lostMs: number
  readonly #gone = new Listeners<GoneNode>()
  /** Names and addresses. */
  #living: ReadonlyMap<string, string> = new Map()
  /** Nodes that reported people and are not among the living, since when: they have just begun, or were given up. */
  readonly #unseen = new Map<string, number>()

  constructor(timers: Timers, lostMs: number) {
    this.#timers = timers
    this.#lostMs = lostMs
  }

  /** Living nodes, at least this one. */
  get size(): number {
    return Math.max(1, this.#living.size)
  }

  /** The names of living nodes but this one's. */
  othersThan(node: string): ReadonlyArray<string> {
    return [...this.#living.keys()].filter((name) => name !== node)
  }

  /** Calls with each node that is gone. Returns the end of it. */
  readonly onGone = this.#gone.subscribe

  /** A node that was given up may report people all the same; it is forgotten again if it does not come back. */
  readonly heardFrom = (node: string): void => {
    if (!this.#living.has(node) && !this.#unseen.has(node)) this.#unseen.set(node, this.#timers.elapsed())
  }

  /** `living`: the addresses of the living nodes by their names. */
  seen(living: ReadonlyMap<string, string>): void {
    const before = this.#living
    this.#living = living
    for (const [node, address] of before) if (!living.has(node)) this.#gone.notify({ node, address })
    const now = this.#timers.elapsed()
    for (const [node, since] of this.#unseen) {
      if (!living.has(node) && now - since < this.#lostMs) continue
      this.#unseen.delete(node)
      if (!living.has(node)) this.#gone.notify({ node, address: null })
    }
  }
}
