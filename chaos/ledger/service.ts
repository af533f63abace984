/** Since when each live event is served again: the first acknowledged probe after a fault's end. */
import { sleep } from "../chance.ts"

export interface Recovery {
  /** From the fault's end to the first acknowledged command of any event; milliseconds, `undefined` when there was none. */
  readonly firstMs: number | undefined
  /** The same until every event had one. */
  readonly allMs: number | undefined
}

const LOOK_MS = 20

export class Service {
  #since = Date.now()
  readonly #first = new Map<string, number>()
  lastServedAt = Date.now()

  /** The fault has ended. */
  begin(): void {
    this.#since = Date.now()
    this.#first.clear()
  }

  served(eventId: string): void {
    this.lastServedAt = Date.now()
    if (!this.#first.has(eventId)) this.#first.set(eventId, Date.now() - this.#since)
  }

  isServed(eventId: string): boolean {
    return this.#first.has(eventId)
  }

  /** Waits until so many events are served, or the deadline has passed. */
  async wait(events: number, deadlineMs: number): Promise<Recovery> {
    const deadline = Date.now() + deadlineMs
    while (this.#first.size < events && Date.now() < deadline) await sleep(LOOK_MS)
    const all = [...this.#first.values()]
    return {
      firstMs: all.length === 0 ? undefined : Math.min(...all),
      allMs: all.length < events ? undefined : Math.max(...all),
    }
  }
}
