/**
 * For how long the live events whose owner was struck were dark: the longest time without an acknowledged command, from the fault
 * on. The first of these times begins with the fault, so an answer that was on its way then does not hide what follows.
 */
export class Darkness {
  readonly #events = new Map<string, { lastAt: number; longestMs: number; isServed: boolean }>()

  /** The owners of these events are struck now; earlier ones are forgotten. */
  begin(eventIds: ReadonlyArray<string>, now = Date.now()): void {
    this.#events.clear()
    for (const eventId of eventIds) this.#events.set(eventId, { lastAt: now, longestMs: 0, isServed: false })
  }

  served(eventId: string, now = Date.now()): void {
    const event = this.#events.get(eventId)
    if (event === undefined) return
    event.longestMs = Math.max(event.longestMs, now - event.lastAt)
    event.lastAt = now
    event.isServed = true
  }

  /** Milliseconds for each event that was struck; an event that nobody has served is dark until now. Begins anew. */
  end(now = Date.now()): ReadonlyArray<number> {
    const dark = [...this.#events.values()].map(({ longestMs, lastAt, isServed }) =>
      isServed ? longestMs : now - lastAt,
    )
    this.#events.clear()
    return dark
  }
}
