/** Invites to workspaces and events (docs/people.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EventReference } from "../../../model/event.ts"
import { ids, T0 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { Email } from "../accounts/accounts.ts"
import { created, ExactBody, Example, PageQuery, PathId, pageOf, SecretAddress } from "../endpoint.ts"
import { examplePage, invite, issuedInvite, preview } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "./audit.ts"

const Kind = Schema.Literals(["workspace", "event"]).annotate(named("InviteKind"))
const Status = Schema.Literals(["pending", "accepted", "declined", "revoked", "expired"]).annotate(
  named("InviteStatus"),
)

const Invite = Schema.Struct({
  id: Uuid,
  kind: Kind,
  email: Schema.NullOr(Schema.String),
  role: Schema.String,
  eventId: Schema.NullOr(Uuid),
  status: Status,
  createdAt: Instant,
  expiresAt: Instant,
  acceptedAt: Schema.NullOr(Instant),
  revokedAt: Schema.NullOr(Instant),
}).annotate(named("Invite"))

/**
 * `inviteUrl` is shown once: for link invites, for invites that are not mailed, and for all invites in e-mail dev mode. `mailed` is present
 * when the address's owner refuses invitations of this workspace: the caller then passes the link on.
 */
const IssuedInvite = Schema.Struct({
  ...Invite.fields,
  inviteUrl: Schema.optionalKey(Schema.String),
  mailed: Schema.optionalKey(Schema.Literal(false)),
}).annotate(named("IssuedInvite"))

const InvitedWorkspace = Schema.Struct({ name: Schema.String, slug: Schema.String }).annotate(named("InvitedWorkspace"))

/** The content of an invite page; the address is masked. */
const Preview = Schema.Struct({
  kind: Kind,
  status: Status,
  workspace: InvitedWorkspace,
  event: Schema.NullOr(EventReference),
  role: Schema.String,
  email: Schema.NullOr(Schema.String),
  expiresAt: Instant,
}).annotate(named("InvitePreview"))

const PathInvite = { id: Id, inviteId: Id }
const PathToken = { token: Schema.String }

export const Invites = HttpApiGroup.make("invites")
  .add(
    HttpApiEndpoint.post("createInvite", "/v1/workspaces/:id/invites", {
      params: PathId,
      payload: Schema.Struct({
        email: Schema.optionalKey(Email),
        role: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(40))),
        kind: Schema.optionalKey(Kind),
        eventId: Schema.optionalKey(Id),
      }),
      success: created(IssuedInvite),
      error: problems(...WITH_BODY, "role_not_on_event", ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(ExactBody, true)
      .annotate(Audited, "invite.created")
      .annotate(OpenApi.Summary, "Invite an address, or make a link for anyone who gets it")
      .annotate(
        OpenApi.Description,
        "With `email` the invite is for that address and is sent to it; without, the answer's link is for anyone who gets it. With `eventId` it gives a role on that event, otherwise one in the workspace.",
      )
      .annotate(Example, {
        request: { email: "grace@example.com", eventId: ids.event, role: "speaker" },
        response: issuedInvite,
      }),
    HttpApiEndpoint.get("listInvites", "/v1/workspaces/:id/invites", {
      params: PathId,
      query: PageQuery,
      success: pageOf("invites", Invite),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceMemberOrKey")
      .annotate(OpenApi.Summary, "Invites, newest first; never their tokens")
      .annotate(OpenApi.Description, "Open, taken, declined, revoked and expired ones.")
      .annotate(Example, { response: examplePage("invites", invite) }),
    HttpApiEndpoint.delete("revokeInvite", "/v1/workspaces/:id/invites/:inviteId", {
      params: PathInvite,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "invite.revoked")
      .annotate(OpenApi.Summary, "Revoke an open invite")
      .annotate(OpenApi.Description, "It cannot be taken up any more. One that was taken up cannot be revoked."),
    HttpApiEndpoint.post("resendInvite", "/v1/workspaces/:id/invites/:inviteId/resend", {
      params: PathInvite,
      success: IssuedInvite,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "invite.resent")
      .annotate(OpenApi.Summary, "Send an invite again, with a new token and a new term")
      .annotate(OpenApi.Description, "The link of the earlier email stops working.")
      .annotate(Example, { response: issuedInvite }),
    HttpApiEndpoint.get("previewInvite", "/v1/invites/:token", {
      params: PathToken,
      success: Preview,
      error: problems("not_found", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(SecretAddress, true)
      .annotate(OpenApi.Summary, "The subject of an invite")
      .annotate(
        OpenApi.Description,
        "Shown before the invited person signs in: workspace, event and role. The token in the path is the credential.",
      )
      .annotate(Example, { response: preview }),
    HttpApiEndpoint.post("acceptInvite", "/v1/invites/:token/accept", {
      params: PathToken,
      success: Schema.Struct({
        invite: Invite,
        workspace: Schema.Struct({ id: Uuid, ...InvitedWorkspace.fields }).annotate(named("JoinedWorkspace")),
        event: Schema.optionalKey(EventReference),
      }),
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(Audited, "invite.accepted")
      .annotate(OpenApi.Summary, "Take up an invite")
      .annotate(OpenApi.Description, "The signed-in account gets the role that the invite is about.")
      .annotate(Example, {
        response: {
          invite: { ...invite, status: "accepted", acceptedAt: T0 },
          workspace: { id: ids.workspace, ...preview.workspace },
          event: preview.event,
        },
      }),
    HttpApiEndpoint.post("declineInvite", "/v1/invites/:token/decline", {
      params: PathToken,
      success: Preview,
      error: problems("not_found", "conflict", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(OpenApi.Summary, "Turn an invite down")
      .annotate(OpenApi.Description, "The invite cannot be taken up any more.")
      .annotate(Example, { response: { ...preview, status: "declined" } }),
  )
  .annotateEndpoints(WriteScope, "people")
  .annotate(OpenApi.Description, "Invites to workspaces and events.")
