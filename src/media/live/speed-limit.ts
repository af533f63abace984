/** A limit on bytes in a while: a token bucket that holds ten seconds of them. */

const HOLDS_SECONDS = 10
const BYTES_PER_KBIT = 125

export class SpeedLimit {
  readonly #bytesPerMs: number
  readonly #most: number
  #left: number
  #at: number

  /** `now`: milliseconds that only go forward, as in `take`. */
  constructor(kbps: number, now: number) {
    this.#bytesPerMs = (kbps * BYTES_PER_KBIT) / 1000
    this.#most = kbps * BYTES_PER_KBIT * HOLDS_SECONDS
    this.#left = this.#most
    this.#at = now
  }

  /** False: too many. They count all the same. */
  take(bytes: number, now: number): boolean {
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#bytesPerMs) - bytes
    this.#at = now
    return this.#left >= 0
  }
}
