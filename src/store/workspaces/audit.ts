/** The audit log of a workspace: added to, paged, never changed. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

export type ActorKind = "account" | "key" | "session"

export interface AuditRow {
  readonly id: string
  readonly action: string
  readonly actorKind: ActorKind
  readonly actorId: string
  readonly targetId: string | null
  readonly requestId: string
  readonly createdAt: Timestamp
}

/** For a workspace that was deleted meanwhile, no entry is written. */
export const insertAuditEntry = async (
  sql: Queryable,
  entry: Omit<AuditRow, "createdAt"> & { readonly workspaceId: string },
): Promise<void> => {
  await sql`
    insert into audit_entries (id, workspace_id, action, actor_kind, actor_id, target_id, request_id)
    select ${entry.id}, id, ${entry.action}, ${entry.actorKind}, ${entry.actorId}, ${entry.targetId}, ${entry.requestId}
      from workspaces where id = ${entry.workspaceId}`
}

/** Several entries at once. */
export const insertAuditEntries = async (
  sql: Queryable,
  entries: ReadonlyArray<Omit<AuditRow, "createdAt"> & { readonly workspaceId: string }>,
): Promise<void> => {
  const rows = entries.map(({ id, workspaceId, action, actorKind, actorId, targetId, requestId }) => ({
    id,
    workspace_id: workspaceId,
    action,
    actor_kind: actorKind,
    actor_id: actorId,
    target_id: targetId,
    request_id: requestId,
  }))
  await sql`
    insert into audit_entries (id, workspace_id, action, actor_kind, actor_id, target_id, request_id)
    select * from jsonb_to_recordset(${sql.json(rows)})
      as e(id uuid, workspace_id uuid, action text, actor_kind text, actor_id uuid, target_id text, request_id text)`
}

export const pageAudit = async (sql: Queryable, workspaceId: string, page: PageRequest): Promise<Page<AuditRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<AuditRow[]>`
    select id, action, actor_kind, actor_id, target_id, request_id, created_at from audit_entries
     where workspace_id = ${workspaceId} and (created_at, id) < (${after.createdAt}, ${after.id})
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}
