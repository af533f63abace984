/** Webhook endpoints, their deliveries, and tools for diagnosing a failed delivery. */
import { Clock, Effect } from "effect"
import { Conflict, NotFound, type Unavailable } from "../../../model/errors.ts"
import { type Timestamp, toTimestamp } from "../../../model/timestamp.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { type Appended, appendPing, appendRedelivery, OutboxSignal } from "../../../store/webhooks/outbox.ts"
import {
  findWebhookDelivery,
  pageWebhookDeliveries,
  type WebhookDeliveryWithAttempts,
} from "../../../store/webhooks/webhook-delivery-log.ts"
import { pageWebhookEndpoints } from "../../../store/webhooks/webhook-endpoints.ts"
import { requireReader, WebhookRegistration } from "../../../store/webhooks/webhook-registration.ts"
import type { Webhooks } from "../../contract/workspaces/webhooks.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { webhookEventTypes } from "./webhook-event-types.ts"

const findDelivery = (sql: Queryable, id: string) =>
  Effect.gen(function* () {
    const delivery = yield* query(() => findWebhookDelivery(sql, id))
    return delivery ?? (yield* NotFound.of("delivery"))
  })

/** Stores a delivery, wakes the dispatcher, and answers with the delivery. `what` names the missing object when nothing was stored. */
const deliver = (
  append: (sql: Queryable, now: Timestamp) => Promise<Appended | undefined>,
  what: string,
): Effect.Effect<Reply<WebhookDeliveryWithAttempts>, NotFound | Conflict | Unavailable, Database | OutboxSignal> =>
  Effect.gen(function* () {
    const database = yield* Database
    const signal = yield* OutboxSignal
    const now = toTimestamp(yield* Clock.currentTimeMillis)
    const delivery = yield* database.transaction((sql) =>
      Effect.gen(function* () {
        const appended = yield* query(() => append(sql, now))
        if (appended === undefined) return yield* NotFound.of(what)
        if (appended.deliveryId === null) {
          return yield* new Conflict({ detail: "The webhook is disabled; set its status to active first." })
        }
        return yield* findDelivery(sql, appended.deliveryId)
      }),
    )
    signal.notify()
    return new Reply(delivery, { status: 201, headers: [["location", `/v1/webhook-deliveries/${delivery.id}`]] })
  })

export const webhooks = {
  createWebhook: {
    access: "workspace",
    handle: ({ payload: { url, eventTypes = [] }, scope: { workspaceId, credential } }) =>
      Effect.flatMap(WebhookRegistration, ({ create }) => create({ workspaceId, url, eventTypes, credential })).pipe(
        Effect.map(({ endpoint, secret }) => ({ ...endpoint, secret })),
      ),
  },
  listWebhooks: {
    access: "workspace",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageWebhookEndpoints(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { webhooks: page.rows, nextCursor: page.nextCursor })
      }),
  },
  listWebhookEventTypes: {
    access: "public",
    handle: () => Effect.sync(() => ({ eventTypes: webhookEventTypes() })),
  },
  patchWebhook: {
    access: "webhook",
    handle: ({ payload, scope: { webhookId, workspaceId, credential } }) =>
      Effect.flatMap(WebhookRegistration, ({ change }) => change({ id: webhookId, workspaceId, credential }, payload)),
  },
  deleteWebhook: {
    access: "webhook",
    handle: ({ scope: { webhookId, workspaceId, credential } }) =>
      Effect.flatMap(WebhookRegistration, ({ remove }) => remove({ id: webhookId, workspaceId, credential })),
  },
  rotateWebhookSecret: {
    access: "webhook",
    handle: ({ scope: { webhookId, workspaceId, credential } }) =>
      Effect.flatMap(WebhookRegistration, ({ rotateSecret }) =>
        rotateSecret({ id: webhookId, workspaceId, credential }),
      ).pipe(Effect.map(({ endpoint, ...secrets }) => ({ ...endpoint, ...secrets }))),
  },
  pingWebhook: {
    access: "webhook",
    handle: ({ scope }) => deliver((sql, now) => appendPing(sql, scope, now), "webhook"),
  },
  listWebhookDeliveries: {
    access: "webhook",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const of = { webhookId: call.scope.webhookId, status: call.query.status }
        const page = yield* (yield* Database).run((sql) => pageWebhookDeliveries(sql, of, request))
        return pageReply(call, page, { deliveries: page.rows, nextCursor: page.nextCursor })
      }),
  },
  getWebhookDelivery: {
    access: "webhookDelivery",
    handle: ({ scope: { deliveryId, workspaceId, credential } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const delivery = yield* database.run((sql) => findDelivery(sql, deliveryId))
        const mayRead = database.run((sql) => requireReader(sql, workspaceId, credential, [delivery.type]))
        const body = yield* mayRead.pipe(
          Effect.as(delivery.body),
          Effect.catchTag("Forbidden", () => Effect.succeed(null)),
        )
        return { ...delivery, body }
      }),
  },
  redeliverWebhookDelivery: {
    access: "webhookDelivery",
    handle: ({ scope: { deliveryId, workspaceId, credential } }) =>
      Effect.gen(function* () {
        const { type } = yield* (yield* Database).run((sql) => findDelivery(sql, deliveryId))
        yield* (yield* Database).run((sql) => requireReader(sql, workspaceId, credential, [type]))
        return yield* deliver((sql) => appendRedelivery(sql, deliveryId), "delivery")
      }),
  },
} satisfies Handlers<typeof Webhooks>
