/** The audit log: acts of administration and their actors. Endpoints are annotated with their act; `serve` writes the entry. */
import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { PageQuery, PathId, pageOf } from "../endpoint.ts"
import { COMMON, problems } from "../problem.ts"

/** Every act with an entry in the log. */
export const AUDIT_ACTIONS = [
  "workspace.created",
  "workspace.changed",
  "workspace.deleted",
  "member.changed",
  "member.removed",
  "member.left",
  "owner.added",
  "membership.set",
  "membership.deleted",
  "api_key.created",
  "api_key.deleted",
  "invite.created",
  "invite.revoked",
  "invite.resent",
  "invite.accepted",
  "guest_integration.created",
  "guest_integration.revoked",
  "webhook.created",
  "webhook.changed",
  "webhook.deleted",
  "webhook.secret_rotated",
  "account.deleted",
  "user.deleted",
  "registrant.erased",
  "guest.erased",
  "event.deleted",
  "phase.deleted",
  "registration.cancelled",
  "recording.deleted",
  "broadcast.ingest_created",
  "clip.deleted",
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** On an endpoint: its success is an administrative act of this kind. */
export class Audited extends Context.Service<Audited, AuditAction>()("gathercue/Audited") {}

const AuditEntry = Schema.Struct({
  id: Schema.String,
  action: Schema.Literals(AUDIT_ACTIONS),
  actor: Schema.Struct({ kind: Schema.Literals(["account", "key", "session"]), id: Schema.String }),
  /** The object of the act. */
  targetId: Schema.NullOr(Schema.String),
  requestId: Schema.String,
  createdAt: Instant,
}).annotate(named("AuditEntry"))

export const Audit = HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("listAudit", "/v1/workspaces/:id/audit", {
      params: PathId,
      query: PageQuery,
      success: pageOf("entries", AuditEntry),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(OpenApi.Summary, "Administrative acts, newest first"),
  )
  .annotate(OpenApi.Description, "Who administered what.")
