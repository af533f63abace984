/** Storage quotas: a workspace's own, and that of all workspaces of its founder's account. */
import type { Queryable } from "../database.ts"
import { hasProvedOwner } from "../mail/emails.ts"

export interface MediaQuota {
  /** Bytes of one workspace; 0 means no limit, as in `ofFounder`. */
  readonly ofWorkspace: number
  /** Bytes of all workspaces founded by one account. */
  readonly ofFounder: number
  /** Whether a workspace needs an owner with a proved address to store anything. */
  readonly provedOnly: boolean
}

export const isUnlimited = ({ ofWorkspace, ofFounder, provedOnly }: MediaQuota): boolean =>
  ofWorkspace === 0 && ofFounder === 0 && !provedOnly

/** Bytes of recordings and clips, announced or stored, except those of one recording, if given. */
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

/** Workspaces whose bytes count together with the workspace's, including itself. */
const foundedTogether = async (sql: Queryable, workspaceId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select w.id from workspaces own join workspaces w on w.founder_account_id = own.founder_account_id
     where own.id = ${workspaceId}`
  return rows.length === 0 ? [workspaceId] : rows.map(({ id }) => id)
}

export const mayStore = async (sql: Queryable, workspaceId: string, { provedOnly }: MediaQuota): Promise<boolean> =>
  !provedOnly || (await hasProvedOwner(sql, workspaceId))

/**
 * Bytes that may still be stored: negative when a quota was lowered, infinite without one. `exceptId` is a recording whose own bytes do not
 * count. Two workspaces of a founder may both take the last bytes at once, because `lockMediaUse` locks one workspace.
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
