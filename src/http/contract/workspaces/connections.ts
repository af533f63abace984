/** A workspace's own identity providers (OpenID Connect). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Domain } from "../../../model/text/domain.ts"
import { Instant } from "../../../model/timestamp.ts"
import { Commanded, EndpointAccess } from "../access.ts"
import { created, Example, FreshSignIn, Name, PathId } from "../endpoint.ts"
import { CONNECTION } from "../examples/second-factor-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "./audit.ts"

const Domains = Schema.Array(Domain).check(Schema.isMinLength(1), Schema.isMaxLength(20))
const Issuer = Schema.String.check(
  Schema.isMaxLength(2048),
  Schema.makeFilter((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    // The library does not compare the issuer when the address given is that of the metadata.
    const isMetadata = url?.pathname.includes("/.well-known/") === true
    const isPlain =
      url !== undefined &&
      !isMetadata &&
      url.search === "" &&
      url.hash === "" &&
      url.username === "" &&
      !/\s/.test(text)
    return isPlain || "must be the URL of an issuer, without a query and without /.well-known/"
  }),
).annotate({ description: "As the provider names itself in its metadata." })
const Secret = Schema.String.check(Schema.isBetweenLength(1, 1000))
const ClientId = Schema.String.check(
  Schema.isBetweenLength(1, 500),
  Schema.isPattern(/^[\x21-\x7e]+$/, { message: "must be printable ASCII" }),
)
/** Role for people who are not members yet. Only owners can make owners. */
const DefaultRole = Schema.Literals(["member", "admin"])

const Connection = Schema.Struct({
  id: Uuid,
  name: Schema.String,
  issuer: Schema.String,
  clientId: Schema.String,
  domains: Schema.Array(
    Schema.Struct({
      domain: Schema.String,
      proved: Schema.Boolean,
      /** TXT record that proves the domain. */
      record: Schema.Struct({ name: Schema.String, value: Schema.String }).annotate(named("DomainRecord")),
    }).annotate(named("ConnectionDomain")),
  ),
  defaultRole: DefaultRole,
  /** Redirect address to register at the provider. */
  redirectUri: Schema.String,
  createdAt: Instant,
  updatedAt: Instant,
  lastSuccessAt: Schema.NullOr(Instant),
  lastFailureAt: Schema.NullOr(Instant),
  /** Reason of the last failure; null after a success. */
  lastError: Schema.NullOr(Schema.String),
}).annotate(named("Connection"))
export type Connection = typeof Connection.Type

const path = { ...PathId, connectionId: Id }

export const ConnectionsApi = HttpApiGroup.make("connections")
  .add(
    HttpApiEndpoint.get("listConnections", "/v1/workspaces/:id/connections", {
      params: PathId,
      success: Schema.Struct({ connections: Schema.Array(Connection) }),
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(OpenApi.Summary, "Identity providers of the workspace")
      .annotate(OpenApi.Description, "With the state of the last try. Client secrets are never shown.")
      .annotate(Example, { response: { connections: [CONNECTION] } }),
    HttpApiEndpoint.post("createConnection", "/v1/workspaces/:id/connections", {
      params: PathId,
      payload: Schema.Struct({
        name: Name,
        issuer: Issuer,
        clientId: ClientId,
        clientSecret: Secret,
        domains: Domains,
        defaultRole: Schema.optionalKey(DefaultRole),
      }),
      success: created(Connection),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "connection.created")
      .annotate(OpenApi.Summary, "Connect an identity provider")
      .annotate(
        OpenApi.Description,
        "A domain counts once `POST …/check` has found its TXT record (outside production at once). The issuer must be a public https address.",
      )
      .annotate(Example, {
        request: {
          name: "Okta",
          issuer: CONNECTION.issuer,
          clientId: CONNECTION.clientId,
          clientSecret: "kept by the server, and never shown",
          domains: ["example.com"],
          defaultRole: "member",
        },
        response: CONNECTION,
      }),
    HttpApiEndpoint.patch("patchConnection", "/v1/workspaces/:id/connections/:connectionId", {
      params: path,
      payload: Schema.Struct({
        name: Schema.optionalKey(Name),
        clientId: Schema.optionalKey(ClientId),
        clientSecret: Schema.optionalKey(Secret),
        domains: Schema.optionalKey(Domains),
        defaultRole: Schema.optionalKey(DefaultRole),
      }),
      success: Connection,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "connection.changed")
      .annotate(OpenApi.Summary, "Change a connection; its issuer stays")
      .annotate(
        OpenApi.Description,
        "Absent fields stay. `domains` is replaced as a whole; domains that stay keep their proof.",
      )
      .annotate(Example, { request: { defaultRole: "member" }, response: CONNECTION }),
    HttpApiEndpoint.post("checkConnection", "/v1/workspaces/:id/connections/:connectionId/check", {
      params: path,
      success: Connection,
      error: problems(...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(FreshSignIn, "always")
      .annotate(Commanded, true)
      .annotate(Audited, "connection.checked")
      .annotate(OpenApi.Summary, "Look for the domains' records, and ask the issuer for its metadata")
      .annotate(OpenApi.Description, "Answers with what was found: `proved` of each domain, and `lastError`.")
      .annotate(Example, { response: CONNECTION }),
    HttpApiEndpoint.delete("deleteConnection", "/v1/workspaces/:id/connections/:connectionId", {
      params: path,
      error: problems(...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "connection.deleted")
      .annotate(OpenApi.Summary, "Remove a connection")
      .annotate(OpenApi.Description, "409 for the last one with a proved domain while `sso` is `required`."),
  )
  .annotate(OpenApi.Description, "Identity providers of a workspace.")
