/** Addresses of a workspace that take no emails. */
import { newId } from "../../model/ids.ts"
import { storedForms } from "../../model/text/email.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

interface BounceRow {
  readonly id: string
  readonly email: string
  readonly reason: string | null
  readonly reports: number
  readonly createdAt: Timestamp
  readonly lastAt: Timestamp
}

const COLUMNS = "id, email, reason, reports, created_at, last_at"

/**
 * Marks a folded address, or counts one more report. `undefined` for an address that the workspace does not know: it has no registration,
 * invite or user with it.
 */
export const putBounce = async (
  sql: Queryable,
  workspaceId: string,
  { email, reason }: { readonly email: string; readonly reason: string | null },
): Promise<BounceRow | undefined> => {
  const [row] = await sql<BounceRow[]>`
    insert into email_bounces as b (id, workspace_id, email, reason)
    select ${newId()}, ${workspaceId}, ${email}, ${reason}
     where exists (select from email_bounces where workspace_id = ${workspaceId} and email = ${email})
        or exists (select from events e join registrations r on r.event_id = e.id
                    where e.workspace_id = ${workspaceId} and r.email = ${email})
        or exists (select from invites where workspace_id = ${workspaceId} and email = ${email})
        or exists (select from users
                    where workspace_id = ${workspaceId} and lower(email) = ${email} and account_id is null)
        or exists (select from users
                    where workspace_id = ${workspaceId} and lower(email) = ${email} and account_id is not null)
    on conflict (workspace_id, email) do update
       set reports = b.reports + 1, reason = coalesce(excluded.reason, b.reason), last_at = clock_timestamp()
    returning ${sql.unsafe(COLUMNS)}`
  return row
}

/** The id of the mark that was taken back. */
export const deleteBounce = async (sql: Queryable, workspaceId: string, email: string): Promise<string | undefined> => {
  const [row] = await sql<{ id: string }[]>`
    delete from email_bounces where workspace_id = ${workspaceId} and email = ${email} returning id`
  return row?.id
}

export const pageBounces = async (sql: Queryable, workspaceId: string, page: PageRequest): Promise<Page<BounceRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<BounceRow[]>`
    select ${sql.unsafe(COLUMNS)} from email_bounces
     where workspace_id = ${workspaceId} and (created_at, id) < (${after.createdAt}, ${after.id})
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** The marked addresses among these folded ones. */
export const listBounced = async (
  sql: Queryable,
  workspaceId: string,
  emails: ReadonlyArray<string>,
): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ email: string }[]>`
    select email from email_bounces where workspace_id = ${workspaceId} and email = any (${[...emails]}::text[])`
  return new Set(rows.map(({ email }) => email))
}

export const isBounced = async (sql: Queryable, workspaceId: string, email: string): Promise<boolean> =>
  (await listBounced(sql, workspaceId, [email])).has(email)

/** Takes back what was stored of an address, for a person who is erased. Resolves to the number of marks. */
export const forgetBounces = async (sql: Queryable, workspaceId: string, email: string): Promise<number> => {
  const { count } = await sql`
    delete from email_bounces where workspace_id = ${workspaceId} and email = any (${storedForms(email)}::text[])`
  return count
}
