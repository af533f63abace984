/** Reasons of refused commands. A refused command never closes the socket. */
import { Schema } from "effect"
import { named } from "../model/named.ts"

/** Every code with its meaning, for the descriptions; `whyNot` in `permissions.ts` has the text of one refusal. */
export const REFUSALS = {
  bad_request: "The frame or the data is not what the command takes.",
  role_not_on_event: "The event has no place for this role; the message lists those it has.",
  unknown_command: "There is no such command.",
  unauthorized: "Nobody has identified here, or the token is not valid.",
  forbidden: "The role does not allow it now.",
  feature_disabled: "The active phase does not have the feature.",
  wrong_phase: "The active phase has no such thing.",
  not_found: "What it names does not exist.",
  conflict: "It is not as the command takes it to be: a stale `rev`, or an `id` used for something else.",
  rate_limited: "Too many; the same command may be sent again after `retryAfterMs`.",
  too_large: "What it carries is too large.",
  event_full: "The event has no place left.",
  muted: "A host muted the participant.",
  event_ended: "The event has ended.",
  unavailable: "Not possible for the moment; the same command may be sent again after `retryAfterMs`.",
  internal_error: "The command failed unexpectedly.",
} as const satisfies { readonly [code: string]: string }

export type RefusalCode = keyof typeof REFUSALS
export const RefusalCode = Schema.Literals(Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]])

export const Refusal = Schema.Struct({
  code: RefusalCode,
  /** Text for people; may change. */
  message: Schema.String,
  /** The same command with the same id may succeed later. */
  temporary: Schema.optionalKey(Schema.Boolean),
  retryAfterMs: Schema.optionalKey(Schema.Int),
  /** The current entity, for a stale `rev`. */
  current: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
}).annotate(named("Refusal"))
export type Refusal = typeof Refusal.Type
