/** Recordings and their state changes: each is one statement that names the previous state, so it happens once. */
import type { MediaFacts, MediaFailure, StoredRecording } from "../../model/media/recording.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

const COLUMNS = `id, event_id, workspace_id, phase_id, room_id, kind, source, title, status, size_bytes, content_type,
  duration_ms, failure, storage_key, upload_id, broadcast_id, sha256, expected_sha256, upload_expires_at, created_at, transcription`

interface NewRecording
  extends Pick<
    StoredRecording,
    "id" | "eventId" | "workspaceId" | "phaseId" | "roomId" | "kind" | "title" | "sizeBytes" | "storageKey"
  > {
  /** Bytes reserved against the quota for an unannounced size. */
  readonly reservedBytes: number
  readonly uploadExpiresAt: Timestamp
  /** Hash of the request with an `Idempotency-Key` that begins it. */
  readonly requestHash: string | null
}

/** `undefined` when the phase does not belong to the event. */
export const insertRecording = async (
  sql: Queryable,
  recording: NewRecording,
): Promise<StoredRecording | undefined> => {
  const { id, eventId, workspaceId, phaseId, roomId, kind, title } = recording
  const { sizeBytes, storageKey, reservedBytes, uploadExpiresAt, requestHash } = recording
  const [row] = await sql<StoredRecording[]>`
    insert into recordings (id, event_id, workspace_id, phase_id, room_id, kind, title, status, size_bytes, storage_key,
                            uploaded_bytes, upload_expires_at, request_hash)
    select ${id}::uuid, ${eventId}::uuid, ${workspaceId}::uuid, ${phaseId}::uuid, ${roomId}, ${kind}, ${title}, 'uploading',
           ${sizeBytes}::bigint, ${storageKey}, ${reservedBytes}::bigint, ${uploadExpiresAt}::timestamptz, ${requestHash}
     where ${phaseId}::uuid is null or exists (select 1 from phases p where p.id = ${phaseId}::uuid and p.event_id = ${eventId}::uuid
                                               for key share)
    returning ${sql.unsafe(COLUMNS)}`
  return row
}

/** The recording begun by a request, while it is uploaded. */
export const findBegunRecording = async (sql: Queryable, requestHash: string): Promise<StoredRecording | undefined> => {
  const [row] = await sql<StoredRecording[]>`
    select ${sql.unsafe(COLUMNS)} from recordings where request_hash = ${requestHash} and status = 'uploading'`
  return row
}

/** Records that the upload at the storage has begun. `undefined` when the recording is gone. */
export const setUpload = async (sql: Queryable, id: string, uploadId: string): Promise<StoredRecording | undefined> => {
  const [row] = await sql<StoredRecording[]>`
    update recordings set upload_id = ${uploadId} where id = ${id} returning ${sql.unsafe(COLUMNS)}`
  return row
}

/** Locks the workspace's row until the end of the transaction, so that two callers do not both take the last free capacity. */
export const lockMediaUse = async (sql: Queryable, workspaceId: string): Promise<void> => {
  await sql`select 1 from workspaces where id = ${workspaceId} for no key update`
}

export const countRecordings = async (sql: Queryable, eventId: string): Promise<number> => {
  const [row] = await sql<{ recordings: number }[]>`
    select count(*)::int as recordings from recordings where event_id = ${eventId}`
  return row?.recordings ?? 0
}

/** Records stored bytes of an upload, which count against the quota even when unannounced. */
export const noteUploaded = async (sql: Queryable, id: string, bytes: number): Promise<void> => {
  await sql`update recordings set uploaded_bytes = ${bytes} where id = ${id} and status = 'uploading'`
}

export const findRecording = async (sql: Queryable, id: string): Promise<StoredRecording | undefined> => {
  const [row] = await sql<StoredRecording[]>`select ${sql.unsafe(COLUMNS)} from recordings where id = ${id}`
  return row
}

/** Pages recordings, newest first. */
export const pageRecordings = async (
  sql: Queryable,
  eventId: string,
  page: PageRequest,
): Promise<Page<StoredRecording>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<StoredRecording[]>`
    select ${sql.unsafe(COLUMNS)} from recordings
     where event_id = ${eventId} and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** Moves from `uploading` to `processing`, with the job that inspects it. `undefined` when it was not uploading. */
export const completeUpload = async (
  sql: Queryable,
  id: string,
  sizeBytes: number,
  expectedSha256: Uint8Array | null,
): Promise<StoredRecording | undefined> => {
  const [row] = await sql<StoredRecording[]>`
    with done as (
      update recordings set status = 'processing', size_bytes = ${sizeBytes}, uploaded_bytes = ${sizeBytes}, expected_sha256 = ${expectedSha256}, upload_expires_at = null
       where id = ${id} and status = 'uploading' returning ${sql.unsafe(COLUMNS)}
    ), job as (
      insert into media_jobs (kind, recording_id) select 'inspect', id from done
    )
    select ${sql.unsafe(COLUMNS)} from done`
  return row
}

/** The recording that became ready, for its webhook event. */
export type Settled = Pick<StoredRecording, "id" | "eventId" | "workspaceId">

/** Moves from `processing` to `ready`. `undefined` when it was not processing, or is gone. */
export const markReady = async (
  sql: Queryable,
  id: string,
  { container, contentType, codecs, durationMs, width, height }: MediaFacts,
  sha256: Uint8Array | null,
): Promise<Settled | undefined> => {
  const [row] = await sql<Settled[]>`
    update recordings
       set status = 'ready', container = ${container}, content_type = ${contentType}, codecs = ${[...codecs]}::text[],
           duration_ms = ${durationMs}, width = ${width}, height = ${height}, sha256 = ${sha256}
     where id = ${id} and status = 'processing' returning id, event_id, workspace_id`
  return row
}

/** Like `markReady`, for the recording of a broadcast. */
export const markBroadcastReady = async (
  sql: Queryable,
  id: string,
  { container, contentType, codecs, durationMs, width, height }: MediaFacts,
  sizeBytes: number,
): Promise<Settled | undefined> => {
  const [row] = await sql<Settled[]>`
    update recordings
       set status = 'ready', container = ${container}, content_type = ${contentType}, codecs = ${[...codecs]}::text[],
           duration_ms = ${durationMs}, width = ${width}, height = ${height}, size_bytes = ${sizeBytes}
     where id = ${id} and status = 'processing' returning id, event_id, workspace_id`
  return row
}

/** Moves from `uploading` to `failed`; a job removes its bytes. */
export const failUpload = async (sql: Queryable, id: string, failure: MediaFailure): Promise<void> => {
  await sql`
    with failed as (
      update recordings set status = 'failed', upload_expires_at = null, failure = ${sql.json(failure)}
       where id = ${id} and status = 'uploading' returning storage_key
    )
    insert into media_jobs (kind, storage_key) select 'remove', storage_key from failed where storage_key is not null`
}

/** Moves from `processing` to `failed`; a job removes its bytes, and it no longer counts against the quota. */
export const markFailed = async (sql: Queryable, id: string, failure: MediaFailure): Promise<boolean> => {
  const { count } = await sql`
    with failed as (
      update recordings set status = 'failed', failure = ${sql.json(failure)}
       where id = ${id} and status = 'processing' returning storage_key
    ), bytes as (
      insert into media_jobs (kind, storage_key) select 'remove', storage_key from failed where storage_key is not null
    )
    select 1 from failed`
  return count > 0
}

/** Moves up to `limit` expired uploads from `uploading` to `failed`. Resolves to their number. */
export const expireUploads = async (sql: Queryable, now: Timestamp, limit: number): Promise<number> => {
  const failure: MediaFailure = { code: "upload_expired", detail: "The upload was not completed in time." }
  const { count } = await sql`
    with expired as (
      update recordings set status = 'failed', upload_expires_at = null, failure = ${sql.json(failure)}
       where id = any (array(
         select id from recordings where status = 'uploading' and upload_expires_at <= ${now}::timestamptz
          order by upload_expires_at limit ${limit} for update skip locked))
      returning storage_key
    ), bytes as (
      insert into media_jobs (kind, storage_key) select 'remove', storage_key from expired where storage_key is not null
    )
    select 1 from expired`
  return count
}

/**
 * Deletes up to `limit` recordings begun before the cutoff, oldest first; resolves to their number. Their bytes are removed as in
 * `deleteRecording`.
 */
export const deleteRecordingsBefore = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from recordings where id = any (array(
      select id from recordings where created_at < ${before}::timestamptz and status in ('ready', 'failed')
       order by created_at limit ${limit} for update skip locked))`
  return count
}

/** Name of a stored file, with the workspace and id that it states. */
interface StoredFileName {
  readonly key: string
  readonly workspaceId: string
  /** Id of a recording or clip. */
  readonly id: string
}

/**
 * Keys of the files that belong to no recording or clip. Files of unknown workspaces are skipped: this may be another database than the one
 * that the files belong to.
 */
export const findStrayMedia = async (
  sql: Queryable,
  files: ReadonlyArray<StoredFileName>,
): Promise<ReadonlyArray<string>> => {
  const [keys, workspaces, ids] = [
    files.map(({ key }) => key),
    files.map(({ workspaceId }) => workspaceId),
    files.map(({ id }) => id),
  ]
  const rows = await sql<{ key: string }[]>`
    select f.key from unnest(${keys}::text[], ${workspaces}::uuid[], ${ids}::uuid[]) as f (key, workspace_id, id)
     where exists (select 1 from workspaces w where w.id = f.workspace_id)
       and not exists (select 1 from recordings r where r.id = f.id)
       and not exists (select 1 from clips c where c.id = f.id)
       and not exists (select 1 from recording_derivations d where d.id = f.id)`
  return rows.map(({ key }) => key)
}

/** A trigger adds the job that removes the recording's bytes. */
export const deleteRecording = async (sql: Queryable, id: string): Promise<boolean> => {
  const { count } = await sql`delete from recordings where id = ${id}`
  return count > 0
}

interface RecordingOwner {
  readonly workspaceId: string
  readonly recording: StoredRecording
}

/** Owner of a recording, for the access check. */
export const findRecordingOwner = async (sql: Queryable, id: string): Promise<RecordingOwner | undefined> => {
  const recording = await findRecording(sql, id)
  return recording === undefined ? undefined : { workspaceId: recording.workspaceId, recording }
}
