/** Workspaces, their sessions and their API keys (specification §4). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Id } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { WorkspaceRole } from "../../../model/roles.ts"
import { Instant, InstantInput } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { created, ExactBody, Name, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "./audit.ts"

const RESERVED_SLUGS = new Set([
  "admin",
  "api",
  "app",
  "www",
  "me",
  "new",
  "public",
  "v1",
  "docs",
  "help",
  "login",
  "signup",
])

export const isReservedSlug = (slug: string): boolean => RESERVED_SLUGS.has(slug)

export const Slug = Schema.String.check(
  Schema.isPattern(/^[a-z0-9](?:[a-z0-9-]{1,46}[a-z0-9])$/, {
    message: "must be 3 to 48 lower-case letters, digits and inner hyphens",
  }),
  Schema.makeFilter((slug) => !isReservedSlug(slug) || "is reserved"),
)

const workspaceFields = {
  id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  createdAt: Instant,
  updatedAt: Instant,
}

/** `role` is the caller's; the operator's list has none. */
export const Workspace = Schema.Struct({ ...workspaceFields, role: Schema.optionalKey(WorkspaceRole) }).annotate(
  named("Workspace"),
)

const apiKeyFields = {
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  prefix: Schema.String,
  last4: Schema.String,
  status: Schema.Literals(["active", "revoked"]),
  createdAt: Instant,
  lastUsedAt: Schema.NullOr(Instant),
  expiresAt: Schema.NullOr(Instant),
  revokedAt: Schema.NullOr(Instant),
  /** The key that created this key; null where a member did. */
  createdByKeyId: Schema.NullOr(Schema.String),
}
export const ApiKey = Schema.Struct(apiKeyFields).annotate(named("ApiKey"))
/** The secret is shown here and never again. */
export const ApiKeyWithSecret = Schema.Struct({ ...apiKeyFields, secret: Schema.String }).annotate(
  named("ApiKeyWithSecret"),
)

const CreatedWorkspace = Schema.Struct({
  ...workspaceFields,
  role: WorkspaceRole,
  apiKey: Schema.Struct({
    id: Schema.String,
    name: Schema.NullOr(Schema.String),
    secret: Schema.String,
    prefix: Schema.String,
    createdAt: Instant,
  }),
}).annotate(named("CreatedWorkspace"))

export const WorkspaceSessionView = Schema.Struct({
  sessionToken: Schema.String,
  expiresAt: Instant,
  workspaceId: Schema.String,
  participant: Schema.Struct({
    userId: Schema.String,
    name: Schema.NullOr(Schema.String),
    email: Schema.NullOr(Schema.String),
    picture: Schema.NullOr(Schema.String),
  }),
}).annotate(named("WorkspaceSession"))

const KeyInput = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Name)),
  /** From then on the key is refused. Must lie in the future; null or absent: never. */
  expiresAt: Schema.optionalKey(Schema.NullOr(InstantInput)),
}).annotate(named("ApiKeyInput"))

export const Member = Schema.Struct({
  id: Schema.String,
  accountId: Schema.String,
  role: WorkspaceRole,
  name: Schema.String,
  email: Schema.String,
  emailVerified: Schema.Boolean,
  joinedAt: Instant,
}).annotate(named("WorkspaceMember"))

export const Workspaces = HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.post("createWorkspace", "/v1/workspaces", {
      payload: Schema.Struct({ name: Name, slug: Schema.optionalKey(Slug) }),
      success: created(CreatedWorkspace),
      error: problems(...WITH_BODY, ...COMMON, "slug_taken"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(Audited, "workspace.created")
      .annotate(OpenApi.Summary, "Create a workspace with its first API key"),
    HttpApiEndpoint.get("listWorkspaces", "/v1/workspaces", {
      query: PageQuery,
      success: pageOf("workspaces", Workspace),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "accountOrPlatform")
      .annotate(OpenApi.Summary, "The caller's workspaces; all of them with the platform key"),
    HttpApiEndpoint.patch("patchWorkspace", "/v1/workspaces/:id", {
      params: PathId,
      payload: Schema.Struct({ name: Schema.optionalKey(Name), slug: Schema.optionalKey(Slug) }),
      success: Workspace,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "slug_taken"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(ExactBody, true)
      .annotate(Audited, "workspace.changed")
      .annotate(OpenApi.Summary, "Rename a workspace or change its slug"),
    HttpApiEndpoint.delete("deleteWorkspace", "/v1/workspaces/:id", {
      params: PathId,
      payload: Schema.Struct({ slug: Schema.String }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(ExactBody, true)
      .annotate(Audited, "workspace.deleted")
      .annotate(OpenApi.Summary, "Delete a workspace with everything in it; its slug confirms"),
    HttpApiEndpoint.get("listMembers", "/v1/workspaces/:id/members", {
      params: PathId,
      query: PageQuery,
      success: pageOf("members", Member),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceMember")
      .annotate(OpenApi.Summary, "Members with their role and primary address"),
    HttpApiEndpoint.patch("patchMember", "/v1/workspaces/:id/members/:memberId", {
      params: { ...PathId, memberId: Id },
      payload: Schema.Struct({ role: Schema.Literals(["member", "admin"]) }),
      success: Member,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "member.changed")
      .annotate(OpenApi.Summary, "Change a member's role; owners are not changed here"),
    HttpApiEndpoint.delete("removeMember", "/v1/workspaces/:id/members/:memberId", {
      params: { ...PathId, memberId: Id },
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "member.removed")
      .annotate(OpenApi.Summary, "Remove a member; owners cannot be removed"),
    HttpApiEndpoint.delete("leaveWorkspace", "/v1/workspaces/:id/members/me", {
      params: PathId,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceMember")
      .annotate(Audited, "member.left")
      .annotate(OpenApi.Summary, "Leave; the only owner cannot"),
    HttpApiEndpoint.post("makeOwner", "/v1/workspaces/:id/owners", {
      params: PathId,
      payload: Schema.Struct({ memberId: Id }),
      success: Member,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(ExactBody, true)
      .annotate(Audited, "owner.added")
      .annotate(OpenApi.Summary, "Make a member an owner too"),
    HttpApiEndpoint.post("createWorkspaceSession", "/v1/workspaces/:id/session", {
      params: PathId,
      success: WorkspaceSessionView,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceGuest")
      .annotate(OpenApi.Summary, "A short-lived session token and the caller's participant identity"),
    HttpApiEndpoint.get("listApiKeys", "/v1/workspaces/:id/api-keys", {
      params: PathId,
      query: PageQuery,
      success: pageOf("apiKeys", ApiKey),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(OpenApi.Summary, "API keys with their state, never their secrets"),
    HttpApiEndpoint.post("createApiKey", "/v1/workspaces/:id/api-keys", {
      params: PathId,
      payload: KeyInput,
      success: created(ApiKeyWithSecret),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "api_key.created")
      .annotate(OpenApi.Summary, "Create an API key; its secret is shown once"),
    HttpApiEndpoint.delete("deleteApiKey", "/v1/workspaces/:id/api-keys/:keyId", {
      params: { ...PathId, keyId: Id },
      query: Schema.Struct({
        cascade: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "Also revoke all keys that were made by this one, and by those.",
            default: "false",
            examples: ["true"],
          }),
        ),
      }),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "api_key.deleted")
      .annotate(OpenApi.Summary, "Revoke a key, with cascade=true also all keys made by it; a revoked one is removed"),
    HttpApiEndpoint.post("createKeyByKey", "/v1/api-keys", {
      payload: KeyInput,
      success: created(ApiKeyWithSecret),
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "key")
      .annotate(Audited, "api_key.created")
      .annotate(OpenApi.Summary, "Create another key for the calling key's workspace"),
  )
  .annotate(OpenApi.Description, "Workspaces, session tokens and API keys.")
