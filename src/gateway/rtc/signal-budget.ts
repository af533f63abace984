/**
 * Budget of one connection for signals, in messages and in bytes. A browser that joins a call of six sends twenty messages with 30 KB at
 * once and then hardly any, so the rate limit of other commands does not fit.
 */
import { type Bucket, fullBucket, type Rate, takeToken } from "../../model/limits/token-bucket.ts"

const MESSAGES: Rate = { perSecond: 20, burst: 80 }
const BYTES: Rate = { perSecond: 32 * 1024, burst: 160 * 1024 }

export class SignalBudget {
  readonly #messages: Bucket
  readonly #bytes: Bucket

  constructor(now: number) {
    this.#messages = fullBucket(MESSAGES, now)
    this.#bytes = fullBucket(BYTES, now)
  }

  /** Takes a message of this size: returns 0, or, without taking anything, the milliseconds until there is capacity. */
  spend(bytes: number, now: number): number {
    const laterMs = takeToken(this.#bytes, BYTES, now, { count: bytes })
    if (laterMs > 0) return laterMs
    const waitMs = takeToken(this.#messages, MESSAGES, now)
    if (waitMs > 0) this.#bytes.tokens += bytes
    return waitMs
  }
}
