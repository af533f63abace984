/**
 * Throttle for tallies and similar views, which change more often than clients need. Each is published at once after a pause, and then at
 * most once per interval of its kind; the last change is always published. The content is read at the time of publication. There are many
 * views, most of them idle: a view has a timer only while its interval runs.
 */
import type { Cancel, Timers } from "../../clock/timers.ts"
import type { ChangedViews, ThrottledView } from "../domain/turn.ts"

export class ViewThrottle {
  readonly #timers: Timers
  readonly #publish: (view: ThrottledView, id: string) => void
  /** Views whose interval is running. */
  readonly #running = new Map<string, Cancel>()
  readonly #due = new Set<string>()

  /** `publish` receives a due view, during the call of `request` that makes it due or later. */
  constructor(timers: Timers, publish: (view: ThrottledView, id: string) => void) {
    this.#timers = timers
    this.#publish = publish
  }

  request(changed: ChangedViews): void {
    for (const [key, { view, id }] of changed) {
      if (this.#running.has(key)) this.#due.add(key)
      else this.#start(key, view, id)
    }
  }

  stop(): void {
    for (const cancel of this.#running.values()) cancel()
    this.#running.clear()
    this.#due.clear()
  }

  #start(key: string, view: ThrottledView, id: string): void {
    this.#publish(view, id)
    const cancel = this.#timers.after(view.everyMs, () => {
      this.#running.delete(key)
      if (this.#due.delete(key)) this.#start(key, view, id)
    })
    this.#running.set(key, cancel)
  }
}
