/**
 * Decides whether this process may activate live events. One process at a time runs the events of a database: it holds an
 * advisory lock. Without the lock, two processes would take events from each other in turns; the fence keeps that harmless,
 * and the lock prevents it.
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
