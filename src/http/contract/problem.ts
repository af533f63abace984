/** Error bodies (RFC 9457): `type`, `code` and `detail`, plus `acceptedRoles`, `current` or `errors` on some. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { EventRole } from "../../model/roles.ts"

/**
 * Every stable code with its status, its meaning and what the caller does about it. Answers, descriptions and docs derive from this table.
 */
export const PROBLEMS = {
  bad_request: {
    status: 400,
    meaning: "Malformed, missing, wrong-type or out-of-range input.",
    remedy:
      "Correct the fields that `errors` names, and send the request again; the same `Idempotency-Key` is good for the corrected body.",
  },
  unknown_command: {
    status: 400,
    meaning: "A live event has no such command.",
    remedy:
      "Send a command that the reference of the gateway lists; `me.can` of `ready` has those that a participant may send.",
  },
  role_not_on_event: {
    status: 400,
    meaning: "The event has no place for this role; `acceptedRoles` lists those it has.",
    remedy: "Ask for one of `acceptedRoles`, or change the modality of the event's phases.",
  },
  invalid_token: {
    status: 400,
    meaning: "The one-time token is unknown, was used, or has expired.",
    remedy: "Ask for a new email or link.",
  },
  unauthorized: {
    status: 401,
    meaning: "Missing or invalid credentials.",
    remedy:
      "Send an API key in `x-api-key`, or a session token as `Authorization: Bearer …`; if it has expired, get a new one.",
  },
  sign_in_required: {
    status: 401,
    meaning: "This event needs a signed-in caller.",
    remedy: "Sign in, or send the token of an entry link or of a partner's guest.",
  },
  signup_closed: {
    status: 403,
    meaning: "The server takes no new accounts, or only those with an open invite.",
    remedy: "Ask the operator or an owner of a workspace for an invite.",
  },
  forbidden: {
    status: 403,
    meaning: "Authenticated, but not allowed.",
    remedy: "Use a credential whose role, scopes and events cover the request; `detail` names what is missing.",
  },
  fresh_sign_in_required: {
    status: 403,
    meaning: "The holder of the session proved who they are over ten minutes ago; see `POST /v1/accounts/proof`.",
    remedy:
      "Ask the person for their password, passkey or provider, send it to `POST /v1/accounts/proof`, and repeat the request.",
  },
  sso_required: {
    status: 403,
    meaning: "The members of the workspace sign in by its identity provider; see `GET /v1/auth/sso`.",
    remedy: "Send the person to the address that `GET /v1/auth/sso` answers for their e-mail address.",
  },
  mfa_required: {
    status: 403,
    meaning: "The workspace asks its members for a second factor, and the account has none.",
    remedy: "Let the person add an authenticator app or a passkey to the account, and sign in again.",
  },
  not_found: {
    status: 404,
    meaning: "No such resource in the caller's workspace.",
    remedy: "Check the id, and that the credential belongs to the workspace of the resource.",
  },
  muted: {
    status: 403,
    meaning: "A host has muted the participant.",
    remedy: "Wait until the mute is over, or ask a host to lift it.",
  },
  method_not_allowed: {
    status: 405,
    meaning: "The path exists, the method does not; see `Allow`.",
    remedy: "Use one of the methods in `Allow`.",
  },
  conflict: {
    status: 409,
    meaning: "The resource's state does not allow it.",
    remedy: "Read the resource, and do what `detail` names first; a repeated request alone changes nothing.",
  },
  wrong_phase: {
    status: 409,
    meaning: "The active phase has no such thing.",
    remedy: "Read the event, and send the command in a phase of a modality that has it.",
  },
  feature_disabled: {
    status: 409,
    meaning: "The active phase does not have the feature.",
    remedy: "Add the feature to the phase's `featureSet`, or wait for a phase that has it.",
  },
  event_ended: {
    status: 409,
    meaning: "The event has ended.",
    remedy: "Nothing live can be changed any more; read the event's lists instead.",
  },
  slug_taken: {
    status: 409,
    meaning: "Another workspace has this slug.",
    remedy: "Choose another slug, or leave it out to be given one.",
  },
  event_full: {
    status: 409,
    meaning: "No seat is left.",
    remedy: "Raise the event's `capacity`, or wait until somebody cancels.",
  },
  encoder_replaced: {
    status: 409,
    meaning: "Another encoder took over the broadcast; a new address takes it back.",
    remedy: "Stop this encoder, or ask for a new ingest address to take the broadcast back.",
  },
  email_taken: {
    status: 409,
    meaning: "An account with this address exists.",
    remedy: "Sign in with the address, or reset its password.",
  },
  account_exists: {
    status: 409,
    meaning: "The guest's address was proved by an account, which must log in.",
    remedy: "Let the person sign in instead of entering as a guest.",
  },
  idempotency_in_progress: {
    status: 409,
    meaning: "The first request with this Idempotency-Key is still running; see `Retry-After`.",
    remedy: "Wait for `Retry-After`, and repeat the request under the same key.",
  },
  too_large: {
    status: 413,
    meaning: "What the command carries is too large.",
    remedy: "Send less in one command.",
  },
  payload_too_large: {
    status: 413,
    meaning: "The body is larger than the limit.",
    remedy: "Send less at once; a large file goes in parts.",
  },
  unsupported_media_type: {
    status: 415,
    meaning: "The body must be `application/json`, and not compressed.",
    remedy: "Send the body as `application/json`, without `Content-Encoding`.",
  },
  idempotency_key_reused: {
    status: 422,
    meaning: "This Idempotency-Key was used with another body.",
    remedy: "Use a new key for another request.",
  },
  upgrade_required: {
    status: 426,
    meaning: "The address takes WebSocket connections alone.",
    remedy: "Connect with a WebSocket client, or use `GET /v1/gateway/stream`; `docs/gateway.md` has the first frames.",
  },
  rate_limited: {
    status: 429,
    meaning: "Too many requests; see `Retry-After`.",
    remedy: "Wait for `Retry-After`; `RateLimit` shows what is left.",
  },
  internal_error: {
    status: 500,
    meaning: "Our fault; quote the `x-request-id`.",
    remedy: "Repeat the request under its `Idempotency-Key` later, and report the `x-request-id`.",
  },
  idp_not_configured: {
    status: 501,
    meaning: "No identity provider is configured.",
    remedy: "Ask the operator to set `IDP_ISSUER`, or sign in by a password.",
  },
  unavailable: {
    status: 503,
    meaning: "Too busy or a part is away; see `Retry-After`.",
    remedy: "Wait for `Retry-After`, and repeat the request.",
  },
} as const

export type ProblemCode = keyof typeof PROBLEMS

const FieldFaults = Schema.Struct({
  pointer: Schema.optionalKey(Schema.String),
  parameter: Schema.optionalKey(Schema.String),
  header: Schema.optionalKey(Schema.String),
  detail: Schema.String,
})

const NAMES_FIELDS: ReadonlySet<ProblemCode> = new Set(["bad_request", "role_not_on_event", "idempotency_key_reused"])

const problemSchema = (code: ProblemCode) => {
  const fields = { type: Schema.String, code: Schema.Literal(code), detail: Schema.String }
  const schema = Schema.Struct({
    ...fields,
    ...(code === "role_not_on_event" ? { acceptedRoles: Schema.Array(EventRole) } : {}),
    ...(code === "conflict" ? { current: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) } : {}),
    ...(NAMES_FIELDS.has(code) ? { errors: Schema.optionalKey(Schema.Array(FieldFaults)) } : {}),
  })
  // The title identifies the code in schemas read by reflection.
  return schema.annotate({ title: code })
}

const schemas = new Map<ProblemCode, Schema.Top>()

/** Error schemas of an endpoint, by code. */
export const problems = (...codes: ReadonlyArray<ProblemCode>): ReadonlyArray<Schema.Top> =>
  codes.map((code) => {
    const schema =
      schemas.get(code) ??
      problemSchema(code).pipe(
        HttpApiSchema.status(PROBLEMS[code].status),
        HttpApiSchema.asJson({ contentType: "application/problem+json" }),
      )
    schemas.set(code, schema)
    return schema
  })

/** Codes that any authenticated endpoint with a body may answer besides its own. */
export const COMMON: ReadonlyArray<ProblemCode> = [
  "unauthorized",
  "forbidden",
  "mfa_required",
  "sso_required",
  "unavailable",
  "internal_error",
]
export const WITH_BODY: ReadonlyArray<ProblemCode> = ["bad_request", "payload_too_large", "unsupported_media_type"]
