/** Checks whether the caller's credential still allows managing a workspace, after the transaction has locked the rows it changes. */
import { Effect } from "effect"
import { Unauthorized, type Unavailable } from "../../model/errors.ts"
import type { KeyRights } from "../../model/key-rights.ts"
import type { WorkspaceRole } from "../../model/roles.ts"
import type { Queryable } from "../database.ts"
import { query } from "../query.ts"

export type Credential = { readonly sessionId: string } | { readonly keyId: string; readonly rights: KeyRights }

/** Id of the key; null for a login. */
export const keyOf = (credential: Credential): string | null => ("keyId" in credential ? credential.keyId : null)

/** Account roles that may act. An API key acts like an admin, so that it may not do what only owners may. */
const MAY = {
  owners: ["owner"],
  admins: ["owner", "admin"],
  members: ["owner", "admin", "member"],
} satisfies Record<string, ReadonlyArray<WorkspaceRole>>

/**
 * Locks the workspace's row for the rest of the transaction. Transactions that change or count what belongs to the workspace run one after
 * the other: each sees the results of those before it.
 */
export const lockWorkspace = async (sql: Queryable, workspaceId: string): Promise<void> => {
  await sql`select 1 from workspaces where id = ${workspaceId} for no key update`
}

/**
 * Fails with `Unauthorized` for a login that has ended, an account that has lost the permission, or a revoked key. The caller locks the
 * workspace's row first, as does a transaction that revokes a credential and what it made: that transaction misses nothing.
 */
export const requireCredential = (
  sql: Queryable,
  workspaceId: string,
  credential: Credential,
  who: keyof typeof MAY = "admins",
): Effect.Effect<void, Unauthorized | Unavailable> =>
  Effect.gen(function* () {
    const rows = yield* query(() =>
      "keyId" in credential
        ? sql`
          select 1 from api_keys
           where id = ${credential.keyId} and workspace_id = ${workspaceId} and revoked_at is null`
        : sql`
          select 1 from account_sessions s join workspace_members m on m.account_id = s.account_id
           where s.id = ${credential.sessionId} and m.workspace_id = ${workspaceId} and m.role = any (${MAY[who]}::text[])`,
    )
    if (rows.length === 0) return yield* new Unauthorized({ detail: "The credentials were revoked meanwhile." })
  })

/**
 * `requireCredential` with the lock that it needs. Callers do not exclude each other. Use it only in transactions that take no stronger
 * lock on the workspace's row afterwards, because two of those would deadlock.
 */
export const requireAndLock = (
  sql: Queryable,
  workspaceId: string,
  credential: Credential,
  who: keyof typeof MAY,
): Effect.Effect<void, Unauthorized | Unavailable> =>
  Effect.andThen(
    query(() => sql`select 1 from workspaces where id = ${workspaceId} for share`),
    requireCredential(sql, workspaceId, credential, who),
  )
