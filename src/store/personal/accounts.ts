/** Deletes an account with everything that names the person and is stored about it. */
import { Effect } from "effect"
import { Conflict, type Unavailable } from "../../model/errors.ts"
import { parseId } from "../../model/ids.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"
import type { Page } from "../page.ts"
import { query } from "../query.ts"
import { forgetOrigins, insertAuditEntries } from "../workspaces/audit.ts"
import { addressOf, type Erasure, eraseRegistrant, eraseUser } from "./erasures.ts"
import {
  decodeExportCursor,
  type ExportItem,
  type ExportPosition,
  encodeExportCursor,
  pageExport,
  pageOwnItems,
  utcOf,
} from "./export.ts"

/** Maximum number of slugs named by the refusal. */
const NAMED = 5

/** Locks the rows of the account's workspaces; resolves to the slugs of those that nobody else owns. */
const onlyOwnedBy = async (sql: Queryable, accountId: string): Promise<ReadonlyArray<string>> => {
  await sql`
    select 1 from workspaces
     where id in (select workspace_id from workspace_members where account_id = ${accountId}) order by id for no key update`
  const rows = await sql<{ slug: string }[]>`
    select w.slug from workspace_members m join workspaces w on w.id = m.workspace_id
     where m.account_id = ${accountId} and m.role = 'owner' and w.deleted_at is null
       and not exists (select from workspace_members o
                        where o.workspace_id = w.id and o.role = 'owner' and o.account_id <> ${accountId})
     order by w.created_at, w.id`
  return rows.map(({ slug }) => slug)
}

const deleteAll = async (
  sql: Queryable,
  { accountId, requestId, now }: { readonly accountId: string; readonly requestId: string; readonly now: number },
): Promise<ReadonlyArray<Erasure>> => {
  const workspaces = await sql<{ id: string }[]>`
    select workspace_id as id from workspace_members where account_id = ${accountId}
    union select workspace_id from users where account_id = ${accountId}`
  const act = { action: "account.deleted", actorKind: "account", actorId: accountId, targetId: accountId } as const
  await insertAuditEntries(
    sql,
    workspaces.map(({ id: workspaceId }) => ({ workspaceId, requestId, ...act })),
  )
  await forgetOrigins(sql, accountId)
  await sql`
    update invites set status = 'revoked', revoked_at = now()
     where created_by_account_id = ${accountId} and status = 'pending'`
  const users = await sql<{ id: string; workspaceId: string }[]>`
    select id, workspace_id from users where account_id = ${accountId} order by id`
  const erasures: Erasure[] = []
  // Runs before the account is deleted: its proved addresses decide which registrations are its own.
  for (const { id: userId, workspaceId } of users) {
    const erasure = await eraseUser(sql, { workspaceId, userId }, now)
    if (erasure !== undefined) erasures.push(erasure)
  }
  const addresses = await sql<{ email: string }[]>`
    select email from account_emails where account_id = ${accountId} and verified_at is not null order by email`
  for (const { id: workspaceId } of workspaces) {
    for (const { email } of addresses) {
      const erasure = await eraseRegistrant(sql, { workspaceId, email }, now)
      if (erasure !== undefined) erasures.push(erasure)
    }
  }
  await sql`delete from accounts where id = ${accountId}`
  return erasures
}

/** Fails with `Conflict` for the only owner of a workspace. Run it under `lockAccount`. */
export const deleteAccount = (
  sql: Queryable,
  given: { readonly accountId: string; readonly requestId: string; readonly now: number },
): Effect.Effect<ReadonlyArray<Erasure>, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const owned = yield* query(() => onlyOwnedBy(sql, given.accountId))
    if (owned.length > 0) {
      const slugs = owned.slice(0, NAMED).join(", ") + (owned.length > NAMED ? ", …" : "")
      const detail = `You are the only owner of ${slugs}: make somebody else an owner, or delete the workspace first.`
      return yield* new Conflict({ detail })
    }
    return yield* query(() => deleteAll(sql, given))
  })

const readAccount = async (sql: Queryable, accountId: string): Promise<ReadonlyArray<ExportItem>> =>
  sql<ExportItem[]>`
    select 'account' as kind, id::text, null::uuid as event_id, created_at as at, jsonb_build_object('name', name,
           'hasPassword', password_hash is not null) as data
      from accounts where id = ${accountId}
    union all
    select 'address', id::text, null, verified_at, jsonb_build_object('email', email, 'primary', is_primary)
      from account_emails where account_id = ${accountId}
    union all
    (select 'session', id::text, null, created_at, jsonb_build_object('device', device,
            'lastSeenAt', ${sql.unsafe(utcOf("last_seen_at"))}, 'expiresAt', ${sql.unsafe(utcOf("expires_at"))})
       from account_sessions where account_id = ${accountId} order by created_at desc limit 100)
    union all
    select 'secondFactor', 'totp', null, confirmed_at, '{}' from account_totp
     where account_id = ${accountId} and confirmed_at is not null
    union all
    select 'passkey', id::text, null, created_at, jsonb_build_object('name', name) from passkeys
     where account_id = ${accountId}
    union all
    select 'identity', issuer || ' ' || subject, null, created_at, jsonb_build_object('issuer', issuer, 'subject', subject)
      from account_identities where account_id = ${accountId}
    union all
    select 'workspaceMember', m.id::text, null, m.joined_at,
           jsonb_build_object('workspaceId', w.id, 'slug', w.slug, 'role', m.role)
      from workspace_members m join workspaces w on w.id = m.workspace_id
     where m.account_id = ${accountId} and w.deleted_at is null`

/** Placeholder for a user on a page about the account itself. Every user's id is greater. */
const ACCOUNT = "00000000-0000-0000-0000-000000000000"

/** User of the account that a page is about, and the position there. */
interface AccountExportPosition {
  readonly createdAt: string
  readonly id: string
  readonly at: ExportPosition | null
}

/** Pages cover the account itself, and then one user after the other, each in one workspace. */
export const decodeAccountCursor = (cursor: string): AccountExportPosition | undefined => {
  const [user = "", rest = ""] = cursor.split(".")
  const id = parseId(user)
  const at = rest === "" ? null : decodeExportCursor(rest)
  return id === undefined || at === undefined ? undefined : { createdAt: "", id, at }
}

export const pageAccountExport = async (
  sql: Queryable,
  accountId: string,
  limit: number,
  after: AccountExportPosition | null,
): Promise<Page<ExportItem>> => {
  const isOwn = after === null || after.id === ACCOUNT
  const own = isOwn ? pageOwnItems(await readAccount(sql, accountId), after?.at ?? null, limit) : undefined
  if (own !== undefined && own.next !== null) {
    return { rows: own.rows, nextCursor: `${ACCOUNT}.${encodeExportCursor(own.next)}` }
  }
  const users = await sql<{ id: string; workspaceId: string; email: string | null; accountId: string }[]>`
    select id, workspace_id, email, account_id from users
     where account_id = ${accountId} and id >= ${after?.id ?? ACCOUNT}
       and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
     order by id limit 2`
  const [user, next] = users
  if (own !== undefined) return { rows: own.rows, nextCursor: user?.id ?? null }
  if (user === undefined || after === null) return { rows: [], nextCursor: null }
  const email = await addressOf(sql, user)
  const from = user.id === after.id ? after.at : null
  const page = await pageExport(
    sql,
    { workspaceId: user.workspaceId, userId: user.id, email, guest: null },
    { limit, after: from },
  )
  return {
    rows: page.rows,
    nextCursor: page.nextCursor === null ? (next?.id ?? null) : `${user.id}.${page.nextCursor}`,
  }
}
