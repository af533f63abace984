/**
 * All messages of a gateway socket, as one list derived from the contract. The AsyncAPI document, the tables of the guide and checks of the
 * tests are generated from it. One `t` may name both a command and a dispatch; a key identifies one message.
 */
import { Result, Schema } from "effect"
import type { StreamKind } from "../../model/live/streams.ts"
import type { AnyCommand } from "../../protocol/command.ts"
import { COMMANDS, DISPATCHES } from "../../protocol/contract.ts"
import { type AnyDispatch, type OrderedDispatch, STREAM_NAMES } from "../../protocol/dispatch.ts"
import { Position } from "../../protocol/messages/fields.ts"
import {
  CommandFrame,
  DispatchFrame,
  ErrorFrame,
  Heartbeat,
  HeartbeatAck,
  Hello,
  Identify,
  Reconnect,
  ReplyFrame,
  TokenAccepted,
  TokenFrame,
} from "../../protocol/wire/frames.ts"

export interface Message {
  readonly key: string
  /** The message's `t`; for messages without `t`, a name of their own. */
  readonly name: string
  readonly says: string
  readonly payload: Schema.Top
}

/** Whether the command may be sent without `d`. */
const needsNothing = (data: Schema.Top): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(data as Schema.Codec<unknown, unknown>)({}))

const { rev, ...unrevised } = CommandFrame.fields

const command = ([t, { data, revises }]: readonly [string, AnyCommand]): Message => {
  const of = revises === undefined ? "" : ` With \`rev\`: only for that revision of the ${revises}.`
  return {
    key: `command.${t}`,
    name: t,
    says: `The command \`${t}\`.${of}`,
    payload: Schema.Struct({
      ...unrevised,
      ...(revises === undefined ? {} : { rev }),
      t: Schema.Literal(t),
      d: needsNothing(data) ? Schema.optionalKey(data) : data,
    }),
  }
}

const [Accepted, Refused] = ReplyFrame.members

const reply = ([t, { reply: data }]: readonly [string, AnyCommand]): Message => ({
  key: `reply.${t}`,
  name: t,
  says: `The command \`${t}\` was done; with \`dup\`, it had been done before.`,
  payload: Schema.Struct({ ...Accepted.fields, id: Schema.String, d: data }),
})

const { op, v, ts } = DispatchFrame.fields

const effectOf = ({ changes }: AnyDispatch): string =>
  changes.length === 0 ? "" : ` It changes ${changes.map((part) => `\`${part}\``).join(", ")} of a client's state.`

const unordered = (t: string, contract: AnyDispatch): Message => ({
  key: `dispatch.${t}`,
  name: t,
  says: `The dispatch \`${t}\`, of the moment: it has no place in a stream and is not replayed.${effectOf(contract)}`,
  payload: Schema.Struct({ op, t: Schema.Literal(t), v, ts, d: contract.data }),
})

const ordered = (t: string, contract: OrderedDispatch<Schema.Top, StreamKind>): Message => ({
  key: `dispatch.${t}`,
  name: t,
  says: `The dispatch \`${t}\`, with its place in the stream ${contract.streams.map((stream) => `\`${stream}\``).join(" or ")}.${effectOf(contract)}`,
  payload: Schema.Struct({
    op,
    t: Schema.Literal(t),
    st: Schema.Union(contract.streams.map((stream) => STREAM_NAMES[stream])),
    s: Position,
    v: Position,
    ts: Position,
    d: contract.data,
  }),
})

const dispatch = ([t, contract]: readonly [string, AnyDispatch]): Message =>
  contract.kind === "ordered" ? ordered(t, contract) : unordered(t, contract)

const frame = (name: string, says: string, payload: Schema.Top): Message => ({ key: name, name, says, payload })

export const COMMAND_MESSAGES: ReadonlyArray<Message> = Object.entries<AnyCommand>(COMMANDS).map(command)

/** Replies have no `t`: the command's `id` identifies them. */
export const REPLY_MESSAGES: ReadonlyArray<Message> = Object.entries<AnyCommand>(COMMANDS).map(reply)

export const DISPATCH_MESSAGES: ReadonlyArray<Message> = Object.entries<AnyDispatch>(DISPATCHES).map(dispatch)

/** Messages with an `op` of their own and no `t`. */
export const FRAMES = {
  hello: frame("hello", "The greeting, before anything else.", Hello),
  identify: frame(
    "identify",
    "The first frame of a client: its token, and what it held before its link broke.",
    Identify,
  ),
  heartbeat: frame("heartbeat", "Every `heartbeatMs`: the client is there.", Heartbeat),
  heartbeatAck: frame(
    "heartbeatAck",
    "The answer to a heartbeat: the server's clock and the heads of the streams.",
    HeartbeatAck,
  ),
  token: frame("token", "A new token for the same participant and event.", TokenFrame),
  tokenAccepted: frame(
    "tokenAccepted",
    "The reply to a new token.",
    Schema.Struct({ ...Accepted.fields, d: TokenAccepted }),
  ),
  refused: frame("refused", "The reply to a command or a token that was refused. The socket stays.", Refused),
  reconnect: frame("reconnect", "Asks the client to connect again after `afterMs`.", Reconnect),
  error: frame("error", "Something was wrong that belongs to no command. The socket stays.", ErrorFrame),
} as const satisfies { readonly [name: string]: Message }

export const MESSAGES: ReadonlyArray<Message> = [
  ...Object.values(FRAMES),
  ...COMMAND_MESSAGES,
  ...REPLY_MESSAGES,
  ...DISPATCH_MESSAGES,
]
