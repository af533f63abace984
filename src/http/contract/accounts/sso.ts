/** Sign-in through a workspace's identity provider. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ids } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { isKnownEmail, MAX_EMAIL_LENGTH } from "../../../model/text/email.ts"
import { EndpointAccess } from "../access.ts"
import { AddressLimit, Example } from "../endpoint.ts"
import { problems } from "../problem.ts"
import { FreshQuery, ReturnedQuery } from "./sign-in.ts"

const redirect = Schema.Void.pipe(HttpApiSchema.status(302))

const ConnectionPath = { connectionId: Id.annotate({ description: "The id of the connection." }) }

const AskedEmail = Schema.String.annotate({ format: "email" })
  .check(
    Schema.makeFilter((text) => isKnownEmail(text) || "must be an e-mail address"),
    // The last check carries the description.
    Schema.isMaxLength(MAX_EMAIL_LENGTH),
  )
  .annotate({ description: "The address of somebody who wants to sign in.", examples: ["ada@example.com"] })

export const Sso = HttpApiGroup.make("sso")
  .add(
    HttpApiEndpoint.get("findSso", "/v1/auth/sso", {
      query: { email: AskedEmail },
      success: Schema.Struct({
        connection: Schema.NullOr(Schema.Struct({ id: Uuid, name: Schema.String }).annotate(named("FoundConnection"))),
      }),
      error: problems("bad_request", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "login")
      .annotate(OpenApi.Summary, "The identity provider for the domain of an address")
      .annotate(
        OpenApi.Description,
        "By the domain of the address alone, so it tells nothing of accounts. `connection` is null where no workspace has proved the domain.",
      )
      .annotate(Example, { response: { connection: { id: ids.connection, name: "Okta" } } }),
    HttpApiEndpoint.get("startSso", "/v1/auth/sso/:connectionId/start", {
      params: ConnectionPath,
      query: FreshQuery,
      success: redirect,
      error: problems("bad_request", "not_found", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "browser")
      .annotate(OpenApi.Summary, "Send the browser to a workspace's identity provider for consent")
      .annotate(
        OpenApi.Description,
        "Answers with a redirect to the provider. Where that is not reachable the browser goes back to the application with `?signIn=unreachable`.",
      ),
    HttpApiEndpoint.get("finishSso", "/v1/auth/sso/:connectionId/callback", {
      params: ConnectionPath,
      query: ReturnedQuery,
      success: redirect,
      error: problems("bad_request", "not_found", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "browser")
      .annotate(OpenApi.Summary, "Where a workspace's identity provider sends the browser back to; signs in")
      .annotate(
        OpenApi.Description,
        "Signs in people of the connection's proved domains whose address the provider calls verified, and makes them members with the connection's role. Otherwise the browser goes back to the application with `?signIn=` and `refused`, `unverified`, `unreachable` or `closed`.",
      ),
  )
  .annotate(OpenApi.Description, "Sign-in through a workspace's identity provider.")
