/**
 * Absent participants who have an entry, for all events of this process, limited in number. The one who left longest ago is forgotten
 * first. Anonymous ones are counted separately, so that a flood of them evicts no other entries.
 */
import type { Timers } from "../../clock/timers.ts"

/** No budget or command is remembered for longer. */
const OVER_AFTER_MS = 120_000

interface Absent {
  readonly forget: () => void
  /** Unix milliseconds. */
  readonly since: number
}

export class AbsentParticipants {
  readonly #timers: Timers
  readonly #most: number
  readonly #named = new Map<string, Absent>()
  readonly #anonymous = new Map<string, Absent>()

  /** `most`: the limit for each of the two kinds. */
  constructor(timers: Timers, most: number) {
    this.#timers = timers
    this.#most = most
  }

  get size(): number {
    return this.#named.size + this.#anonymous.size
  }

  /** `forget`: removes the participant's entries. */
  left(key: string, isAnonymous: boolean, forget: () => void): void {
    const absent = isAnonymous ? this.#anonymous : this.#named
    absent.delete(key)
    absent.set(key, { forget, since: this.#timers.now() })
    const [oldest] = absent
    if (absent.size <= this.#most || oldest === undefined) return
    absent.delete(oldest[0])
    oldest[1].forget()
  }

  /** The participant is connected, and their entries are kept. */
  returned(key: string): void {
    this.#named.delete(key)
    this.#anonymous.delete(key)
  }

  sweep(now: number): void {
    for (const absent of [this.#named, this.#anonymous]) {
      for (const [key, { since }] of absent) {
        if (now - since <= OVER_AFTER_MS) break
        absent.delete(key)
      }
    }
  }
}
