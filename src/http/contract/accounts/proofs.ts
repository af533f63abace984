/** Proving again who holds a session, for acts that a session alone is not enough for. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EndpointAccess } from "../access.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Code } from "./accounts.ts"
import { AssertionResponse } from "./passkeys.ts"

export const Proofs = HttpApiGroup.make("proofs")
  .add(
    HttpApiEndpoint.get("getProof", "/v1/accounts/proof", {
      success: Schema.Struct({
        /** A proof lies less than ten minutes back. */
        fresh: Schema.Boolean,
        /** The proofs that the account can give; empty: only another sign-in at its identity provider. */
        methods: Schema.Array(Schema.Literals(["password", "code", "passkey"])),
      }),
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "Whether the session was proved lately, and how it can be"),
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
      ),
  )
  .annotate(OpenApi.Description, "Proofs for acts that a session alone is not enough for.")
