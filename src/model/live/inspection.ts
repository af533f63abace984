/** A live event as shown to its operator: the value of its chart, its deadlines, and its latest transitions. */
import { Schema } from "effect"
import { Uuid } from "../ids.ts"
import { named } from "../named.ts"
import { Instant } from "../timestamp.ts"

/** Transitions remembered by an actor, in memory alone. */
export const REMEMBERED_TRANSITIONS = 20

const States = Schema.Array(Schema.String)

export const Inspection = Schema.Struct({
  /** The process that owns the event. */
  node: Schema.String,
  /** Number of commits of the event so far. */
  version: Schema.Int,
  fencingToken: Schema.Int,
  /** Time when this owner loaded the event into memory. Earlier transitions are not known. */
  ownedSince: Instant,
  /** All states of the chart, with their paths from the root, such as `live.phase.running`. */
  states: States.annotate({
    description: "Every state of the event's chart, from its root, such as live.phase.running",
  }),
  polls: Schema.Array(Schema.Struct({ id: Uuid, states: States }).annotate(named("InspectedPoll"))),
  /** Deadlines of the event, the next one first. */
  deadlines: Schema.Array(
    Schema.Struct({
      /** Name of the delay in the chart, such as `phase.end`. */
      name: Schema.String,
      /** The poll, participant or breakout concerned; null: the event. */
      about: Schema.NullOr(Schema.String),
      at: Instant,
    }).annotate(named("InspectedDeadline")),
  ),
  /** The newest transitions, oldest first. */
  transitions: Schema.Array(
    Schema.Struct({
      at: Instant,
      /** The command, raised event or delay that caused it. */
      event: Schema.String,
      /** The states entered. */
      entered: States,
    }).annotate(named("InspectedTransition")),
  ),
}).annotate(named("LiveEventInspection"))
export type Inspection = typeof Inspection.Type

export type InspectedDeadline = Inspection["deadlines"][number]
export type InspectedTransition = Inspection["transitions"][number]
