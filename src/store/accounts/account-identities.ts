/** Identities at the external provider, and the accounts that they sign in. */
import type { Queryable } from "../database.ts"

export const findAccountByIdentity = async (
  sql: Queryable,
  issuer: string,
  subject: string,
): Promise<string | undefined> => {
  const [row] = await sql<{ accountId: string }[]>`
    select account_id from account_identities where issuer = ${issuer} and subject = ${subject}`
  return row?.accountId
}

/** Idempotent. */
export const linkIdentity = async (
  sql: Queryable,
  identity: { issuer: string; subject: string; accountId: string },
): Promise<void> => {
  await sql`
    insert into account_identities (issuer, subject, account_id)
    values (${identity.issuer}, ${identity.subject}, ${identity.accountId}) on conflict do nothing`
}
