/** Summary of an event: its text, and how much its speakers said. */
import type { Queryable } from "../database.ts"
import { OF_THE_EVENT } from "../media/transcripts.ts"

interface SpeakerStats {
  readonly name: string
  readonly words: number
  readonly seconds: number
}

/** `text` is empty when no summary was written. */
interface EventSummary {
  readonly text: string
  readonly speakers: ReadonlyArray<SpeakerStats>
}

/** Speakers of the event's transcript, as counted when it was written. */
const speakersOf = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<SpeakerStats>> => {
  const [row] = await sql<{ speakers: ReadonlyArray<SpeakerStats> }[]>`
    select speakers from transcripts where event_id = ${eventId} and status = 'ready' and (${sql.unsafe(OF_THE_EVENT)})
     order by recording_id is not null, created_at desc, id desc limit 1`
  return row?.speakers ?? []
}

/** `undefined` when there is neither a text nor a speaker. */
export const findEventSummary = async (sql: Queryable, eventId: string): Promise<EventSummary | undefined> => {
  const [row] = await sql<{ text: string; speakers: ReadonlyArray<SpeakerStats> | null }[]>`
    select text, speakers from event_summaries where event_id = ${eventId}`
  const speakers = row?.speakers ?? (await speakersOf(sql, eventId))
  return row === undefined && speakers.length === 0 ? undefined : { text: row?.text ?? "", speakers }
}

/** `speakers` null means that they are counted. A person's text replaces any other. */
export const putEventSummary = async (
  sql: Queryable,
  eventId: string,
  { text, speakers }: { readonly text: string; readonly speakers: ReadonlyArray<SpeakerStats> | null },
): Promise<void> => {
  await sql`
    insert into event_summaries (event_id, text, speakers, source)
    select id, ${text}, ${speakers === null ? null : sql.json(speakers)}::jsonb, 'person' from events where id = ${eventId}
    on conflict (event_id) do update set text = excluded.text, speakers = excluded.speakers, source = 'person', created_at = now()`
}

/** A model's text replaces only another model's text. */
export const putModelSummary = async (sql: Queryable, eventId: string, text: string): Promise<void> => {
  await sql`
    insert into event_summaries (event_id, text, source) select id, ${text}, 'model' from events where id = ${eventId}
    on conflict (event_id) do update set text = excluded.text, created_at = now() where event_summaries.source = 'model'`
}
