/**
 * The order of callers with passwords: addresses from which an account signed in before come first, and addresses that gave a
 * wrong password lately come last. Memory is bounded, and each account has a few addresses of its own: an account that signs in
 * from thousands of addresses makes no address of another account forgotten.
 */
import { LRUCache } from "lru-cache"
import type { Timers } from "../../clock/timers.ts"
import type { CallerClass } from "./fair-queue.ts"

/** An address that gave a wrong password comes after others for so long, */
const SUSPECT_MS = 900_000
const MAX_SUSPECTS = 10_000
/** and one that gave a right one before them. */
const KNOWN_MS = 30 * 86_400_000
const MAX_ACCOUNTS = 10_000
/** At home, at work, by mobile networks. */
const MAX_ADDRESSES = 8

/** An address of an account, and until when it is known, by the monotonic clock. */
interface Known {
  readonly address: string
  readonly until: number
}

/** Addresses by the passwords that came from them; a right one makes the address known for its account alone. */
export class PasswordCallers {
  readonly #timers: Timers
  /** By account, the newest address first; the account that signed in longest ago makes room. */
  readonly #right = new LRUCache<string, ReadonlyArray<Known>>({ max: MAX_ACCOUNTS })
  readonly #wrong: LRUCache<string, true>

  constructor(timers: Timers) {
    this.#timers = timers
    const { elapsed: now } = timers
    this.#wrong = new LRUCache({ max: MAX_SUSPECTS, ttl: SUSPECT_MS, ttlResolution: 0, perf: { now } })
  }

  callerClass(address: string, account: string): CallerClass {
    const isKnown = this.#knownOf(account).some((known) => known.address === address)
    // A mistyped password from a known address makes it unknown, not suspect.
    if (this.#wrong.has(address)) return isKnown ? "unknown" : "suspect"
    return isKnown ? "known" : "unknown"
  }

  gave(address: string, account: string, isRight: boolean): void {
    if (!isRight) {
      this.#wrong.set(address, true)
      return
    }
    this.#wrong.delete(address)
    const others = this.#knownOf(account).filter((known) => known.address !== address)
    const known = { address, until: this.#timers.elapsed() + KNOWN_MS }
    this.#right.set(account, [known, ...others].slice(0, MAX_ADDRESSES))
  }

  /** A look-up alone keeps no account. */
  #knownOf(account: string): ReadonlyArray<Known> {
    const now = this.#timers.elapsed()
    return (this.#right.peek(account) ?? []).filter(({ until }) => until > now)
  }
}
