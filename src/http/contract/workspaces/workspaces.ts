/** Workspaces, their sessions and their API keys (docs/workspaces.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { KEY_SCOPES, KeyScope, MOST_KEY_EVENTS } from "../../../model/key-rights.ts"
import { named } from "../../../model/named.ts"
import { WorkspaceBranding } from "../../../model/presentation.ts"
import { WorkspaceRole } from "../../../model/roles.ts"
import { Instant, InstantInput } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { created, ExactBody, Example, FreshSignIn, Name, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { apiKey, examplePage, JWT, KEY, member, workspace } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited, ReadsPeople } from "./audit.ts"

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

const SsoRule = Schema.Literals(["optional", "required"])

const workspaceFields = {
  id: Uuid,
  name: Schema.String,
  slug: Schema.String,
  /** Whether members need a second factor. */
  requireMfa: Schema.Boolean,
  /** Whether members other than owners must sign in through one of the workspace's connections. */
  sso: SsoRule,
  /** Whether `/w/{slug}` and `/w/{slug}.ics` show the public events of the workspace. */
  publicList: Schema.Boolean,
  branding: Schema.NullOr(WorkspaceBranding),
  createdAt: Instant,
  updatedAt: Instant,
}

/** `role` is the caller's; the operator's list omits it. */
export const Workspace = Schema.Struct({ ...workspaceFields, role: Schema.optionalKey(WorkspaceRole) }).annotate(
  named("Workspace"),
)

const apiKeyFields = {
  id: Uuid,
  name: Schema.NullOr(Schema.String),
  prefix: Schema.String,
  last4: Schema.String,
  status: Schema.Literals(["active", "revoked"]),
  createdAt: Instant,
  lastUsedAt: Schema.NullOr(Instant),
  expiresAt: Schema.NullOr(Instant),
  revokedAt: Schema.NullOr(Instant),
  /** Key that created this key; null when a member created it. */
  createdByKeyId: Schema.NullOr(Uuid),
  scopes: Schema.Array(KeyScope),
  /** Events to which the key is limited; null for all events and the workspace itself. */
  eventIds: Schema.NullOr(Schema.Array(Uuid)),
}
export const ApiKey = Schema.Struct(apiKeyFields).annotate(named("ApiKey"))
/** The secret is shown once. */
export const ApiKeyWithSecret = Schema.Struct({ ...apiKeyFields, secret: Schema.String }).annotate(
  named("ApiKeyWithSecret"),
)

const CreatedWorkspace = Schema.Struct({
  ...workspaceFields,
  role: WorkspaceRole,
  apiKey: Schema.Struct({
    id: Uuid,
    name: Schema.NullOr(Schema.String),
    secret: Schema.String,
    prefix: Schema.String,
    createdAt: Instant,
  }).annotate(named("FirstApiKey")),
}).annotate(named("CreatedWorkspace"))

export const WorkspaceSessionView = Schema.Struct({
  sessionToken: Schema.String,
  expiresAt: Instant,
  workspaceId: Uuid,
  participant: Schema.Struct({
    userId: Uuid,
    name: Schema.NullOr(Schema.String),
    email: Schema.NullOr(Schema.String),
    picture: Schema.NullOr(Schema.String),
  }).annotate(named("SessionParticipant")),
}).annotate(named("WorkspaceSession"))

const scopes = Schema.Array(KeyScope).check(Schema.isMinLength(1), Schema.isMaxLength(KEY_SCOPES.length))

const KeyInput = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Name)),
  expiresAt: Schema.optionalKey(Schema.NullOr(InstantInput)).annotate({
    description: "From then on the key is refused. Must lie in the future. Absent: in a year. Null: never.",
  }),
  scopes: Schema.optionalKey(scopes).annotate({
    description: "What the key may do. Absent: everything, and for a key that a key creates, what that one may do.",
  }),
  eventIds: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Id).check(Schema.isMinLength(1), Schema.isMaxLength(MOST_KEY_EVENTS))),
  ).annotate({
    description: "The only events that the key may read and change. Absent or null: all, and the workspace itself.",
  }),
}).annotate(named("ApiKeyInput"))

const { String: Text } = Schema

const ended = <F extends Schema.Struct.Fields>(name: string, fields: F) =>
  Schema.Array(Schema.Struct({ id: Uuid, ...fields }).annotate(named(`Ended${name}`)))

/** Objects that ended with a key under `cascade=true`. */
const EndedWithKey = Schema.Struct({
  apiKeys: ended("ApiKey", { name: Schema.NullOr(Text), prefix: Text, last4: Text }),
  invites: ended("Invite", { email: Schema.NullOr(Text), role: Text }),
  members: ended("Member", { name: Text, email: Text }),
  memberships: ended("Membership", { eventId: Uuid, userId: Uuid, name: Schema.NullOr(Text) }),
  webhooks: ended("Webhook", { url: Text }),
  integrations: ended("Integration", { issuer: Text }),
  /** Unexpired links that were given to the keys, as in the list of links. */
  links: ended("Link", { kind: Text, eventId: Schema.NullOr(Uuid) }),
}).annotate(named("EndedWithKey"))

export const Member = Schema.Struct({
  id: Uuid,
  accountId: Uuid,
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
      error: problems(...WITH_BODY, ...COMMON, "slug_taken", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "workspace.created")
      .annotate(OpenApi.Summary, "Create a workspace with its first API key")
      .annotate(
        OpenApi.Description,
        "The caller becomes its owner. The secret of the first API key is in this answer alone.",
      )
      .annotate(Example, {
        request: { name: "Analytical Events", slug: "analytical-events" },
        response: {
          ...workspace,
          apiKey: { id: ids.key, name: "default", secret: KEY, prefix: "gck_2b8N", createdAt: T0 },
        },
      }),
    HttpApiEndpoint.get("listWorkspaces", "/v1/workspaces", {
      query: PageQuery,
      success: pageOf("workspaces", Workspace),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "accountOrPlatform")
      .annotate(OpenApi.Summary, "The caller's workspaces; all of them with the platform key")
      .annotate(OpenApi.Description, "Newest first. `role` is the caller's; the operator's list has none.")
      .annotate(Example, { response: examplePage("workspaces", workspace) }),
    HttpApiEndpoint.patch("patchWorkspace", "/v1/workspaces/:id", {
      params: PathId,
      payload: Schema.Struct({
        name: Schema.optionalKey(Name),
        slug: Schema.optionalKey(Slug),
        requireMfa: Schema.optionalKey(Schema.Boolean),
        sso: Schema.optionalKey(SsoRule),
        publicList: Schema.optionalKey(Schema.Boolean),
        branding: Schema.optionalKey(Schema.NullOr(WorkspaceBranding)).annotate({
          description:
            "How events of the workspace look where they have no branding of their own. Replaced as a whole.",
        }),
      }),
      success: Workspace,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "slug_taken", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(ExactBody, true)
      .annotate(Audited, "workspace.changed")
      .annotate(
        OpenApi.Summary,
        "Rename a workspace, change its slug, its public list, its branding, or how its members sign in",
      )
      .annotate(
        OpenApi.Description,
        "Absent fields stay. A slug is unique in the whole deployment. With `requireMfa` members without a second factor are answered `mfa_required` until they set one up; only a caller who has one may ask for it. With `sso` as `required`, which owners alone set, members other than owners are answered `sso_required` unless they signed in by a connection of the workspace. API keys are not concerned. With `publicList` the page `/w/{slug}` and the calendar `/w/{slug}.ics` show the published public events that are to come.",
      )
      .annotate(Example, { request: { name: "Analytical Events", branding: workspace.branding }, response: workspace }),
    HttpApiEndpoint.delete("deleteWorkspace", "/v1/workspaces/:id", {
      params: PathId,
      payload: Schema.Struct({ slug: Schema.String }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "workspace.deleted")
      .annotate(OpenApi.Summary, "Delete a workspace with everything in it; its slug confirms")
      .annotate(
        OpenApi.Description,
        "Cannot be undone. The body names the workspace by its slug, else 409. Live events end (`event.ended`, sockets are closed with 4307), keys are revoked, members and sessions are out, and the workspace is 404 from the answer on; its slug is free again. Its data and media are removed right after that, step by step. Webhooks that wait for another try a minute later are cancelled.",
      )
      .annotate(Example, { request: { slug: "acme" } }),
    HttpApiEndpoint.get("listMembers", "/v1/workspaces/:id/members", {
      params: PathId,
      query: PageQuery,
      success: pageOf("members", Member),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceMember")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "Members with their role and primary address")
      .annotate(
        OpenApi.Description,
        "Everybody who belongs to the workspace as a whole; roles on single events are not listed.",
      )
      .annotate(Example, { response: examplePage("members", member) }),
    HttpApiEndpoint.patch("patchMember", "/v1/workspaces/:id/members/:memberId", {
      params: { ...PathId, memberId: Id },
      payload: Schema.Struct({ role: Schema.Literals(["member", "admin"]) }),
      success: Member,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "member.changed")
      .annotate(OpenApi.Summary, "Change a member's role; owners are not changed here")
      .annotate(
        OpenApi.Description,
        "Between `member` and `admin`. Sessions of the member have the new rights at once.",
      )
      .annotate(Example, { request: { role: "admin" }, response: member }),
    HttpApiEndpoint.delete("removeMember", "/v1/workspaces/:id/members/:memberId", {
      params: { ...PathId, memberId: Id },
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "member.removed")
      .annotate(OpenApi.Summary, "Remove a member; owners cannot be removed")
      .annotate(
        OpenApi.Description,
        "The member's sessions lose the workspace at once, and the open invites that it made or renewed are revoked. API keys stay.",
      ),
    HttpApiEndpoint.delete("leaveWorkspace", "/v1/workspaces/:id/members/me", {
      params: PathId,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceMember")
      .annotate(Audited, "member.left")
      .annotate(OpenApi.Summary, "Leave; the only owner cannot")
      .annotate(
        OpenApi.Description,
        "The caller loses the workspace at once. Make another member an owner first if you are the only one.",
      ),
    HttpApiEndpoint.post("makeOwner", "/v1/workspaces/:id/owners", {
      params: PathId,
      payload: Schema.Struct({ memberId: Id }),
      success: Member,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceOwner")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "owner.added")
      .annotate(OpenApi.Summary, "Make a member an owner too")
      .annotate(OpenApi.Description, "The member gets all rights of an owner; the caller keeps its own.")
      .annotate(Example, { request: { memberId: ids.member }, response: { ...member, role: "owner" } }),
    HttpApiEndpoint.post("createWorkspaceSession", "/v1/workspaces/:id/session", {
      params: PathId,
      success: WorkspaceSessionView,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceGuest")
      .annotate(OpenApi.Summary, "A short-lived session token and the caller's participant identity")
      .annotate(
        OpenApi.Description,
        "For calls in the name of one workspace and for the gateway. Send it as `Authorization: Bearer`.",
      )
      .annotate(Example, {
        response: {
          sessionToken: JWT,
          expiresAt: T1,
          workspaceId: ids.workspace,
          participant: { userId: ids.user, name: "Ada Lovelace", email: "ada@example.com", picture: null },
        },
      }),
    HttpApiEndpoint.get("listApiKeys", "/v1/workspaces/:id/api-keys", {
      params: PathId,
      query: PageQuery,
      success: pageOf("apiKeys", ApiKey),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(OpenApi.Summary, "API keys with their state, never their secrets")
      .annotate(
        OpenApi.Description,
        "With their prefix and last four characters, when they were used last, and which key made them.",
      )
      .annotate(Example, { response: examplePage("apiKeys", apiKey) }),
    HttpApiEndpoint.post("createApiKey", "/v1/workspaces/:id/api-keys", {
      params: PathId,
      payload: KeyInput,
      success: created(ApiKeyWithSecret),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "api_key.created")
      .annotate(OpenApi.Summary, "Create an API key; its secret is shown once")
      .annotate(OpenApi.Description, "A key acts for the whole workspace. With `expiresAt` it is refused from then on.")
      .annotate(Example, {
        request: { name: "production", scopes: ["read", "live"], expiresAt: null },
        response: { ...apiKey, secret: KEY },
      }),
    HttpApiEndpoint.delete("deleteApiKey", "/v1/workspaces/:id/api-keys/:keyId", {
      params: { ...PathId, keyId: Id },
      query: Schema.Struct({
        cascade: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description:
              "Also end what the key made: keys, and those of these keys, webhooks, guest integrations, and the members and roles on events that came by its invites. Owners stay, and the caller.",
            default: "false",
            examples: ["true"],
          }),
        ),
      }),
      success: [HttpApiSchema.NoContent, EndedWithKey],
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "api_key.deleted")
      .annotate(
        OpenApi.Summary,
        "Revoke a key with its open invites, with cascade=true also what it made; a revoked one is removed",
      )
      .annotate(
        OpenApi.Description,
        "The key is refused from the next request on, on every node; its open invites are revoked, and the addresses that it was given end: 204. With `cascade=true` the answer is 200 with what else ended. Deleting it again removes it from the list.",
      )
      .annotate(Example, {
        response: {
          apiKeys: [{ id: ids.key, name: "production", prefix: "gck_4fQx", last4: "9aZk" }],
          invites: [{ id: ids.invite, email: "grace@example.com", role: "admin" }],
          members: [{ id: ids.member, name: "Grace Hopper", email: "grace@example.com" }],
          memberships: [],
          webhooks: [],
          integrations: [],
          links: [{ id: ids.recording, kind: "upload", eventId: ids.event }],
        },
      }),
    HttpApiEndpoint.post("createKeyByKey", "/v1/api-keys", {
      payload: KeyInput,
      success: created(ApiKeyWithSecret),
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "key")
      .annotate(Audited, "api_key.created")
      .annotate(OpenApi.Summary, "Create another key for the calling key's workspace")
      .annotate(
        OpenApi.Description,
        "For software that hands a key of its own to each of its parts. Revoking the calling key with `cascade=true` revokes those too.",
      )
      .annotate(Example, { request: { name: "worker" }, response: { ...apiKey, name: "worker", secret: KEY } }),
  )
  .annotateEndpoints(WriteScope, "admin")
  .annotate(OpenApi.Description, "Workspaces, session tokens and API keys.")
