/** One-time account tokens, stored by hash. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

export type AccountTokenPurpose = "verify_email" | "reset_password"

export const insertAccountToken = async (
  sql: Queryable,
  token: {
    tokenHash: Uint8Array
    purpose: AccountTokenPurpose
    accountId: string
    emailId: string
    expiresAt: Timestamp
  },
): Promise<void> => {
  await sql`
    insert into account_tokens (token_hash, purpose, account_id, email_id, expires_at)
    values (${token.tokenHash}, ${token.purpose}, ${token.accountId}, ${token.emailId}, ${token.expiresAt})`
}

/** Locks the account of a token, if there is one. The account comes before the token, as in all transactions that change an account. */
export const lockTokenAccount = async (
  sql: Queryable,
  tokenHash: Uint8Array,
  purpose: AccountTokenPurpose,
): Promise<void> => {
  await sql`
    select 1 from accounts
     where id = (select account_id from account_tokens where token_hash = ${tokenHash} and purpose = ${purpose})
       for no key update`
}

/** Deletes the token; only one of several callers gets it. */
export const consumeAccountToken = async (
  sql: Queryable,
  tokenHash: Uint8Array,
  purpose: AccountTokenPurpose,
  now: Timestamp,
): Promise<{ readonly accountId: string; readonly emailId: string } | undefined> => {
  const [row] = await sql<{ accountId: string; emailId: string }[]>`
    delete from account_tokens where token_hash = ${tokenHash} and purpose = ${purpose} and expires_at > ${now}
    returning account_id, email_id`
  return row
}

/** Whether the token would be accepted; the check does not consume it. */
export const hasAccountToken = async (
  sql: Queryable,
  tokenHash: Uint8Array,
  purpose: AccountTokenPurpose,
  now: Timestamp,
): Promise<boolean> => {
  const rows = await sql`
    select 1 from account_tokens where token_hash = ${tokenHash} and purpose = ${purpose} and expires_at > ${now}`
  return rows.length > 0
}

/** `purpose` null deletes all of them. */
export const deleteAccountTokens = async (
  sql: Queryable,
  accountId: string,
  purpose: AccountTokenPurpose | null,
): Promise<void> => {
  await sql`
    delete from account_tokens
     where account_id = ${accountId} and (${purpose}::text is null or purpose = ${purpose})`
}

/** Deletes up to `limit` expired tokens. Resolves to their number. */
export const deleteExpiredAccountTokens = async (sql: Queryable, now: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from account_tokens where token_hash = any (array(
      select token_hash from account_tokens where expires_at <= ${now} order by expires_at limit ${limit}))`
  return count
}
