/**
 * Batching for work that is cheaper together: while a few statements are running, further items are gathered, and the next statement takes
 * many of them. A single item is sent at once, so that gathering costs no time. An item is never added to a statement that was sent.
 */
import type { Timers } from "../clock/timers.ts"
import { PoolError } from "./pool/errors.ts"

interface GatheringOptions<A> {
  /** Sends one statement; never rejects, because the items carry their own promises. */
  readonly send: (items: ReadonlyArray<A>) => Promise<void>
  readonly timers: Timers
  /** Maximum number of running statements; while it is reached, items are gathered. */
  readonly atOnce: number
  /** Maximum number of items per statement. */
  readonly most: number
  /** Time in milliseconds after which a slow statement no longer delays the others. */
  readonly slowMs: number
  /** Maximum number of waiting items; without it the callers bound them. */
  readonly mostWaiting?: number
  /** Counts the refused items. */
  readonly refused?: () => void
}

export class Gathering<A> {
  readonly #options: GatheringOptions<A>
  readonly #waiting: A[] = []
  #underWay = 0

  constructor(options: GatheringOptions<A>) {
    this.#options = options
  }

  /** Throws a `PoolError` when too many items wait. */
  add(item: A): void {
    const { mostWaiting, refused } = this.#options
    if (mostWaiting !== undefined && this.#waiting.length >= mostWaiting) {
      refused?.()
      throw new PoolError("POOL_FULL")
    }
    this.#waiting.push(item)
    this.#next()
  }

  #next(): void {
    const { send, timers, atOnce, most, slowMs } = this.#options
    while (this.#underWay < atOnce && this.#waiting.length > 0) {
      this.#underWay++
      let isCounted = true
      const done = (): void => {
        if (!isCounted) return
        isCounted = false
        this.#underWay--
        this.#next()
      }
      const forget = timers.after(slowMs, done)
      void send(this.#waiting.splice(0, most)).finally(() => {
        forget()
        done()
      })
    }
  }
}
