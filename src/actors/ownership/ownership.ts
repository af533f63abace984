/**
 * Decides whether this process may activate live events. A process that runs alone holds an advisory lock on the database, and
 * owns all events; with many, each owns the events of the shards that it holds. Without the locks processes would take events from
 * each other in turns; the fence keeps that harmless, and the locks prevent it.
 */
import { Context, Effect } from "effect"
import type { ShardId } from "effect/cluster"
import type { ShardArrivals } from "./shard-arrivals.ts"

export class Ownership extends Context.Service<
  Ownership,
  {
    /** Name of this process in owner rows and presence; another one after each start. */
    readonly node: string
    /** Processes that own events now, this one among them. */
    readonly nodes: () => number
    /** The names of the other ones. */
    readonly others: () => ReadonlyArray<string>
    /** Does this process hold the shard's lock? Asked before every activation. */
    readonly holds: (shardId: ShardId.ShardId) => Effect.Effect<boolean>
    /** Calls with the name of a process that is gone and will not come back. Returns the end of it. */
    readonly onGone: (listener: (node: string) => void) => () => void
    /** A process of that name reported people: unless it turns out to live, it is gone. */
    readonly heardFrom: (node: string) => void
    /** Calls when other processes may have taken this one for gone, and it is back. Returns the end of it. */
    readonly onReturned: (listener: () => void) => () => void
    /** Shards that come to this process; null: all of them are here from the start. */
    readonly arrivals: ShardArrivals | null
  }
>()("gathercue/Ownership") {
  /** A process that owns all events, for as long as it holds the database. */
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

/** The same for one event. */
export interface EventOwnership {
  readonly node: string
  /** May this process own the event now? */
  readonly holds: Effect.Effect<boolean>
  /** Do other processes live, which may remember calls of an activation before this one? */
  readonly hasOthers: () => boolean
  readonly heardFrom: Ownership["Service"]["heardFrom"]
}
