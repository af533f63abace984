/** A rate limit on bytes, or on anything that is counted: a token bucket. */

export class SpeedLimit {
  readonly #perMs: number
  readonly #most: number
  #left: number
  #at: number
  #extra = 0

  /** `most`: the burst after idling. `now`: monotonic milliseconds, as in `take`. */
  constructor(perSecond: number, most: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#most = most
    this.#left = most
    this.#at = now
  }

  /** False: over the limit. The count is taken in any case. */
  take(count: number, now: number): boolean {
    this.#fill(now)
    this.#left -= count
    const used = Math.min(this.#extra, Math.max(0, -this.#left))
    this.#extra -= used
    this.#left += used
    return this.#left >= 0
  }

  /** Allows an extra amount, worth this many milliseconds, at any time. */
  allow(ms: number): void {
    this.#extra += ms * this.#perMs
  }

  /**
   * Milliseconds until this count is allowed; 0: it was counted now. A count that has to wait is not taken. `undefined`: it will never be
   * allowed.
   */
  wait(count: number, now: number): number | undefined {
    if (count > this.#most) return undefined
    this.#fill(now)
    if (count > this.#left) return (count - this.#left) / this.#perMs
    this.#left -= count
    return 0
  }

  #fill(now: number): void {
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#perMs)
    this.#at = now
  }
}
