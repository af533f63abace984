/** Notes of one table of an event, and the tokens by which their recipients read them. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"

/** Replaces the stored notes of the table. */
export const upsertTableSummary = async (
  sql: Queryable,
  summary: { eventId: string; roomId: string; content: object; generatedAt: Timestamp },
): Promise<void> => {
  await sql`
    insert into table_summaries (event_id, room_id, content, generated_at)
    values (${summary.eventId}, ${summary.roomId}, ${sql.json(summary.content)}, ${summary.generatedAt})
    on conflict (event_id, room_id) do update set content = excluded.content, generated_at = excluded.generated_at`
}

/** Recipients whose token still opens the notes. */
export const listNoteRecipients = async (
  sql: Queryable,
  eventId: string,
  roomId: string,
  now: Timestamp,
): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ userId: string }[]>`
    select user_id from table_note_tokens
     where event_id = ${eventId} and room_id = ${roomId} and expires_at > ${now}`
  return new Set(rows.map(({ userId }) => userId))
}

export const insertNoteToken = async (
  sql: Queryable,
  token: {
    tokenHash: Uint8Array
    eventId: string
    roomId: string
    userId: string
    name: string | null
    expiresAt: Timestamp
  },
): Promise<void> => {
  await sql`
    insert into table_note_tokens (token_hash, event_id, room_id, user_id, name, expires_at)
    values (${token.tokenHash}, ${token.eventId}, ${token.roomId}, ${token.userId}, ${token.name}, ${token.expiresAt})`
}

interface TableNotesRow<Content> {
  readonly roomId: string
  readonly content: Content
  readonly generatedAt: Timestamp
  readonly recipientUserId: string
  readonly recipientName: string | null
  readonly eventId: string
  readonly eventTitle: string
  readonly scheduledAt: Timestamp | null
}

/** Notes that a token opens, of this event only. */
export const findTableNotes = async <Content>(
  sql: Queryable,
  eventId: string,
  tokenHash: Uint8Array,
  now: Timestamp,
): Promise<TableNotesRow<Content> | undefined> => {
  const [row] = await sql<TableNotesRow<Content>[]>`
    select s.room_id, s.content, s.generated_at, t.user_id as recipient_user_id, t.name as recipient_name,
           e.id as event_id, e.title as event_title, e.scheduled_at
      from table_note_tokens t
      join table_summaries s on s.event_id = t.event_id and s.room_id = t.room_id
      join events e on e.id = t.event_id
     where t.token_hash = ${tokenHash} and t.event_id = ${eventId} and t.expires_at > ${now}
       and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}`
  return row
}

/** Deletes up to `limit` expired tokens. Resolves to their number. */
export const deleteExpiredNoteTokens = async (sql: Queryable, now: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from table_note_tokens where token_hash = any (array(
      select token_hash from table_note_tokens where expires_at <= ${now} order by expires_at limit ${limit}))`
  return count
}

/**
 * The participants among these who were at the event: a room assignment is sent in the participant's own stream, which leaves a sequence
 * number.
 */
export const listThere = async (
  sql: Queryable,
  eventId: string,
  participantIds: ReadonlyArray<string>,
): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ id: string }[]>`
    select id from unnest(${[...participantIds]}::text[]) as asked(id)
     where exists (select from publications where event_id = ${eventId} and stream = 'me:' || id)
        or exists (select from stream_heads where event_id = ${eventId} and stream = 'me:' || id)`
  return new Set(rows.map(({ id }) => id))
}
