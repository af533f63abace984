/**
 * Shards that came to this process and whose live events are not in memory yet. The cluster engine learns of a lock a moment
 * after it was taken: a shard waits here until the engine serves it.
 */
import { type Effect, Latch } from "effect"

/** The engine gives a shard back that was assigned elsewhere meanwhile. */
const FORGOTTEN_AFTER_MS = 5000

export class ShardArrivals {
  readonly #waiting = new Map<string, number>()
  readonly #some = Latch.makeUnsafe(false)

  add(shardIds: ReadonlyArray<string>): void {
    const now = performance.now()
    for (const shardId of shardIds) this.#waiting.set(shardId, now)
    if (this.#waiting.size > 0) this.#some.openUnsafe()
  }

  /** Completes when there are shards that wait. */
  get some(): Effect.Effect<void> {
    return this.#some.await
  }

  /** The shards that wait and are served now; they wait no longer. */
  take(isServed: (shardId: string) => boolean): ReadonlySet<string> {
    const taken = new Set<string>()
    const now = performance.now()
    for (const [shardId, since] of this.#waiting) {
      if (isServed(shardId)) taken.add(shardId)
      else if (now - since < FORGOTTEN_AFTER_MS) continue
      this.#waiting.delete(shardId)
    }
    if (this.#waiting.size === 0) this.#some.closeUnsafe()
    return taken
  }
}
