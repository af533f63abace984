/** Accounts, their addresses, and their browser sessions. */
import type { Timestamp } from "../model/timestamp.ts"
import type { Queryable } from "./database.ts"

export interface AccountRow {
  readonly id: string
  readonly name: string
  readonly createdAt: Timestamp
}

export interface AccountEmailRow {
  readonly id: string
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

export const insertAccount = async (
  sql: Queryable,
  account: { id: string; name: string; passwordHash: string; emailId: string; email: string },
): Promise<void> => {
  await sql`insert into accounts (id, name, password_hash) values (${account.id}, ${account.name}, ${account.passwordHash})`
  await sql`
    insert into account_emails (id, account_id, email, is_primary)
    values (${account.emailId}, ${account.id}, ${account.email}, true)`
}

export const findAccount = async (sql: Queryable, id: string): Promise<AccountRow | undefined> => {
  const [row] = await sql<AccountRow[]>`select id, name, created_at from accounts where id = ${id}`
  return row
}

export const listAccountEmails = (sql: Queryable, accountId: string): Promise<AccountEmailRow[]> =>
  sql<AccountEmailRow[]>`
    select id, email, verified_at is not null as verified, is_primary as "primary"
      from account_emails where account_id = ${accountId} order by is_primary desc, email`.then((rows) => [...rows])

/** The account an address signs in to; the address must be folded already. */
export const findCredentials = async (
  sql: Queryable,
  email: string,
): Promise<{ readonly accountId: string; readonly passwordHash: string | null } | undefined> => {
  const [row] = await sql<{ accountId: string; passwordHash: string | null }[]>`
    select a.id as account_id, a.password_hash
      from account_emails e join accounts a on a.id = e.account_id where e.email = ${email}`
  return row
}

/** Does any account have this address, verified or not? It must be folded already. */
export const isAccountEmail = async (sql: Queryable, email: string): Promise<boolean> => {
  const rows = await sql`select 1 from account_emails where email = ${email}`
  return rows.length > 0
}

export interface SessionRow {
  readonly id: string
  readonly accountId: string
  readonly lastSeenAt: Timestamp
  readonly expiresAt: Timestamp
}

export const insertSession = async (
  sql: Queryable,
  session: { id: string; tokenHash: Uint8Array; accountId: string; idleExpiresAt: Timestamp; expiresAt: Timestamp },
): Promise<void> => {
  await sql`
    insert into account_sessions (id, token_hash, account_id, idle_expires_at, expires_at)
    values (${session.id}, ${session.tokenHash}, ${session.accountId}, ${session.idleExpiresAt}, ${session.expiresAt})`
}

export const findSession = async (
  sql: Queryable,
  tokenHash: Uint8Array,
  now: Timestamp,
): Promise<SessionRow | undefined> => {
  const [row] = await sql<SessionRow[]>`
    select id, account_id, last_seen_at, expires_at from account_sessions
     where token_hash = ${tokenHash} and idle_expires_at > ${now} and expires_at > ${now}`
  return row
}

export const touchSession = async (
  sql: Queryable,
  id: string,
  seenAt: Timestamp,
  idleExpiresAt: Timestamp,
): Promise<void> => {
  await sql`update account_sessions set last_seen_at = ${seenAt}, idle_expires_at = ${idleExpiresAt} where id = ${id}`
}

export const deleteSession = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from account_sessions where id = ${id}`
}
