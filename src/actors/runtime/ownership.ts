/**
 * May this process activate live events at all? One process at a time runs the events of a database: it holds an advisory
 * lock. Without this, two processes would take events from each other in turns; the epoch fence keeps that harmless, this
 * keeps it from happening.
 */
import { Context, type Effect } from "effect"

export class Ownership extends Context.Service<
  Ownership,
  {
    /** Name of this process in owner rows. */
    readonly node: string
    /** Does this process still hold the lock? Asked before every activation. */
    readonly holds: Effect.Effect<boolean>
  }
>()("gathercue/Ownership") {}
