/**
 * Requests of nodes to the owner of an event's broadcasts. Bytes travel as base64 text, because calls between nodes are lines of JSON; Node
 * itself encodes and decodes them, which takes a tenth of the time of a schema.
 */
import { Schema } from "effect"
import { Visibility } from "../../../model/event.ts"

const Named = { broadcastId: Schema.String }

/** Opens the broadcast, and names its owner. */
const Locate = Schema.Struct({ type: Schema.Literal("locate"), ...Named })

/** An encoder has shown a token at another node. */
const Admit = Schema.Struct({ type: Schema.Literal("admit"), tokenHash: Schema.String })

const Form = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("file") }),
  Schema.Struct({ kind: Schema.Literal("piece"), number: Schema.Int }),
  Schema.Struct({ kind: Schema.Literal("stream") }),
])
export type Form = typeof Form.Type

/** Next bytes of an encoder's body. Each body has one active call at a time. */
const Bytes = Schema.Struct({
  type: Schema.Literal("bytes"),
  ...Named,
  /** Id of the body. */
  upload: Schema.String,
  form: Form,
  /** Number of preceding bytes. */
  offset: Schema.Int,
  /** Value from the admission. */
  resets: Schema.Int,
  /** Id of the encoder's address. A node of the previous release omits it. */
  from: Schema.optionalKey(Schema.String),
  bytes: Schema.String,
  isLast: Schema.Boolean,
})
export type BytesRequest = typeof Bytes.Type

/** Answered when the stream is cut, or after a while. The owner gives up a stream without such a call. */
const Attend = Schema.Struct({ type: Schema.Literal("attend"), ...Named, upload: Schema.String })

/** The encoder left before the end of its body, or its address has ended. */
const Leave = Schema.Struct({
  type: Schema.Literal("leave"),
  ...Named,
  upload: Schema.String,
  isAddressOver: Schema.optionalKey(Schema.Boolean),
})

/** Current state of the owner, and the parts after those that the caller has. Answered after a change, or after a while. */
const Follow = Schema.Struct({
  type: Schema.Literal("follow"),
  ...Named,
  /** Epoch of the caller's state; null without one. */
  epoch: Schema.NullOr(Schema.String),
  version: Schema.Int,
  /** The caller has the parts before this one, and this many bytes of it. */
  segment: Schema.Int,
  part: Schema.Int,
  partBytes: Schema.Int,
  /** The caller has the init of this take. */
  take: Schema.Int,
})
export type FollowRequest = typeof Follow.Type

const Detail = Schema.Struct({ type: Schema.Literal("detail"), ...Named })
const Refresh = Schema.Struct({ type: Schema.Literal("refresh") })
const Finish = Schema.Struct({ type: Schema.Literal("finish"), ...Named })

export const OwnerRequest = Schema.Union([Locate, Admit, Bytes, Attend, Leave, Follow, Detail, Refresh, Finish])
export type OwnerRequest = typeof OwnerRequest.Type

const Segment = {
  number: Schema.Int,
  take: Schema.Int,
  offset: Schema.Int,
  startMs: Schema.Number,
  isDiscontinuous: Schema.Boolean,
  at: Schema.Number,
  parts: Schema.Array(Schema.Struct({ durationMs: Schema.Number, isIndependent: Schema.Boolean })),
}

const State = Schema.Struct({
  window: Schema.Struct({
    segments: Schema.Array(Schema.Struct({ ...Segment, bytes: Schema.Int, durationMs: Schema.Number })),
    discontinuities: Schema.Int,
  }),
  open: Schema.NullOr(Schema.Struct(Segment)),
  nextSegment: Schema.Int,
  hasEnded: Schema.Boolean,
})

const FollowAnswer = Schema.Struct({
  type: Schema.Literal("followed"),
  epoch: Schema.String,
  version: Schema.Int,
  visibility: Visibility,
  recordingId: Schema.NullOr(Schema.String),
  /** Null when the caller has it, or more parts than fit in one answer precede it. */
  state: Schema.NullOr(State),
  init: Schema.NullOr(Schema.Struct({ take: Schema.Int, bytes: Schema.String })),
  /** `isWhole` is false for a piece of a part that continues in the next answer. */
  parts: Schema.Array(
    Schema.Struct({ segment: Schema.Int, index: Schema.Int, bytes: Schema.String, isWhole: Schema.Boolean }),
  ),
})
export type FollowAnswer = typeof FollowAnswer.Type

const Failure = Schema.Struct({ code: Schema.String, detail: Schema.String })

/** An expected failure of the owner: the name of the error, and its fields. */
const OwnerRefusal = Schema.Struct({
  type: Schema.Literal("refused"),
  error: Schema.String,
  detail: Schema.String,
  code: Schema.optionalKey(Schema.String),
  retryAfterSeconds: Schema.optionalKey(Schema.Number),
  next: Schema.optionalKey(Schema.Int),
})
export type OwnerRefusal = typeof OwnerRefusal.Type

export const OwnerAnswer = Schema.Union([
  Schema.Struct({ type: Schema.Literal("located"), node: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("admitted"),
    broadcastId: Schema.String,
    resets: Schema.Int,
    hasEnded: Schema.Boolean,
  }),
  Schema.Struct({
    type: Schema.Literal("taken"),
    /** False when the queue stayed full, and the bytes must be sent again. */
    isTaken: Schema.Boolean,
    /** Number of the next piece. */
    next: Schema.NullOr(Schema.Int),
  }),
  FollowAnswer,
  Schema.Struct({
    type: Schema.Literal("detailed"),
    state: Schema.Literals(["waiting", "receiving", "lost"]),
    lastSegmentAt: Schema.NullOr(Schema.Number),
    takes: Schema.Int,
    durationMs: Schema.Number,
    failure: Schema.NullOr(Failure),
  }),
  Schema.Struct({ type: Schema.Literal("done") }),
  OwnerRefusal,
])
export type OwnerAnswer = typeof OwnerAnswer.Type

export const toText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

export const toBytes = (text: string): Buffer => Buffer.from(text, "base64")
