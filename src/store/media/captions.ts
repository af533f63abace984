/** Transcripts of captions that were pushed live: of the event, and of the recording of its broadcast. */
import type { Queryable } from "../database.ts"

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
  return count > 0
}

/**
 * The transcript of a broadcast's recording, from the captions that were pushed while it ran: the times of day that its segments came
 * at put them on its clock. False: there are none, or it has a transcript. Run in a transaction.
 */
export const transcribeBroadcast = async (sql: Queryable, id: string, recordingId: string): Promise<boolean> => {
  const { count } = await sql`
    with spoken as (
      select c.*, s.start_ms + least(extract(epoch from c.at - s.at) * 1000, s.duration_ms)::integer as begin_ms
        from recordings r
        join events e on e.id = r.event_id
        cross join lateral (
          select k.*, e.started_at + k.t0 * interval '1 millisecond' as at from captions k where k.event_id = e.id) c
        cross join lateral (
          select s.start_ms, s.duration_ms, s.at from recording_segments s
           where s.recording_id = r.id and s.bytes > 0 and s.at <= c.at order by s.at desc limit 1) s
       where r.id = ${recordingId} and c.at <= s.at + (s.duration_ms + ${GAP_MS}) * interval '1 millisecond'
         and not exists (select 1 from transcripts t where t.recording_id = r.id)
       order by c.t0, c.segment limit ${MOST_SEGMENTS}
    ), transcript as (
      insert into transcripts (id, recording_id, event_id, status, source)
      select ${id}, r.id, r.event_id, 'ready', 'captions' from recordings r
       where r.id = ${recordingId} and exists (select 1 from spoken) returning id
    )
    insert into transcript_segments (transcript_id, n, t0, t1, speaker, lang, text)
    select t.id, row_number() over (order by s.begin_ms, s.segment), s.begin_ms, s.begin_ms + greatest(s.t1 - s.t0, 0),
           s.speaker, s.lang, s.text
      from transcript t cross join spoken s`
  return count > 0
}
