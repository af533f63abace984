/**
 * Tallies and similar views change more often than clients need. Each is published at once after a pause, and then at most once
 * per interval of its kind; the last change is always published. The content is read at the time of publication.
 */
import { throttledViewOf } from "../domain/activities/registry.ts"

export class ViewThrottle {
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #due = new Set<string>()
  readonly #say: (keys: ReadonlyArray<string>) => void

  /** `say` receives the due keys, later than the `request` that made them due. */
  constructor(say: (keys: ReadonlyArray<string>) => void) {
    this.#say = say
  }

  request(keys: Iterable<string>): void {
    for (const key of keys) {
      if (this.#timers.has(key)) this.#due.add(key)
      else this.#start(key)
    }
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#due.clear()
  }

  #start(key: string): void {
    const found = throttledViewOf(key)
    if (found === undefined) return
    this.#say([key])
    const timer = setTimeout(() => {
      this.#timers.delete(key)
      if (this.#due.delete(key)) this.#start(key)
    }, found.pulse.everyMs)
    this.#timers.set(key, timer)
  }
}
