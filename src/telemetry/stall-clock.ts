/**
 * Total time for which this process has stalled: stopped by a signal or a debugger, paused with its machine, or busy in one turn of its
 * loop. A time limit that passed meanwhile proves nothing about the other side, whose answer may have arrived unread.
 */

const TICK_MS = 250
/** Delay of a tick that indicates a stall rather than load. */
const STALL_MS = 500

export class StallClock {
  readonly #ticks: NodeJS.Timeout
  #tickedAt = performance.now()
  #stalledMs = 0

  constructor() {
    // After a stall, the timer that was due first runs first, which is this one.
    this.#ticks = setInterval(() => this.#tick(), TICK_MS)
    this.#ticks.unref()
  }

  /** Total milliseconds of stalls, up to the last tick. */
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
