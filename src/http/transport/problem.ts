/** Maps failures to problem responses: this table maps tags to codes; the contract has status and meaning. */
import type { Failure } from "../../model/errors.ts"
import { PROBLEMS, type ProblemCode } from "../contract/problem.ts"
import { isLimitName, limitHeaders, quotaHeaders } from "../limits/rate-limits.ts"
import type { HttpResponse } from "./message.ts"

const CODE: Readonly<Record<Exclude<Failure["_tag"], "CommandRefused">, ProblemCode>> = {
  BadRequest: "bad_request",
  RoleNotOnEvent: "role_not_on_event",
  Unauthorized: "unauthorized",
  SignInRequired: "sign_in_required",
  Forbidden: "forbidden",
  FreshSignInRequired: "fresh_sign_in_required",
  MfaRequired: "mfa_required",
  SsoRequired: "sso_required",
  NotFound: "not_found",
  Conflict: "conflict",
  SlugTaken: "slug_taken",
  EmailTaken: "email_taken",
  EventFull: "event_full",
  EncoderReplaced: "encoder_replaced",
  InvalidToken: "invalid_token",
  IdpNotConfigured: "idp_not_configured",
  SignupClosed: "signup_closed",
  RateLimited: "rate_limited",
  EmailsUsedUp: "rate_limited",
  AccountExists: "account_exists",
  PayloadTooLarge: "payload_too_large",
  UnsupportedMediaType: "unsupported_media_type",
  IdempotencyKeyReused: "idempotency_key_reused",
  IdempotencyInProgress: "idempotency_in_progress",
  Unavailable: "unavailable",
}

const codeOf = (failure: Failure): ProblemCode =>
  failure._tag === "CommandRefused" ? failure.code : CODE[failure._tag]

const detailOf = (failure: Failure): string => {
  switch (failure._tag) {
    case "SlugTaken":
      return `The slug "${failure.slug}" is taken.`
    case "EmailTaken":
      return "An account with this e-mail address exists."
    case "EventFull":
      return "No seat is left."
    case "EncoderReplaced":
      return "Another encoder has taken over; get a new address to take over again."
    case "InvalidToken":
      return "The token is unknown, was used, or has expired."
    case "SignupClosed":
      return failure.isByInvite
        ? "New accounts need an open invite: sign up on its page, or name its token."
        : "This server takes no new accounts."
    case "IdpNotConfigured":
      return "No identity provider is configured."
    case "FreshSignInRequired":
      return "Prove again who you are, and repeat the request."
    case "SsoRequired":
      return "The members of this workspace sign in by its identity provider; sign in there."
    case "MfaRequired":
      return "The workspace asks its members for a second factor; set one up first."
    case "RateLimited":
      return "Too many requests; try again later."
    case "EmailsUsedUp":
      return failure.of === "workspace"
        ? `The workspace may have ${failure.quota} emails to others sent in a day (UTC), and has had them.`
        : `All workspaces of one founder may have ${failure.quota} emails to others sent in a day (UTC) together, and have had them.`
    case "AccountExists":
      return "The guest's e-mail address belongs to an account; log in instead."
    case "RoleNotOnEvent":
      return `The event accepts only these roles: ${failure.acceptedRoles.join(", ")}.`
    case "IdempotencyKeyReused":
      return "This Idempotency-Key was used with another body."
    case "IdempotencyInProgress":
      return "The first request with this Idempotency-Key is still running."
    case "PayloadTooLarge":
      return `The body is larger than ${failure.limitBytes} bytes.`
    default:
      return failure.detail
  }
}

/** A failure as clients receive it, before it is written as JSON or as a page. */
export interface Problem {
  readonly code: ProblemCode
  readonly status: number
  readonly detail: string
  readonly headers: HttpResponse["headers"]
  /** Further members of the body. */
  readonly extra: { readonly [field: string]: unknown }
}

/** RFC 9110, section 11.6.1. */
const CHALLENGE: HttpResponse["headers"] = [["www-authenticate", 'Bearer realm="gathercue"']]

const headersOf = (failure: Failure): HttpResponse["headers"] =>
  PROBLEMS[codeOf(failure)].status === 401 ? CHALLENGE : retryHeaders(failure)

const extraOf = (failure: Failure): Problem["extra"] => {
  switch (failure._tag) {
    case "RoleNotOnEvent":
      return { acceptedRoles: failure.acceptedRoles, errors: [{ pointer: "#/role", detail: detailOf(failure) }] }
    case "IdempotencyKeyReused":
      return { errors: [{ header: "idempotency-key", detail: detailOf(failure) }] }
    case "BadRequest":
      return failure.errors === undefined ? {} : { errors: failure.errors }
    case "CommandRefused": {
      const { errors, current, acceptedRoles } = failure
      return { ...(errors && { errors }), ...(current && { current }), ...(acceptedRoles && { acceptedRoles }) }
    }
    default:
      return {}
  }
}

const retryHeaders = (failure: Failure): HttpResponse["headers"] => {
  const retryAfterSeconds = "retryAfterSeconds" in failure ? failure.retryAfterSeconds : undefined
  if (retryAfterSeconds === undefined) return []
  return [
    ["retry-after", String(retryAfterSeconds)],
    ...(failure._tag === "RateLimited" && isLimitName(failure.limit)
      ? limitHeaders(failure.limit, 0, retryAfterSeconds)
      : []),
    ...(failure._tag === "EmailsUsedUp"
      ? quotaHeaders("workspaceMail", { quota: failure.quota, windowSeconds: 86_400 }, 0, retryAfterSeconds)
      : []),
  ]
}

const problem = (code: ProblemCode, detail: string, more: Partial<Problem> = {}): Problem => ({
  code,
  status: PROBLEMS[code].status,
  detail,
  headers: [],
  extra: {},
  ...more,
})

export const problemOf = (failure: Failure): Problem =>
  problem(codeOf(failure), detailOf(failure), {
    headers: headersOf(failure),
    extra: extraOf(failure),
  })

/** Problem for a defect of the server. The log has the cause under the request's id. */
export const internalError = (requestId: string): Problem => problem("internal_error", `Quote request id ${requestId}.`)

/** Writes problem bodies; `errorsUrl` is the base address of the explanations of codes. */
export class Problems {
  readonly #errorsUrl: string

  constructor(errorsUrl: string) {
    this.#errorsUrl = errorsUrl
  }

  of(failure: Failure): HttpResponse {
    return this.#write(problemOf(failure))
  }

  internalError(requestId: string): HttpResponse {
    return this.#write(internalError(requestId))
  }

  write(code: ProblemCode, detail: string, headers: HttpResponse["headers"] = []): HttpResponse {
    return this.#write(problem(code, detail, { headers }))
  }

  #write({ code, status, detail, headers, extra }: Problem): HttpResponse {
    return {
      status,
      headers: [["content-type", "application/problem+json"], ["cache-control", "no-store"], ...headers],
      body: JSON.stringify({ type: `${this.#errorsUrl}/${code}`, code, detail, ...extra }),
    }
  }
}
