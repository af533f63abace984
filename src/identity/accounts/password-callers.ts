/**
 * The order of callers with passwords: addresses from which an account signed in before come first, and addresses that gave a
 * wrong password lately come last. Memory is bounded, and each account has a few addresses of its own: an account that signs in
 * from thousands of addresses makes no address of another account forgotten.
 */
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

/** Sets the entry as the newest; the one set longest ago goes when there are more than `most`. */
const setNewest = <A>(entries: Map<string, A>, key: string, value: A, most: number): void => {
  entries.delete(key)
  const oldest = entries.size >= most ? entries.keys().next().value : undefined
  if (oldest !== undefined) entries.delete(oldest)
  entries.set(key, value)
}

/** Addresses, and until when each is remembered (by the monotonic clock); the one added longest ago goes first. */
class Remembered {
  readonly #until = new Map<string, number>()
  readonly #forMs: number
  readonly #most: number
  readonly #timers: Timers

  constructor(timers: Timers, forMs: number, most: number) {
    this.#timers = timers
    this.#forMs = forMs
    this.#most = most
  }

  has(address: string): boolean {
    return (this.#until.get(address) ?? 0) > this.#timers.elapsed()
  }

  add(address: string): void {
    setNewest(this.#until, address, this.#timers.elapsed() + this.#forMs, this.#most)
  }

  delete(address: string): void {
    this.#until.delete(address)
  }
}

/** Addresses by the passwords that came from them; a right one makes the address known for its account alone. */
export class PasswordCallers {
  /** By account; the account that signed in longest ago first. */
  readonly #right = new Map<string, Remembered>()
  readonly #wrong: Remembered
  readonly #timers: Timers

  constructor(timers: Timers) {
    this.#timers = timers
    this.#wrong = new Remembered(timers, SUSPECT_MS, MAX_SUSPECTS)
  }

  callerClass(address: string, account: string): CallerClass {
    const isKnown = this.#right.get(account)?.has(address) ?? false
    // A mistyped password from a known address makes it unknown, not suspect.
    if (this.#wrong.has(address)) return isKnown ? "unknown" : "suspect"
    return isKnown ? "known" : "unknown"
  }

  gave(address: string, account: string, isRight: boolean): void {
    if (!isRight) {
      this.#wrong.add(address)
      return
    }
    this.#wrong.delete(address)
    const addresses = this.#right.get(account) ?? new Remembered(this.#timers, KNOWN_MS, MAX_ADDRESSES)
    addresses.add(address)
    setNewest(this.#right, account, addresses, MAX_ACCOUNTS)
  }
}
