/** Second factors of accounts, and recovery codes. Changes are made under the account's lock. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

interface StoredTotp {
  readonly secretSealed: Uint8Array
  readonly confirmedAt: Timestamp | null
}

export const findTotp = async (sql: Queryable, accountId: string): Promise<StoredTotp | undefined> => {
  const [row] = await sql<StoredTotp[]>`
    select secret_sealed, confirmed_at from account_totp where account_id = ${accountId}`
  return row
}

/** Replaces an unconfirmed secret. Resolves to false, and changes nothing, when a code has confirmed it. */
export const putTotp = async (sql: Queryable, accountId: string, secretSealed: Uint8Array): Promise<boolean> => {
  const { count } = await sql`
    insert into account_totp (account_id, secret_sealed) values (${accountId}, ${secretSealed})
    on conflict (account_id) do update set secret_sealed = excluded.secret_sealed, created_at = now()
     where account_totp.confirmed_at is null`
  return count > 0
}

export const confirmTotp = async (sql: Queryable, accountId: string, step: number): Promise<void> => {
  await sql`update account_totp set confirmed_at = now(), last_step = ${step} where account_id = ${accountId}`
}

/** Resolves to whether neither this step's code nor a later one was used. The row is the lock between two callers with the same code. */
export const takeStep = async (sql: Queryable, accountId: string, step: number): Promise<boolean> => {
  const { count } = await sql`
    update account_totp set last_step = ${step}
     where account_id = ${accountId} and confirmed_at is not null and (last_step is null or last_step < ${step})`
  return count > 0
}

/** Resolves to whether there was a confirmed factor. */
export const deleteTotp = async (sql: Queryable, accountId: string): Promise<boolean> => {
  const rows = await sql<{ confirmed: boolean }[]>`
    delete from account_totp where account_id = ${accountId} returning confirmed_at is not null as confirmed`
  return rows[0]?.confirmed === true
}

export const hasFactor = async (sql: Queryable, accountId: string): Promise<boolean> => {
  const [row] = await sql<{ has: boolean }[]>`select has_factor(${accountId}) as has`
  return row?.has === true
}

/** Earlier codes become void. */
export const replaceRecoveryCodes = async (
  sql: Queryable,
  accountId: string,
  hashes: ReadonlyArray<Uint8Array>,
): Promise<void> => {
  await sql`delete from recovery_codes where account_id = ${accountId}`
  for (const hash of hashes) {
    await sql`insert into recovery_codes (account_id, code_hash) values (${accountId}, ${hash})`
  }
}

/** Resolves to whether there was such a code; only one of two callers with the same code gets true. */
export const takeRecoveryCode = async (sql: Queryable, accountId: string, hash: Uint8Array): Promise<boolean> =>
  (await sql`delete from recovery_codes where account_id = ${accountId} and code_hash = ${hash}`).count > 0

export const countRecoveryCodes = async (sql: Queryable, accountId: string): Promise<number> => {
  const [row] = await sql<{ left: number }[]>`
    select count(*)::integer as left from recovery_codes where account_id = ${accountId}`
  return row?.left ?? 0
}

/** Deletes all factors of the account, and its codes. */
export const deleteFactors = async (sql: Queryable, accountId: string): Promise<void> => {
  await deleteTotp(sql, accountId)
  await sql`delete from passkeys where account_id = ${accountId}`
  await sql`delete from recovery_codes where account_id = ${accountId}`
}
