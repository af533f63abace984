/** Transcripts of captions that were pushed live: of the event, and of the recording of its broadcast. */
import type { Queryable } from "../database.ts"
import { countSpeakers } from "./speakers.ts"

/** Rows of one transcript at most. */
const MOST_SEGMENTS = 50_000
/** A caption so long after the last picture before it belongs to a pause, which is not in the recording. */
const GAP_MS = 2000

/**
 * The transcript of an event, from its captions; replaces the one before. False: it has no caption, or is gone. Run in a transaction.
 */
export const transcribeEvent = async (sql: Queryable, id: string, eventId: string): Promise<boolean> => {
  const [event] = await sql<{ id: string }[]>`select id from events where id = ${eventId} for no key update`
  if (event === undefined) return false
  await sql`delete from transcripts where event_id = ${eventId} and recording_id is null`
  const { count } = await sql`
    with transcript as (
      insert into transcripts (id, event_id, status, source)
      select ${id}, ${eventId}, 'ready', 'captions' where exists (select 1 from captions where event_id = ${eventId})
      returning id
    )
    insert into transcript_segments (transcript_id, n, t0, t1, speaker, lang, text)
    select t.id, c.n, c.t0, c.t1, c.speaker, c.lang, c.text
      from transcript t cross join (
        select row_number() over (order by t0, segment) as n, t0, t1, speaker, lang, text
          from captions where event_id = ${eventId} order by t0, segment limit ${MOST_SEGMENTS}) c`
  if (count > 0) await countSpeakers(sql, id)
  return count > 0
}

/**
 * The transcript of a broadcast's recording, from the captions that were pushed while it ran: the times of day that its segments came
 * at put them on its clock. Captions and segments are sorted as one list, because a search for each caption's segment would
 * take minutes for a long event. False: there are none, or it has a transcript. Run in a transaction.
 */
export const transcribeBroadcast = async (sql: Queryable, id: string, recordingId: string): Promise<boolean> => {
  const { count } = await sql`
    with moments as (
      select at, start_ms, duration_ms, null as segment, null::integer as t0, null::integer as t1, null as speaker, null as lang, null as text
        from recording_segments where recording_id = ${recordingId} and bytes > 0
      union all
      select e.started_at + k.t0 * interval '1 millisecond', null, null, k.segment, k.t0, k.t1, k.speaker, k.lang, k.text
        from recordings r join events e on e.id = r.event_id join captions k on k.event_id = e.id
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
    ), transcript as (
      insert into transcripts (id, recording_id, event_id, status, source)
      select ${id}, r.id, r.event_id, 'ready', 'captions' from recordings r
       where r.id = ${recordingId} and exists (select 1 from spoken) returning id
    )
    insert into transcript_segments (transcript_id, n, t0, t1, speaker, lang, text)
    select t.id, row_number() over (order by s.begin_ms, s.segment), s.begin_ms, s.begin_ms + greatest(s.t1 - s.t0, 0),
           s.speaker, s.lang, s.text
      from transcript t cross join spoken s`
  if (count > 0) await countSpeakers(sql, id)
  return count > 0
}
