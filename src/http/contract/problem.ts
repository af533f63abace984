/** Error bodies (RFC 9457, specification §7): `type`, `code` and `detail`, `acceptedRoles` on one code and `errors` on another. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { EventRole } from "../../model/roles.ts"

/** Every stable code, with its status and meaning: the one table from which answers, descriptions and docs come. */
export const PROBLEMS = {
  bad_request: { status: 400, meaning: "Malformed, missing, wrong-type or out-of-range input." },
  role_not_on_event: {
    status: 400,
    meaning: "The event has no place for this role; `acceptedRoles` lists those it has.",
  },
  invalid_token: { status: 400, meaning: "The one-time token is unknown, was used, or has expired." },
  unauthorized: { status: 401, meaning: "Missing or invalid credentials." },
  sign_in_required: { status: 401, meaning: "This event needs a signed-in caller." },
  signup_closed: { status: 403, meaning: "The server takes no new accounts, or only those with an open invite." },
  forbidden: { status: 403, meaning: "Authenticated, but not allowed." },
  fresh_sign_in_required: {
    status: 403,
    meaning: "The holder of the session proved who they are over ten minutes ago; see `POST /v1/accounts/proof`.",
  },
  sso_required: {
    status: 403,
    meaning: "The members of the workspace sign in by its identity provider; see `GET /v1/auth/sso`.",
  },
  mfa_required: {
    status: 403,
    meaning: "The workspace asks its members for a second factor, and the account has none.",
  },
  not_found: { status: 404, meaning: "No such resource in the caller's workspace." },
  method_not_allowed: { status: 405, meaning: "The path exists, the method does not; see `Allow`." },
  conflict: { status: 409, meaning: "The resource's state does not allow it." },
  slug_taken: { status: 409, meaning: "Another workspace has this slug." },
  event_full: { status: 409, meaning: "No seat is left." },
  encoder_replaced: { status: 409, meaning: "Another encoder took over the broadcast; a new address takes it back." },
  email_taken: { status: 409, meaning: "An account with this address exists." },
  account_exists: { status: 409, meaning: "The guest's address was proved by an account, which must log in." },
  idempotency_in_progress: {
    status: 409,
    meaning: "The first request with this Idempotency-Key is still running; see `Retry-After`.",
  },
  payload_too_large: { status: 413, meaning: "The body is larger than the limit." },
  unsupported_media_type: { status: 415, meaning: "The body must be `application/json`, and not compressed." },
  idempotency_key_reused: { status: 422, meaning: "This Idempotency-Key was used with another body." },
  rate_limited: { status: 429, meaning: "Too many requests; see `Retry-After`." },
  internal_error: { status: 500, meaning: "Our fault; quote the `x-request-id`." },
  idp_not_configured: { status: 501, meaning: "No identity provider is configured." },
  unavailable: { status: 503, meaning: "Too busy or a part is away; see `Retry-After`." },
} as const

export type ProblemCode = keyof typeof PROBLEMS

const FieldFaults = Schema.Struct({
  pointer: Schema.optionalKey(Schema.String),
  parameter: Schema.optionalKey(Schema.String),
  detail: Schema.String,
})

const problemSchema = (code: ProblemCode) => {
  const fields = { type: Schema.String, code: Schema.Literal(code), detail: Schema.String }
  const schema = Schema.Struct({
    ...fields,
    ...(code === "role_not_on_event" ? { acceptedRoles: Schema.Array(EventRole) } : {}),
    ...(code === "bad_request" ? { errors: Schema.optionalKey(Schema.Array(FieldFaults)) } : {}),
  })
  // The title identifies the code in the schemas that reflection gives.
  return schema.annotate({ title: code })
}

const schemas = new Map<ProblemCode, Schema.Top>()

/** The error schemas of an endpoint, by code. */
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

/** The codes that any authenticated endpoint with a body may answer besides its own. */
export const COMMON: ReadonlyArray<ProblemCode> = [
  "unauthorized",
  "forbidden",
  "mfa_required",
  "sso_required",
  "unavailable",
  "internal_error",
]
export const WITH_BODY: ReadonlyArray<ProblemCode> = ["bad_request", "payload_too_large", "unsupported_media_type"]
