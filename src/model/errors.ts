/**
 * Expected failures, as tagged errors in the error channel. Each names the failure, never its representation: one table in
 * `http/transport/problem.ts` and one in `gateway/connection/refusal.ts` map a tag to a status or a gateway code. `detail` is for people
 * and may change; code branches on the tag.
 */
import { Data } from "effect"

interface Detail {
  readonly detail: string
}

/**
 * Fault of one field: `pointer` is a JSON Pointer into the body (RFC 6901, as a fragment), `parameter` the name of a query parameter,
 * `header` the name of a header in lower case.
 */
export interface FieldFault {
  readonly pointer?: string
  readonly parameter?: string
  readonly header?: string
  readonly detail: string
}

/** Malformed, missing, wrong-type or out-of-range input. */
export class BadRequest extends Data.TaggedError("BadRequest")<
  Detail & { readonly errors?: ReadonlyArray<FieldFault> }
> {
  /** Fault of body fields that contradict each other; their names need no escaping. Only `detail` ends with a full stop. */
  static readonly ofFields = (fields: ReadonlyArray<string>, fault: string) => {
    const detail = fault.replace(/\.$/, "")
    const errors = fields.map((field) => ({ pointer: `#/${field}`, detail }))
    return new BadRequest({ detail: `${fields.join(", ")}: ${detail}.`, errors })
  }
  static readonly ofField = (field: string, fault: string) => BadRequest.ofFields([field], fault)
  /** Fault of the body as a whole. */
  static readonly ofBody = (fault: string) =>
    new BadRequest({ detail: `body: ${fault}.`, errors: [{ pointer: "#", detail: fault }] })
  /** Fault of one query parameter. */
  static readonly ofParameter = (parameter: string, fault: string) =>
    new BadRequest({ detail: `${parameter}: ${fault}.`, errors: [{ parameter, detail: fault }] })
  /** Fault of a header, named in lower case. */
  static readonly ofHeader = (header: string, fault: string) =>
    new BadRequest({ detail: `${header}: ${fault}.`, errors: [{ header, detail: fault }] })
}
/** The event has no such role; `acceptedRoles` lists the roles that it has. */
export class RoleNotOnEvent extends Data.TaggedError("RoleNotOnEvent")<{
  readonly acceptedRoles: ReadonlyArray<string>
}> {}
/** Missing or invalid credentials. */
export class Unauthorized extends Data.TaggedError("Unauthorized")<Detail> {}
/** A signed-out caller made a request that needs a session. */
export class SignInRequired extends Data.TaggedError("SignInRequired")<Detail> {}
/** Authenticated, but not allowed. */
export class Forbidden extends Data.TaggedError("Forbidden")<Detail> {}
/** The holder of the session has to prove their identity again. */
export class FreshSignInRequired extends Data.TaggedError("FreshSignInRequired")<Record<never, never>> {}
/** The members of the workspace sign in through its identity provider. */
export class SsoRequired extends Data.TaggedError("SsoRequired")<Record<never, never>> {}
/** The workspace requires a second factor from its members. */
export class MfaRequired extends Data.TaggedError("MfaRequired")<Record<never, never>> {}
/** The object does not exist, or belongs to another workspace: the answers are equal. */
export class NotFound extends Data.TaggedError("NotFound")<Detail> {
  static readonly of = (what: string) => new NotFound({ detail: `No such ${what}.` })
  /** The id is malformed, so the answer tells nothing about another workspace. */
  static readonly ofNoId = (what: string) => new NotFound({ detail: `No such ${what}: the id is not a UUID.` })
}
/** The current state does not allow the request. */
export class Conflict extends Data.TaggedError("Conflict")<Detail> {}
export class SlugTaken extends Data.TaggedError("SlugTaken")<{ readonly slug: string }> {}
/** The one-time token is unknown, used or expired: the answers are equal. */
export class InvalidToken extends Data.TaggedError("InvalidToken")<Record<never, never>> {}
/** The deployment accepts no new accounts, or only those of people with an open invite. */
export class SignupClosed extends Data.TaggedError("SignupClosed")<{ readonly isByInvite: boolean }> {}
/** No identity provider is configured. */
export class IdpNotConfigured extends Data.TaggedError("IdpNotConfigured")<Record<never, never>> {}
/** No seat is left. */
export class EventFull extends Data.TaggedError("EventFull")<Record<never, never>> {}
/** Another encoder took over the broadcast; a new address takes it back. */
export class EncoderReplaced extends Data.TaggedError("EncoderReplaced")<Record<never, never>> {}
export class EmailTaken extends Data.TaggedError("EmailTaken")<Record<never, never>> {}
/** The guest's address belongs to an account, whose owner logs in instead. */
export class AccountExists extends Data.TaggedError("AccountExists")<Record<never, never>> {}
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {}
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<Detail> {}
/** The same Idempotency-Key was used before with another body. */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused")<Record<never, never>> {}
/** The first request with this Idempotency-Key is still being processed. */
export class IdempotencyInProgress extends Data.TaggedError("IdempotencyInProgress")<{
  readonly retryAfterSeconds: number
}> {}
/** The live event, or the gateway before it, refused a command, for one of the reasons of the gateway's protocol. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<
  Detail & {
    readonly code:
      | "bad_request"
      | "role_not_on_event"
      | "unknown_command"
      | "unauthorized"
      | "forbidden"
      | "feature_disabled"
      | "wrong_phase"
      | "not_found"
      | "conflict"
      | "rate_limited"
      | "too_large"
      | "event_full"
      | "muted"
      | "event_ended"
      | "unavailable"
      | "internal_error"
    readonly errors?: ReadonlyArray<FieldFault>
    readonly retryAfterSeconds?: number
    /** The current entity, for a stale revision. */
    readonly current?: { readonly [field: string]: unknown }
    /** The roles that the event has, for a role that it has not. */
    readonly acceptedRoles?: ReadonlyArray<string>
  }
> {}
/** More requests than the limit allows; the next one is allowed after `retryAfterSeconds`. */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  /** Name of the limit, from `rate-limits.ts` or from a limit that is counted elsewhere. */
  readonly limit: string
  readonly retryAfterSeconds: number
}> {}
/** The workspace has used up today's limit of emails to others; a new day begins after `retryAfterSeconds`. */
export class EmailsUsedUp extends Data.TaggedError("EmailsUsedUp")<{
  readonly of: "workspace" | "founder"
  readonly quota: number
  readonly retryAfterSeconds: number
}> {}
/** Too much work is queued or a part is unavailable; the same request may be sent again after `retryAfterSeconds`. */
export class Unavailable extends Data.TaggedError("Unavailable")<Detail & { readonly retryAfterSeconds: number }> {
  /** The message of the error, as shown by logs and failed tests. */
  override get message(): string {
    return this.detail
  }
}

/** Every failure that a client may receive; anything else is a defect and becomes a 500 with a request id. */
export type Failure =
  | BadRequest
  | RoleNotOnEvent
  | Unauthorized
  | SignInRequired
  | Forbidden
  | FreshSignInRequired
  | MfaRequired
  | SsoRequired
  | NotFound
  | Conflict
  | SlugTaken
  | EmailTaken
  | EventFull
  | EncoderReplaced
  | InvalidToken
  | IdpNotConfigured
  | SignupClosed
  | AccountExists
  | PayloadTooLarge
  | UnsupportedMediaType
  | IdempotencyKeyReused
  | IdempotencyInProgress
  | RateLimited
  | EmailsUsedUp
  | CommandRefused
  | Unavailable
