/**
 * Everything a live event can be asked to do, and how it answers. A command carries its own ids and its time, so that the
 * machine needs neither clock nor chance; the same command on the same state gives the same answer.
 */
import { Schema } from "effect"
import { EventPatch, EventWithPhases } from "../model/event.ts"
import type { CommandName } from "../model/permissions.ts"
import { Feature, FeatureSet, Modality, PhaseConfig } from "../model/phase.ts"
import { EventRole } from "../model/roles.ts"

const Rev = Schema.optionalKey(Schema.Int)

export const Command = Schema.Union([
  Schema.Struct({ type: Schema.Literal("publish") }),
  Schema.Struct({ type: Schema.Literal("start") }),
  /** With a `phaseId`, a guard: only while that phase is active (specification §3, advance rule 2). */
  Schema.Struct({ type: Schema.Literal("advance"), phaseId: Schema.NullOr(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("end") }),
  Schema.Struct({ type: Schema.Literal("delete") }),
  Schema.Struct({ type: Schema.Literal("patchEvent"), patch: EventPatch }),
  Schema.Struct({
    type: Schema.Literal("appendPhase"),
    phaseId: Schema.String,
    modality: Modality,
    config: PhaseConfig,
    featureSet: Schema.Array(Feature),
  }),
  Schema.Struct({
    type: Schema.Literal("updatePhase"),
    phaseId: Schema.String,
    config: Schema.optionalKey(PhaseConfig),
    featureSet: Schema.optionalKey(FeatureSet),
    rev: Rev,
  }),
  Schema.Struct({ type: Schema.Literal("extendTimer"), phaseId: Schema.String, seconds: Schema.Int, rev: Rev }),
  Schema.Struct({
    type: Schema.Literal("announce"),
    announcementId: Schema.String,
    text: Schema.String,
    by: Schema.Struct({ participantId: Schema.String, name: Schema.String }),
  }),
  Schema.Struct({ type: Schema.Literal("removeParticipant"), participantId: Schema.String, block: Schema.Boolean }),
  /** From the timer driver, never from a client. `endsAt` says which deadline it saw: an extension makes it stale. */
  Schema.Struct({ type: Schema.Literal("timerElapsed"), phaseId: Schema.String, endsAt: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("timerWarning"),
    phaseId: Schema.String,
    endsAt: Schema.String,
    remainingMs: Schema.Int,
  }),
])
export type Command = typeof Command.Type
export type CommandType = Command["type"]

/** The gateway's name of a command, which the permission table knows; REST and the timer driver are not asked by it. */
export const GATEWAY_NAME: Partial<Record<CommandType, CommandName>> = {
  advance: "phase.next",
  end: "event.end",
  updatePhase: "phase.update",
  extendTimer: "timer.extend",
  announce: "announce",
  removeParticipant: "participant.remove",
}

export const Envelope = Schema.Struct({
  /** The caller's idempotency key, unique within `scope`. */
  commandId: Schema.String,
  /** Whose ids these are: a participant, or `rest`, or `timer`. */
  scope: Schema.String,
  /** Hash of what the client asked, so that an id that comes back with another body is told apart from a repeat. */
  bodyHash: Schema.String,
  /** A participant's stored role, checked against the phase; `null` for callers that manage the workspace. */
  role: Schema.NullOr(EventRole),
  /** When the command was received, Unix milliseconds. */
  at: Schema.Int,
  command: Command,
})
export type Envelope = typeof Envelope.Type

export const Answer = Schema.Struct({
  version: Schema.Int,
  /** The command id had been answered before; nothing ran again. */
  duplicate: Schema.Boolean,
  /** What the gateway's reply carries: the entity the command touched. */
  result: Schema.Record(Schema.String, Schema.Unknown),
  event: EventWithPhases,
})
export type Answer = typeof Answer.Type

export const RefusalCode = Schema.Literals([
  "bad_request",
  "conflict",
  "not_found",
  "forbidden",
  "wrong_phase",
  "feature_disabled",
])

/** The event's state, or the caller's role, does not allow the command. Nothing was written. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  code: RefusalCode,
  detail: Schema.String,
  /** For a stale revision: the entity as it is now. */
  current: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
}) {}

/** Another activation owns the event now. The same command id may be sent again and will reach it. */
export class Moved extends Schema.TaggedError<Moved>()("Moved", {}) {}

/** There is no such event (any more). */
export class EventGone extends Schema.TaggedError<EventGone>()("EventGone", {}) {}

/** The database cannot be reached; the same command may be sent again. */
export class StoreAway extends Schema.TaggedError<StoreAway>()("StoreAway", {}) {}
