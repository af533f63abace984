/** Transcripts of live captions: of the event, and of recordings made meanwhile. */
import type { Queryable } from "../database.ts"
import { countSpeakers, WORDS } from "./speakers.ts"

/** Maximum number of rows of one transcript. */
const MOST_SEGMENTS = 50_000
/** Time limit of a transaction that writes the longest transcript on a slow machine: a request's deadline would abort every attempt. */
export const WRITING_TRANSCRIPT = { withinMs: 120_000 }
/** A caption this long after the last picture before it belongs to a pause, which is not in the recording. */
const GAP_MS = 2000

/**
 * Writes the transcript of an event from its captions, replacing the previous one. Returns false when it has no caption, or is gone. Run in
 * a transaction.
 */
export const transcribeEvent = async (sql: Queryable, id: string, eventId: string): Promise<boolean> => {
  const [event] = await sql<{ id: string }[]>`select id from events where id = ${eventId} for no key update`
  if (event === undefined) return false
  await sql`delete from transcripts where event_id = ${eventId} and recording_id is null`
  const { count } = await sql`
    with transcript as (
      insert into transcripts (id, event_id, status, source)
      select ${id}, ${eventId}, 'ready', 'captions'
       where exists (select 1 from captions where event_id = ${eventId} and room_id is null)
      returning id
    )
    insert into transcript_segments (transcript_id, n, t0, t1, speaker, lang, text)
    select t.id, c.n, c.t0, c.t1, c.speaker, c.lang, c.text
      from transcript t cross join (
        select row_number() over (order by t0, segment) as n, t0, t1, speaker, lang, text
          from captions where event_id = ${eventId} and room_id is null order by t0, segment limit ${MOST_SEGMENTS}) c`
  if (count > 0) await countSpeakers(sql, id)
  return count > 0
}

/** End of a statement whose `spoken` has captions on the clock of a recording, from `begin_ms` on: makes them its transcript. */
const rowsOfSpoken = (sql: Queryable, id: string, recordingId: string) => sql`
    , transcript as (
      insert into transcripts (id, recording_id, event_id, status, source)
      select ${id}, r.id, r.event_id, 'ready', 'captions' from recordings r
       where r.id = ${recordingId} and exists (select 1 from spoken) returning id
    )
    insert into transcript_segments (transcript_id, n, t0, t1, speaker, lang, text)
    select t.id, row_number() over (order by s.begin_ms, s.segment), s.begin_ms, s.begin_ms + greatest(s.t1 - s.t0, 0),
           s.speaker, s.lang, s.text
      from transcript t cross join spoken s`

/**
 * Writes the transcript of a broadcast's recording from the captions pushed while it ran; the arrival times of its segments map them to its
 * clock. Captions and segments are sorted as one list, because a search for each caption's segment would take minutes for a long event.
 * Returns false when there are none, or it has a transcript. Run in a transaction.
 */
export const transcribeBroadcast = async (sql: Queryable, id: string, recordingId: string): Promise<boolean> => {
  const { count } = await sql`
    with moments as (
      select at, start_ms, duration_ms, null as segment, null::integer as t0, null::integer as t1, null as speaker, null as lang, null as text
        from recording_segments where recording_id = ${recordingId} and bytes > 0
      union all
      select e.started_at + k.t0 * interval '1 millisecond', null, null, k.segment, k.t0, k.t1, k.speaker, k.lang, k.text
        from recordings r join events e on e.id = r.event_id join captions k on k.event_id = e.id and k.room_id is null
       where r.id = ${recordingId} and not exists (select 1 from transcripts t where t.recording_id = r.id)
    ), counted as (
      select *, count(*) filter (where segment is null) over (order by at, segment is not null rows unbounded preceding) as place
        from moments
    ), placed as (
      select *, first_value(at) over media as media_at, first_value(start_ms) over media as media_start_ms,
             first_value(duration_ms) over media as media_ms
        from counted where place > 0 window media as (partition by place order by segment is not null)
    ), spoken as (
      select *, media_start_ms + least(extract(epoch from at - media_at) * 1000, media_ms)::integer as begin_ms
        from placed where segment is not null and at <= media_at + (media_ms + ${GAP_MS}) * interval '1 millisecond'
       order by t0, segment limit ${MOST_SEGMENTS}
    ) ${rowsOfSpoken(sql, id, recordingId)}`
  if (count > 0) await countSpeakers(sql, id)
  return count > 0
}

/**
 * Writes the transcript of a room recorded by the media server from the captions pushed meanwhile. Returns false when there are none, the
 * recording's start is unknown, or it has a transcript. Run in a transaction.
 */
export const transcribeRoom = async (sql: Queryable, id: string, recordingId: string): Promise<boolean> => {
  const { count } = await sql`
    with spoken as (
      select k.*, greatest(0, extract(epoch from e.started_at + k.t0 * interval '1 millisecond' - r.began_at) * 1000)::integer as begin_ms
        from recordings r join events e on e.id = r.event_id
        join captions k on k.event_id = e.id and k.room_id is not distinct from r.room_id
         and e.started_at + k.t1 * interval '1 millisecond' > r.began_at
         and e.started_at + k.t0 * interval '1 millisecond' < r.began_at + r.duration_ms * interval '1 millisecond'
       where r.id = ${recordingId} and not exists (select 1 from transcripts t where t.recording_id = r.id)
       order by k.t0, k.segment limit ${MOST_SEGMENTS}
    ) ${rowsOfSpoken(sql, id, recordingId)}`
  if (count > 0) await countSpeakers(sql, id)
  return count > 0
}

/** Deletes a recording's transcript that was made of captions. Run in a transaction. */
export const dropCaptionTranscript = async (sql: Queryable, recordingId: string): Promise<void> => {
  await sql`select 1 from recordings where id = ${recordingId} for no key update`
  await sql`delete from transcripts where recording_id = ${recordingId} and source = 'captions'`
}

/** The talk in a room, as its notes need it. */
export interface RoomTalk {
  readonly people: ReadonlyArray<{ readonly speaker: string; readonly words: number; readonly turns: number }>
  readonly words: number
  readonly seconds: number
  /** Questions in order, without repetitions. */
  readonly questions: ReadonlyArray<string>
  /** Beginning of the talk, one line per caption. */
  readonly lines: ReadonlyArray<string>
}

const MOST_PEOPLE = 100
const MOST_QUESTIONS = 100
const MOST_LINES = 5000

/** `undefined` when nothing was said. */
export const findRoomTalk = async (sql: Queryable, eventId: string, roomId: string): Promise<RoomTalk | undefined> => {
  const [sum] = await sql<{ words: number | null; seconds: number }[]>`
    select sum(${sql.unsafe(WORDS)})::integer as words,
           round((max(t1) - min(t0)) / 1000.0)::integer as seconds
      from captions where event_id = ${eventId} and room_id = ${roomId}`
  if (sum === undefined || sum.words === null) return undefined
  const people = await sql<{ speaker: string; words: number; turns: number }[]>`
    select speaker, sum(${sql.unsafe(WORDS)})::integer as words,
           count(*) filter (where is_turn)::integer as turns
      from (select speaker, text, speaker is distinct from lag(speaker) over (order by t0, segment) as is_turn
              from captions where event_id = ${eventId} and room_id = ${roomId}) said
     where speaker <> '' group by speaker order by words desc, speaker limit ${MOST_PEOPLE}`
  const questions = await sql<{ text: string }[]>`
    select text from captions where event_id = ${eventId} and room_id = ${roomId} and text like '%?'
     group by text order by min(t0) limit ${MOST_QUESTIONS}`
  const lines = await sql<{ line: string }[]>`
    select case speaker when '' then text else speaker || ': ' || text end as line
      from captions where event_id = ${eventId} and room_id = ${roomId} order by t0, segment limit ${MOST_LINES}`
  return {
    people,
    words: sum.words,
    seconds: sum.seconds,
    questions: questions.map(({ text }) => text),
    lines: lines.map(({ line }) => line),
  }
}
