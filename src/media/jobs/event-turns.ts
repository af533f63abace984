/** Serialises work per event, with several events at once. Events without work are forgotten. */
import { Effect, Semaphore } from "effect"

export class EventTurns {
  readonly #open = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()

  take<A, E, R>(eventId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const entry = this.#open.get(eventId) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
      this.#open.set(eventId, entry)
      entry.waiting += 1
      const left = Effect.sync(() => {
        entry.waiting -= 1
        if (entry.waiting === 0) this.#open.delete(eventId)
      })
      return Effect.ensuring(entry.turn.withPermits(1)(work), left)
    })
  }
}
