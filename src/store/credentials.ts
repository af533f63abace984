/** Does what a caller came with still let them manage a workspace, now that the transaction holds what it is about to change? */
import { Unauthorized } from "../model/errors.ts"
import type { Queryable } from "./database.ts"

export type Credential = { readonly sessionId: string } | { readonly keyId: string }

/**
 * Throws `Unauthorized` for a login that has ended, an account that manages the workspace no longer, or a key that was revoked. To be
 * asked after the workspace's row was locked: a transaction that takes a credential away together with what came of it locks that row
 * too, and so misses nothing.
 */
export const requireCredential = async (sql: Queryable, workspaceId: string, credential: Credential): Promise<void> => {
  const rows =
    "keyId" in credential
      ? await sql`
          select 1 from api_keys
           where id = ${credential.keyId} and workspace_id = ${workspaceId} and revoked_at is null`
      : await sql`
          select 1 from account_sessions s join workspace_members m on m.account_id = s.account_id
           where s.id = ${credential.sessionId} and m.workspace_id = ${workspaceId} and m.role in ('owner', 'admin')`
  if (rows.length === 0) throw new Unauthorized({ detail: "The credentials were revoked meanwhile." })
}
