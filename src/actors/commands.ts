/**
 * All commands of a live event and their answers. A command carries its own ids, and a received command its time, so that the machine needs
 * neither a clock nor randomness: the same command on the same state gives the same answer.
 */
import { Schema } from "effect"
import { CancelReason, EventPatch, EventWithPhasesOfNode } from "../model/event.ts"
import { Id, newId } from "../model/ids.ts"
import { Modality } from "../model/modality.ts"
import { ParticipantKind } from "../model/participants.ts"
import { Feature, PhaseConfig } from "../model/phase.ts"
import { QuestionPatch } from "../model/question.ts"
import { EventRole } from "../model/roles.ts"
import {
  ACTIVITY_NAMES,
  type ActivityName,
  AGENDA_COMMAND_NAMES,
  type AgendaCommandName,
  COMMANDS,
  type CommandData,
  type CommandName,
  isCommandName,
} from "../protocol/contract.ts"

/** Agenda commands that only REST sends. */
const INTERNAL_AGENDA = {
  "event.publish": Schema.Struct({}),
  "event.start": Schema.Struct({}),
  "event.patch": EventPatch,
  "event.cancel": Schema.Struct({ reason: Schema.optionalKey(CancelReason) }),
  "event.reinstate": Schema.Struct({}),
  "event.delete": Schema.Struct({}),
  "phase.append": Schema.Struct({
    phaseId: Schema.String,
    modality: Modality,
    config: PhaseConfig,
    featureSet: Schema.Array(Feature),
  }),
  /** Ids of all phases of the event, in their new order. */
  "phases.order": Schema.Struct({ phaseIds: Schema.Array(Schema.String) }),
  "phase.remove": Schema.Struct({ phaseId: Schema.String }),
} as const satisfies { readonly [name: string]: Schema.Top }

/** Activity commands that only REST sends. */
const INTERNAL_ACTIVITY = {
  /** Patches any fields of a question at once. Participants at the event approve, hide, pin and answer with separate commands. */
  "question.moderate": Schema.Struct({ id: Id, patch: QuestionPatch }),
  /** The workspace stored another role for the user, or removed it. A role given at the event no longer applies. */
  "role.forget": Schema.Struct({ userId: Schema.String }),
  /**
   * `stored`: the user's role in the workspace's list; null: none. A different role given at the event no longer applies, except for the
   * time on stage.
   */
  "role.check": Schema.Struct({ userId: Schema.String, stored: Schema.NullOr(EventRole) }),
  /** The data of the person who had these participant ids is being erased. */
  "participant.erase": Schema.Struct({ ids: Schema.Array(Schema.String) }),
} as const satisfies { readonly [name: string]: Schema.Top }

/** Union of the commands with these data, keyed by name. */
type OneOf<Data> = { readonly [T in keyof Data]: CommandOf<T, Data[T]> }[keyof Data]
type DataOf<S extends { readonly [name: string]: Schema.Top }> = { readonly [T in keyof S]: S[T]["Type"] }

/** One command: its name, its data, and the revision of the entity that the caller saw. */
interface CommandOf<Name, Data> {
  readonly type: Name
  readonly d: Data
  readonly rev?: number
}

/** Commands on the agenda and its timers. */
export type AgendaCommand =
  | OneOf<{ readonly [T in AgendaCommandName]: CommandData<T> }>
  | OneOf<DataOf<typeof INTERNAL_AGENDA>>
export type AgendaCommandType = AgendaCommand["type"]

/** All other commands of clients. */
export type ActivityCommand = OneOf<{ readonly [T in ActivityName]: CommandData<T> }>
export type InternalActivityCommand = OneOf<DataOf<typeof INTERNAL_ACTIVITY>>

export type Command = AgendaCommand | ActivityCommand | InternalActivityCommand

const commandSchema = ([name, data]: readonly [string, Schema.Top]) =>
  Schema.Struct({
    type: Schema.Literal(name),
    d: data as Schema.Codec<unknown>,
    rev: Schema.optionalKey(Schema.Int),
  })

export const Command = Schema.Union(
  [
    ...[...AGENDA_COMMAND_NAMES, ...ACTIVITY_NAMES].map((name) => [name, COMMANDS[name].data] as const),
    ...Object.entries(INTERNAL_AGENDA),
    ...Object.entries(INTERNAL_ACTIVITY),
  ].map(commandSchema),
) as unknown as Schema.Codec<Command>

const AGENDA_TYPES: ReadonlySet<string> = new Set([...AGENDA_COMMAND_NAMES, ...Object.keys(INTERNAL_AGENDA)])

export const isAgendaCommand = (command: Command): command is AgendaCommand => AGENDA_TYPES.has(command.type)

/** The command's name in the gateway protocol; null for commands that only REST and the server send. */
export const gatewayName = ({ type }: Command): CommandName | null => (isCommandName(type) ? type : null)

export const Participant = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  userId: Schema.NullOr(Schema.String),
  kind: ParticipantKind,
  /** The role stored by the workspace. */
  role: EventRole,
  /**
   * The participant is neither a member of the workspace nor in the event's list. Default: true for every participant who is not a user.
   */
  walkIn: Schema.optionalKey(Schema.Boolean),
  /** The participant is an owner or admin of the workspace, whatever their role at the event. */
  manages: Schema.optionalKey(Schema.Boolean),
})
export type Participant = typeof Participant.Type

/** The participant who sends a command. */
export const Caller = Schema.Struct({
  ...Participant.fields,
  name: Schema.NullOr(Schema.String),
  /** The command came by an HTTP request, whose sender may have no connection. */
  isRequest: Schema.optionalKey(Schema.Boolean),
  /** The address of an anonymous caller, in the form that rate limits count. The live event receives a pseudonym of it (`pseudonym.ts`). */
  address: Schema.optionalKey(Schema.String),
})
export type Caller = typeof Caller.Type

export const Envelope = Schema.Struct({
  /** The caller's idempotency key, unique within `scope`. */
  commandId: Schema.String,
  /** The owner of the command ids: a participant, `rest`, or `timer` for the server itself. */
  scope: Schema.String,
  /** Hash of the request body: distinguishes a repeat from an id reused with another body. */
  bodyHash: Schema.String,
  /** The caller whose permissions are checked against the phase; null for callers that manage the workspace, and for the server itself. */
  by: Schema.NullOr(Caller),
  /** Id for the entity that the command creates, if any. */
  freshId: Schema.String,
  command: Command,
})
export type Envelope = typeof Envelope.Type

/** A command of the server itself. */
export const ownCommand = (command: Command, scope = "rest"): Envelope => ({
  commandId: newId(),
  scope,
  bodyHash: "",
  by: null,
  freshId: newId(),
  command,
})

/** A command that its live event has received. */
export interface Received extends Envelope {
  /** Unix milliseconds on the clock of the process that owns the event: the clocks of other processes may differ. */
  readonly at: number
}

export const Answer = Schema.Struct({
  version: Schema.Int,
  /** True: the command id was answered before, and nothing ran again. */
  duplicate: Schema.Boolean,
  /** Data of the gateway's reply: the entity that the command changed. */
  result: Schema.Record(Schema.String, Schema.Unknown),
  /** The event in its REST form, after an agenda command. */
  event: Schema.NullOr(EventWithPhasesOfNode),
})
export type Answer = typeof Answer.Type

const CommandRefusalCode = Schema.Literals([
  "bad_request",
  "role_not_on_event",
  "conflict",
  "not_found",
  "forbidden",
  "wrong_phase",
  "feature_disabled",
  "muted",
  "rate_limited",
  /** A defect of the server; the log has the details. */
  "internal_error",
])

/** The event's state, or the caller's role, does not allow the command. Nothing was written. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  code: CommandRefusalCode,
  detail: Schema.String,
  /** The REST request field that `detail` begins with. */
  field: Schema.optionalKey(Schema.String),
  /** Current entity, for a stale revision. */
  current: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** Delay after which a temporary refusal may be retried. */
  retryAfterMs: Schema.optionalKey(Schema.Int),
}) {}

/** Refusal of one field of the command's data. */
export const refusedField = (field: string, fault: string): Refused =>
  new Refused({ code: "bad_request", detail: `${field}: ${fault}.`, field })

/** Another activation now owns the event. The same command id may be sent again and will reach it. */
export class NotOwner extends Schema.TaggedError<NotOwner>()("NotOwner", {}) {}

/** The event does not exist, or no longer exists. */
export class EventNotFound extends Schema.TaggedError<EventNotFound>()("EventNotFound", {}) {}

/** The database cannot be reached; the same command may be sent again. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {}) {}

/** The reasons why an actor cannot serve its event. */
export type Unreachable = NotOwner | EventNotFound | StoreUnavailable

/** Outcome of one command of a batch. `StoreUnavailable`: the store did not accept this command. */
export const Outcome = Schema.Union([Answer, Refused, StoreUnavailable])
export type Outcome = Answer | Refused | StoreUnavailable

/** Outcome of commands that are executed all or not at all: their answers, or the refusal of one, by its index. */
export const Together = Schema.Union([
  Schema.Struct({ answers: Schema.Array(Answer) }),
  Schema.Struct({ index: Schema.Int, refused: Refused }),
])
export type Together = typeof Together.Type
