/** Short codes and QR codes that lead to an event (shapes by decision). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EventStatus } from "../../../model/event.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { AddressLimit, PathId, TextBody } from "../endpoint.ts"
import { COMMON, problems } from "../problem.ts"

const READ = ["not_found", "rate_limited", "unavailable", "internal_error"] as const

const JoinCode = Schema.Struct({
  /** Six characters, none of which looks like another one. */
  code: Schema.String,
  /** The event's page. */
  url: Schema.String,
  /** The same as a QR code, as an SVG picture. */
  qrUrl: Schema.String,
}).annotate(named("JoinCode"))

const JoinTarget = Schema.Struct({
  eventId: Uuid,
  title: Schema.String,
  status: EventStatus,
  scheduledAt: Schema.NullOr(Instant),
  url: Schema.String,
}).annotate(named("JoinTarget"))

const SVG = "image/svg+xml"

export const JoinCodes = HttpApiGroup.make("joinCodes")
  .add(
    HttpApiEndpoint.post("createJoinCode", "/v1/events/:id/join-code", {
      params: PathId,
      success: JoinCode,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "The event's join code; the first call makes it"),
    HttpApiEndpoint.get("findByJoinCode", "/v1/public/join/:code", {
      params: { code: Schema.String },
      success: JoinTarget,
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "joinCode")
      .annotate(OpenApi.Summary, "The event of a join code"),
    HttpApiEndpoint.get("getQrCode", "/v1/public/events/:id/qr.svg", {
      params: PathId,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: SVG })),
      error: problems(...READ, "unauthorized"),
    })
      .annotate(EndpointAccess, "publicEvent")
      .annotate(TextBody, SVG)
      .annotate(OpenApi.Summary, "The address of the event's page as a QR code"),
  )
  .annotateEndpoints(WriteScope, "events:write")
  .annotate(OpenApi.Description, "Join codes and QR codes of events.")
