/** Many requests, few runs: requests are gathered for a while and then done once. */
import type { Cancel, Timers } from "./timers.ts"

/** One run that is due: the earliest of the times for which it was requested. Requests after it ask for another run. */
export class DueRun {
  readonly #timers: Timers
  readonly #run: () => void
  #cancel: Cancel | undefined
  /** By the clock that only goes forward. */
  #dueAt = 0

  constructor(timers: Timers, run: () => void) {
    this.#timers = timers
    this.#run = run
  }

  get isPending(): boolean {
    return this.#cancel !== undefined
  }

  /** Runs in `ms`, or earlier if an earlier run is pending. */
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
 * Runs at once after a pause, then at most once per interval; the last request is always followed by a run. The interval is read
 * anew for each run, because it may grow with the load.
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

  /** Runs in place of the pending run, whatever the interval. */
  runNow(): void {
    this.#due.cancel()
    this.#ranAt = this.#timers.elapsed()
    this.#run()
  }

  /** The pending run is dropped; a later request runs as before. */
  cancel(): void {
    this.#due.cancel()
  }
}

/** Does a list in portions with a pause after each, the first at once. Returns a function that drops the rest. */
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
    // Before the portion: a callback that drops the rest drops this too.
    if (next < all.length) due.within(pauseMs)
    for (const one of portion) each(one)
  })
  if (all.length > 0) due.within(0)
  return () => due.cancel()
}
