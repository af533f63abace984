/** The audit log of a workspace: appended to and paged, never changed. */
import { newId } from "../../model/ids.ts"
import type { Occurrence } from "../../model/integrations/occurrences.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"
import { appendOccurrences } from "../webhooks/outbox.ts"

export type ActorKind = "account" | "key" | "session"

export interface AuditRow {
  readonly id: string
  readonly action: string
  readonly actorKind: ActorKind
  readonly actorId: string
  readonly targetId: string | null
  readonly requestId: string
  readonly createdAt: Timestamp
  /** Client address of the request; null when it is unknown or was erased with the person. */
  readonly address: string | null
  /** Client program, by its own description. */
  readonly client: string | null
}

type Origin = Pick<AuditRow, "address" | "client">
export type NewAuditEntry = Omit<AuditRow, "id" | "createdAt" | keyof Origin> &
  Partial<Origin> & { readonly workspaceId: string }

/** Maximum number of entries per actor and object in the preceding period, for acts that callers may repeat without end. */
const MOST: { readonly [action: string]: { readonly entries: number; readonly within: string } } = {
  "sign_in.failed": { entries: 20, within: "1 hour" },
  "connection.failed": { entries: 5, within: "1 hour" },
  "personal_data.read": { entries: 1, within: "1 hour" },
}

type Written = AuditRow & { readonly workspaceId: string }

const occurrenceOf = ({ id, workspaceId, createdAt, actorKind, actorId, ...entry }: Written): Occurrence => ({
  id: newId(),
  type: "audit.created",
  workspaceId,
  eventId: null,
  occurredAt: createdAt,
  extra: { entryId: id, ...entry, actor: { kind: actorKind, id: actorId } },
})

/**
 * Writes entries, and the webhook event of each; run it in a transaction. Nothing is written for a workspace deleted meanwhile. Resolves to
 * the number of deliveries.
 */
export const insertAuditEntries = async (sql: Queryable, entries: ReadonlyArray<NewAuditEntry>): Promise<number> => {
  const rows = entries.map((entry) => ({
    id: newId(),
    workspace_id: entry.workspaceId,
    action: entry.action,
    actor_kind: entry.actorKind,
    actor_id: entry.actorId,
    target_id: entry.targetId,
    request_id: entry.requestId,
    address: entry.address ?? null,
    client: entry.client ?? null,
    most: MOST[entry.action]?.entries ?? null,
    within: MOST[entry.action]?.within ?? null,
  }))
  const written = await sql<Written[]>`
    with given as (
      select g.* from (
        select *, row_number() over (partition by actor_id, workspace_id, action, target_id) as nth
          from jsonb_to_recordset(${sql.json(rows)}) as r(
            id uuid, workspace_id uuid, action text, actor_kind text, actor_id uuid, target_id text, request_id text,
            address text, client text, most integer, within interval)
        ) g join workspaces w on w.id = g.workspace_id
       where g.most is null or g.most >= g.nth + (
         select count(*) from audit_entries e
          where e.actor_id = g.actor_id and e.workspace_id = g.workspace_id and e.action = g.action
            and e.target_id is not distinct from g.target_id and e.created_at > now() - g.within)
    ), entry as (
      insert into audit_entries (id, workspace_id, action, actor_kind, actor_id, target_id, request_id)
      select id, workspace_id, action, actor_kind, actor_id, target_id, request_id from given returning id, created_at
    ), origin as (
      insert into audit_origins (entry_id, address, client) select id, address, client from given where address is not null or client is not null
    )
    select g.id, g.workspace_id, g.action, g.actor_kind, g.actor_id, g.target_id, g.request_id, g.address, g.client, e.created_at
      from given g join entry e using (id)`
  return appendOccurrences(sql, written.map(occurrenceOf))
}

interface AuditFilter {
  readonly action?: string
  readonly actorId?: string
  readonly targetId?: string
  /** Bounds of the time: from `from`, inclusive, to `to`, exclusive. */
  readonly from?: Timestamp
  readonly to?: Timestamp
}

export const pageAudit = async (
  sql: Queryable,
  workspaceId: string,
  page: PageRequest,
  filter: AuditFilter = {},
): Promise<Page<AuditRow>> => {
  const after = page.after ?? FIRST_PAGE
  const { action = null, actorId = null, targetId = null, from = null, to = null } = filter
  const rows = await sql<AuditRow[]>`
    select e.id, e.action, e.actor_kind, e.actor_id, e.target_id, e.request_id, e.created_at, o.address, o.client
      from audit_entries e left join audit_origins o on o.entry_id = e.id
     where e.workspace_id = ${workspaceId} and (e.created_at, e.id) < (${after.createdAt}, ${after.id})
       ${action === null ? sql`` : sql`and e.action = ${action}`}
       ${actorId === null ? sql`` : sql`and e.actor_id = ${actorId}::uuid`}
       ${targetId === null ? sql`` : sql`and e.target_id = ${targetId}`}
       ${from === null ? sql`` : sql`and e.created_at >= ${from}`}
       ${to === null ? sql`` : sql`and e.created_at < ${to}`}
     order by e.created_at desc, e.id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** Workspaces of which the account is a member, and which are notified of its failed sign-ins. */
export const listWorkspacesOf = async (sql: Queryable, accountId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select workspace_id as id from workspace_members where account_id = ${accountId}`
  return rows.map(({ id }) => id)
}

/** Deletes the origins of a person's acts; the acts stay. */
export const forgetOrigins = async (sql: Queryable, actorId: string): Promise<void> => {
  await sql`delete from audit_origins o using audit_entries e where e.id = o.entry_id and e.actor_id = ${actorId}`
}
