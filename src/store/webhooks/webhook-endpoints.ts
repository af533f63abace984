/** Webhook endpoints of a workspace; the signing secret is stored sealed, and only the signer reads it. */

import type { WebhookEventType } from "../../model/integrations/webhook-types.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { lockWorkspace } from "../accounts/credentials.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

export const MAX_ENDPOINTS_PER_WORKSPACE = 20

/** Period of uninterrupted failures after which an endpoint is disabled. */
const DISABLED_AFTER = "5 days"
/** Failures further apart are separate series: longer than the longest wait between two attempts of one delivery. */
export const FAILURES_APART = "2 days"
/** Time for which a replaced secret still signs. */
const SECRET_OVERLAP = "24 hours"

const COLUMNS =
  "id, url, event_id, event_types, header_names, status, disabled_reason, created_at, last_success_at, last_failure_at"

/**
 * `manual` means that a member or a key disabled it, `failing` that all its answers for five days were failures, and `gone` that it
 * answered 410.
 */
type DisabledReason = "manual" | "failing" | "gone"

export interface WebhookEndpointRow {
  readonly id: string
  readonly url: string
  /** Event whose occurrences the endpoint receives; null for all events and what belongs to none. */
  readonly eventId: string | null
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  /** Names of the headers that the owner adds, in lower case. */
  readonly headerNames: ReadonlyArray<string>
  readonly status: "active" | "disabled"
  readonly disabledReason: DisabledReason | null
  readonly createdAt: Timestamp
  readonly lastSuccessAt: Timestamp | null
  readonly lastFailureAt: Timestamp | null
}

/** Headers of an endpoint's owner; `sealed` is null for none. */
export interface SealedHeaders {
  readonly names: ReadonlyArray<string>
  readonly sealed: Uint8Array | null
}

/** Inserts an endpoint; `undefined` when the workspace has reached the maximum number of endpoints. Run it in a transaction. */
export const insertWebhookEndpoint = async (
  sql: Queryable,
  endpoint: {
    id: string
    workspaceId: string
    url: string
    eventId?: string | null
    eventTypes: ReadonlyArray<WebhookEventType>
    secretSealed: Uint8Array
    headers?: SealedHeaders
    /** Null for a member. */
    createdByKeyId: string | null
  },
): Promise<WebhookEndpointRow | undefined> => {
  await lockWorkspace(sql, endpoint.workspaceId)
  const [row] = await sql<WebhookEndpointRow[]>`
    insert into webhook_endpoints (id, workspace_id, url, event_id, event_types, secret_sealed, header_names, headers_sealed, created_by_key_id)
    select ${endpoint.id}, ${endpoint.workspaceId}, ${endpoint.url}, ${endpoint.eventId ?? null}::uuid, ${[...endpoint.eventTypes]}::text[],
           ${endpoint.secretSealed}, ${[...(endpoint.headers?.names ?? [])]}::text[], ${endpoint.headers?.sealed ?? null},
           ${endpoint.createdByKeyId}
     where (select count(*) from webhook_endpoints where workspace_id = ${endpoint.workspaceId}) < ${MAX_ENDPOINTS_PER_WORKSPACE}
    returning ${sql.unsafe(COLUMNS)}`
  return row
}

export const pageWebhookEndpoints = async (
  sql: Queryable,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<WebhookEndpointRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<WebhookEndpointRow[]>`
    select ${sql.unsafe(COLUMNS)}
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

/**
 * Types that the endpoint receives: those that it names, and that of the audit log while one of its deliveries may still be sent. Locks the
 * endpoint; run it in a transaction. `undefined` when there is no such endpoint.
 */
export const findReceivedTypes = async (sql: Queryable, id: string): Promise<ReadonlyArray<string> | undefined> => {
  const [row] = await sql<{ types: string[] }[]>`
    select e.event_types || array(select distinct m.type from webhook_deliveries d join outbox_messages m on m.id = d.message_id
                                   where d.endpoint_id = e.id and d.status = 'pending' and m.type = 'audit.created') as types
      from webhook_endpoints e where e.id = ${id} for no key update of e`
  return row?.types
}

/** Deletes the endpoint and, by the foreign key, all its deliveries. */
export const deleteWebhookEndpoint = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from webhook_endpoints where id = ${id}`
}

export interface WebhookEndpointChange {
  readonly url?: string
  readonly eventTypes?: ReadonlyArray<WebhookEventType>
  readonly headers?: SealedHeaders
  readonly status?: "active" | "disabled"
}

/**
 * Changes the given fields. A new address without headers removes the present ones, whose values were meant for the first receiver. A new
 * address or status starts the count of failures anew. `keyId` is the key that makes the change, null for a member: whoever sets a new
 * address counts as the endpoint's maker, so the endpoint ends with what a key made.
 */
export const updateWebhookEndpoint = async (
  sql: Queryable,
  id: string,
  change: WebhookEndpointChange,
  keyId: string | null = null,
): Promise<WebhookEndpointRow | undefined> => {
  const { url = null, eventTypes, headers, status = null } = change
  const types = eventTypes === undefined ? null : [...eventTypes]
  const [row] = await sql<WebhookEndpointRow[]>`
    update webhook_endpoints
       set url = coalesce(${url}, url), event_types = coalesce(${types}::text[], event_types),
           header_names = case when ${headers !== undefined}::boolean then ${[...(headers?.names ?? [])]}::text[]
                               when coalesce(${url}, url) = url then header_names else '{}' end,
           headers_sealed = case when ${headers !== undefined}::boolean then ${headers?.sealed ?? null}::bytea
                                 when coalesce(${url}, url) = url then headers_sealed end,
           status = coalesce(${status}, status),
           disabled_reason = case coalesce(${status}, status) when 'disabled' then coalesce(disabled_reason, 'manual') end,
           failing_since = case when coalesce(${url}, url) = url and coalesce(${status}, status) = status
                                then failing_since end,
           created_by_key_id = case when coalesce(${url}, url) = url then created_by_key_id else ${keyId}::uuid end,
           is_untold = is_untold and coalesce(${status}, status) = 'disabled'
     where id = ${id} returning ${sql.unsafe(COLUMNS)}`
  return row
}

/** The current secret still signs for a day; one that was already being replaced stops at once. */
export const replaceSecret = async (
  sql: Queryable,
  id: string,
  secretSealed: Uint8Array,
): Promise<(WebhookEndpointRow & { readonly previousSecretUntil: Timestamp }) | undefined> => {
  const [row] = await sql<(WebhookEndpointRow & { previousSecretUntil: Timestamp })[]>`
    update webhook_endpoints
       set previous_secret_sealed = secret_sealed, previous_secret_until = now() + ${SECRET_OVERLAP}::interval,
           secret_sealed = ${secretSealed}
     where id = ${id} returning ${sql.unsafe(COLUMNS)}, previous_secret_until`
  return row
}

/** Deletes endpoints of deleted events that have nothing left to send. */
export const deleteEndpointsOfDeletedEvents = async (sql: Queryable): Promise<void> => {
  await sql`
    delete from webhook_endpoints e
     where e.event_id is not null and not exists (select from events where id = e.event_id)
       and not exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'pending')`
}

/** Removes replaced secrets that no longer sign. */
export const forgetLapsedSecrets = async (sql: Queryable): Promise<void> => {
  await sql`
    update webhook_endpoints set previous_secret_sealed = null, previous_secret_until = null
     where previous_secret_until <= now()`
}

/** Disables endpoints that had only failures for five days; resolves to them. */
export const disableFailing = async (
  sql: Queryable,
): Promise<ReadonlyArray<{ readonly id: string; readonly workspaceId: string }>> => sql<
  { id: string; workspaceId: string }[]
>`
  update webhook_endpoints set status = 'disabled', disabled_reason = 'failing', is_untold = true
   where status = 'active' and last_failure_at - failing_since >= ${DISABLED_AFTER}::interval
  returning id, workspace_id`

interface UntoldEndpoint {
  readonly id: string
  readonly workspaceId: string
  readonly workspace: string
  readonly url: string
  readonly disabledReason: DisabledReason
  /** Whether the owners got no email about the endpoint in the last hour. */
  readonly isEmailDue: boolean
}

/** Claims an endpoint disabled by this server about which nobody was notified yet. Run it in the transaction that notifies. */
export const claimUntold = async (sql: Queryable): Promise<UntoldEndpoint | undefined> => {
  const [row] = await sql<UntoldEndpoint[]>`
    with untold as (
      select e.id, e.told_at from webhook_endpoints e where e.is_untold limit 1 for update skip locked
    ), told as (
      update webhook_endpoints e
         set is_untold = false, told_at = case when e.told_at > now() - interval '1 hour' then e.told_at else now() end
        from untold where e.id = untold.id returning e.*
    )
    select t.id, t.workspace_id, w.name as workspace, t.url, t.disabled_reason,
           t.told_at is distinct from u.told_at as is_email_due
      from told t join untold u on u.id = t.id join workspaces w on w.id = t.workspace_id`
  return row
}
