/** Transcripts of recordings: one per recording, replaced as a whole. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { countSpeakers } from "./speakers.ts"

/** One stretch of speech, with times in milliseconds from the recording's start. */
interface StoredSegment {
  readonly t0: number
  readonly t1: number
  readonly speaker: string
  readonly lang: string
  readonly text: string
}

export interface TranscriptRow {
  readonly id: string
  readonly eventId: string
  readonly recordingId: string | null
  readonly createdAt: Timestamp
}

/** Maximum number of segments per slice. */
const IN_A_SLICE = 1000

interface NewTranscript {
  readonly id: string
  readonly recordingId: string
  /** JSON arrays of segments, in order. The text goes to the database unparsed, so its segments cost the event loop nothing. */
  readonly slices: ReadonlyArray<string>
}

/**
 * Replaces the recording's transcript with a new one under a new id. Resolves to whether there was one before; `undefined` when the
 * recording is gone. Run in a transaction.
 */
export const replaceTranscript = async (
  sql: Queryable,
  { id, recordingId, slices }: NewTranscript,
): Promise<boolean | undefined> => {
  // Serialises concurrent callers by the recording's row.
  const [recording] = await sql`select 1 as one from recordings where id = ${recordingId} for no key update`
  if (recording === undefined) return undefined
  const { count } = await sql`delete from transcripts where recording_id = ${recordingId}`
  await insertTranscript(sql, { id, recordingId, slices })
  return count > 0
}

/** The caller has the lock of the recording's row, and knows that it has no transcript. Run in a transaction. */
export const insertTranscript = async (sql: Queryable, { id, recordingId, slices }: NewTranscript): Promise<void> => {
  await sql`
    insert into transcripts (id, recording_id, event_id, status, source)
    select ${id}::uuid, r.id, r.event_id, 'ready', 'upload' from recordings r where r.id = ${recordingId}`
  for (const [index, slice] of slices.entries()) {
    await sql`
      insert into transcript_segments (transcript_id, n, t0, t1, speaker, lang, text)
      select ${id}::uuid, ${index * IN_A_SLICE}::integer + n, (s->>'t0')::integer, (s->>'t1')::integer, s->>'speaker', s->>'lang', s->>'text'
        from jsonb_array_elements(${slice}::text::jsonb) with ordinality as e (s, n)`
  }
  await countSpeakers(sql, id)
}

export const findTranscript = async (sql: Queryable, recordingId: string): Promise<TranscriptRow | undefined> => {
  const [row] = await sql<TranscriptRow[]>`
    select id, event_id, recording_id, created_at from transcripts where recording_id = ${recordingId} and status = 'ready'`
  return row
}

export const findTranscriptById = async (sql: Queryable, id: string): Promise<TranscriptRow | undefined> => {
  const [row] = await sql<TranscriptRow[]>`
    select id, event_id, recording_id, created_at from transcripts where id = ${id} and status = 'ready'`
  return row
}

/** Excludes talk in a breakout room, which is not the event's. */
export const OF_THE_EVENT = `recording_id is null or exists (
  select 1 from recordings r where r.id = recording_id and r.kind <> 'room')`

/** The event's own transcript of its captions, or else the newest of its recordings. */
export const findEventTranscript = async (sql: Queryable, eventId: string): Promise<TranscriptRow | undefined> => {
  const [row] = await sql<TranscriptRow[]>`
    select id, event_id, recording_id, created_at from transcripts
     where event_id = ${eventId} and status = 'ready' and (${sql.unsafe(OF_THE_EVENT)})
     order by recording_id is not null, created_at desc, id desc limit 1`
  return row
}

/** JSON slices of a thousand segments each, from one snapshot: one row per segment would occupy the event loop for long. */
export const listSlices = async (sql: Queryable, transcriptId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ slice: string }[]>`
    select jsonb_agg(jsonb_build_object('t0', t0, 't1', t1, 'speaker', speaker, 'lang', lang, 'text', text) order by n)::text as slice
      from (select *, (n - 1) / ${IN_A_SLICE} as place from transcript_segments where transcript_id = ${transcriptId}) s
     group by place order by place`
  return rows.map(({ slice }) => slice)
}

export const segmentsOfSlice = (slice: string): ReadonlyArray<StoredSegment> => JSON.parse(slice) as StoredSegment[]

/** Segments that contain all words of `words`, in order of speech. */
export const searchSegments = async (
  sql: Queryable,
  transcriptId: string,
  words: string,
  limit: number,
): Promise<ReadonlyArray<StoredSegment>> =>
  sql<StoredSegment[]>`
    select t0, t1, speaker, lang, text from transcript_segments
     where transcript_id = ${transcriptId} and to_tsvector('simple', text) @@ plainto_tsquery('simple', ${words})
     order by n limit ${limit}`
