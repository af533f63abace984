/**
 * Decides whether this process may activate live events. A process that runs alone holds an advisory lock on the database and owns all
 * events; in a cluster, each process owns the events of the shards that it holds. Without the locks, processes would keep taking events
 * from each other; fencing makes that harmless, and the locks prevent it.
 */
import { Context, Effect } from "effect"
import type { ShardId } from "effect/cluster"
import type { ShardArrivals } from "./shard-arrivals.ts"

export class Ownership extends Context.Service<
  Ownership,
  {
    /** Name of this process in owner rows and presence; a new one after each start. */
    readonly node: string
    /** Number of processes that own events now, including this one. */
    readonly nodes: () => number
    /** Names of the other processes. */
    readonly others: () => ReadonlyArray<string>
    /** Whether this process holds the shard's lock. Checked before every activation. */
    readonly holds: (shardId: ShardId.ShardId) => Effect.Effect<boolean>
    /** Calls the listener with the name of a process that is gone for good. Returns a function that removes the listener. */
    readonly onGone: (listener: (node: string) => void) => () => void
    /** Notes that a process of that name reported people: unless it proves to be alive, it is gone. */
    readonly heardFrom: (node: string) => void
    /**
     * Calls the listener when other processes may have considered this one gone, and it is back. Returns a function that removes the
     * listener.
     */
    readonly onReturned: (listener: () => void) => () => void
    /** Shards that move to this process; null: it has all shards from the start. */
    readonly arrivals: ShardArrivals | null
  }
>()("gathercue/Ownership") {
  /** Ownership of all events by a single process, as long as it holds the database. */
  static readonly alone = (node: string, holdsDatabase: () => boolean): Ownership["Service"] => ({
    node,
    nodes: () => 1,
    others: () => [],
    holds: () => Effect.sync(holdsDatabase),
    onGone: () => nothing,
    heardFrom: nothing,
    onReturned: () => nothing,
    arrivals: null,
  })
}

const nothing = (): void => {}
