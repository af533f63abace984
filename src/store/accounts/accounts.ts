/** Accounts, their addresses, and their browser sessions. */

import { foldEmail, spelledEmail } from "../../model/text/email.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly createdAt: Timestamp
}

interface AccountEmailRow {
  readonly id: string
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

export const insertAccount = async (
  sql: Queryable,
  account: { id: string; name: string; passwordHash: string | null; emailId: string; email: string },
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

/** An account, and the version of its credentials that a caller has proved. */
export interface ProvedCredentials {
  readonly accountId: string
  readonly credentialsVersion: number
  /** The workspace's connection that proved them, if any. */
  readonly connectionId?: string | null
  /** Time of the proof, if not now. */
  readonly provedAt?: Timestamp
}

/** Version of a new account's credentials. */
export const FIRST_CREDENTIALS = 1

/** The address as stored: normalised, or in the original spelling of an older account whose normalised form was taken. */
export const storedForm = async (sql: Queryable, email: string): Promise<string> => {
  const [spelled, form] = [spelledEmail(email), foldEmail(email)]
  if (spelled === form) return form
  const rows = await sql`select 1 from account_emails where email = ${spelled}`
  return rows.length > 0 ? spelled : form
}

/** The account that an address signs in to; the address must be in its stored form. */
export const findCredentials = async (
  sql: Queryable,
  email: string,
): Promise<(ProvedCredentials & { readonly passwordHash: string | null }) | undefined> => {
  const [row] = await sql<(ProvedCredentials & { passwordHash: string | null })[]>`
    select a.id as account_id, a.credentials_version, a.password_hash
      from account_emails e join accounts a on a.id = e.account_id where e.email = ${email}`
  return row
}

/** Whether an account has proved this address. A signup alone proves nothing. The address must be folded already. */
export const isProvedEmail = async (sql: Queryable, email: string): Promise<boolean> => {
  const rows = await sql`select 1 from account_emails where email = ${email} and verified_at is not null`
  return rows.length > 0
}

interface SessionRow {
  readonly id: string
  readonly accountId: string
  readonly lastSeenAt: Timestamp
  readonly expiresAt: Timestamp
}

/**
 * Resolves to false, and inserts nothing, when the credentials have changed: a new password also ends sign-ins in progress. The lock on the
 * account's row orders the two.
 */
export const insertSession = async (
  sql: Queryable,
  session: ProvedCredentials & {
    readonly id: string
    readonly tokenHash: Uint8Array
    readonly device: string | null
    readonly idleExpiresAt: Timestamp
    readonly expiresAt: Timestamp
  },
): Promise<boolean> => {
  const {
    id,
    tokenHash,
    accountId,
    credentialsVersion,
    device,
    idleExpiresAt,
    expiresAt,
    connectionId = null,
    provedAt = null,
  } = session
  const { count } = await sql`
    with account as materialized (
      select id from accounts where id = ${accountId} and credentials_version = ${credentialsVersion} for share
    )
    insert into account_sessions (id, token_hash, account_id, device, idle_expires_at, expires_at, connection_id, proved_at)
    select ${id}, ${tokenHash}, account.id, ${device}, ${idleExpiresAt}, ${expiresAt}, ${connectionId}::uuid,
           ${provedAt}::timestamptz from account`
  if (count > 0) await noteUse(sql, accountId)
  return count > 0
}

/** An account without a proved address is checked again a week after its last use. */
const noteUse = async (sql: Queryable, accountId: string): Promise<void> => {
  await sql`
    update accounts set idle_check_at = now() + interval '7 days' where id = ${accountId} and idle_check_at is not null`
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

/** Records a visit. Resolves to whether the session still exists. */
export const touchSession = async (
  sql: Queryable,
  id: string,
  seenAt: Timestamp,
  idleExpiresAt: Timestamp,
): Promise<boolean> => {
  const [session] = await sql<{ accountId: string }[]>`
    update account_sessions set last_seen_at = ${seenAt}, idle_expires_at = ${idleExpiresAt} where id = ${id}
    returning account_id`
  if (session !== undefined) await noteUse(sql, session.accountId)
  return session !== undefined
}

export const deleteSession = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from account_sessions where id = ${id}`
}

interface AccountSessionRow {
  readonly id: string
  readonly device: string | null
  readonly createdAt: Timestamp
  readonly lastSeenAt: Timestamp
  readonly expiresAt: Timestamp
}

/** Valid sessions, most recently used first. */
export const listSessions = (sql: Queryable, accountId: string, now: Timestamp): Promise<AccountSessionRow[]> =>
  sql<AccountSessionRow[]>`
    select id, device, created_at, last_seen_at, least(idle_expires_at, expires_at) as expires_at from account_sessions
     where account_id = ${accountId} and idle_expires_at > ${now} and expires_at > ${now}
     order by last_seen_at desc, id`.then((rows) => [...rows])

/** Resolves to whether the account had such a session. */
export const deleteAccountSession = async (sql: Queryable, accountId: string, id: string): Promise<boolean> =>
  (await sql`delete from account_sessions where id = ${id} and account_id = ${accountId}`).count > 0

/** `except` is the session to keep, if any. */
export const deleteAccountSessions = async (
  sql: Queryable,
  accountId: string,
  except: string | null,
): Promise<void> => {
  await sql`
    delete from account_sessions where account_id = ${accountId} and (${except}::uuid is null or id <> ${except})`
}

/** Deletes up to `limit` sessions whose thirty days are over. Resolves to their number. */
export const deleteExpiredSessions = async (sql: Queryable, now: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from account_sessions where id = any (array(
      select id from account_sessions where expires_at <= ${now} order by expires_at limit ${limit}))`
  return count
}

/** Waits for transactions that change the account. It must be the first lock of a transaction that changes it, so that no two deadlock. */
export const lockAccount = async (sql: Queryable, accountId: string): Promise<void> => {
  await sql`select 1 from accounts where id = ${accountId} for no key update`
}

/** Setting or removing a password invalidates every session token issued before. */
export const setPassword = async (sql: Queryable, accountId: string, passwordHash: string | null): Promise<void> => {
  await sql`
    update accounts set password_hash = ${passwordHash}, credentials_version = credentials_version + 1
     where id = ${accountId}`
}

/** The password of an account, if it has one, and the version of its credentials. */
export const findPassword = async (
  sql: Queryable,
  accountId: string,
): Promise<{ readonly passwordHash: string | null; readonly credentialsVersion: number }> => {
  const [row] = await sql<{ passwordHash: string | null; credentialsVersion: number }[]>`
    select password_hash, credentials_version from accounts where id = ${accountId}`
  return row ?? { passwordHash: null, credentialsVersion: 0 }
}

/** Whether the account still has this session. */
export const isSession = async (
  sql: Queryable,
  { sessionId, accountId }: { readonly sessionId: string; readonly accountId: string },
): Promise<boolean> =>
  (await sql`select 1 from account_sessions where id = ${sessionId} and account_id = ${accountId}`).length > 0

/** Whether the session is valid and the account's credentials have this version. Run it after `lockAccount`. */
export const holdsCredentials = async (
  sql: Queryable,
  sessionId: string,
  { accountId, credentialsVersion }: ProvedCredentials,
): Promise<boolean> => {
  const rows = await sql`
    select 1 from accounts a join account_sessions s on s.account_id = a.id
     where a.id = ${accountId} and a.credentials_version = ${credentialsVersion} and s.id = ${sessionId}`
  return rows.length > 0
}

export interface AddressRow {
  readonly emailId: string
  readonly email: string
  readonly verified: boolean
  readonly accountId: string
  readonly name: string
  readonly credentialsVersion: number
}

/** An address with its account; `email` must be folded already. */
export const findAddress = async (sql: Queryable, email: string): Promise<AddressRow | undefined> => {
  const [row] = await sql<AddressRow[]>`
    select e.id as email_id, e.email, e.verified_at is not null as verified, a.id as account_id, a.name, a.credentials_version
      from account_emails e join accounts a on a.id = e.account_id where e.email = ${email}`
  return row
}

export const verifiedAddresses = async (sql: Queryable, accountId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ email: string }[]>`
    select email from account_emails where account_id = ${accountId} and verified_at is not null`
  return rows.map(({ email }) => email)
}

export const findPrimaryAddress = async (sql: Queryable, accountId: string): Promise<AddressRow | undefined> => {
  const [row] = await sql<AddressRow[]>`
    select e.id as email_id, e.email, e.verified_at is not null as verified, a.id as account_id, a.name, a.credentials_version
      from account_emails e join accounts a on a.id = e.account_id where a.id = ${accountId} and e.is_primary`
  return row
}

/** Resolves to the address, and to whether it is the account's first proved one. Run it in a transaction. */
export const markVerified = async (
  sql: Queryable,
  emailId: string,
): Promise<{ readonly email: string; readonly isFirst: boolean }> => {
  const [proved] = await sql<{ email: string; isFirst: boolean }[]>`
    update account_emails e set verified_at = now() where id = ${emailId} and verified_at is null
    returning email, not exists (select from account_emails o
                                  where o.account_id = e.account_id and o.verified_at is not null) as is_first`
  if (proved !== undefined) {
    await sql`
      update accounts set idle_check_at = null where id = (select account_id from account_emails where id = ${emailId})`
    return proved
  }
  const [known] = await sql<{ email: string }[]>`select email from account_emails where id = ${emailId}`
  return { email: known?.email ?? "", isFirst: false }
}
