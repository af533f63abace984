/**
 * The order of callers with passwords: addresses from which an account signed in before come first, and addresses that gave a wrong
 * password lately come last. Memory is bounded, and each account has a few addresses of its own, so an account that signs in from thousands
 * of addresses evicts no address of another account.
 */
import { LRUCache } from "lru-cache"
import type { Timers } from "../../clock/timers.ts"
import type { CallerClass } from "./fair-queue.ts"

/** Time for which an address with a wrong password comes last. */
const SUSPECT_MS = 900_000
const MAX_SUSPECTS = 10_000
/** Time for which an address with a right password comes first. */
const KNOWN_MS = 30 * 86_400_000
const MAX_ACCOUNTS = 10_000
/** Enough for home, work and mobile networks. */
const MAX_ADDRESSES = 8

/** An address of an account, and when it stops being known, by the monotonic clock. */
interface Known {
  readonly address: string
  readonly until: number
}

/** Addresses by the passwords that came from them; a right one makes the address known for its account alone. */
export class PasswordCallers {
  readonly #timers: Timers
  /** Addresses by account, newest first; the account with the oldest sign-in is evicted first. */
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

  /** A look-up does not refresh an account. */
  #knownOf(account: string): ReadonlyArray<Known> {
    const now = this.#timers.elapsed()
    return (this.#right.peek(account) ?? []).filter(({ until }) => until > now)
  }
}
