/**
 * Decides whether this process may activate live events. A process that runs alone holds an advisory lock on the database, and
 * owns all events; with many, each owns the events of the shards that it holds. Without the locks processes would take events from
 * each other in turns; the fence keeps that harmless, and the locks prevent it.
 */
import { Context, type Effect } from "effect"
import type { ShardId } from "effect/cluster"

export class Ownership extends Context.Service<
  Ownership,
  {
    /** Name of this process in owner rows and presence; another one after each start. */
    readonly node: string
    /** Does this process hold the shard's lock? Asked before every activation. */
    readonly holds: (shardId: ShardId.ShardId) => Effect.Effect<boolean>
    /** Calls with the name of a process that is gone and will not come back. Returns the end of it. */
    readonly onGone: (listener: (node: string) => void) => () => void
  }
>()("gathercue/Ownership") {}

/** The same for one event. */
export interface EventOwnership {
  readonly node: string
  /** May this process own the event now? */
  readonly holds: Effect.Effect<boolean>
}
