/**
 * Transcripts by a recogniser: the job, what it heard so far, and the transcript in the end. Every change begins with the lock of the
 * recording's row, as that of an uploaded transcript does, which precedes.
 */
import type { Queryable } from "../database.ts"
import { deleteMediaJob } from "./media-jobs.ts"
import { insertTranscript } from "./transcripts.ts"

/** Adds the job when the recording becomes ready. A phase without the feature `transcript` gets none, nor does a recording with a transcript. */
export const addRecogniseJob = async (sql: Queryable, recordingId: string): Promise<void> => {
  await sql`
    with wanted as (
      update recordings r set transcription = '{"status": "running", "detail": null}'
       where r.id = ${recordingId} and not exists (select 1 from transcripts t where t.recording_id = r.id)
         and not exists (select 1 from phases p where p.id = r.phase_id and not 'transcript' = any (p.feature_set))
      returning r.id
    )
    insert into media_jobs (kind, recording_id) select 'recognise', id from wanted on conflict do nothing`
}

/** Work that is left. */
interface Recognition {
  /** Where the next piece begins, in milliseconds of the recording. */
  readonly nextMs: number
  /** Language of the event. */
  readonly language: string | null
  readonly hasTranscript: boolean
}

/** `undefined` when the job is gone. */
export const findRecognition = async (sql: Queryable, jobId: number): Promise<Recognition | undefined> => {
  const [row] = await sql<Recognition[]>`
    select coalesce((j.captured->>'nextMs')::integer, 0) as next_ms, e.language,
           exists (select 1 from transcripts t where t.recording_id = j.recording_id) as has_transcript
      from media_jobs j join recordings r on r.id = j.recording_id join events e on e.id = r.event_id where j.id = ${jobId}`
  return row
}

/** A piece that was heard: where it began, where the next one begins, and its segments as a JSON array. */
export interface HeardPiece {
  readonly fromMs: number
  readonly nextMs: number
  /** The transcript includes the parts that were heard before. */
  readonly isWhole: boolean
  readonly segments: string
}

/**
 * Keeps what was heard and ends the lease, so that the next piece has its turn. Returns the number of segments so far; `undefined` when the
 * piece was kept already, because the lease had ended meanwhile.
 */
export const keepHeard = async (
  sql: Queryable,
  jobId: number,
  { fromMs, nextMs, isWhole, segments }: HeardPiece,
): Promise<number | undefined> => {
  const [row] = await sql<{ count: number }[]>`
    update media_jobs
       set captured = jsonb_build_object('nextMs', ${nextMs}::integer,
                        'segments', case when ${isWhole} then '[]' else coalesce(captured->'segments', '[]') end || ${segments}::text::jsonb),
           attempts = 0, leased_until = null, due_at = now(), last_error = null
     where id = ${jobId} and coalesce((captured->>'nextMs')::integer, 0) = ${fromMs}::integer
    returning jsonb_array_length(captured->'segments') as count`
  return row?.count
}

/**
 * Leaves the job to a node that can do it; this try does not count. Returns false when no such node has begun within a day, or ended within
 * a week.
 */
export const leaveRecognition = async (sql: Queryable, jobId: number): Promise<boolean> => {
  const { count } = await sql`
    update media_jobs set attempts = attempts - 1, leased_until = null, due_at = now() + interval '1 minute'
     where id = ${jobId} and created_at > now() - case when captured is null then interval '1 day' else interval '7 days' end`
  return count > 0
}

/**
 * Ends up to `limit` jobs that no node has taken for a week, because none has a recogniser any more. Resolves to the number of recordings
 * that stay without a transcript. Run in a transaction.
 */
export const endForgottenRecognitions = async (sql: Queryable, limit: number): Promise<number> => {
  const { count } = await sql`
    with forgotten as (
      select r.id from recordings r join media_jobs j on j.recording_id = r.id and j.kind = 'recognise'
       where j.due_at < now() - interval '7 days' and (j.leased_until is null or j.leased_until < now())
       limit ${limit} for no key update of r skip locked
    ), ended as (
      delete from media_jobs j using forgotten f
       where j.recording_id = f.id and j.kind = 'recognise' and j.due_at < now() - interval '7 days' returning j.recording_id
    )
    update recordings r set transcription = ${sql.json({ status: "failed", detail: "No recogniser took the recording within a week." })}
      from ended e where r.id = e.recording_id and not exists (select 1 from transcripts t where t.recording_id = r.id)`
  return count
}

/**
 * Writes the transcript of everything heard. `superseded` means that there is one by now, or that the recording is gone. Run in a
 * transaction.
 */
export const writeHeard = async (
  sql: Queryable,
  id: string,
  recordingId: string,
  jobId: number,
): Promise<"written" | "silent" | "superseded"> => {
  const [recording] = await sql`select 1 as one from recordings where id = ${recordingId} for no key update`
  const [found] = await sql`select 1 as one from transcripts where recording_id = ${recordingId}`
  const [job] = await sql<{ segments: string }[]>`
    select coalesce(captured->'segments', '[]')::text as segments from media_jobs where id = ${jobId} for update`
  if (recording === undefined || found !== undefined || job === undefined) return "superseded"
  if (job.segments === "[]") return "silent"
  await insertTranscript(sql, { id, recordingId, slices: [job.segments] })
  return "written"
}

/**
 * Ends the work. `detail` says why there is no transcript; null when there is nothing to report, as where one was uploaded meanwhile. Returns
 * false when the work had ended. Run in a transaction.
 */
export const endRecognition = async (
  sql: Queryable,
  { id, recordingId }: { readonly id: number; readonly recordingId: string },
  detail: string | null,
): Promise<boolean> => {
  await sql`select 1 from recordings where id = ${recordingId} for no key update`
  if (!(await deleteMediaJob(sql, id))) return false
  const transcription = detail === null ? null : sql.json({ status: "failed", detail })
  await sql`
    update recordings r set transcription = ${transcription}
     where r.id = ${recordingId} and not exists (select 1 from transcripts t where t.recording_id = r.id)`
  return true
}
