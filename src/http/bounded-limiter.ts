/**
 * A limiter of rate-limiter-flexible with bounded memory: keys are counted by a hash of 16 bytes, however long they are, and so many
 * are kept; the one that was counted longest ago is forgotten first. A flood of made-up keys costs no more than that.
 */
import { createHash } from "node:crypto"
import { BurstyRateLimiter, RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible"

export interface Quota {
  readonly name: string
  /** Requests in a window. */
  readonly quota: number
  readonly windowSeconds: number
  /** So many more at once, given back over as many windows as they would fill. */
  readonly burst: number
}

const HASH_BYTES = 16

const hashOf = (key: string): string =>
  createHash("sha256").update(key).digest().subarray(0, HASH_BYTES).toString("base64url")

export class BoundedLimiter {
  readonly #window: RateLimiterMemory
  readonly #extra: RateLimiterMemory | undefined
  readonly #limiter: RateLimiterMemory | BurstyRateLimiter
  readonly #maxKeys: number
  /** The one counted longest ago first. */
  readonly #keys = new Set<string>()

  constructor({ name, quota, windowSeconds, burst }: Quota, maxKeys: number) {
    this.#maxKeys = maxKeys
    this.#window = new RateLimiterMemory({ keyPrefix: name, points: quota, duration: windowSeconds })
    if (burst === 0) {
      this.#extra = undefined
      this.#limiter = this.#window
      return
    }
    const duration = windowSeconds * Math.max(1, Math.ceil(burst / quota))
    this.#extra = new RateLimiterMemory({ keyPrefix: `${name}+`, points: burst, duration })
    this.#limiter = new BurstyRateLimiter(this.#window, this.#extra)
  }

  /** Keys that are counted at present, or were lately. */
  get size(): number {
    return this.#keys.size
  }

  /** Counts one. Rejects with a `RateLimiterRes` when there are too many. */
  consume(key: string): Promise<RateLimiterRes> {
    const hash = hashOf(key)
    this.#keys.delete(hash)
    this.#keys.add(hash)
    const oldest = this.#keys.size > this.#maxKeys ? this.#keys.values().next().value : undefined
    if (oldest !== undefined) this.#forget(oldest)
    return this.#limiter.consume(hash)
  }

  /** Gives one back. */
  async reward(key: string): Promise<void> {
    const hash = hashOf(key)
    if (this.#keys.has(hash)) await this.#window.reward(hash)
  }

  #forget(hash: string): void {
    this.#keys.delete(hash)
    void this.#window.delete(hash)
    void this.#extra?.delete(hash)
  }
}
