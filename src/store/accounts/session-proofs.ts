/**
 * Time at which a session's holder last proved their identity: when the session began, or earlier at an identity provider, and at each
 * later proof.
 */
import type { Queryable } from "../database.ts"

/** Minutes for which a proof is fresh. */
export const FRESH_MINUTES = 10

/** Whether the session's proof is fresh. */
export const isProvedSession = async (sql: Queryable, sessionId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from account_sessions
     where id = ${sessionId} and coalesce(proved_at, created_at) > now() - make_interval(mins => ${FRESH_MINUTES})`
  return rows.length > 0
}

/** Resolves to false when the session has ended, or the proved credentials have changed. */
export const proveSession = async (
  sql: Queryable,
  {
    sessionId,
    accountId,
    credentialsVersion,
  }: { readonly sessionId: string; readonly accountId: string; readonly credentialsVersion: number },
): Promise<boolean> => {
  const { count } = await sql`
    update account_sessions s set proved_at = now() from accounts a
     where s.id = ${sessionId} and a.id = ${accountId} and s.account_id = a.id
       and a.credentials_version = ${credentialsVersion}`
  return count > 0
}
