/**
 * Everything a live event can be asked to do, and how it answers. A command carries its own ids and its time, so that the
 * machine needs neither clock nor chance; the same command on the same state gives the same answer.
 */
import { Schema } from "effect"
import {
  ACTIVITY_COMMANDS,
  type ActivityData,
  type ActivityName,
  ModerateQuestion,
} from "../model/activity-commands.ts"
import { EventPatch, EventWithPhases } from "../model/event.ts"
import { ParticipantKind } from "../model/participants.ts"
import type { CommandName } from "../model/permissions.ts"
import { Feature, FeatureSet, Modality, PhaseConfig } from "../model/phase.ts"
import { EventRole } from "../model/roles.ts"

const Rev = Schema.optionalKey(Schema.Int)

/** Steering: the agenda and its timers. The statechart decides these. */
const Steering = Schema.Union([
  Schema.Struct({ type: Schema.Literal("publish") }),
  Schema.Struct({ type: Schema.Literal("start") }),
  /**
   * With a `phaseId`, a guard: only while that phase is active (specification §3, advance rule 2); a late one is answered as
   * it stands. With a `rev`, only while that is the active phase's; a late one is refused.
   */
  Schema.Struct({ type: Schema.Literal("advance"), phaseId: Schema.NullOr(Schema.String), rev: Rev }),
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
  /** From the timer driver, never from a client. `endsAt` says which deadline it saw: an extension makes it stale. */
  Schema.Struct({ type: Schema.Literal("timerElapsed"), phaseId: Schema.String, endsAt: Schema.String }),
])
export type SteeringCommand = typeof Steering.Type
export type SteeringType = SteeringCommand["type"]

/** Everything else people do at an event goes by its gateway name (model/activity-commands.ts). */
export type ActivityCommand = {
  readonly [T in ActivityName]: { readonly type: T; readonly d: ActivityData<T>; readonly rev?: number }
}[ActivityName]

const activity = (name: ActivityName) =>
  Schema.Struct({ type: Schema.Literal(name), d: ACTIVITY_COMMANDS[name] as Schema.Codec<unknown>, rev: Rev })

const Activity = Schema.Union(
  (Object.keys(ACTIVITY_COMMANDS) as ReadonlyArray<ActivityName>).map(activity),
) as unknown as Schema.Codec<ActivityCommand>

/** A moderator's patch over REST; people at the event approve, hide, pin and answer one by one. */
const Moderation = Schema.Struct({ type: Schema.Literal("question.moderate"), d: ModerateQuestion })

/** The workspace has stored another role for a user, or none: a role that was given here counts no longer. */
const Restoration = Schema.Struct({ type: Schema.Literal("role.forget"), d: Schema.Struct({ userId: Schema.String }) })

export const Command = Schema.Union([Steering, Activity, Moderation, Restoration])
export type Command = SteeringCommand | ActivityCommand | typeof Moderation.Type | typeof Restoration.Type
export type CommandType = Command["type"]

const STEERING_NAMES: Readonly<Record<SteeringType, CommandName | null>> = {
  publish: null,
  start: null,
  advance: "phase.next",
  end: "event.end",
  delete: null,
  patchEvent: null,
  appendPhase: null,
  updatePhase: "phase.update",
  extendTimer: "timer.extend",
  timerElapsed: null,
}

export const isSteering = (command: Command): command is SteeringCommand => command.type in STEERING_NAMES

/** The gateway's name of a command, which the permission table knows; null for what only REST and the clock may ask. */
export const gatewayName = (command: Command): CommandName | null => {
  if (isSteering(command)) return STEERING_NAMES[command.type]
  return command.type === "question.moderate" || command.type === "role.forget" ? null : command.type
}

/** Who asks: somebody at the event. */
export const Caller = Schema.Struct({
  participantId: Schema.String,
  name: Schema.NullOr(Schema.String),
  userId: Schema.NullOr(Schema.String),
  kind: ParticipantKind,
  /** The stored role. */
  role: EventRole,
  /** Has to be let in where there is a lobby; by default whoever is no user. */
  walkIn: Schema.optionalKey(Schema.Boolean),
  /** An owner or admin of the workspace, whatever the role here. */
  manages: Schema.optionalKey(Schema.Boolean),
  /** Of an anonymous caller, as limits count it; the live event is given a pseudonym of it (`pseudonym.ts`). */
  address: Schema.optionalKey(Schema.String),
})
export type Caller = typeof Caller.Type

export const Envelope = Schema.Struct({
  /** The caller's idempotency key, unique within `scope`. */
  commandId: Schema.String,
  /** Whose ids these are: a participant, or `rest`, or `timer`. */
  scope: Schema.String,
  /** Hash of what the client asked, so that an id that comes back with another body is told apart from a repeat. */
  bodyHash: Schema.String,
  /** Checked against the phase; `null` for callers that manage the workspace, and the clock. */
  by: Schema.NullOr(Caller),
  /** When the command was received, Unix milliseconds. */
  at: Schema.Int,
  /** The id of what the command creates, if it does. */
  freshId: Schema.String,
  command: Command,
})
export type Envelope = typeof Envelope.Type

export const Answer = Schema.Struct({
  version: Schema.Int,
  /** The command id had been answered before; nothing ran again. */
  duplicate: Schema.Boolean,
  /** What the gateway's reply carries: the entity the command touched. */
  result: Schema.Record(Schema.String, Schema.Unknown),
  /** After steering: the event as REST shows it. */
  event: Schema.NullOr(EventWithPhases),
})
export type Answer = typeof Answer.Type

export const RefusalCode = Schema.Literals([
  "bad_request",
  "role_not_on_event",
  "conflict",
  "not_found",
  "forbidden",
  "wrong_phase",
  "feature_disabled",
  "muted",
  "rate_limited",
  /** A fault of ours, which the log tells more of. */
  "internal_error",
])

/** The event's state, or the caller's role, does not allow the command. Nothing was written. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  code: RefusalCode,
  detail: Schema.String,
  /** For a stale revision: the entity as it is now. */
  current: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** For what may be asked again: after how long. */
  retryAfterMs: Schema.optionalKey(Schema.Int),
}) {}

/** Another activation owns the event now. The same command id may be sent again and will reach it. */
export class Moved extends Schema.TaggedError<Moved>()("Moved", {}) {}

/** There is no such event (any more). */
export class EventGone extends Schema.TaggedError<EventGone>()("EventGone", {}) {}

/** The database cannot be reached; the same command may be sent again. */
export class StoreAway extends Schema.TaggedError<StoreAway>()("StoreAway", {}) {}

/** What keeps an actor from its event. */
export type Away = Moved | EventGone | StoreAway

/** What one command of a batch came to; `StoreAway`: the store would not take this one. */
export const Outcome = Schema.Union([Answer, Refused, StoreAway])
export type Outcome = Answer | Refused | StoreAway
