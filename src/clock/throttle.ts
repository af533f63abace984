/** Many requests, few runs: requests are collected for a while and then served by one run. */
import type { Cancel, Timers } from "./timers.ts"

/** A single pending run, at the earliest of the requested times. Requests after the run cause another one. */
export class DueRun {
  readonly #timers: Timers
  readonly #run: () => void
  #cancel: Cancel | undefined
  /** Due time on the monotonic clock. */
  #dueAt = 0

  constructor(timers: Timers, run: () => void) {
    this.#timers = timers
    this.#run = run
  }

  get isPending(): boolean {
    return this.#cancel !== undefined
  }

  /** Runs within `ms`, or earlier if an earlier run is pending. */
  within(ms: number): void {
    const dueAt = this.#timers.elapsed() + ms
    if (this.#cancel !== undefined && this.#dueAt <= dueAt) return
    this.cancel()
    this.#dueAt = dueAt
    this.#cancel = this.#timers.after(ms, () => {
      this.#cancel = undefined
      this.#run()
    })
  }

  cancel(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}

/**
 * Runs at once after a pause, then at most once per interval; the last request is always followed by a run. The interval is read anew for
 * each run, because it may grow with the load.
 */
export class Throttle {
  readonly #timers: Timers
  readonly #everyMs: () => number
  readonly #run: () => void
  readonly #due: DueRun
  #ranAt = Number.NEGATIVE_INFINITY

  constructor(timers: Timers, everyMs: () => number, run: () => void) {
    this.#timers = timers
    this.#everyMs = everyMs
    this.#run = run
    this.#due = new DueRun(timers, () => this.runNow())
  }

  request(): void {
    if (this.#due.isPending) return
    const wait = this.#ranAt + this.#everyMs() - this.#timers.elapsed()
    if (wait <= 0) this.runNow()
    else this.#due.within(wait)
  }

  /** Runs instead of the pending run, whatever the interval. */
  runNow(): void {
    this.#due.cancel()
    this.#ranAt = this.#timers.elapsed()
    this.#run()
  }

  /** Drops the pending run; a later request runs as before. */
  cancel(): void {
    this.#due.cancel()
  }
}

/** Processes a list in portions with a pause after each, the first one at once. Returns a function that drops the rest. */
export const inPortions = <A>(
  timers: Timers,
  all: ReadonlyArray<A>,
  { atOnce, pauseMs }: { readonly atOnce: number; readonly pauseMs: number },
  each: (one: A) => void,
): Cancel => {
  let next = 0
  const due = new DueRun(timers, () => {
    const portion = all.slice(next, next + atOnce)
    next += atOnce
    // Scheduled before the portion, so that a callback that drops the rest drops this too.
    if (next < all.length) due.within(pauseMs)
    for (const one of portion) each(one)
  })
  if (all.length > 0) due.within(0)
  return () => due.cancel()
}
