/** Renewed proof of a session holder's identity, for operations that need more than a session. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EndpointAccess } from "../access.ts"
import { Example } from "../endpoint.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Code } from "./accounts.ts"
import { AssertionResponse } from "./passkeys.ts"

export const Proofs = HttpApiGroup.make("proofs")
  .add(
    HttpApiEndpoint.get("getProof", "/v1/accounts/proof", {
      success: Schema.Struct({
        /** Whether a proof was given within the last ten minutes. */
        fresh: Schema.Boolean,
        /** Proofs that the account can give; empty when only another sign-in at its identity provider counts. */
        methods: Schema.Array(Schema.Literals(["password", "code", "passkey"])),
      }),
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Whether the session was proved lately, and how it can be")
      .annotate(OpenApi.Description, "`methods` is what `POST /v1/accounts/proof` takes of this account.")
      .annotate(Example, { response: { fresh: false, methods: ["code"] } }),
    HttpApiEndpoint.post("prove", "/v1/accounts/proof", {
      payload: Schema.Struct({
        password: Schema.optionalKey(Schema.String),
        code: Schema.optionalKey(Code),
        /** An answer to the options of `POST /v1/accounts/login/passkey/options`. */
        passkey: Schema.optionalKey(AssertionResponse),
      }),
      success: Schema.Struct({ proved: Schema.Literal(true) }),
      error: problems(...WITH_BODY, ...COMMON, "rate_limited"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(
        OpenApi.Summary,
        "Prove again who holds the session: by the password, a code of the second factor, or a passkey",
      )
      .annotate(
        OpenApi.Description,
        "For acts that are refused with `fresh_sign_in_required`; the session is good for them for ten minutes then, as it is after a sign-in. An account with a second factor gives a `code` or a `passkey`, another one its `password`. A wrong one is 403, and counts as at the sign-in.",
      )
      .annotate(Example, { request: { code: "492039" }, response: { proved: true } }),
  )
  .annotate(OpenApi.Description, "Proofs for acts that a session alone is not enough for.")
