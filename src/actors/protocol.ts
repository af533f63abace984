/**
 * The live event as a cluster entity: the requests of its mailbox. All requests are volatile; durability and exactly-once come from the
 * fenced commit and the command log, not from the mailbox.
 */
import { type Effect, Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { EventOfNode } from "../model/event.ts"
import { Inspection } from "../model/live/inspection.ts"
import { LobbyPolicy } from "../model/live/live-values.ts"
import { Modality } from "../model/modality.ts"
import { Feature } from "../model/phase.ts"
import { EventRole } from "../model/roles.ts"
import { COMMANDS } from "../protocol/contract.ts"
import { CallReply, CallRequest } from "./calls/call-request.ts"
import {
  Envelope,
  EventNotFound,
  NotOwner,
  Outcome,
  Participant,
  StoreUnavailable,
  Together,
  type Unreachable,
} from "./commands.ts"
import { ReactionReport } from "./presence/reactions.ts"
import type { ActivePhase } from "./state/state.ts"

const Away = Schema.Union([NotOwner, EventNotFound, StoreUnavailable])
const Json = Schema.Record(Schema.String, Schema.Unknown)

/** `connections`: all of the participant's connections on the reporting node, oldest first, by their numbers on that node. */
const ENTERING = { participant: Participant, connections: Schema.NonEmptyArray(Schema.Int) }

/**
 * Participants whose connections on a node changed: the first one opened, one of several opened or closed, or the last one closed. The
 * changes are in order. Entering and leaving the waiting room are separate entries. `isForGood`: the participant sent `leave`, or lost the
 * right to be there.
 */
export const PresenceReport = Schema.Struct({
  node: Schema.String,
  changes: Schema.Array(
    Schema.Union([
      Schema.Struct({ type: Schema.Literal("join"), ...ENTERING }),
      Schema.Struct({
        type: Schema.Literal("leave"),
        participantId: Schema.String,
        isForGood: Schema.optionalKey(Schema.Boolean),
      }),
      Schema.Struct({ type: Schema.Literal("joinWaitingRoom"), ...ENTERING }),
      Schema.Struct({ type: Schema.Literal("leaveWaitingRoom"), participantId: Schema.String }),
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
  /** Id of the snapshot; two snapshots of the same version have different ids. */
  id: Schema.String,
  /** Name of the history of the event's streams, as sent to clients. */
  epoch: Schema.String,
  version: Schema.Int,
  /** Highest `s` of the shared streams and of each open room's stream. */
  heads: Schema.Record(Schema.String, Schema.Int),
  event: EventOfNode,
  phase: Traits,
  /** Parts of `ready` as encoded for sockets: for everyone, and additionally for staff. */
  everyone: Json,
  staff: Json,
  /** Presence, a part of `ready`: for participants with a name, and for anonymous viewers. */
  people: Json,
  anonymous: Json,
  lobby: LobbyPolicy,
  /** Admissions, roles given by a host, and rooms, keyed by participant. */
  admissions: Schema.Record(Schema.String, Schema.Literals(["admitted", "held"])),
  roles: Schema.Record(Schema.String, EventRole),
  seats: Schema.Record(Schema.String, Schema.String),
  /** True when there are tallies that only voters see. */
  hasVoterTallies: Schema.Boolean,
  /** Participants who may not come back. */
  removed: Schema.Array(Schema.String),
})
export type LiveSnapshot = typeof LiveSnapshot.Type

/**
 * A snapshot, which may be slightly old, and the current personal state of the requested participants. Each part is continued by its own
 * streams: the snapshot by the streams in its heads, the personal part by the participant's own stream.
 */
const Reading = Schema.Struct({
  /** Version of the personal parts. */
  version: Schema.Int,
  /** Fencing token of the activation that answers. */
  fencingToken: Schema.Int,
  /** Null: the snapshot that the reader has is still valid. A snapshot may take a megabyte. */
  snapshot: Schema.NullOr(LiveSnapshot),
  /** Highest `s` of the requested streams at that version. */
  heads: Schema.Record(Schema.String, Schema.Int),
  /** `head`: position of the participant's own stream. */
  personal: Schema.Record(Schema.String, Schema.Struct({ head: Schema.Int, state: Json })),
})

/** A reading with its snapshot, whether sent or already known to the reader. */
export interface LiveReading extends Omit<typeof Reading.Type, "snapshot"> {
  readonly snapshot: LiveSnapshot
}
export type WireReading = typeof Reading.Type

export const RosterQuery = Schema.Struct({
  roomId: Schema.optionalKey(Schema.String),
  role: Schema.optionalKey(EventRole),
  /** Part of a name, case-insensitive. */
  query: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(Schema.String),
  limit: Schema.Int,
})
export type RosterQuery = typeof RosterQuery.Type

/** Reply of `roster.list`, as defined by its contract. */
export const RosterPage = COMMANDS["roster.list"].reply
export type RosterPage = typeof RosterPage.Type

export const ReadQuery = Schema.Struct({
  participants: Schema.Array(Schema.String),
  /** Further streams whose heads are wanted. */
  streams: Schema.Array(Schema.String),
  /** True: the snapshot must be of the current version too. */
  fresh: Schema.Boolean,
  /** Id of the snapshot that the reader has; null: none. */
  known: Schema.NullOr(Schema.String),
})
export type ReadQuery = typeof ReadQuery.Type

/**
 * The requests to a live event, by their names between nodes. The engine's entity, the actor's answers and the calls of `LiveEvents` are
 * all derived from this table.
 */
const REQUESTS = {
  /** Commands that wait for the same event travel and are committed together; the outcomes are in the order of the commands. */
  Execute: { payload: Schema.Struct({ envelopes: Schema.Array(Envelope) }), success: Schema.Array(Outcome) },
  /** Executes all of these commands in one turn and one commit, or none. */
  ExecuteTogether: { payload: Schema.Struct({ envelopes: Schema.Array(Envelope) }), success: Together },
  /** The outcome that a command would have now. Nothing is executed. */
  Rehearse: { payload: Envelope, success: Outcome },
  ReportPresence: { payload: PresenceReport, success: Schema.Void },
  ReportReactions: { payload: ReactionReport, success: Schema.Void },
  /** Reads the state of the event, and the personal state of these participants. */
  Read: { payload: ReadQuery, success: Reading },
  ReadRoster: { payload: RosterQuery, success: RosterPage },
  /** Reads the event's chart at its owner, for the operator. */
  Inspect: { payload: Schema.Void, success: Inspection },
  /** Steps of browser-to-browser calls, in order, for the sockets of one node. */
  Call: { payload: CallRequest, success: CallReply },
} as const

type Requests = typeof REQUESTS
export type RequestName = keyof Requests
export const REQUEST_NAMES = Object.keys(REQUESTS) as ReadonlyArray<RequestName>

/** Requests unknown to an owner of the previous release, which refuses only these. */
export const NEW_REQUESTS: ReadonlySet<RequestName> = new Set(["Inspect", "Call", "ExecuteTogether", "Rehearse"])

export type Payload<R extends RequestName> = Requests[R]["payload"]["Type"]
type Reply<R extends RequestName> = Requests[R]["success"]["Type"]

/** `E`: failures of an actor in this process's memory; a request through the engine has more. */
export type LiveEventRequests<E = Unreachable> = {
  readonly [R in RequestName]: (payload: Payload<R>) => Effect.Effect<Reply<R>, E>
}

/** The same requests, addressed to any event. */
export type RequestsToEvents<E> = {
  readonly [R in RequestName as Uncapitalize<R>]: (eventId: string, payload: Payload<R>) => Effect.Effect<Reply<R>, E>
}

export const requestsToEvents = <E>(
  requestTo: <R extends RequestName>(name: R) => (eventId: string, payload: Payload<R>) => Effect.Effect<Reply<R>, E>,
): RequestsToEvents<E> =>
  Object.fromEntries(
    REQUEST_NAMES.map((name) => [`${name.slice(0, 1).toLowerCase()}${name.slice(1)}`, requestTo(name)]),
  ) as unknown as RequestsToEvents<E>

type RpcOf<R extends RequestName> = R extends RequestName
  ? Rpc.Rpc<R, Requests[R]["payload"], Requests[R]["success"], typeof Away>
  : never

const rpcs = REQUEST_NAMES.map((name) => {
  const { payload, success } = REQUESTS[name]
  return Rpc.make(name, { payload, success, error: Away })
  // The compiler does not keep the names of a table through `map`.
}) as unknown as ReadonlyArray<RpcOf<RequestName>>

/** Does not answer while the caller needs the event in memory; interrupting it lets the event passivate. */
const Reside = Rpc.make("Reside").annotate(ClusterSchema.InterruptOnTermination, true)

/** Only counts as traffic: a live event sends it to itself to stay in memory, at the cost of a timer. */
const Touch = Rpc.make("Touch")

export const LiveEventEntity = Entity.make("LiveEvent", [...rpcs, Reside, Touch])
