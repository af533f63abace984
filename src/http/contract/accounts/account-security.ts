/** Verifying an address, recovering and changing a password, and the sessions of an account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { AddressLimit, Example } from "../endpoint.ts"
import { TOKEN } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { KnownEmail, NewPassword } from "./accounts.ts"

const Token = Schema.String.check(Schema.isMinLength(1))

const AccountSession = Schema.Struct({
  id: Uuid,
  /** Browser's `user-agent` at sign-in. */
  device: Schema.NullOr(Schema.String),
  createdAt: Instant,
  lastSeenAt: Instant,
  expiresAt: Instant,
  /** Whether this is the session of the request. */
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
      .annotate(OpenApi.Summary, "Prove an e-mail address with the token from its email")
      .annotate(
        OpenApi.Description,
        "Takes the one-time token of the email. An address that is proved for the first time revokes what was made before by an account that had not proved it.",
      )
      .annotate(Example, { request: { token: TOKEN }, response: { verified: true, email: "ada@example.com" } }),
    HttpApiEndpoint.post("resendVerification", "/v1/accounts/resend-verification", {
      success: Schema.Struct({ requested: Schema.Literal(true), verifyUrl: Schema.optionalKey(Schema.String) }),
      error: problems(...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Send the verification email again")
      .annotate(OpenApi.Description, "Sends another email to the primary address, if it is not proved yet.")
      .annotate(Example, { response: { requested: true } }),
    HttpApiEndpoint.post("requestPasswordReset", "/v1/accounts/request-password-reset", {
      payload: Schema.Struct({ email: KnownEmail }),
      success: Schema.Struct({ requested: Schema.Literal(true), resetUrl: Schema.optionalKey(Schema.String) }),
      error: problems(...WITH_BODY, "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "anonymousMail")
      .annotate(OpenApi.Summary, "Ask for a reset email; the answer never says whether the address is known")
      .annotate(OpenApi.Description, "The email holds a link that works once.")
      .annotate(Example, { request: { email: "ada@example.com" }, response: { requested: true } }),
    HttpApiEndpoint.post("resetPassword", "/v1/accounts/reset-password", {
      payload: Schema.Struct({ token: Token, password: NewPassword }),
      success: Schema.Struct({ reset: Schema.Literal(true) }),
      error: problems(...WITH_BODY, "invalid_token", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(
        OpenApi.Summary,
        "Set a new password; ends every session and token of the account. When it is the first to prove the address, what was made of the account before is revoked",
      )
      .annotate(OpenApi.Description, "Takes the one-time token of the email. Afterwards the account must log in anew.")
      .annotate(Example, { request: { token: TOKEN, password: "a newer horse battery" }, response: { reset: true } }),
    HttpApiEndpoint.post("changePassword", "/v1/accounts/password", {
      payload: Schema.Struct({ currentPassword: Schema.String, password: NewPassword }),
      success: Schema.Struct({ changed: Schema.Literal(true) }),
      error: problems(...WITH_BODY, ...COMMON),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Change the password; ends every other session and token of the account")
      .annotate(OpenApi.Description, "Asks for the current password. The session that calls goes on.")
      .annotate(Example, {
        request: { currentPassword: "correct horse battery", password: "a newer horse battery" },
        response: { changed: true },
      }),
    HttpApiEndpoint.get("listSessions", "/v1/accounts/sessions", {
      success: Schema.Struct({ sessions: Schema.Array(AccountSession) }),
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Where the account is signed in")
      .annotate(OpenApi.Description, "Each with the time of its last use; `current` marks the one that calls.")
      .annotate(Example, {
        response: {
          sessions: [
            {
              id: ids.session,
              device: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
              createdAt: T0,
              lastSeenAt: T1,
              expiresAt: T1,
              current: true,
            },
          ],
        },
      }),
    HttpApiEndpoint.delete("endSession", "/v1/accounts/sessions/:sessionId", {
      params: { sessionId: Id },
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Sign out one session")
      .annotate(OpenApi.Description, "The session's cookie is refused from then on."),
  )
  .annotate(OpenApi.Description, "Addresses, passwords and sessions of an account.")
