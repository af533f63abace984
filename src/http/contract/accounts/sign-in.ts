/** Sign-in through an external identity provider; the path names no provider. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EndpointAccess } from "../access.ts"
import { Example } from "../endpoint.ts"
import { problems } from "../problem.ts"

const redirect = Schema.Void.pipe(HttpApiSchema.status(302))

/** Query of the request that starts a sign-in at an identity provider. */
export const FreshQuery = {
  fresh: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "true: the person signs in at the provider anew, whatever it remembers of the browser.",
      examples: ["true"],
    }),
  ),
}

const given = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** The parameters of the address that an identity provider sends the browser back to (OpenID Connect Core 1.0, section 3.1.2.5; RFC 9207). */
export const ReturnedQuery = {
  code: given("The provider's code, which is exchanged for the sign-in."),
  state: given("The value that the start gave to the provider."),
  error: given("The provider's reason for a sign-in that did not come about."),
  iss: given("The provider."),
  session_state: given("Sent by some providers; not used."),
}

export const SignIn = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.get("getIdp", "/v1/auth/idp", {
      success: Schema.Struct({
        configured: Schema.Boolean,
        /** The deployment's rule for new accounts (`SIGNUP`). */
        signup: Schema.Literals(["open", "invited", "off"]),
      }),
      error: problems("rate_limited", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(OpenApi.Summary, "Whether accounts may sign in through an identity provider, and who may make one")
      .annotate(
        OpenApi.Description,
        "For a sign-in page, which offers a way to `GET /v1/auth/idp/start` then. `signup`: everybody may make an account (`open`), people with an open invite (`invited`), or nobody (`off`).",
      )
      .annotate(Example, { response: { configured: true, signup: "open" } }),
    HttpApiEndpoint.get("startIdp", "/v1/auth/idp/start", {
      query: FreshQuery,
      success: redirect,
      error: problems("bad_request", "idp_not_configured", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "browser")
      .annotate(OpenApi.Summary, "Send the browser to the identity provider for consent")
      .annotate(
        OpenApi.Description,
        "Answers with a redirect to the identity provider. Where none is configured it answers 501.",
      ),
    HttpApiEndpoint.get("finishIdp", "/v1/auth/idp/callback", {
      query: ReturnedQuery,
      success: redirect,
      error: problems(
        "bad_request",
        "email_taken",
        "idp_not_configured",
        "rate_limited",
        "unavailable",
        "internal_error",
      ),
    })
      .annotate(EndpointAccess, "browser")
      .annotate(OpenApi.Summary, "Where the identity provider sends the browser back to; signs in")
      .annotate(
        OpenApi.Description,
        "Checks the provider's answer, sets the session cookie and sends the browser on to the application.",
      ),
  )
  .annotate(OpenApi.Description, "Sign-in through an external identity provider.")
