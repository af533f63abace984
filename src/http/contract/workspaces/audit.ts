/** The audit log: administrative acts and their actors. Endpoints are annotated with their act; `serve` writes the entry. */
import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T0 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant, InstantInput } from "../../../model/timestamp.ts"
import { EndpointAccess, NeededScope } from "../access.ts"
import { Example, FreshSignIn, PathId, pageOf } from "../endpoint.ts"
import { examplePage } from "../examples/example-objects.ts"
import { AUDIT_CSV } from "../examples/report-objects.ts"
import { Csv, FileQuery } from "../file.ts"
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
  "api_key.all_scopes",
  "invite.created",
  "invite.revoked",
  "invite.resent",
  "invite.accepted",
  "link.ended",
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
  "event.commanded",
  "event.cloned",
  "event.deleted",
  "event.cancelled",
  "event.reinstated",
  "form.changed",
  "phase.deleted",
  "registration.cancelled",
  "registration.approved",
  "registration.declined",
  "registrations.imported",
  "bounce.reported",
  "bounce.deleted",
  "recording.deleted",
  "broadcast.ingest_created",
  "clip.deleted",
  "sign_in.failed",
  "second_factor.added",
  "second_factor.removed",
  "recovery_codes.renewed",
  "connection.created",
  "connection.changed",
  "connection.checked",
  "connection.deleted",
  "connection.failed",
  "connection.domain_lost",
  "member.joined",
  "passkey.added",
  "passkey.renamed",
  "passkey.removed",
  "recovery_code.used",
  "personal_data.read",
  "personal_data.exported",
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Acts on the actor's own account: every workspace it belongs to has them in its log. */
export const ACCOUNT_ACTIONS: ReadonlySet<AuditAction> = new Set<AuditAction>([
  "second_factor.added",
  "second_factor.removed",
  "recovery_codes.renewed",
  "passkey.added",
  "passkey.renamed",
  "passkey.removed",
])

/** Endpoint annotation: its success is an administrative act of this kind. */
export class Audited extends Context.Service<Audited, AuditAction>()("gathercue/Audited") {}

/** Endpoint annotation for answers with names or addresses of people: reading is an act, and reading as a file is an export. */
export class ReadsPeople extends Context.Service<ReadsPeople, true>()("gathercue/ReadsPeople") {}

const AuditEntry = Schema.Struct({
  id: Uuid,
  /** More kinds may be added. */
  action: Schema.String,
  actor: Schema.Struct({ kind: Schema.Literals(["account", "key", "session"]), id: Uuid }).annotate(
    named("AuditEntryActor"),
  ),
  /** The object of the act. */
  targetId: Schema.NullOr(Schema.String),
  requestId: Schema.String,
  createdAt: Instant,
  /** Client address of the request; null where it is unknown or was erased with the person. */
  address: Schema.NullOr(Schema.String),
  /** Client program, by its own description. */
  client: Schema.NullOr(Schema.String),
}).annotate(named("AuditEntry"))

export const Audit = HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("listAudit", "/v1/workspaces/:id/audit", {
      params: PathId,
      query: {
        ...FileQuery,
        action: Schema.optionalKey(Schema.Literals(AUDIT_ACTIONS).annotate({ description: "Only acts of this kind." })),
        actorId: Schema.optionalKey(Id.annotate({ description: "Only acts of this account, key or user." })),
        targetId: Schema.optionalKey(
          Schema.String.check(Schema.isMaxLength(200)).annotate({ description: "Only acts on this object." }),
        ),
        from: Schema.optionalKey(InstantInput.annotate({ description: "Only acts at this time or later." })),
        to: Schema.optionalKey(InstantInput.annotate({ description: "Only acts before this time." })),
      },
      success: [pageOf("entries", AuditEntry), Csv],
      error: problems("bad_request", ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(FreshSignIn, "file")
      .annotate(NeededScope, "admin")
      .annotate(OpenApi.Summary, "Administrative acts, newest first")
      .annotate(OpenApi.Description, "Who did what to which object, by account or by key.")
      .annotate(Example, {
        response: examplePage("entries", {
          id: ids.session,
          action: "api_key.created",
          actor: { kind: "account", id: ids.account },
          targetId: ids.key,
          requestId: "0196a1f0-0000-7000-8000-0000000000ff",
          createdAt: T0,
          address: "203.0.113.7",
          client: "Firefox on Linux",
        }),
        texts: { "text/csv": AUDIT_CSV },
      }),
  )
  .annotate(OpenApi.Description, "Who administered what.")
