/** Short codes and QR codes that lead to an event (shapes by decision). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EventStatus } from "../../../model/event.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { AddressLimit, Example, PathId, TextBody } from "../endpoint.ts"
import { joinCode, joinTarget, QR_CODE } from "../examples/report-objects.ts"
import { COMMON, problems } from "../problem.ts"

const READ = ["not_found", "rate_limited", "unavailable", "internal_error"] as const

const JoinCode = Schema.Struct({
  /** Six characters, chosen from characters that do not look alike. */
  code: Schema.String,
  /** Address of the event's page. */
  url: Schema.String,
  /** Address of the QR code for the page, as SVG. */
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
      .annotate(OpenApi.Summary, "The event's join code; the first call makes it")
      .annotate(
        OpenApi.Description,
        "It stays the same for as long as the event is there. People find the event by it once the event is published, unless it is private.",
      )
      .annotate(Example, { response: joinCode }),
    HttpApiEndpoint.get("findByJoinCode", "/v1/public/join/:code", {
      params: { code: Schema.String },
      success: JoinTarget,
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "joinCode")
      .annotate(OpenApi.Summary, "The event of a join code")
      .annotate(
        OpenApi.Description,
        "Small letters, spaces and hyphens do not matter. Drafts and private events are not found.",
      )
      .annotate(Example, { response: joinTarget }),
    HttpApiEndpoint.get("getQrCode", "/v1/public/events/:id/qr.svg", {
      params: PathId,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: SVG })),
      error: problems(...READ, "unauthorized"),
    })
      .annotate(EndpointAccess, "publicEvent")
      .annotate(TextBody, SVG)
      .annotate(OpenApi.Summary, "The address of the event's page as a QR code")
      .annotate(
        OpenApi.Description,
        "For slides and prints: black on transparent, with the quiet zone that readers want.",
      )
      .annotate(Example, { response: QR_CODE }),
  )
  .annotateEndpoints(WriteScope, "events:write")
  .annotate(OpenApi.Description, "Join codes and QR codes of events.")
