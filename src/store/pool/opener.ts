/**
 * Opens connections at a bounded pace. While the database answers, all wanted connections are opened at once. After a failure at most one
 * attempt begins every quarter of a second. An attempt without a result in that time is not waited for: another begins beside it, so the
 * first attempt after the database is back begins within a quarter of a second, whether earlier attempts fail at once or hang.
 */
import type { PoolConnection } from "./connection.ts"

/** Interval between the beginnings of two attempts during an outage; jittered down to its half. */
const PACE_MS = 250
/** Timeout for the socket, TLS, authentication and the first statement. */
const TRY_WITHIN_MS = 2_500
/** Maximum number of concurrent attempts; with the two values above, never more than this hang. */
const MOST_TRIES = 10

interface Try {
  readonly since: number
  readonly abort: AbortController
}

interface OpenerNeeds {
  readonly open: (signal: AbortSignal) => Promise<PoolConnection>
  /** Number of connections that callers wait for. */
  readonly wanted: () => number
  readonly opened: (connection: PoolConnection) => void
}

export class Opener {
  readonly #needs: OpenerNeeds
  readonly #tries = new Set<Try>()
  #failing = false
  #lastCause: unknown
  #pause: NodeJS.Timeout | undefined
  #closed = false

  constructor(needs: OpenerNeeds) {
    this.#needs = needs
  }

  /** Cause of the last failed attempt; `undefined` once one has succeeded. */
  get lastCause(): unknown {
    return this.#lastCause
  }

  /**
   * Opens the wanted connections, immediately or at the pace of an outage. Called whenever more may be wanted, and repeatedly while they
   * are.
   */
  wake(): void {
    if (this.#closed || this.#pause !== undefined) return
    if (this.#failing) this.#rest()
    const most = this.#failing ? 1 : MOST_TRIES
    const begun = performance.now() - PACE_MS
    const promising = [...this.#tries].filter(({ since }) => since > begun).length
    const wanted = Math.min(this.#needs.wanted() - promising, most, MOST_TRIES - this.#tries.size)
    for (let n = 0; n < wanted; n++) void this.#try()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#pause)
    for (const { abort } of this.#tries) abort.abort()
  }

  #rest(): void {
    const ms = PACE_MS * (0.5 + Math.random() / 2)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (this.#needs.wanted() > 0) this.wake()
    }, ms)
  }

  async #try(): Promise<void> {
    const one: Try = { since: performance.now(), abort: new AbortController() }
    this.#tries.add(one)
    const late = setTimeout(() => one.abort.abort(), TRY_WITHIN_MS)
    try {
      const connection = await this.#needs.open(one.abort.signal)
      this.#failing = false
      this.#lastCause = undefined
      this.#tries.delete(one)
      this.#needs.opened(connection)
    } catch (cause) {
      this.#tries.delete(one)
      this.#failing = true
      this.#lastCause = cause
      this.wake()
    } finally {
      clearTimeout(late)
    }
  }
}
