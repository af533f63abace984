/**
 * The envelope of all messages on a gateway socket. A frame is one object or an array of them, in both directions; clients ignore
 * unknown fields and unknown `t`.
 */
import { Schema } from "effect"
import { Uuid } from "../../model/ids.ts"
import { isStorable, UNSTORABLE_TEXT } from "../../model/json.ts"
import { EventRole } from "../../model/roles.ts"
import { Instant } from "../../model/timestamp.ts"
import { OptOut } from "../dispatch.ts"
import { Cursors, Position } from "../messages/fields.ts"
import { Refusal, RefusalCode } from "../refusals.ts"
import { OP } from "./op.ts"

export const SUBPROTOCOL = "gc.v1"
export const GATEWAY_PATH = "/v1/gateway"
/** A connection without a WebSocket: the server's frames as Server-Sent Events, and the client's frames as requests. */
export const STREAM_PATH = "/v1/gateway/stream"
export const COMMANDS_PATH = "/v1/gateway/commands"

/** Limits of a client's frame, in bytes and in objects. */
export const MAX_FRAME_BYTES = 16_384
export const MAX_FRAME_OBJECTS = 32

/** The client's position before its connection broke. */
export const Resume = Schema.Struct({ epoch: Schema.String, cursors: Cursors })
export type Resume = typeof Resume.Type

/**
 * Replays an ended event with `history: "kept"`, from so many milliseconds after its start. `speed`: 1 by default; 0 stands still at that
 * place. The token is one with `replay`. The socket takes no commands, and `serverTime` and heartbeats tell the time that is replayed.
 */
export const ReplayPlace = Schema.Struct({
  from: Position,
  speed: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 16 }))),
})
export type ReplayPlace = typeof ReplayPlace.Type

export const CommandId = Schema.String.check(
  Schema.isBetweenLength(1, 64),
  Schema.makeFilter((id) => isStorable(id) || UNSTORABLE_TEXT),
)
const Token = Schema.String.check(Schema.isBetweenLength(1, 8192))

export const Heartbeat = Schema.Struct({
  op: Schema.Literal(OP.heartbeat),
  /** The client's clock, returned unchanged. */
  d: Schema.Struct({ t0: Schema.Finite }),
})

export const Identify = Schema.Struct({
  op: Schema.Literal(OP.identify),
  d: Schema.Struct({
    token: Token,
    /** `contract`: that of the package `@gathercue/client`; if it differs from the server's, the socket is closed. */
    client: Schema.optionalKey(
      Schema.Struct({ name: Schema.String, version: Schema.String, contract: Schema.optionalKey(Schema.Int) }),
    ),
    /** Dispatches that the client opts out of. */
    mute: Schema.optionalKey(Schema.Array(OptOut)),
    resume: Schema.optionalKey(Resume),
    /** Takes precedence over `resume`. */
    replay: Schema.optionalKey(ReplayPlace),
  }),
})
export type Identify = typeof Identify.Type

/** `id` is the idempotency key: a repeat gets the first answer, with `dup`. */
export const CommandFrame = Schema.Struct({
  op: Schema.Literal(OP.command),
  id: CommandId,
  t: Schema.String,
  d: Schema.optionalKey(Schema.Unknown),
  rev: Schema.optionalKey(Schema.Int),
})
export type CommandFrame = typeof CommandFrame.Type

/** A new token for the same participant and event, which keeps the connection open. */
export const TokenFrame = Schema.Struct({
  op: Schema.Literal(OP.token),
  id: Schema.optionalKey(CommandId),
  d: Schema.Struct({ token: Token }),
})
export type TokenFrame = typeof TokenFrame.Type

export const Hello = Schema.Struct({
  op: Schema.Literal(OP.hello),
  d: Schema.Struct({
    connectionId: Uuid,
    heartbeatMs: Schema.Int,
    identifyTimeoutMs: Schema.Int,
    /** Unix milliseconds. */
    serverTime: Schema.Int,
    /** Bytes. */
    maxFrame: Schema.Int,
    /** Release of the server. */
    release: Schema.optionalKey(Schema.String),
    /** A client built for another contract stops. */
    contract: Schema.optionalKey(Schema.Int),
    /** On a stream alone: the bearer token of its requests to `/v1/gateway/commands`. */
    session: Schema.optionalKey(Schema.String),
  }),
})
export type Hello = typeof Hello.Type

export const DispatchFrame = Schema.Struct({
  op: Schema.Literal(OP.dispatch),
  t: Schema.String,
  /** Stream and position in it; absent for dispatches that are not replayed. */
  st: Schema.optionalKey(Schema.String),
  s: Schema.optionalKey(Position),
  v: Schema.optionalKey(Position),
  /** Unix milliseconds. */
  ts: Schema.optionalKey(Position),
  d: Schema.Unknown,
})
export type DispatchFrame = typeof DispatchFrame.Type

/** Reply and dispatch of one command may arrive in either order. */
export const ReplyFrame = Schema.Union([
  Schema.Struct({
    op: Schema.Literal(OP.reply),
    id: Schema.optionalKey(Schema.String),
    ok: Schema.Literal(true),
    v: Position,
    d: Schema.Record(Schema.String, Schema.Unknown),
    dup: Schema.optionalKey(Schema.Literal(true)),
  }),
  Schema.Struct({ op: Schema.Literal(OP.reply), id: Schema.String, ok: Schema.Literal(false), e: Refusal }),
])
export type ReplyFrame = typeof ReplyFrame.Type

/** The answer to `op 12`, in `d`. */
export const TokenAccepted = Schema.Struct({ tokenExpiresAt: Instant, role: EventRole })

export const Reconnect = Schema.Struct({
  op: Schema.Literal(OP.reconnect),
  d: Schema.Struct({ reason: Schema.Literals(["drain", "moved"]), afterMs: Schema.Int }),
})
export type Reconnect = typeof Reconnect.Type

export const HeartbeatAck = Schema.Struct({
  op: Schema.Literal(OP.heartbeatAck),
  /** `t1`, `t2`: times of receipt and sending, Unix milliseconds. `heads` ahead of the cursors: dispatches were lost. */
  d: Schema.Struct({ t0: Schema.Finite, t1: Schema.Int, t2: Schema.Int, heads: Cursors }),
})
export type HeartbeatAck = typeof HeartbeatAck.Type

/** An error that belongs to no command; the connection stays open. */
export const ErrorFrame = Schema.Struct({
  op: Schema.Literal(OP.error),
  d: Schema.Struct({
    code: RefusalCode,
    message: Schema.String,
    /** The same frame may succeed after `retryAfterMs`. */
    temporary: Schema.optionalKey(Schema.Boolean),
    retryAfterMs: Schema.optionalKey(Schema.Int),
  }),
})
export type ErrorFrame = typeof ErrorFrame.Type
