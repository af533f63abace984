/** Failures to problem responses: the one table from tag to code; status and meaning stand in the contract. */
import type { Failure } from "../model/errors.ts"
import { PROBLEMS, type ProblemCode } from "./contract/problem.ts"
import type { HttpResponse } from "./message.ts"
import { isLimitName, limitHeaders, quotaHeaders } from "./rate-limits.ts"

const CODE: Readonly<Record<Failure["_tag"], ProblemCode>> = {
  BadRequest: "bad_request",
  RoleNotOnEvent: "role_not_on_event",
  Unauthorized: "unauthorized",
  SignInRequired: "sign_in_required",
  Forbidden: "forbidden",
  NotFound: "not_found",
  Conflict: "conflict",
  SlugTaken: "slug_taken",
  EmailTaken: "email_taken",
  EventFull: "event_full",
  InvalidToken: "invalid_token",
  IdpNotConfigured: "idp_not_configured",
  RateLimited: "rate_limited",
  LettersUsedUp: "rate_limited",
  AccountExists: "account_exists",
  PayloadTooLarge: "payload_too_large",
  UnsupportedMediaType: "unsupported_media_type",
  IdempotencyKeyReused: "idempotency_key_reused",
  IdempotencyInProgress: "idempotency_in_progress",
  Unavailable: "unavailable",
}

const detailOf = (failure: Failure): string => {
  switch (failure._tag) {
    case "SlugTaken":
      return `The slug "${failure.slug}" is taken.`
    case "EmailTaken":
      return "An account with this e-mail address exists."
    case "EventFull":
      return "No seat is left."
    case "InvalidToken":
      return "The token is unknown, was used, or has expired."
    case "IdpNotConfigured":
      return "No identity provider is configured."
    case "RateLimited":
      return "Too many requests; try again later."
    case "LettersUsedUp":
      return `The workspace may have ${failure.quota} letters to others sent in a day (UTC), and has had them.`
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

/** Writes problem bodies; `errorsUrl` is the address under which each code is explained. */
export class Problems {
  readonly #errorsUrl: string

  constructor(errorsUrl: string) {
    this.#errorsUrl = errorsUrl
  }

  of(failure: Failure): HttpResponse {
    const code = CODE[failure._tag]
    return this.write(
      code,
      detailOf(failure),
      [
        ...("retryAfterSeconds" in failure ? [["retry-after", String(failure.retryAfterSeconds)] as const] : []),
        ...(failure._tag === "RateLimited" && isLimitName(failure.limit)
          ? limitHeaders(failure.limit, 0, failure.retryAfterSeconds)
          : []),
        ...(failure._tag === "LettersUsedUp"
          ? quotaHeaders("workspaceMail", { quota: failure.quota, windowSeconds: 86_400 }, 0, failure.retryAfterSeconds)
          : []),
      ],
      failure._tag === "RoleNotOnEvent" ? { acceptedRoles: failure.acceptedRoles } : {},
    )
  }

  write(
    code: ProblemCode,
    detail: string,
    headers: HttpResponse["headers"] = [],
    extra: { readonly [field: string]: unknown } = {},
  ): HttpResponse {
    return {
      status: PROBLEMS[code].status,
      headers: [["content-type", "application/problem+json"], ["cache-control", "no-store"], ...headers],
      body: JSON.stringify({ type: `${this.#errorsUrl}/${code}`, code, detail, ...extra }),
    }
  }
}
