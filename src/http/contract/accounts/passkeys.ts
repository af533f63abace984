/** Passkeys (WebAuthn): registered, named, removed, and signed in with. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { AddressLimit, created, Example, FreshSignIn, Name } from "../endpoint.ts"
import { account } from "../examples/example-objects.ts"
import { ASSERTION, CHALLENGE, CODES, CREDENTIAL, PASSKEY } from "../examples/second-factor-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"
import { AccountView } from "./accounts.ts"

const fields = {
  id: Uuid,
  name: Schema.String,
  createdAt: Instant,
  lastUsedAt: Schema.NullOr(Instant),
}
export const Passkey = Schema.Struct(fields).annotate(named("Passkey"))

/** Options for the browser's WebAuthn call; https://www.w3.org/TR/webauthn-3/ defines the members. */
const Options = Schema.Record(Schema.String, Schema.Unknown)

const Base64 = Schema.String.check(Schema.isBetweenLength(1, 16_384))
const credentialFields = { id: Base64, rawId: Base64, type: Schema.Literal("public-key") }

/** `PublicKeyCredential.toJSON()` of a newly created passkey. */
const RegistrationResponse = Schema.Struct({
  ...credentialFields,
  response: Schema.Struct({ clientDataJSON: Base64, attestationObject: Base64 }).annotate(
    named("AuthenticatorAttestation"),
  ),
}).annotate(named("PasskeyRegistration"))

/** `PublicKeyCredential.toJSON()` of a passkey that was used to sign in. */
export const AssertionResponse = Schema.Struct({
  ...credentialFields,
  response: Schema.Struct({
    clientDataJSON: Base64,
    authenticatorData: Base64,
    signature: Base64,
    userHandle: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }).annotate(named("AuthenticatorAssertion")),
}).annotate(named("PasskeyAssertion"))
export type AssertionResponse = typeof AssertionResponse.Type

const PasskeyId = { passkeyId: Id }

export const PasskeysApi = HttpApiGroup.make("passkeys")
  .add(
    HttpApiEndpoint.post("startPasskey", "/v1/accounts/passkeys/options", {
      success: Options,
      error: problems(...COMMON, "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(FreshSignIn, "always")
      .annotate(OpenApi.Summary, "Begin to register a passkey: what the browser needs for it")
      .annotate(
        OpenApi.Description,
        "For `navigator.credentials.create` (`PublicKeyCredential.parseCreationOptionsFromJSON`), on a page of this server. The challenge is good for five minutes and one answer. An account has at most 20 passkeys.",
      )
      .annotate(Example, {
        response: {
          challenge: CHALLENGE,
          rp: { id: "events.example.com", name: "Gathercue" },
          user: { id: "AZah8AAAcACAAAAAAAAAAQ", name: "ada@example.com", displayName: "Ada Lovelace" },
          pubKeyCredParams: [{ alg: -7, type: "public-key" }],
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
        },
      }),
    HttpApiEndpoint.post("createPasskey", "/v1/accounts/passkeys", {
      payload: Schema.Struct({ name: Name, response: RegistrationResponse }),
      /** Recovery codes are included with the first factor of the account. */
      success: created(Schema.Struct({ ...fields, recoveryCodes: Schema.Array(Schema.String) })),
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(Audited, "passkey.added")
      .annotate(OpenApi.Summary, "Register the passkey that the browser made")
      .annotate(
        OpenApi.Description,
        "`response` is what `toJSON()` of the new credential gives. With the first second factor of an account the answer has its recovery codes, this once.",
      )
      .annotate(Example, {
        request: {
          name: "Laptop",
          response: {
            ...CREDENTIAL,
            response: { clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", attestationObject: "o2NmbXRkbm9uZQ" },
          },
        },
        response: { ...PASSKEY, ...CODES },
      }),
    HttpApiEndpoint.patch("patchPasskey", "/v1/accounts/passkeys/:passkeyId", {
      params: PasskeyId,
      payload: Schema.Struct({ name: Name }),
      success: Passkey,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(Audited, "passkey.renamed")
      .annotate(OpenApi.Summary, "Rename a passkey")
      .annotate(OpenApi.Description, "The name is for its person.")
      .annotate(Example, { request: { name: "Laptop" }, response: PASSKEY }),
    HttpApiEndpoint.delete("deletePasskey", "/v1/accounts/passkeys/:passkeyId", {
      params: PasskeyId,
      error: problems(...COMMON, "not_found", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "passkey.removed")
      .annotate(OpenApi.Summary, "Remove a passkey")
      .annotate(
        OpenApi.Description,
        "With the last second factor the recovery codes go too. The browser keeps its part, which is of no use any more.",
      ),
    HttpApiEndpoint.post("startPasskeyLogin", "/v1/accounts/login/passkey/options", {
      success: Options,
      error: problems("rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "login")
      .annotate(OpenApi.Summary, "Begin to sign in with a passkey: what the browser needs for it")
      .annotate(
        OpenApi.Description,
        "For `navigator.credentials.get` (`PublicKeyCredential.parseRequestOptionsFromJSON`). It names no account: the passkey does.",
      )
      .annotate(Example, {
        response: { challenge: CHALLENGE, rpId: "events.example.com", userVerification: "required", timeout: 300_000 },
      }),
    HttpApiEndpoint.post("loginWithPasskey", "/v1/accounts/login/passkey", {
      payload: Schema.Struct({ response: AssertionResponse }),
      success: AccountView,
      error: problems(...WITH_BODY, ...COMMON, "rate_limited"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "login")
      .annotate(OpenApi.Summary, "Sign in with a passkey, without a password")
      .annotate(
        OpenApi.Description,
        "Sets the session cookie. The authenticator has verified its person, so no password and no code is asked for.",
      )
      .annotate(Example, { request: { response: ASSERTION }, response: account }),
  )
  .annotate(OpenApi.Description, "Passkeys of an account.")
