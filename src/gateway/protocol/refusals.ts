/** Why a command was refused. A refused command never closes the socket. */
import { Schema } from "effect"

export const RefusalCode = Schema.Literals([
  "bad_request",
  "unknown_command",
  "unauthorized",
  "forbidden",
  "feature_disabled",
  "wrong_phase",
  "not_found",
  "conflict",
  "rate_limited",
  "too_large",
  "event_full",
  "muted",
  "event_ended",
  "unavailable",
  "internal_error",
])
export type RefusalCode = typeof RefusalCode.Type

export const Refusal = Schema.Struct({
  code: RefusalCode,
  /** For people; may change. */
  message: Schema.String,
  /** The same command under the same id may succeed later. */
  temporary: Schema.optionalKey(Schema.Boolean),
  retryAfterMs: Schema.optionalKey(Schema.Int),
  /** For a stale `rev`: the entity as it is now. */
  current: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})
export type Refusal = typeof Refusal.Type
