/** Workspace API keys, stored as hashes of their secrets. */
import { KEY_SCOPES, type KeyRights, type KeyScope } from "../../model/key-rights.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { lockWorkspace } from "../accounts/credentials.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

export interface ApiKeyRow extends KeyRights {
  readonly id: string
  readonly name: string | null
  readonly prefix: string
  readonly last4: string
  readonly status: "active" | "revoked"
  readonly createdAt: Timestamp
  readonly lastUsedAt: Timestamp | null
  readonly expiresAt: Timestamp | null
  readonly revokedAt: Timestamp | null
  /** Key that created this key; null when a member created it. */
  readonly createdByKeyId: string | null
}

/** Stored form of a key; null scopes mean all scopes. */
type Stored<Row extends KeyRights> = Omit<Row, "scopes"> & { readonly scopes: ReadonlyArray<KeyScope> | null }

const withScopes = <Row extends KeyRights>(row: Stored<Row>) =>
  ({ ...row, scopes: row.scopes ?? KEY_SCOPES }) as unknown as Row

const COLUMNS = `id, name, prefix, last4, case when revoked_at is null then 'active' else 'revoked' end as status, created_at,
  last_used_at, expires_at, revoked_at, created_by_key_id, scopes, event_ids`

/** Maximum number of active keys in a workspace. */
export const MAX_ACTIVE_KEYS = 50

/** Inserts a key; `undefined` when the workspace has reached the maximum number of active keys. */
export const insertApiKey = async (
  sql: Queryable,
  key: {
    id: string
    workspaceId: string
    name: string | null
    secretHash: Uint8Array
    prefix: string
    last4: string
    expiresAt: Timestamp | null
    createdByKeyId: string | null
    rights: KeyRights
  },
): Promise<ApiKeyRow | undefined> => {
  // Locking the workspace's row keeps the count exact when two callers create keys concurrently.
  await lockWorkspace(sql, key.workspaceId)
  const { scopes, eventIds } = key.rights
  const [row] = await sql<Stored<ApiKeyRow>[]>`
    insert into api_keys
      (id, workspace_id, name, secret_hash, prefix, last4, expires_at, created_by_key_id, scopes, event_ids)
    select ${key.id}, ${key.workspaceId}, ${key.name}, ${key.secretHash}, ${key.prefix}, ${key.last4},
           ${key.expiresAt}, ${key.createdByKeyId}, ${[...scopes]}, ${eventIds === null ? null : [...eventIds]}::uuid[]
     where (select count(*) from api_keys where workspace_id = ${key.workspaceId} and revoked_at is null
             and (expires_at is null or expires_at > now())) < ${MAX_ACTIVE_KEYS}
    returning ${sql.unsafe(COLUMNS)}`
  return row === undefined ? undefined : withScopes<ApiKeyRow>(row)
}

type UnrevokedKey = Pick<ApiKeyRow, "id" | "name" | "lastUsedAt" | "expiresAt" | "scopes" | "eventIds"> & {
  readonly workspaceId: string
  readonly isExpired: boolean
}

export const findUnrevokedKey = async (sql: Queryable, secretHash: Uint8Array): Promise<UnrevokedKey | undefined> => {
  const [row] = await sql<Stored<UnrevokedKey>[]>`
    select id, workspace_id, name, last_used_at, expires_at, scopes, event_ids, coalesce(expires_at <= now(), false) as is_expired
      from api_keys where secret_hash = ${secretHash} and revoked_at is null`
  return row === undefined ? undefined : withScopes<UnrevokedKey>(row)
}

/** Null when the key has no expiry, or is gone. */
export const findKeyEnd = async (sql: Queryable, id: string): Promise<Timestamp | null> => {
  const [row] = await sql<{ expiresAt: Timestamp | null }[]>`select expires_at from api_keys where id = ${id}`
  return row?.expiresAt ?? null
}

export const touchApiKey = async (sql: Queryable, id: string, usedAt: Timestamp): Promise<void> => {
  await sql`update api_keys set last_used_at = ${usedAt} where id = ${id}`
}

export const pageApiKeys = async (sql: Queryable, workspaceId: string, page: PageRequest): Promise<Page<ApiKeyRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<Stored<ApiKeyRow>[]>`
    select ${sql.unsafe(COLUMNS)} from api_keys
     where workspace_id = ${workspaceId} and (created_at, id) < (${after.createdAt}, ${after.id})
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows.map(withScopes<ApiKeyRow>), page.limit)
}

/**
 * The two steps of DELETE: an active key is revoked, a revoked one removed. Each is one statement, so that two
 * concurrent deletes revoke and then remove, and never remove an active key directly.
 */
export const revokeApiKey = async (sql: Queryable, workspaceId: string, keyId: string): Promise<boolean> => {
  const rows = await sql`
    update api_keys set revoked_at = now()
     where id = ${keyId} and workspace_id = ${workspaceId} and revoked_at is null returning id`
  return rows.length > 0
}

/** The keys that it created then count as created by its own creator. Run it in a transaction. */
export const removeRevokedApiKey = async (sql: Queryable, workspaceId: string, keyId: string): Promise<boolean> => {
  await sql`
    update api_keys made set created_by_key_id = k.created_by_key_id from api_keys k
     where k.id = ${keyId} and k.workspace_id = ${workspaceId} and k.revoked_at is not null and made.created_by_key_id = k.id`
  const rows = await sql`
    delete from api_keys where id = ${keyId} and workspace_id = ${workspaceId} and revoked_at is not null returning id`
  return rows.length > 0
}

/**
 * Revokes the active keys created by this one, directly or through other keys, and returns all of them. The statement waits for a key that
 * is being created, and a later one finds its creator revoked. Run it in the transaction that revokes the key itself.
 */
export const revokeKeysMadeBy = async (
  sql: Queryable,
  workspaceId: string,
  keyId: string,
): Promise<{ readonly made: ReadonlyArray<string>; readonly revoked: ReadonlyArray<string> }> => {
  await lockWorkspace(sql, workspaceId)
  const rows = await sql<{ id: string; isRevoked: boolean }[]>`
    with recursive made as (
      select id from api_keys where created_by_key_id = ${keyId} and workspace_id = ${workspaceId}
      union select k.id from api_keys k join made on k.created_by_key_id = made.id
    ), revoked as (
      update api_keys set revoked_at = now() where id in (select id from made) and revoked_at is null returning id
    )
    select made.id, revoked.id is not null as is_revoked from made left join revoked using (id)`
  return { made: rows.map(({ id }) => id), revoked: rows.filter(({ isRevoked }) => isRevoked).map(({ id }) => id) }
}
