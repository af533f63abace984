/** The bytes that a workspace may store: its own quota, and that of all workspaces of the account that founded it. */
import type { Queryable } from "../database.ts"
import { hasProvedOwner } from "../mail/letters.ts"

export interface MediaQuota {
  /** Bytes of one workspace, and of all that one account founded; 0: no limit. */
  readonly ofWorkspace: number
  readonly ofFounder: number
  /** A workspace without an owner who has proved an address stores nothing. */
  readonly provedOnly: boolean
}

export const isUnlimited = ({ ofWorkspace, ofFounder, provedOnly }: MediaQuota): boolean =>
  ofWorkspace === 0 && ofFounder === 0 && !provedOnly

/** Bytes of recordings and clips, as announced or as stored; without one recording of them, if it is given. */
const bytesInUse = async (
  sql: Queryable,
  workspaceIds: ReadonlyArray<string>,
  exceptId: string | null,
): Promise<number> => {
  const [row] = await sql<{ bytes: number }[]>`
    select (coalesce((select sum(greatest(coalesce(size_bytes, 0), uploaded_bytes)) from recordings
                       where workspace_id = any (${[...workspaceIds]}::uuid[]) and status <> 'failed'
                         and id is distinct from ${exceptId}::uuid), 0)
          + coalesce((select sum(c.size_bytes) from clips c join recordings r on r.id = c.recording_id
                       where r.workspace_id = any (${[...workspaceIds]}::uuid[]) and c.status <> 'failed'), 0))::bigint as bytes`
  return row?.bytes ?? 0
}

/** The workspaces whose bytes count together with the workspace's, itself among them. */
const foundedTogether = async (sql: Queryable, workspaceId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select w.id from workspaces own join workspaces w on w.founder_account_id = own.founder_account_id
     where own.id = ${workspaceId}`
  return rows.length === 0 ? [workspaceId] : rows.map(({ id }) => id)
}

export const mayStore = async (sql: Queryable, workspaceId: string, { provedOnly }: MediaQuota): Promise<boolean> =>
  !provedOnly || (await hasProvedOwner(sql, workspaceId))

/**
 * Bytes that may be stored besides; less than 0 where a quota was lowered, and infinite without one. `exceptId`: a recording whose own bytes do
 * not count. Two workspaces of a founder may both take the last bytes at once, as the lock of `lockMediaUse` is that of one workspace.
 */
export const bytesLeft = async (
  sql: Queryable,
  workspaceId: string,
  quota: MediaQuota,
  exceptId: string | null = null,
): Promise<number> => {
  if (!(await mayStore(sql, workspaceId, quota))) return 0
  const { ofWorkspace, ofFounder } = quota
  const own =
    ofWorkspace === 0 ? Number.POSITIVE_INFINITY : ofWorkspace - (await bytesInUse(sql, [workspaceId], exceptId))
  if (ofFounder === 0) return own
  return Math.min(own, ofFounder - (await bytesInUse(sql, await foundedTogether(sql, workspaceId), exceptId)))
}
