/**
 * Throttle for tallies and similar views, which change more often than clients need. Each is published at once after a pause, and then at
 * most once per interval of its kind; the last change is always published. The content is read at the time of publication. There are many
 * keys, most of them idle: a key has a timer only while its interval runs.
 */
import type { Cancel, Timers } from "../../clock/timers.ts"
import { throttledViewOf } from "../domain/activities/registry.ts"

export class ViewThrottle {
  readonly #timers: Timers
  readonly #publish: (keys: ReadonlyArray<string>) => void
  /** Keys whose interval is running. */
  readonly #running = new Map<string, Cancel>()
  readonly #due = new Set<string>()

  /** `publish` receives the due keys, during the call of `request` that makes them due or later. */
  constructor(timers: Timers, publish: (keys: ReadonlyArray<string>) => void) {
    this.#timers = timers
    this.#publish = publish
  }

  request(keys: Iterable<string>): void {
    for (const key of keys) {
      if (this.#running.has(key)) this.#due.add(key)
      else this.#start(key)
    }
  }

  stop(): void {
    for (const cancel of this.#running.values()) cancel()
    this.#running.clear()
    this.#due.clear()
  }

  #start(key: string): void {
    const found = throttledViewOf(key)
    if (found === undefined) return
    this.#publish([key])
    const cancel = this.#timers.after(found.throttled.everyMs, () => {
      this.#running.delete(key)
      if (this.#due.delete(key)) this.#start(key)
    })
    this.#running.set(key, cancel)
  }
}
