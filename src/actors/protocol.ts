/**
 * The live event as a cluster entity: what can be asked of its mailbox. All requests are volatile; durability and
 * exactly-once come from the fenced commit and the command log, not from the mailbox.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Event } from "../model/event.ts"
import { EventRole } from "../model/roles.ts"
import { Answer, Envelope, EventGone, Moved, Refused, StoreAway } from "./commands.ts"

const Away = Schema.Union([Moved, EventGone, StoreAway])
const Json = Schema.Record(Schema.String, Schema.Unknown)

const ParticipantSchema = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  kind: Schema.Literals(["user", "guest", "registrant", "anonymous"]),
  userId: Schema.NullOr(Schema.String),
})

/** People whose first connection on a node opened, or whose last one dropped, in the order it happened. */
export const PresenceReport = Schema.Struct({
  node: Schema.String,
  changes: Schema.Array(
    Schema.Union([
      Schema.Struct({ type: Schema.Literal("join"), participant: ParticipantSchema }),
      Schema.Struct({ type: Schema.Literal("leave"), participantId: Schema.String }),
    ]),
  ),
})
export type PresenceReport = typeof PresenceReport.Type

export const LiveSnapshot = Schema.Struct({
  history: Schema.String,
  version: Schema.Int,
  /** Highest `s` of each stream that has any. */
  heads: Schema.Record(Schema.String, Schema.Int),
  event: Event,
  phases: Schema.Array(Json),
  activePhaseId: Schema.NullOr(Schema.String),
  timers: Schema.Array(Json),
  presence: Json,
  /** Participants who may not come back. */
  removed: Schema.Array(Schema.String),
})
export type LiveSnapshot = typeof LiveSnapshot.Type

export const RosterQuery = Schema.Struct({
  role: Schema.optionalKey(EventRole),
  /** Part of a name, in any case. */
  query: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(Schema.String),
  limit: Schema.Int,
})
export type RosterQuery = typeof RosterQuery.Type

export const RosterPage = Schema.Struct({
  participants: Schema.Array(Json),
  nextCursor: Schema.NullOr(Schema.String),
})
export type RosterPage = typeof RosterPage.Type

export const Execute = Rpc.make("Execute", {
  payload: Envelope,
  success: Answer,
  error: Schema.Union([Refused, Moved, EventGone, StoreAway]),
})
export const ReportPresence = Rpc.make("ReportPresence", { payload: PresenceReport, error: Away })
export const ReadSnapshot = Rpc.make("ReadSnapshot", { success: LiveSnapshot, error: Away })
export const ReadRoster = Rpc.make("ReadRoster", { payload: RosterQuery, success: RosterPage, error: Away })
/** Does not answer while the caller needs the event to stay in memory; interrupting it lets the event passivate. */
export const Reside = Rpc.make("Reside").annotate(ClusterSchema.InterruptOnTermination, true)

/** Does nothing but count as traffic: a live event keeps itself in memory with it, at the price of a timer. */
export const Touch = Rpc.make("Touch")

export const LiveEvent = Entity.make("LiveEvent", [Execute, ReportPresence, ReadSnapshot, ReadRoster, Reside, Touch])
