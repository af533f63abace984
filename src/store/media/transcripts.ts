/** Transcripts of recordings: one for each, replaced as a whole. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { countSpeakers } from "./speakers.ts"

/** One stretch of speech; times in milliseconds from the recording's start. */
export interface StoredSegment {
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

/** Columns as arrays: one statement writes fifty thousand rows without as many parameters. */
const columnsOf = (segments: ReadonlyArray<StoredSegment>) => ({
  t0: segments.map(({ t0 }) => t0),
  t1: segments.map(({ t1 }) => t1),
  speaker: segments.map(({ speaker }) => speaker),
  lang: segments.map(({ lang }) => lang),
  text: segments.map(({ text }) => text),
})

export interface NewTranscript {
  readonly id: string
  readonly recordingId: string
  readonly segments: ReadonlyArray<StoredSegment>
}

/**
 * Replaces the recording's transcript with one of a new id. Resolves to whether there was one before; `undefined` when the recording
 * is gone. Run in a transaction.
 */
export const replaceTranscript = async (
  sql: Queryable,
  { id, recordingId, segments }: NewTranscript,
): Promise<boolean | undefined> => {
  // Two callers at once take turns: the row is the recording's.
  const [recording] = await sql<{ eventId: string }[]>`
    select event_id from recordings where id = ${recordingId} for no key update`
  if (recording === undefined) return undefined
  const { count } = await sql`delete from transcripts where recording_id = ${recordingId}`
  await sql`
    insert into transcripts (id, recording_id, event_id, status, source)
    values (${id}, ${recordingId}, ${recording.eventId}, 'ready', 'upload')`
  const { t0, t1, speaker, lang, text } = columnsOf(segments)
  await sql`
    insert into transcript_segments (transcript_id, n, t0, t1, speaker, lang, text)
    select ${id}::uuid, n, t0, t1, speaker, lang, text
      from unnest(${t0.map(String)}::text[]::integer[], ${t1.map(String)}::text[]::integer[], ${speaker}::text[], ${lang}::text[], ${text}::text[])
           with ordinality as s (t0, t1, speaker, lang, text, n)`
  await countSpeakers(sql, id)
  return count > 0
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

/** What was said in a room of a breakout is not the event's. */
export const OF_THE_EVENT = `recording_id is null or exists (
  select 1 from recordings r where r.id = recording_id and r.kind <> 'room')`

/** The event's own, of its captions, or else the newest of its recordings'. */
export const findEventTranscript = async (sql: Queryable, eventId: string): Promise<TranscriptRow | undefined> => {
  const [row] = await sql<TranscriptRow[]>`
    select id, event_id, recording_id, created_at from transcripts
     where event_id = ${eventId} and status = 'ready' and (${sql.unsafe(OF_THE_EVENT)})
     order by recording_id is not null, created_at desc, id desc limit 1`
  return row
}

export const listSegments = async (sql: Queryable, transcriptId: string): Promise<ReadonlyArray<StoredSegment>> =>
  sql<StoredSegment[]>`
    select t0, t1, speaker, lang, text from transcript_segments where transcript_id = ${transcriptId} order by n`

/** Segments with all words of `words`, in the order of speech. */
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
