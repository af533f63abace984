/** Does what a caller came with still count, now that the transaction holds what it is about to change? */
import { Unauthorized } from "../model/errors.ts"
import type { Queryable } from "./database.ts"

export type Credential = { readonly sessionId: string } | { readonly keyId: string }

/**
 * Throws `Unauthorized` for a login that has ended or a key that was revoked meanwhile. To be asked after the workspace's row was
 * locked: whoever takes the credential away together with what came of it locks that row too, and so misses nothing.
 */
export const requireCredential = async (sql: Queryable, credential: Credential): Promise<void> => {
  const rows =
    "keyId" in credential
      ? await sql`select 1 from api_keys where id = ${credential.keyId} and revoked_at is null`
      : await sql`select 1 from account_sessions where id = ${credential.sessionId}`
  if (rows.length === 0) throw new Unauthorized({ detail: "The credentials were revoked meanwhile." })
}
