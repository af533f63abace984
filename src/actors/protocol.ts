/**
 * The live event as a cluster entity: what can be asked of its mailbox. All requests are volatile; durability and
 * exactly-once come from the fenced commit and the command log, not from the mailbox.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Event } from "../model/event.ts"
import { LobbyPolicy } from "../model/live-values.ts"
import { ParticipantKind } from "../model/participants.ts"
import { Feature, Modality } from "../model/phase.ts"
import { EventRole } from "../model/roles.ts"
import { Envelope, EventNotFound, NotOwner, Outcome, StoreUnavailable } from "./commands.ts"
import type { ActivePhase } from "./domain/state.ts"
import { ReactionReport } from "./presence/reactions.ts"

const Away = Schema.Union([NotOwner, EventNotFound, StoreUnavailable])
const Json = Schema.Record(Schema.String, Schema.Unknown)

const ParticipantSchema = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  kind: ParticipantKind,
  userId: Schema.NullOr(Schema.String),
  walkIn: Schema.optionalKey(Schema.Boolean),
  manages: Schema.optionalKey(Schema.Boolean),
})

/**
 * People whose first connection on a node opened, or whose last one dropped, in the order it happened; those who wait in
 * the lobby knock and give up instead.
 */
export const PresenceReport = Schema.Struct({
  node: Schema.String,
  changes: Schema.Array(
    Schema.Union([
      Schema.Struct({ type: Schema.Literal("join"), participant: ParticipantSchema }),
      Schema.Struct({ type: Schema.Literal("leave"), participantId: Schema.String }),
      Schema.Struct({ type: Schema.Literal("knock"), participant: ParticipantSchema }),
      Schema.Struct({ type: Schema.Literal("giveUp"), participantId: Schema.String }),
    ]),
  ),
})
export type PresenceReport = typeof PresenceReport.Type

const Traits = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  modality: Schema.NullOr(Modality),
  featureSet: Schema.Array(Feature),
  anonymous: Schema.Struct({ questions: Schema.Boolean, voting: Schema.Boolean }),
}) satisfies Schema.Codec<ActivePhase>

export const LiveSnapshot = Schema.Struct({
  history: Schema.String,
  version: Schema.Int,
  /** Highest `s` of the shared streams and of each open room's. */
  heads: Schema.Record(Schema.String, Schema.Int),
  event: Event,
  phase: Traits,
  /** Parts of `ready`, as sockets get them: for all, and for some on top of it. */
  everyone: Json,
  staff: Json,
  /** Of it, who is here: for everyone with a name, and for anonymous viewers. */
  people: Json,
  anonymous: Json,
  lobby: LobbyPolicy,
  /** By participant: who was let in or is held in the lobby, whose role a host changed, who sits in which room. */
  admissions: Schema.Record(Schema.String, Schema.Literals(["admitted", "held"])),
  roles: Schema.Record(Schema.String, EventRole),
  seats: Schema.Record(Schema.String, Schema.String),
  /** There are tallies that only those who voted may hear. */
  votersHear: Schema.Boolean,
  /** Participants who may not come back. */
  removed: Schema.Array(Schema.String),
})
export type LiveSnapshot = typeof LiveSnapshot.Type

/**
 * A snapshot, which may be a moment old, and what concerns the participants that were asked for as it is now. Each part is
 * continued by its own streams: the snapshot by those it has heads for, the personal part by the participant's own.
 */
export const LiveReading = Schema.Struct({
  /** The version of the personal parts. */
  version: Schema.Int,
  snapshot: LiveSnapshot,
  /** Highest `s` of the streams that were asked for, at that version. */
  heads: Schema.Record(Schema.String, Schema.Int),
  /** `head`: of the participant's own stream. */
  personal: Schema.Record(Schema.String, Schema.Struct({ head: Schema.Int, state: Json })),
})
export type LiveReading = typeof LiveReading.Type

export const RosterQuery = Schema.Struct({
  roomId: Schema.optionalKey(Schema.String),
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

/** Commands that wait for the same event travel and are committed together; each has its own outcome, in their order. */
export const Execute = Rpc.make("Execute", {
  payload: { envelopes: Schema.Array(Envelope) },
  success: Schema.Array(Outcome),
  error: Away,
})
export const ReportPresence = Rpc.make("ReportPresence", { payload: PresenceReport, error: Away })
export const ReportReactions = Rpc.make("ReportReactions", { payload: ReactionReport, error: Away })
export const ReadQuery = Schema.Struct({
  participants: Schema.Array(Schema.String),
  /** Whose heads are wanted besides. */
  streams: Schema.Array(Schema.String),
  /** The snapshot as well is to be of the present version. */
  fresh: Schema.Boolean,
})
export type ReadQuery = typeof ReadQuery.Type
export const Read = Rpc.make("Read", {
  payload: ReadQuery,
  success: LiveReading,
  error: Away,
})
export const ReadRoster = Rpc.make("ReadRoster", { payload: RosterQuery, success: RosterPage, error: Away })
/** Does not answer while the caller needs the event to stay in memory; interrupting it lets the event passivate. */
export const Reside = Rpc.make("Reside").annotate(ClusterSchema.InterruptOnTermination, true)

/** Does nothing but count as traffic: a live event keeps itself in memory with it, at the price of a timer. */
export const Touch = Rpc.make("Touch")

export const LiveEvent = Entity.make("LiveEvent", [
  Execute,
  ReportPresence,
  ReportReactions,
  Read,
  ReadRoster,
  Reside,
  Touch,
])
