/** A live event as its operator sees it: the value of its chart, what it waits for, and what moved it last. */
import { Schema } from "effect"
import { Uuid } from "../ids.ts"
import { named } from "../named.ts"
import { Instant } from "../timestamp.ts"

/** The transitions that an actor remembers. They are in memory alone. */
export const REMEMBERED_TRANSITIONS = 20

const States = Schema.Array(Schema.String)

export const Inspection = Schema.Struct({
  /** The process that owns the event. */
  node: Schema.String,
  /** Commits of the event so far. */
  version: Schema.Int,
  fencingToken: Schema.Int,
  /** When this owner took the event into memory. Transitions from before are not known. */
  ownedSince: Instant,
  /** Every state that the chart is in, from the root, such as `live.phase.running`. */
  states: States.annotate({
    description: "Every state of the event's chart, from its root, such as live.phase.running",
  }),
  polls: Schema.Array(Schema.Struct({ id: Uuid, states: States }).annotate(named("InspectedPoll"))),
  /** The moments that the event waits for, the next one first. */
  deadlines: Schema.Array(
    Schema.Struct({
      /** The delay in the chart, such as `phase.end`. */
      name: Schema.String,
      /** The poll, participant or breakout that it concerns; null: the event. */
      about: Schema.NullOr(Schema.String),
      at: Instant,
    }).annotate(named("InspectedDeadline")),
  ),
  /** The newest transitions, the oldest first. */
  transitions: Schema.Array(
    Schema.Struct({
      at: Instant,
      /** The command, raised event or delay that caused it. */
      event: Schema.String,
      /** The states that were entered. */
      entered: States,
    }).annotate(named("InspectedTransition")),
  ),
}).annotate(named("LiveEventInspection"))
export type Inspection = typeof Inspection.Type

export type InspectedDeadline = Inspection["deadlines"][number]
export type InspectedTransition = Inspection["transitions"][number]
