/**
 * Shards that moved to this process and whose live events are not in memory yet. The cluster engine learns of a lock slightly after it was
 * taken: a shard waits here until the engine serves it.
 */
import { type Effect, Latch } from "effect"

/** Time after which a waiting shard is dropped: the engine releases a shard that was reassigned meanwhile. */
const FORGOTTEN_AFTER_MS = 5000

export class ShardArrivals {
  readonly #waiting = new Map<string, number>()
  readonly #some = Latch.makeUnsafe(false)

  add(shardIds: ReadonlyArray<string>): void {
    const now = performance.now()
    for (const shardId of shardIds) this.#waiting.set(shardId, now)
    if (this.#waiting.size > 0) this.#some.openUnsafe()
  }

  /** Completes when shards are waiting. */
  get some(): Effect.Effect<void> {
    return this.#some.await
  }

  /** Removes and returns the waiting shards that are now served. */
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
