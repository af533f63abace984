/** A limit on bytes, or on anything that is counted, in a while: a token bucket. */

export class SpeedLimit {
  readonly #perMs: number
  readonly #most: number
  #left: number
  #at: number

  /** `most`: at once, after a while of nothing. `now`: milliseconds that only go forward, as in `take`. */
  constructor(perSecond: number, most: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#most = most
    this.#left = most
    this.#at = now
  }

  /** False: too many. They count all the same. */
  take(count: number, now: number): boolean {
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#perMs) - count
    this.#at = now
    return this.#left >= 0
  }
}
