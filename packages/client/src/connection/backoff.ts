/** Reconnect delays: immediate but scattered the first time, then full jitter up to thirty seconds (AWS's "full jitter"). */
export interface BackoffOptions {
  /** The first attempt follows after a random part of this. Default 2,000. */
  readonly firstMs?: number
  /** Longest wait. Default 30,000. */
  readonly longestMs?: number
}

export class Backoff {
  readonly #firstMs: number
  readonly #longestMs: number
  #failures = 0

  constructor({ firstMs = 2000, longestMs = 30_000 }: BackoffOptions = {}) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
  }

  /** Whole milliseconds to wait before the next attempt. `slow` skips the quick first one, because the server reported an overload. */
  next(slow: boolean, random: () => number = Math.random): number {
    const doublings = Math.max(Number(slow), this.#failures++)
    return Math.round(random() * Math.min(this.#longestMs, this.#firstMs * 2 ** doublings))
  }

  /** Called when a connection was established: the next loss counts as a first one again. */
  reset(): void {
    this.#failures = 0
  }
}
