/** Clips of recordings. Each state change is one statement that names the previous state, so it happens once. */
import type { CutFacts, MediaFailure, StoredClip } from "../../model/media/recording.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"
import type { Settled } from "./recordings.ts"

const COLUMNS = `c.id, c.recording_id, r.event_id, r.workspace_id, c.title, c.status, c.start_ms, c.end_ms, c.inside,
  c.actual_start_ms, c.actual_end_ms, c.size_bytes, c.content_type, c.sha256, c.failure, c.storage_key, c.created_at`

interface NewClip {
  readonly id: string
  readonly recordingId: string
  readonly title: string | null
  readonly startMs: number
  readonly endMs: number
  readonly inside: boolean
  /** Estimated size: it counts against the quota until it is measured. */
  readonly sizeBytes: number
  readonly storageKey: string
}

/** Inserts the clip with the job that cuts it. Run in a transaction, after `lockClips`. */
export const insertClip = async (sql: Queryable, clip: NewClip): Promise<void> => {
  const { id, recordingId, title, startMs, endMs, inside, sizeBytes, storageKey } = clip
  await sql`
    with clip as (
      insert into clips (id, recording_id, title, status, start_ms, end_ms, inside, size_bytes, storage_key)
      values (${id}, ${recordingId}, ${title}, 'processing', ${startMs}, ${endMs}, ${inside}, ${sizeBytes}, ${storageKey}) returning id
    )
    insert into media_jobs (kind, clip_id) select 'cut', id from clip`
}

/** Locks the recording until the end of the transaction; resolves to the number of its clips, or `undefined` when it is gone. */
export const lockClips = async (sql: Queryable, recordingId: string): Promise<number | undefined> => {
  const rows = await sql`select 1 from recordings where id = ${recordingId} for no key update`
  if (rows.length === 0) return undefined
  const [row] = await sql<
    { clips: number }[]
  >`select count(*)::int as clips from clips where recording_id = ${recordingId}`
  return row?.clips ?? 0
}

export const findClip = async (sql: Queryable, id: string): Promise<StoredClip | undefined> => {
  const [row] = await sql<StoredClip[]>`
    select ${sql.unsafe(COLUMNS)} from clips c join recordings r on r.id = c.recording_id where c.id = ${id}`
  return row
}

/** Pages clips, newest first. */
export const pageClips = async (sql: Queryable, eventId: string, page: PageRequest): Promise<Page<StoredClip>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<StoredClip[]>`
    select ${sql.unsafe(COLUMNS)} from clips c join recordings r on r.id = c.recording_id
     where r.event_id = ${eventId} and (c.created_at, c.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)
     order by c.created_at desc, c.id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** Moves from `processing` to `ready`. `undefined` when it was not processing, or is gone. */
export const markClipReady = async (
  sql: Queryable,
  id: string,
  { contentType, actualStartMs, actualEndMs }: CutFacts,
  { sizeBytes, sha256 }: { readonly sizeBytes: number; readonly sha256: Uint8Array },
): Promise<(Settled & { readonly recordingId: string }) | undefined> => {
  const [row] = await sql<(Settled & { readonly recordingId: string })[]>`
    update clips c
       set status = 'ready', content_type = ${contentType}, actual_start_ms = ${actualStartMs}, actual_end_ms = ${actualEndMs},
           size_bytes = ${sizeBytes}, sha256 = ${sha256}
      from recordings r where r.id = c.recording_id and c.id = ${id} and c.status = 'processing'
    returning c.id, c.recording_id, r.event_id, r.workspace_id`
  return row
}

/** Moves from `processing` to `failed`; a job removes bytes that were written. */
export const markClipFailed = async (sql: Queryable, id: string, failure: MediaFailure): Promise<void> => {
  await sql`
    with failed as (
      update clips set status = 'failed', failure = ${sql.json(failure)}
       where id = ${id} and status = 'processing' returning storage_key
    )
    insert into media_jobs (kind, storage_key) select 'remove', storage_key from failed where storage_key is not null`
}

/** A trigger adds the job that removes the clip's bytes. */
export const deleteClip = async (sql: Queryable, id: string): Promise<boolean> => {
  const { count } = await sql`delete from clips where id = ${id}`
  return count > 0
}

/** Owner of a clip, for the access check. */
export const findClipOwner = async (
  sql: Queryable,
  id: string,
): Promise<{ readonly workspaceId: string; readonly clip: StoredClip } | undefined> => {
  const clip = await findClip(sql, id)
  return clip === undefined ? undefined : { workspaceId: clip.workspaceId, clip }
}
