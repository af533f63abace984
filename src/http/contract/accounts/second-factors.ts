/** The second factors of an account: an authenticator app (TOTP, RFC 6238), passkeys, and recovery codes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { T0 } from "../../../model/example-ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { Example, FreshSignIn } from "../endpoint.ts"
import { CODES, PASSKEY, SECRET } from "../examples/second-factor-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"
import { Code } from "./accounts.ts"
import { Passkey } from "./passkeys.ts"

/** Recovery codes are shown once. */
const RecoveryCodes = Schema.Struct({ recoveryCodes: Schema.Array(Schema.String) }).annotate(named("RecoveryCodes"))

export const SecondFactorsApi = HttpApiGroup.make("secondFactors")
  .add(
    HttpApiEndpoint.get("getMfa", "/v1/accounts/mfa", {
      success: Schema.Struct({
        totp: Schema.NullOr(Schema.Struct({ confirmedAt: Instant }).annotate(named("AuthenticatorApp"))),
        passkeys: Schema.Array(Passkey),
        recoveryCodesLeft: Schema.Int,
      }),
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "The second factors of the signed-in account")
      .annotate(OpenApi.Description, "`totp` is null until an authenticator app is confirmed.")
      .annotate(Example, { response: { totp: { confirmedAt: T0 }, passkeys: [PASSKEY], recoveryCodesLeft: 9 } }),
    HttpApiEndpoint.post("startTotp", "/v1/accounts/mfa/totp", {
      success: Schema.Struct({ secret: Schema.String, otpauthUrl: Schema.String }),
      error: problems(...COMMON, "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(FreshSignIn, "always")
      .annotate(OpenApi.Summary, "Begin to set up an authenticator app; its secret is shown once")
      .annotate(
        OpenApi.Description,
        "Show `otpauthUrl` as a QR code, or `secret` to be typed. Nothing changes at the sign-in before a code confirms it. Called again it makes a new secret; with a confirmed app it answers 409.",
      )
      .annotate(Example, {
        response: {
          secret: SECRET,
          otpauthUrl: `otpauth://totp/Gathercue:ada%40example.com?issuer=Gathercue&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
        },
      }),
    HttpApiEndpoint.post("confirmTotp", "/v1/accounts/mfa/totp/confirm", {
      payload: Schema.Struct({ code: Code }),
      success: RecoveryCodes,
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(Audited, "second_factor.added")
      .annotate(OpenApi.Summary, "Confirm the authenticator app with a code; answers with the recovery codes")
      .annotate(
        OpenApi.Description,
        "From now on a login asks for a code. The ten recovery codes are in this answer alone; each is good for one login.",
      )
      .annotate(Example, { request: { code: "492039" }, response: CODES }),
    HttpApiEndpoint.delete("removeTotp", "/v1/accounts/mfa/totp", {
      error: problems(...COMMON, "not_found", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "second_factor.removed")
      .annotate(OpenApi.Summary, "Remove the authenticator app")
      .annotate(OpenApi.Description, "With the last second factor the recovery codes go too."),
    HttpApiEndpoint.post("renewRecoveryCodes", "/v1/accounts/mfa/recovery-codes", {
      success: RecoveryCodes,
      error: problems(...COMMON, "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "recovery_codes.renewed")
      .annotate(OpenApi.Summary, "New recovery codes; earlier ones are void")
      .annotate(OpenApi.Description, "Ten codes, in this answer alone.")
      .annotate(Example, { response: CODES }),
  )
  .annotate(OpenApi.Description, "Second factors of an account.")
