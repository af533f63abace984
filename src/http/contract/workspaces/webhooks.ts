/** Webhook endpoints (docs/webhooks.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { T0 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { OwnHeaders } from "../../../model/integrations/own-headers.ts"
import { Attempt, AttemptError, DeliveryStatus } from "../../../model/integrations/webhook-delivery.ts"
import {
  DeliveredType,
  ListedWebhookEventType,
  WEBHOOK_EXAMPLES,
  WebhookEventType,
} from "../../../model/integrations/webhook-types.ts"
import { named } from "../../../model/named.ts"
import { Instant, InstantInput } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { created, Example, LongPoll, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { delivery, examplePage, TOKEN, webhook } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "./audit.ts"

/** The longest wait of `GET /v1/occurrences`. */
const MOST_WAIT_SECONDS = 25

const fields = {
  id: Uuid,
  url: Schema.String,
  eventId: Schema.NullOr(Uuid),
  eventTypes: Schema.Array(WebhookEventType),
  headerNames: Schema.Array(Schema.String),
  status: Schema.Literals(["active", "disabled"]),
  disabledReason: Schema.NullOr(Schema.Literals(["manual", "failing", "gone"]).annotate(named("DisablingReason"))),
  createdAt: Instant,
  lastSuccessAt: Schema.NullOr(Instant),
  lastFailureAt: Schema.NullOr(Instant),
}

const Webhook = Schema.Struct(fields).annotate(named("Webhook"))

export const Url = Schema.String.annotate({ format: "uri" }).check(
  Schema.isBetweenLength(1, 2048),
  Schema.isPattern(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//, { message: "must be an http or https URL" }),
)
/** Empty for all types. */
const EventTypes = Schema.Array(WebhookEventType).check(Schema.isUnique())

const deliveryFields = {
  id: Uuid,
  webhookId: Uuid,
  occurrenceId: Uuid,
  type: DeliveredType,
  eventId: Schema.NullOr(Uuid),
  status: DeliveryStatus,
  attemptCount: Schema.Int,
  lastStatusCode: Schema.NullOr(Schema.Int),
  lastError: Schema.NullOr(AttemptError),
  nextAttemptAt: Schema.NullOr(Instant),
  createdAt: Instant,
  finishedAt: Schema.NullOr(Instant),
}

/** `occurrenceId` is the body's `id` and `x-gc-event-id`: the same for every endpoint, attempt and repetition. */
const Delivery = Schema.Struct(deliveryFields).annotate(named("WebhookDelivery"))

/** Body of the type named by `type`, as described by `GET /v1/webhook-event-types`. */
const SentBody = Schema.Record(Schema.String, Schema.Json).annotate(named("SentWebhookBody"))

const DeliveryWithAttempts = Schema.Struct({
  ...deliveryFields,
  /** Body as sent; null for an entry of the audit log that the caller may not read. */
  body: Schema.NullOr(SentBody),
  attempts: Schema.Array(
    Schema.Struct({ number: Schema.Int, ...Attempt.fields, nextAttemptAt: Schema.NullOr(Instant) }).annotate(
      named("WebhookAttempt"),
    ),
  ),
}).annotate(named("WebhookDeliveryWithAttempts"))

export const Webhooks = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("createWebhook", "/v1/webhooks", {
      payload: Schema.Struct({
        url: Url,
        eventId: Schema.optionalKey(Id),
        eventTypes: Schema.optionalKey(EventTypes),
        headers: Schema.optionalKey(OwnHeaders),
      }),
      success: created(Schema.Struct({ ...fields, secret: Schema.String })),
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(Audited, "webhook.created")
      .annotate(OpenApi.Summary, "Register an endpoint; its signing secret is shown once")
      .annotate(
        OpenApi.Description,
        "Deliveries go to `url` with a signature under the secret, which is in this answer alone. Without `eventTypes` the endpoint gets every type; with `eventId` it gets what belongs to this event alone, and is deleted after it. `headers` are added to each delivery; no answer shows their values.",
      )
      .annotate(Example, {
        request: { url: webhook.url, eventTypes: webhook.eventTypes },
        response: { ...webhook, secret: `whsec_${TOKEN}` },
      }),
    HttpApiEndpoint.get("listWebhooks", "/v1/webhooks", {
      query: PageQuery,
      success: pageOf("webhooks", Webhook),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(OpenApi.Summary, "Endpoints, without secrets")
      .annotate(
        OpenApi.Description,
        "With the time of their last success and failure, and the reason why one is disabled.",
      )
      .annotate(Example, { response: examplePage("webhooks", webhook) }),
    HttpApiEndpoint.get("listWebhookEventTypes", "/v1/webhook-event-types", {
      success: Schema.Struct({ eventTypes: Schema.Array(ListedWebhookEventType) }),
      error: problems("internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(OpenApi.Summary, "The types that `eventTypes` takes, each with the JSON Schema of its body")
      .annotate(
        OpenApi.Description,
        "An endpoint without `eventTypes` gets all of them, also those of later releases: ignore the types that you do not know.",
      )
      .annotate(Example, {
        response: {
          eventTypes: [
            {
              type: "event.ended",
              description: "An event ended.",
              schema: {
                $schema: "https://json-schema.org/draft/2020-12/schema",
                type: "object",
                required: ["id", "type", "workspaceId", "eventId", "occurredAt", "endedAt", "reason"],
              },
            },
          ],
        },
      }),
    HttpApiEndpoint.patch("patchWebhook", "/v1/webhooks/:id", {
      params: PathId,
      payload: Schema.Struct({
        url: Schema.optionalKey(Url),
        eventTypes: Schema.optionalKey(EventTypes),
        headers: Schema.optionalKey(OwnHeaders),
        status: Schema.optionalKey(fields.status),
      }),
      success: Webhook,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(Audited, "webhook.changed")
      .annotate(OpenApi.Summary, "Change an endpoint; while it is disabled its deliveries are skipped")
      .annotate(
        OpenApi.Description,
        "Absent fields stay, but another `url` without `headers` takes the headers away. Set `status` to `active` to take deliveries again.",
      )
      .annotate(Example, {
        request: { status: "disabled" },
        response: { ...webhook, status: "disabled", disabledReason: "manual" },
      }),
    HttpApiEndpoint.delete("deleteWebhook", "/v1/webhooks/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(Audited, "webhook.deleted")
      .annotate(OpenApi.Summary, "Remove an endpoint; deliveries stop at once")
      .annotate(OpenApi.Description, "It is not shown any more."),
    HttpApiEndpoint.post("rotateWebhookSecret", "/v1/webhooks/:id/rotate-secret", {
      params: PathId,
      success: Schema.Struct({ ...fields, secret: Schema.String, previousSecretExpiresAt: Instant }),
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(Audited, "webhook.secret_rotated")
      .annotate(OpenApi.Summary, "Replace the signing secret; for a day the one before it signs too")
      .annotate(
        OpenApi.Description,
        "The new secret is in this answer alone. For 24 hours each delivery has a signature under both.",
      )
      .annotate(Example, {
        response: { ...webhook, secret: `whsec_${TOKEN}`, previousSecretExpiresAt: "2030-05-02T09:00:00.000Z" },
      }),
    HttpApiEndpoint.post("pingWebhook", "/v1/webhooks/:id/ping", {
      params: PathId,
      success: created(Delivery),
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(OpenApi.Summary, "Send a signed `ping` to this endpoint, whatever types it wants")
      .annotate(OpenApi.Description, "See whether it arrived in the deliveries of the endpoint.")
      .annotate(Example, {
        response: { ...delivery, type: "ping", eventId: null, status: "pending", finishedAt: null },
      }),
    HttpApiEndpoint.post("sendWebhookExamples", "/v1/webhooks/:id/examples", {
      params: PathId,
      success: Schema.Struct({ deliveries: Schema.Int }),
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(OpenApi.Summary, "Send an example of each type that this endpoint wants")
      .annotate(
        OpenApi.Description,
        "The bodies are those of the reference, with an id of their own and `isExample: true`, and are signed as others.",
      )
      .annotate(Example, { response: { deliveries: 2 } }),
    HttpApiEndpoint.post("replayWebhook", "/v1/webhooks/:id/replay", {
      params: PathId,
      payload: Schema.Struct({ since: InstantInput }),
      success: Schema.Struct({ deliveries: Schema.Int, nextSince: Schema.NullOr(Instant) }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(OpenApi.Summary, "Deliver again all occurrences since a time: the same ids and bodies")
      .annotate(
        OpenApi.Description,
        "Takes what this endpoint was sent, or missed while it was disabled, in its order; what is still to be sent stays as it is. At most a thousand at once: call again with `nextSince`.",
      )
      .annotate(Example, { request: { since: T0 }, response: { deliveries: 12, nextSince: null } }),
    HttpApiEndpoint.get("listWebhookDeliveries", "/v1/webhooks/:id/deliveries", {
      params: PathId,
      query: {
        ...PageQuery,
        status: Schema.optionalKey(DeliveryStatus).annotateKey({
          description: "Only deliveries in this state.",
          examples: ["skipped"],
        }),
      },
      success: pageOf("deliveries", Delivery),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "webhook")
      .annotate(OpenApi.Summary, "Deliveries of the last thirty days, newest first")
      .annotate(OpenApi.Description, "With the number of tries and the last outcome.")
      .annotate(Example, { response: examplePage("deliveries", delivery) }),
    HttpApiEndpoint.get("getWebhookDelivery", "/v1/webhook-deliveries/:id", {
      params: PathId,
      success: DeliveryWithAttempts,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "webhookDelivery")
      .annotate(OpenApi.Summary, "A delivery with its attempts")
      .annotate(
        OpenApi.Description,
        "The body as it was sent, and each attempt with its time, duration and outcome. Nothing else of your server's answer is kept. The body of an `audit.created` is for those who may read the audit log, and null for others.",
      )
      .annotate(Example, {
        response: {
          ...delivery,
          body: WEBHOOK_EXAMPLES["event.started"],
          attempts: [
            {
              number: 1,
              startedAt: T0,
              durationMs: 84,
              outcome: "delivered",
              statusCode: 204,
              error: null,
              nextAttemptAt: null,
            },
          ],
        },
      }),
    HttpApiEndpoint.post("redeliverWebhookDelivery", "/v1/webhook-deliveries/:id/redeliver", {
      params: PathId,
      success: created(Delivery),
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "webhookDelivery")
      .annotate(OpenApi.Summary, "Deliver the same occurrence once more: the same id and body")
      .annotate(OpenApi.Description, "Receivers that keep the ids that they have handled do nothing twice.")
      .annotate(Example, { response: { ...delivery, status: "pending", finishedAt: null } }),
  )
  .add(
    HttpApiEndpoint.get("listOccurrences", "/v1/occurrences", {
      query: {
        after: Schema.optionalKey(
          Schema.String.check(Schema.isMaxLength(100)).annotate({
            description:
              "The `nextCursor` of the answer before, or `end` for what happens from now on; absent for the oldest occurrence.",
          }),
        ),
        limit: PageQuery.limit,
        wait: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MOST_WAIT_SECONDS })).annotate({
            description: "The seconds for which the answer waits when there is nothing new.",
            default: 0,
            examples: [25],
          }),
        ),
      },
      success: Schema.Struct({
        occurrences: Schema.Array(SentBody),
        nextCursor: Schema.String,
        hasMore: Schema.Boolean,
        completeSince: Instant,
      }),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(LongPoll, MOST_WAIT_SECONDS * 1_000)
      .annotate(OpenApi.Summary, "Occurrences, for a program that cannot receive webhooks")
      .annotate(
        OpenApi.Description,
        "The bodies of all webhook types but `audit.created`, the oldest first, for thirty days. They are kept from the first call on: `completeSince` says since when none is missing. Call again with `nextCursor` as `after`; with `wait` the answer comes as soon as there is something new. A feed that nobody reads for thirty days ends.",
      )
      .annotate(Example, {
        response: {
          occurrences: [WEBHOOK_EXAMPLES["event.started"]],
          nextCursor: "MTIw",
          hasMore: false,
          completeSince: T0,
        },
      }),
  )
  .annotateEndpoints(WriteScope, "webhooks")
  .annotate(OpenApi.Description, "Signed notifications to your servers.")
