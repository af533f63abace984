/**
 * The time for which this process has stalled: stopped by a signal or a debugger, paused with its machine, or busy in one turn of
 * its loop. A time limit that passed meanwhile proves nothing about the other side, whose answer may be there, unread.
 */

const TICK_MS = 250
/** A tick that comes so much later than it should is a stall and no load. */
const STALL_MS = 500

export class StallClock {
  readonly #ticks: NodeJS.Timeout
  #tickedAt = performance.now()
  #stalledMs = 0

  constructor() {
    // Of two timers that are due after a stall the one that was due first runs first, which is this one.
    this.#ticks = setInterval(() => this.#tick(), TICK_MS)
    this.#ticks.unref()
  }

  /** Milliseconds of stalls since the beginning, up to the last tick. */
  get stalledMs(): number {
    return this.#stalledMs
  }

  stop(): void {
    clearInterval(this.#ticks)
  }

  #tick(): void {
    const now = performance.now()
    const lateMs = now - this.#tickedAt - TICK_MS
    this.#tickedAt = now
    if (lateMs > STALL_MS) this.#stalledMs += lateMs
  }
}
