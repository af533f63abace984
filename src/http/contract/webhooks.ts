/** Webhook endpoints (specification §4 and §6). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Instant } from "../../model/timestamp.ts"
import { WebhookEventType } from "../../model/webhook-events.ts"
import { EndpointAccess } from "./access.ts"
import { Audited } from "./audit.ts"
import { created, PageQuery, PathId, pageOf } from "./endpoint.ts"
import { COMMON, problems, WITH_BODY } from "./problem.ts"

const fields = {
  id: Schema.String,
  url: Schema.String,
  eventTypes: Schema.Array(WebhookEventType),
  status: Schema.Literals(["active", "disabled"]),
  disabledReason: Schema.NullOr(Schema.String),
  createdAt: Instant,
  lastSuccessAt: Schema.NullOr(Instant),
  lastFailureAt: Schema.NullOr(Instant),
}

export const Webhooks = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("createWebhook", "/v1/webhooks", {
      payload: Schema.Struct({
        url: Schema.String.check(Schema.isBetweenLength(1, 2048)),
        eventTypes: Schema.optionalKey(Schema.Array(WebhookEventType).check(Schema.isUnique())),
      }),
      success: created(Schema.Struct({ ...fields, secret: Schema.String })),
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(Audited, "webhook.created")
      .annotate(OpenApi.Summary, "Register an endpoint; its signing secret is shown once"),
    HttpApiEndpoint.get("listWebhooks", "/v1/webhooks", {
      query: PageQuery,
      success: pageOf("webhooks", Schema.Struct(fields)),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(OpenApi.Summary, "Endpoints, without secrets"),
    HttpApiEndpoint.delete("deleteWebhook", "/v1/webhooks/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(Audited, "webhook.deleted")
      .annotate(OpenApi.Summary, "Remove an endpoint; deliveries stop at once"),
  )
  .annotate(OpenApi.Description, "Signed notifications to your servers.")
