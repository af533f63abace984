/** Webhook endpoints, their deliveries, and tools for diagnosing a failed delivery. */
import { Clock, Effect, type Schema } from "effect"
import { BadRequest, Conflict, NotFound, type Unavailable } from "../../../model/errors.ts"
import { type Timestamp, toTimestamp } from "../../../model/timestamp.ts"
import type { Credential } from "../../../store/accounts/credentials.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import {
  endOfFeed,
  type FeedPlace,
  hasUnplaced,
  keepOccurrences,
  type PlacedOccurrence,
  placeOccurrences,
  readOccurrences,
} from "../../../store/webhooks/occurrence-feeds.ts"
import { type Appended, appendPing, appendRedelivery, OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { type AppendedMany, appendExamples, appendReplay } from "../../../store/webhooks/repetitions.ts"
import {
  findWebhookDelivery,
  pageWebhookDeliveries,
  type WebhookDeliveryWithAttempts,
} from "../../../store/webhooks/webhook-delivery-log.ts"
import { pageWebhookEndpoints } from "../../../store/webhooks/webhook-endpoints.ts"
import { requireReader, WebhookRegistration } from "../../../store/webhooks/webhook-registration.ts"
import type { Webhooks } from "../../contract/workspaces/webhooks.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { LongPolls } from "../../requests/long-polls.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { webhookEventTypes } from "./webhook-event-types.ts"

const findDelivery = (sql: Queryable, id: string) =>
  Effect.gen(function* () {
    const delivery = yield* query(() => findWebhookDelivery(sql, id))
    return delivery ?? (yield* NotFound.of("delivery"))
  })

const DISABLED = "The webhook is disabled; set its status to active first."

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
          return yield* new Conflict({ detail: DISABLED })
        }
        return yield* findDelivery(sql, appended.deliveryId)
      }),
    )
    signal.notify()
    return new Reply(delivery, { status: 201, headers: [["location", `/v1/webhook-deliveries/${delivery.id}`]] })
  })

/** Stores deliveries of one endpoint, and wakes the dispatcher. */
const appendMany = <A extends AppendedMany>(append: (sql: Queryable, now: Timestamp) => Promise<A | undefined>) =>
  Effect.gen(function* () {
    const now = toTimestamp(yield* Clock.currentTimeMillis)
    const appended = yield* (yield* Database).transaction((sql) => query(() => append(sql, now)))
    if (appended === undefined) return yield* NotFound.of("webhook")
    const { isActive, ...answer } = appended
    if (!isActive) return yield* new Conflict({ detail: DISABLED })
    ;(yield* OutboxSignal).notify()
    return answer
  })

const mayReadAudit = (workspaceId: string, credential: Credential) =>
  Effect.gen(function* () {
    const reader = (yield* Database).run((sql) => requireReader(sql, workspaceId, credential, ["audit.created"]))
    return yield* reader.pipe(
      Effect.as(true),
      Effect.catchTag("Forbidden", () => Effect.succeed(false)),
    )
  })

const DEFAULT_OCCURRENCES = 100

const encodePlace = (place: FeedPlace): string => Buffer.from(String(place)).toString("base64url")

/** Names the end of the feed in place of a cursor. */
const END = "end"

const placeAfter = (cursor: string | undefined): FeedPlace | typeof END | undefined => {
  if (cursor === undefined) return 0
  if (cursor === END) return END
  const text = Buffer.from(cursor, "base64url").toString("utf8")
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined
}

export const webhooks = {
  createWebhook: {
    access: "workspace",
    handle: ({ payload: { url, eventId = null, eventTypes = [], headers = [] }, scope: { workspaceId, credential } }) =>
      Effect.flatMap(WebhookRegistration, ({ create }) =>
        create({ workspaceId, url, eventId, eventTypes, headers, credential }),
      ).pipe(Effect.map(({ endpoint, secret }) => ({ ...endpoint, secret }))),
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
  sendWebhookExamples: {
    access: "webhook",
    handle: ({ scope }) => appendMany((sql, now) => appendExamples(sql, scope, now)),
  },
  replayWebhook: {
    access: "webhook",
    handle: ({ payload: { since }, scope: { webhookId, workspaceId, credential } }) =>
      Effect.gen(function* () {
        const readsAudit = yield* mayReadAudit(workspaceId, credential)
        return yield* appendMany((sql) => appendReplay(sql, webhookId, since, readsAudit))
      }),
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
        const isShown = delivery.type !== "audit.created" || (yield* mayReadAudit(workspaceId, credential))
        return { ...delivery, body: isShown ? delivery.body : null }
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
  listOccurrences: {
    access: "workspace",
    handle: ({ query: { after, limit = DEFAULT_OCCURRENCES, wait = 0 }, scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const longPolls = yield* LongPolls
        const given = placeAfter(after)
        if (given === undefined) return yield* BadRequest.ofParameter("after", "not one that an answer of ours gave")
        const completeSince = yield* database.run((sql) => keepOccurrences(sql, workspaceId))
        const isUnplaced = database.run((sql) => hasUnplaced(sql, workspaceId))
        const placeSome = database.transaction((sql) => query(() => placeOccurrences(sql, workspaceId)))
        // Earlier occurrences get their places first: places grow.
        if (given === END) while (yield* isUnplaced) yield* placeSome
        const place = given === END ? yield* database.run((sql) => endOfFeed(sql, workspaceId)) : given
        const look = Effect.gen(function* () {
          if (yield* isUnplaced) yield* placeSome
          const found = yield* database.run((sql) => readOccurrences(sql, workspaceId, place, limit + 1))
          return found.length === 0 ? undefined : found
        })
        const found: ReadonlyArray<PlacedOccurrence> = (yield* longPolls.until(look, wait * 1_000)) ?? []
        const shown = found.slice(0, limit)
        return {
          occurrences: shown.map(({ body }): { readonly [field: string]: Schema.Json } => JSON.parse(body)),
          nextCursor: encodePlace(shown.at(-1)?.place ?? place),
          hasMore: found.length > limit,
          completeSince,
        }
      }),
  },
} satisfies Handlers<typeof Webhooks>
