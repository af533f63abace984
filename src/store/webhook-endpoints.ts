/** Webhook endpoints of a workspace; the signing secret is stored sealed and leaves only towards the signer. */
import type { Timestamp } from "../model/timestamp.ts"
import type { WebhookEventType } from "../model/webhook-events.ts"
import type { Queryable } from "./database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "./page.ts"

export const MAX_ENDPOINTS_PER_WORKSPACE = 20

export interface WebhookEndpointRow {
  readonly id: string
  readonly url: string
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  readonly status: "active" | "disabled"
  readonly disabledReason: string | null
  readonly createdAt: Timestamp
  readonly lastSuccessAt: Timestamp | null
  readonly lastFailureAt: Timestamp | null
}

/** Inserts an endpoint unless the workspace has its fill; `undefined` then. Run it in a transaction. */
export const insertWebhookEndpoint = async (
  sql: Queryable,
  endpoint: {
    id: string
    workspaceId: string
    url: string
    eventTypes: ReadonlyArray<WebhookEventType>
    secretSealed: Uint8Array
  },
): Promise<WebhookEndpointRow | undefined> => {
  await sql`select 1 from workspaces where id = ${endpoint.workspaceId} for no key update`
  const [row] = await sql<WebhookEndpointRow[]>`
    insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed)
    select ${endpoint.id}, ${endpoint.workspaceId}, ${endpoint.url}, ${sql.array([...endpoint.eventTypes])},
           ${endpoint.secretSealed}
     where (select count(*) from webhook_endpoints where workspace_id = ${endpoint.workspaceId}) < ${MAX_ENDPOINTS_PER_WORKSPACE}
    returning id, url, event_types, status, disabled_reason, created_at, last_success_at, last_failure_at`
  return row
}

export const pageWebhookEndpoints = async (
  sql: Queryable,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<WebhookEndpointRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<WebhookEndpointRow[]>`
    select id, url, event_types, status, disabled_reason, created_at, last_success_at, last_failure_at
      from webhook_endpoints where workspace_id = ${workspaceId} and (created_at, id) < (${after.createdAt}, ${after.id})
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

export const findWebhookEndpointOwner = async (
  sql: Queryable,
  id: string,
): Promise<{ readonly workspaceId: string } | undefined> => {
  const [row] = await sql<{ workspaceId: string }[]>`select workspace_id from webhook_endpoints where id = ${id}`
  return row
}

/** Deletes the endpoint and, by the foreign key, every pending try with it. */
export const deleteWebhookEndpoint = async (sql: Queryable, id: string): Promise<boolean> => {
  const rows = await sql`delete from webhook_endpoints where id = ${id} returning id`
  return rows.length > 0
}
