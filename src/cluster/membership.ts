/** The nodes that are alive, as of the last read of the database, and the nodes that have gone since the previous read. */
import type { Timers } from "../clock/timers.ts"
import { Listeners } from "../model/listeners.ts"

export interface GoneNode {
  readonly node: string
  /** Null: the node was not among the living when it reported people. */
  readonly address: string | null
}

export class NodeMembership {
  readonly #timers: Timers
  /** A node that is not seen for this long after a report from it is gone. */
  readonly #lostMs: number
  readonly #gone = new Listeners<GoneNode>()
  /** Names and addresses. */
  #living: ReadonlyMap<string, string> = new Map()
  /** Nodes that reported people and are not among the living, and since when: they have just started, or were considered gone. */
  readonly #unseen = new Map<string, number>()

  constructor(timers: Timers, lostMs: number) {
    this.#timers = timers
    this.#lostMs = lostMs
  }

  /** Number of living nodes, at least this one. */
  get size(): number {
    return Math.max(1, this.#living.size)
  }

  /** Names of the living nodes except this one. */
  othersThan(node: string): ReadonlyArray<string> {
    return [...this.#living.keys()].filter((name) => name !== node)
  }

  /** Calls the listener with each node that is gone. Returns a function that removes it. */
  readonly onGone = this.#gone.subscribe

  /** Notes a report of a node. A gone node may still report people; unless it comes back, listeners are called again. */
  readonly heardFrom = (node: string): void => {
    if (!this.#living.has(node) && !this.#unseen.has(node)) this.#unseen.set(node, this.#timers.elapsed())
  }

  /** `living`: addresses of the living nodes by name. */
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
