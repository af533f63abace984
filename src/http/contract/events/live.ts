/** The live event over HTTP: commands, and the state that hosts see. */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids } from "../../../model/example-ids.ts"
import { Id } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { EventRole } from "../../../model/roles.ts"
import { capital } from "../../../model/text/compared.ts"
import {
  COMMAND_NAMES,
  COMMANDS,
  type CommandData,
  type CommandName,
  type ConnectionCommandName,
  commandContract,
  isConnectionCommand,
  type RevisingName,
} from "../../../protocol/contract.ts"
import { RoomView } from "../../../protocol/messages/breakouts.ts"
import { Position } from "../../../protocol/messages/fields.ts"
import { ParticipantView } from "../../../protocol/messages/presence.ts"
import { PersonalState, Ready } from "../../../protocol/ready.ts"
import { Refusal } from "../../../protocol/refusals.ts"
import { CommandId } from "../../../protocol/wire/frames.ts"
import { Commanded, EndpointAccess, ReadBy, WriteScope } from "../access.ts"
import { Example, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { liveParticipant, liveRoom, liveState } from "../examples/live-objects.ts"
import { COMMON, type ProblemCode, problems, WITH_BODY } from "../problem.ts"
import { Audited, ReadsPeople } from "../workspaces/audit.ts"

const { optionalKey: optional } = Schema

/** Most commands of one batch. */
export const MOST_COMMANDS = 50

const CommandKey = optional(
  CommandId.annotate({
    description:
      "The command's id: a repeat under it gets the first answer. Without one it derives from `Idempotency-Key`.",
  }),
)

/** A command as HTTP takes it, before the gateway has decoded it. */
const AnyCommand = Schema.Struct({
  id: CommandKey,
  t: Schema.String,
  d: optional(Schema.Unknown),
  rev: optional(Schema.Int),
})
export type AnyCommand = typeof AnyCommand.Type

const takesNothing = (name: CommandName): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(COMMANDS[name].data as Schema.Codec<unknown>)({}))

const variantOf = (name: CommandName) => {
  const { data, revises } = commandContract(name)
  return Schema.Struct({
    id: CommandKey,
    t: Schema.Literal(name),
    d: takesNothing(name) ? optional(data) : data,
    ...(revises === undefined ? {} : { rev: optional(Schema.Int) }),
  }).annotate(named(`${name.split(".").map(capital).join("")}Command`))
}

type DataPart<T extends CommandName> =
  Record<never, never> extends CommandData<T> ? { readonly d?: CommandData<T> } : { readonly d: CommandData<T> }
type RevisionPart<T extends CommandName> = T extends RevisingName ? { readonly rev?: number } : Record<never, never>
type Variant<T extends CommandName> = { readonly id?: string; readonly t: T } & DataPart<T> & RevisionPart<T>
type LiveCommandInput = { readonly [T in CommandName]: Variant<T> }[Exclude<CommandName, ConnectionCommandName>]

/** Every command that needs no connection, as a variant of its own. It is read as `AnyCommand`. */
export const LiveCommand = Schema.Union(
  COMMAND_NAMES.filter((name) => !isConnectionCommand(name)).map(variantOf),
).annotate(
  named("LiveCommand"),
  // The compiler does not keep the names of a table through `map`.
) as unknown as Schema.Codec<LiveCommandInput>

const batchOf = <Item extends Schema.Top>(item: Item) => ({
  commands: Schema.Array(item).check(Schema.isBetweenLength(1, MOST_COMMANDS)),
  atomic: optional(
    Schema.Boolean.annotate({
      description: "`true`: all commands are executed in one commit, or none. By default each stands for itself.",
    }),
  ),
})
const AnyBatch = Schema.Struct(batchOf(AnyCommand))

const Done = {
  /** Version of the event after the command. */
  v: Position,
  /** The data of the gateway's reply to the command. */
  d: Schema.Record(Schema.String, Schema.Unknown),
  /** The command was executed before under this id, and not again. */
  dup: optional(Schema.Boolean),
}

/** Outcome of one command of a batch: `v` and `d` where it was executed, `e` where it was refused. */
const CommandOutcome = Schema.Struct({
  id: Schema.String,
  ok: Schema.Boolean,
  v: optional(Done.v),
  d: optional(Done.d),
  dup: Done.dup,
  e: optional(Refusal),
}).annotate(named("CommandOutcome"))
export type CommandOutcome = typeof CommandOutcome.Type

const {
  resumed: _,
  reason: _reason,
  cursors: _cursors,
  tokenExpiresAt: _expires,
  me: _me,
  ...state
} = Ready.members[0].fields
const sharedFields = Object.fromEntries(
  Object.entries(state).filter(([field]) => !(field in PersonalState.fields)),
) as Omit<typeof state, keyof typeof PersonalState.fields>

const LiveState = Schema.Struct({
  ...sharedFields,
  can: Schema.Array(Schema.String).annotate({
    description: "The commands that an API key with the scope `live` may send to the event now.",
  }),
}).annotate(named("LiveState"))

const REFUSALS: ReadonlyArray<ProblemCode> = [
  "unknown_command",
  "role_not_on_event",
  "not_found",
  "muted",
  "conflict",
  "wrong_phase",
  "feature_disabled",
  "event_ended",
  "event_full",
  "too_large",
  "rate_limited",
]

export const Live = HttpApiGroup.make("live")
  .add(
    HttpApiEndpoint.post("sendCommand", "/v1/events/:id/commands", {
      params: PathId,
      payload: LiveCommand,
      success: Schema.Struct(Done).annotate(named("CommandReply")),
      error: problems(...WITH_BODY, ...COMMON, ...REFUSALS),
    })
      .annotate(ReadBy, AnyCommand)
      .annotate(OpenApi.Summary, "Send one command to the live event")
      .annotate(
        OpenApi.Description,
        "The commands of the gateway, with the same data, permissions, `rev` guards and budgets; the answer is the gateway's reply, or a problem with the gateway's code. An API key acts as an administrator under its name, and has no vote, hand or seat. `leave`, `sync` and `rtc.*` are about a socket, and are sent there alone. A conflict over `rev` has the current object in `current`.",
      )
      .annotate(Example, {
        request: { t: "phase.next", d: { phaseId: ids.phase } },
        response: { v: 12, d: { phase: null } },
      }),
    HttpApiEndpoint.post("sendCommands", "/v1/events/:id/commands/batch", {
      params: PathId,
      payload: Schema.Struct(batchOf(LiveCommand)).annotate(named("LiveCommandBatch")),
      success: Schema.Struct({ outcomes: Schema.Array(CommandOutcome) }).annotate(named("CommandOutcomes")),
      error: problems(...WITH_BODY, ...COMMON, ...REFUSALS),
    })
      .annotate(ReadBy, AnyBatch)
      .annotate(OpenApi.Summary, "Send up to 50 commands at once")
      .annotate(
        OpenApi.Description,
        "The commands are executed in order, and the answer has an outcome for each: a refusal does not stop the others. With `atomic` all are committed together, or none: then the answer is the problem of the first refused command, which `errors` names. `reaction.send`, `roster.list` and `broadcast.ingest` commit nothing and cannot be part of an atomic batch.",
      )
      .annotate(Example, {
        request: {
          commands: [
            { t: "chat.slow", d: { perMs: 5000 } },
            { t: "lobby.policy", d: { mode: "ask" } },
          ],
        },
        response: {
          outcomes: [
            { id: "b1", ok: true, v: 12, d: { slowMs: 5000 } },
            {
              id: "b2",
              ok: false,
              e: { code: "wrong_phase", message: "The active phase has no lobby.policy." },
            },
          ],
        },
      }),
  )
  .annotateEndpoints(EndpointAccess, "liveEvent")
  .annotateEndpoints(Commanded, true)
  .annotateEndpoints(Audited, "event.commanded")
  .add(
    HttpApiEndpoint.get("getLiveState", "/v1/events/:id/state", {
      params: PathId,
      success: LiveState,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "The event as hosts see it now")
      .annotate(
        OpenApi.Description,
        "The parts of the gateway's `ready` that all hosts get: agenda, timers, presence, questions, chat, polls, hands, rooms, waiting room. Follow the changes over the gateway or by webhooks.",
      )
      .annotate(Example, { response: liveState }),
    HttpApiEndpoint.get("listParticipants", "/v1/events/:id/participants", {
      params: PathId,
      query: {
        ...PageQuery,
        role: optional(EventRole).annotateKey({
          description: "Only people with this role in the active phase.",
          examples: ["speaker"],
        }),
        roomId: optional(Id.annotate({ description: "Only people in this room." })),
        q: optional(
          Schema.String.check(Schema.isBetweenLength(1, 100)).annotate({
            description: "A part of the name.",
            examples: ["ada"],
          }),
        ),
      },
      success: pageOf("participants", ParticipantView),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "The people who are at the event now")
      .annotate(OpenApi.Description, "In order of arrival. `attendance` lists everybody who was there at any time.")
      .annotate(Example, { response: { participants: [liveParticipant], nextCursor: null } }),
    HttpApiEndpoint.get("listRooms", "/v1/events/:id/rooms", {
      params: PathId,
      query: PageQuery,
      success: pageOf("rooms", RoomView),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "The rooms of the active phase")
      .annotate(
        OpenApi.Description,
        "Breakout rooms and tables with the number of people in each; `participants?roomId=` has their names. Rooms that open between two pages may be missed.",
      )
      .annotate(Example, { response: { rooms: [liveRoom], nextCursor: null } }),
  )
  .annotateEndpoints(WriteScope, "live")
  .annotate(OpenApi.Description, "The live event by requests: what hosts and participants do over the gateway.")
