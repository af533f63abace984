/** Proving an address, recovering and changing a password, and the sessions of an account (specification §4). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { AddressLimit } from "../endpoint.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { KnownEmail, NewPassword } from "./accounts.ts"

const Token = Schema.String.check(Schema.isMinLength(1))

const AccountSession = Schema.Struct({
  id: Uuid,
  /** The browser, as it named itself when it signed in (`user-agent`). */
  device: Schema.NullOr(Schema.String),
  createdAt: Instant,
  lastSeenAt: Instant,
  expiresAt: Instant,
  /** The session of the request. */
  current: Schema.Boolean,
}).annotate(named("AccountSession"))

export const AccountSecurity = HttpApiGroup.make("accountSecurity")
  .add(
    HttpApiEndpoint.post("verifyEmail", "/v1/accounts/verify", {
      payload: Schema.Struct({ token: Token }),
      success: Schema.Struct({ verified: Schema.Literal(true), email: Schema.String }),
      error: problems(...WITH_BODY, "invalid_token", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(OpenApi.Summary, "Prove an e-mail address with the token from its letter"),
    HttpApiEndpoint.post("resendVerification", "/v1/accounts/resend-verification", {
      success: Schema.Struct({ requested: Schema.Literal(true), verifyUrl: Schema.optionalKey(Schema.String) }),
      error: problems(...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Send the verification letter again"),
    HttpApiEndpoint.post("requestPasswordReset", "/v1/accounts/request-password-reset", {
      payload: Schema.Struct({ email: KnownEmail }),
      success: Schema.Struct({ requested: Schema.Literal(true), resetUrl: Schema.optionalKey(Schema.String) }),
      error: problems(...WITH_BODY, "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "anonymousMail")
      .annotate(OpenApi.Summary, "Ask for a reset letter; the answer never says whether the address is known"),
    HttpApiEndpoint.post("resetPassword", "/v1/accounts/reset-password", {
      payload: Schema.Struct({ token: Token, password: NewPassword }),
      success: Schema.Struct({ reset: Schema.Literal(true) }),
      error: problems(...WITH_BODY, "invalid_token", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(
        OpenApi.Summary,
        "Set a new password; ends every session and token of the account. When it is the first to prove the address, what was made of the account before is revoked",
      ),
    HttpApiEndpoint.post("changePassword", "/v1/accounts/password", {
      payload: Schema.Struct({ currentPassword: Schema.String, password: NewPassword }),
      success: Schema.Struct({ changed: Schema.Literal(true) }),
      error: problems(...WITH_BODY, ...COMMON),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Change the password; ends every other session and token of the account"),
    HttpApiEndpoint.get("listSessions", "/v1/accounts/sessions", {
      success: Schema.Struct({ sessions: Schema.Array(AccountSession) }),
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Where the account is signed in"),
    HttpApiEndpoint.delete("endSession", "/v1/accounts/sessions/:sessionId", {
      params: { sessionId: Id },
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Sign out one session"),
  )
  .annotate(OpenApi.Description, "Addresses, passwords and sessions of an account.")
