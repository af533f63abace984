/** Deliveries as shown to their workspace: pages of an endpoint's deliveries, and one with all its attempts. */

import type { Schema } from "effect"
import { type Attempt, type AttemptError, DeliveryStatus } from "../../model/integrations/webhook-delivery.ts"
import type { DeliveredType } from "../../model/integrations/webhook-types.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

interface WebhookDeliveryRow {
  readonly id: string
  readonly webhookId: string
  /** The body's `id`: the same for every endpoint, attempt and repetition. */
  readonly occurrenceId: string
  readonly type: typeof DeliveredType.Type
  /** Null for a ping, which belongs to no event. */
  readonly eventId: string | null
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly lastStatusCode: number | null
  readonly lastError: AttemptError | null
  /** `null` while an attempt is in flight, and after the last one. */
  readonly nextAttemptAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly finishedAt: Timestamp | null
}

const COLUMNS = `d.id, d.endpoint_id as webhook_id, d.message_id as occurrence_id, m.type, m.event_id, d.status,
  d.attempts as attempt_count, d.last_status as last_status_code, d.history -> -1 ->> 'error' as last_error,
  case when d.status = 'pending' and d.claimed_by is null
       then case when d.attempts > 0 then d.next_attempt_at else d.created_at end end as next_attempt_at,
  d.created_at, d.finished_at`

/** Newest first. Each status is read through its own range of the index, so that a rare one is found as fast as a frequent one. */
export const pageWebhookDeliveries = async (
  sql: Queryable,
  of: { readonly webhookId: string; readonly status?: DeliveryStatus | undefined },
  page: PageRequest,
): Promise<Page<WebhookDeliveryRow>> => {
  const after = page.after ?? FIRST_PAGE
  const statuses = of.status === undefined ? DeliveryStatus.literals : [of.status]
  const rows = await sql<WebhookDeliveryRow[]>`
    select ${sql.unsafe(COLUMNS)} from unnest(${[...statuses]}::text[]) as wanted(status)
     cross join lateral (
       select * from webhook_deliveries d where d.endpoint_id = ${of.webhookId} and d.status = wanted.status
          and d.created_at <= ${after.createdAt} and (d.created_at, d.id) < (${after.createdAt}, ${after.id})
        order by d.created_at desc, d.id desc limit ${page.limit + 1}) d
      join outbox_messages m on m.id = d.message_id
     order by d.created_at desc, d.id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

interface NumberedAttempt extends Attempt {
  /** Number of the attempt: 1, 2, 3 … */
  readonly number: number
  /** Time at which the next attempt began or will begin. */
  readonly nextAttemptAt: Timestamp | null
}

export interface WebhookDeliveryWithAttempts extends WebhookDeliveryRow {
  readonly body: { readonly [field: string]: Schema.Json }
  readonly attempts: ReadonlyArray<NumberedAttempt>
}

export const findWebhookDelivery = async (
  sql: Queryable,
  id: string,
): Promise<WebhookDeliveryWithAttempts | undefined> => {
  const [row] = await sql<(WebhookDeliveryRow & { body: string; history: ReadonlyArray<Attempt> })[]>`
    select ${sql.unsafe(COLUMNS)}, m.body, d.history
      from webhook_deliveries d join outbox_messages m on m.id = d.message_id where d.id = ${id}`
  if (row === undefined) return undefined
  const { history, body, ...delivery } = row
  const attempts = history.map((attempt, index) => ({
    number: index + 1,
    ...attempt,
    nextAttemptAt: history[index + 1]?.startedAt ?? delivery.nextAttemptAt,
  }))
  return { ...delivery, body: JSON.parse(body), attempts }
}

export const findWebhookDeliveryOwner = async (
  sql: Queryable,
  id: string,
): Promise<{ readonly workspaceId: string } | undefined> => {
  const [row] = await sql<{ workspaceId: string }[]>`
    select e.workspace_id from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id where d.id = ${id}`
  return row
}
