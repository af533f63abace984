/** Use of media jobs and storage by workspace. */
import type { Queryable } from "../database.ts"
import { HALF_LIFE_SECONDS, OF_NO_WORKSPACE } from "./media-jobs.ts"

/** Maximum number that is counted exactly and reported. */
const COUNTED = 100_000

interface JobUse {
  readonly workspaceId: string
  readonly waiting: number
  readonly seconds: number
}

/** Workspaces whose jobs took most time recently, followed by those with most waiting jobs. */
export const readJobUse = async (sql: Queryable, limit: number): Promise<ReadonlyArray<JobUse>> =>
  sql<JobUse[]>`
    with waiting as (
      select workspace_id, count(*)::int as n from (
        select workspace_id from media_jobs where kind <> 'capture' and workspace_id <> ${OF_NO_WORKSPACE}
         limit ${COUNTED}::int) j group by workspace_id
    ), spent as (
      select workspace_id,
             sum(spent_ms * power(0.5, extract(epoch from now() - spent_at)::float8 / ${HALF_LIFE_SECONDS}::float8)) / 1000 as seconds
        from media_turns where workspace_id <> ${OF_NO_WORKSPACE} and spent_at > now() - interval '1 day' group by workspace_id
    )
    select workspace_id, coalesce(n, 0) as waiting, coalesce(seconds, 0)::float8 as seconds
      from waiting full join spent using (workspace_id)
     order by seconds desc, waiting desc, workspace_id limit ${limit}::int`

/** Workspaces with most bytes of recordings. It reads the rows of all recordings. */
export const readLargestStores = async (
  sql: Queryable,
  limit: number,
): Promise<ReadonlyArray<{ readonly workspaceId: string; readonly amount: number }>> =>
  sql<{ workspaceId: string; amount: number }[]>`
    select workspace_id, sum(greatest(coalesce(size_bytes, 0), uploaded_bytes))::bigint as amount
      from recordings where status <> 'failed' group by workspace_id order by amount desc, workspace_id limit ${limit}::int`

interface NamedUse {
  readonly workspaceId: string
  readonly workspaceSlug: string
  readonly bytes: number
}

/** The existing ones among these workspaces, with what they store. */
export const nameUses = async (sql: Queryable, ids: ReadonlyArray<string>): Promise<ReadonlyArray<NamedUse>> =>
  sql<NamedUse[]>`
    select w.id as workspace_id, w.slug as workspace_slug,
           coalesce((select sum(greatest(coalesce(r.size_bytes, 0), r.uploaded_bytes)) from recordings r
                      where r.workspace_id = w.id and r.status <> 'failed'), 0)::bigint as bytes
      from workspaces w where w.id = any (${[...ids]}::uuid[]) and w.deleted_at is null`
