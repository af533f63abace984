/** Emails to addresses chosen by a workspace: the permission to send them, their number today, and the refusals. */
import type { Queryable } from "../database.ts"

/** Whether the account has proved an address. */
export const hasProvedAddress = async (sql: Queryable, accountId: string): Promise<boolean> => {
  const rows =
    await sql`select 1 from account_emails where account_id = ${accountId} and verified_at is not null limit 1`
  return rows.length > 0
}

/** Whether an owner of the workspace has proved an address. */
export const hasProvedOwner = async (sql: Queryable, workspaceId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from workspace_members m join account_emails e on e.account_id = m.account_id
     where m.workspace_id = ${workspaceId} and m.role = 'owner' and e.verified_at is not null limit 1`
  return rows.length > 0
}

/**
 * Counts emails, unless there would be more than `most` on that day; resolves to whether they were counted. Run it in the transaction that
 * posts them: other transactions of the workspace wait for its end. `day` is a date in UTC. A clock that goes back begins no new day.
 */
export const countEmails = async (
  sql: Queryable,
  workspaceId: string,
  day: string,
  letters: number,
  most: number,
): Promise<boolean> => {
  if (letters > most) return false
  const { count } = await sql`
    insert into workspace_letters as l (workspace_id, day, letters) values (${workspaceId}, ${day}::date, ${letters})
    on conflict (workspace_id) do update
       set day = greatest(l.day, excluded.day),
           letters = case when l.day < excluded.day then 0 else l.letters end + excluded.letters
     where l.day < excluded.day or l.letters + excluded.letters <= ${most}`
  return count > 0
}

/** An account may found any number of workspaces: together they may send as many emails as this many workspaces. */
export const FULL_WORKSPACES = 10

/**
 * Whether the founder of the workspace sent more than `most` emails on that day, from all workspaces that they founded. Transactions of two
 * workspaces do not see each other's emails before they end.
 */
export const founderSentMore = async (
  sql: Queryable,
  workspaceId: string,
  day: string,
  most: number,
): Promise<boolean> => {
  const rows = await sql`
    select 1 from workspaces own join workspaces w on w.founder_account_id = own.founder_account_id
      join workspace_letters l on l.workspace_id = w.id and l.day = ${day}::date
     where own.id = ${workspaceId}
    having sum(l.letters) > ${most}`
  return rows.length > 0
}

/** Counts one email to an address that the workspace chose; false when it may send no more on that day. */
export const mayMailOther = async (
  sql: Queryable,
  { workspaceId, day, most }: { readonly workspaceId: string; readonly day: string; readonly most: number },
): Promise<boolean> =>
  !(await founderSentMore(sql, workspaceId, day, most * FULL_WORKSPACES - 1)) &&
  (await countEmails(sql, workspaceId, day, 1, most))

interface Refusal {
  readonly workspaceId: string
  readonly kind: string
  readonly addressHash: Uint8Array
}

export const findRefusal = async (sql: Queryable, { workspaceId, kind, addressHash }: Refusal): Promise<boolean> => {
  const rows = await sql`
    select 1 from letter_refusals where workspace_id = ${workspaceId} and kind = ${kind} and address_hash = ${addressHash}`
  return rows.length > 0
}

/** The hashes among these, in hexadecimal, of addresses that refused. */
export const listRefusals = async (
  sql: Queryable,
  { workspaceId, kind }: Omit<Refusal, "addressHash">,
  hashes: ReadonlyArray<string>,
): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ hash: string }[]>`
    select given.hash from unnest(${[...hashes]}::text[]) as given(hash)
      join letter_refusals r on r.workspace_id = ${workspaceId} and r.kind = ${kind} and r.address_hash = decode(given.hash, 'hex')`
  return new Set(rows.map(({ hash }) => hash))
}

/** Idempotent. */
export const insertRefusal = async (sql: Queryable, { workspaceId, kind, addressHash }: Refusal): Promise<void> => {
  await sql`
    insert into letter_refusals (workspace_id, kind, address_hash) values (${workspaceId}, ${kind}, ${addressHash})
    on conflict do nothing`
}

export const deleteRefusal = async (sql: Queryable, { workspaceId, kind, addressHash }: Refusal): Promise<void> => {
  await sql`
    delete from letter_refusals where workspace_id = ${workspaceId} and kind = ${kind} and address_hash = ${addressHash}`
}
