/** Partner guests: issuers of a workspace, and the exchange of a partner's token for a session (docs/people.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import {
  MAX_ISSUER_LENGTH,
  MAX_PEM_LENGTH,
  PartnerFault,
  RefusalReason,
} from "../../../model/integrations/guest-integration.ts"
import { named } from "../../../model/named.ts"
import { EventRole } from "../../../model/roles.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { created, ExactBody, Example, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { examplePage, integration, JWT } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "./audit.ts"

export const GuestIntegration = Schema.Struct({
  id: Uuid,
  workspaceId: Uuid,
  issuer: Schema.String,
  jwksUrl: Schema.NullOr(Schema.String),
  publicKeyFingerprint: Schema.NullOr(Schema.String),
  status: Schema.Literals(["active", "revoked"]),
  createdAt: Instant,
  revokedAt: Schema.NullOr(Instant),
  lastVerifiedAt: Schema.NullOr(Instant),
  lastError: Schema.NullOr(PartnerFault),
}).annotate(named("GuestIntegration"))

export const GuestRefusal = Schema.Struct({
  /** Null for a token that matches no integration. */
  integrationId: Schema.NullOr(Uuid),
  reason: RefusalReason,
  /** Reason in words, with the token's issuer and key. */
  detail: Schema.String,
  refusedAt: Instant,
}).annotate(named("GuestRefusal"))

const text = (maximum: number) => Schema.String.check(Schema.isBetweenLength(1, maximum))

export const Guests = HttpApiGroup.make("guests")
  .add(
    HttpApiEndpoint.post("createGuestIntegration", "/v1/workspaces/:id/guest-integrations", {
      params: PathId,
      payload: Schema.Struct({
        issuer: text(MAX_ISSUER_LENGTH),
        jwksUrl: Schema.optionalKey(Schema.String.annotate({ format: "uri" }).check(Schema.isBetweenLength(1, 2048))),
        publicKeyPem: Schema.optionalKey(text(MAX_PEM_LENGTH)),
      }),
      success: created(GuestIntegration),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "guest_integration.created")
      .annotate(OpenApi.Summary, "Register an issuer with exactly one of `jwksUrl` and `publicKeyPem`")
      .annotate(OpenApi.Description, "Tokens of that issuer are exchanged for guest sessions from then on.")
      .annotate(Example, {
        request: { issuer: integration.issuer, jwksUrl: integration.jwksUrl },
        response: integration,
      }),
    HttpApiEndpoint.get("listGuestIntegrations", "/v1/workspaces/:id/guest-integrations", {
      params: PathId,
      query: PageQuery,
      success: pageOf("integrations", GuestIntegration),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceMemberOrKey")
      .annotate(OpenApi.Summary, "Active guest integrations")
      .annotate(OpenApi.Description, "With the last verification and the last fault of each.")
      .annotate(Example, { response: examplePage("integrations", integration) }),
    HttpApiEndpoint.get("listGuestRefusals", "/v1/workspaces/:id/guest-refusals", {
      params: PathId,
      success: Schema.Struct({ refusals: Schema.Array(GuestRefusal) }),
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceMemberOrKey")
      .annotate(OpenApi.Summary, "Why tokens of guests were refused: the last time of each reason, newest first")
      .annotate(
        OpenApi.Description,
        "The guest's answer has no reason; this list has. A refusal within a second of one with the same reason is not listed.",
      )
      .annotate(Example, {
        response: {
          refusals: [
            {
              integrationId: ids.integration,
              reason: "unknown_key",
              detail: 'There is no RSA key of 2048 to 8192 bits for RS256 that fits the kid "2026-11".',
              refusedAt: T0,
            },
          ],
        },
      }),
    HttpApiEndpoint.delete("deleteGuestIntegration", "/v1/workspaces/:id/guest-integrations/:integrationId", {
      params: { ...PathId, integrationId: Id },
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "guest_integration.revoked")
      .annotate(OpenApi.Summary, "Revoke an integration; sessions that were made before run out by themselves")
      .annotate(OpenApi.Description, "Tokens of the issuer are refused from then on."),
    HttpApiEndpoint.post("createGuestSession", "/v1/events/:id/guest-session", {
      params: PathId,
      payload: Schema.Struct({ token: Schema.NonEmptyString }),
      success: Schema.Struct({
        sessionToken: Schema.String,
        expiresAt: Instant,
        eventId: Uuid,
        participantId: Schema.String,
        name: Schema.String,
        role: EventRole,
      }),
      error: problems(
        ...WITH_BODY,
        "unauthorized",
        "not_found",
        "conflict",
        "account_exists",
        "unavailable",
        "internal_error",
      ),
    })
      .annotate(EndpointAccess, "openEvent")
      .annotate(ExactBody, true)
      .annotate(OpenApi.Summary, "Exchange a partner's signed token for a guest session on the event")
      .annotate(
        OpenApi.Description,
        "Signature, issuer, audience and times of the token are checked. The session is for this event alone. 409 when the event has ended, and while what is stored about the guest is being erased.",
      )
      .annotate(Example, {
        request: { token: JWT },
        response: {
          sessionToken: JWT,
          expiresAt: T1,
          eventId: ids.event,
          participantId: `guest:${ids.user}`,
          name: "Grace Hopper",
          role: "participant",
        },
      }),
  )
  .annotateEndpoints(WriteScope, "admin")
  .annotate(OpenApi.Description, "Guests whom a partner vouches for.")
