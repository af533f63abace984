/**
 * The outbox: webhook events stored by the transaction that caused them, so that a rollback sends nothing and a crash after the commit
 * loses nothing. Actors write here and the dispatcher reads; they have no other connection. Pings and repeated deliveries use it too, so
 * all deliveries are sent in the same way.
 */
import { Context, Layer } from "effect"
import { newId } from "../../model/ids.ts"
import { encodeOccurrence, encodePing, type Occurrence } from "../../model/integrations/occurrences.ts"
import type { WebhookEventType } from "../../model/integrations/webhook-types.ts"
import { Listeners } from "../../model/listeners.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

/** Webhook events in the form that `append_occurrences` takes; `n` keeps their order. */
export const occurrenceRows = (occurrences: ReadonlyArray<Occurrence>): ReadonlyArray<object> =>
  occurrences.map((occurrence, index) => ({
    n: index,
    id: occurrence.id,
    workspace_id: occurrence.workspaceId,
    event_id: occurrence.eventId,
    type: occurrence.type,
    body: encodeOccurrence(occurrence),
    occurred_at: occurrence.occurredAt,
  }))

/**
 * Whether any endpoint subscribes to one of these types, or the workspace reads its feed. A caller with many webhook events of unwanted
 * types need not append them.
 */
export const isWanted = async (
  sql: Queryable,
  workspaceId: string,
  types: ReadonlyArray<WebhookEventType>,
): Promise<boolean> => {
  const rows = await sql`
    select 1 from webhook_endpoints
     where workspace_id = ${workspaceId} and (event_types = '{}' or event_types && ${[...types]}::text[])
    union all select 1 from occurrence_feeds where workspace_id = ${workspaceId} limit 1`
  return rows.length > 0
}

/**
 * Stores each webhook event together with one delivery for every endpoint that wants its type, which is skipped when the
 * endpoint is disabled. A webhook event without a subscriber is stored only for a feed. Resolves to the number of deliveries to be sent.
 */
export const appendOccurrences = async (sql: Queryable, occurrences: ReadonlyArray<Occurrence>): Promise<number> => {
  const [row] = await sql<{ deliveries: number }[]>`
    select append_occurrences(${sql.json(occurrenceRows(occurrences))}) as deliveries`
  return row?.deliveries ?? 0
}

/** The result of appending one more delivery; `deliveryId` is null when the endpoint is disabled. */
export interface Appended {
  readonly deliveryId: string | null
}

/** Stores a ping for one endpoint, whatever types it wants. `undefined` when the endpoint was deleted. */
export const appendPing = async (
  sql: Queryable,
  endpoint: { readonly workspaceId: string; readonly webhookId: string },
  occurredAt: Timestamp,
): Promise<Appended | undefined> => {
  const id = newId()
  const body = encodePing({ id, ...endpoint, occurredAt })
  const [row] = await sql<Appended[]>`
    with endpoint as (
      select id, workspace_id, status from webhook_endpoints where id = ${endpoint.webhookId} for key share
    ), message as (
      insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
      select ${id}::uuid, workspace_id, null, 'ping', ${body}, ${occurredAt} from endpoint where status = 'active'
      returning id
    ), delivery as (
      insert into webhook_deliveries (id, message_id, endpoint_id, event_id)
      select new_id(), message.id, endpoint.id, endpoint.id from message, endpoint returning id
    )
    select delivery.id as delivery_id from endpoint left join delivery on true`
  return row
}

/** Stores another delivery of the same webhook event for the same endpoint. `undefined` when one of the two was deleted. */
export const appendRedelivery = async (sql: Queryable, deliveryId: string): Promise<Appended | undefined> => {
  const [row] = await sql<Appended[]>`
    with original as (
      select d.message_id, d.endpoint_id, d.event_id, e.status
        from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
        join outbox_messages m on m.id = d.message_id
       where d.id = ${deliveryId} for key share of e, m
    ), delivery as (
      insert into webhook_deliveries (id, message_id, endpoint_id, event_id)
      select new_id(), message_id, endpoint_id, event_id from original where status = 'active' returning id
    )
    select delivery.id as delivery_id from original left join delivery on true`
  return row
}

/** In-process signal after a commit that stored deliveries; the dispatcher wakes at once instead of at its next poll. */
export class OutboxSignal extends Context.Service<
  OutboxSignal,
  { readonly notify: () => void; readonly subscribe: (listener: () => void) => () => void }
>()("gathercue/OutboxSignal") {
  static readonly layer: Layer.Layer<OutboxSignal> = Layer.sync(OutboxSignal, () => new Listeners())
}
