/** A limit on bytes, or on anything that is counted, in a while: a token bucket. */

export class SpeedLimit {
  readonly #perMs: number
  readonly #most: number
  #left: number
  #at: number
  #extra = 0

  /** `most`: at once, after a while of nothing. `now`: milliseconds that only go forward, as in `take`. */
  constructor(perSecond: number, most: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#most = most
    this.#left = most
    this.#at = now
  }

  /** False: too many. They count all the same. */
  take(count: number, now: number): boolean {
    this.#fill(now)
    this.#left -= count
    const used = Math.min(this.#extra, Math.max(0, -this.#left))
    this.#extra -= used
    this.#left += used
    return this.#left >= 0
  }

  /** So many milliseconds' worth may come besides, at any time. */
  allow(ms: number): void {
    this.#extra += ms * this.#perMs
  }

  /**
   * Milliseconds after which so many may come; 0: they were counted now. Those that have to come again do not count. `undefined`: so many
   * never may.
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
