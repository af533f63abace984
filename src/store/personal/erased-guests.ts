/**
 * Guests whose sessions ended with their erasure. A guest's session is a signed token that no row stores; a row here ends the earlier
 * sessions of its guest for as long as one can last.
 */
import { GUEST_SESSION_SECONDS } from "../../model/participants.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

/** A guest's session, or a token or socket derived from it. */
export interface GuestSession {
  readonly eventId: string
  readonly participantId: string
  /** Expiry of the session in Unix milliseconds. */
  readonly expiresAt: number
}

/**
 * Sessions created up to this long after an erasure end with it: clocks of nodes differ, and a session may be in creation. The erasure
 * takes longer, and new sessions are possible after it.
 */
const MARGIN_MS = 300_000
/** Retention of the rows: the longest session plus twice the margin. */
const KEPT_MS = GUEST_SESSION_SECONDS * 1000 + 2 * MARGIN_MS

/** Ends the guests' sessions at these events. */
export const endGuestSessions = async (
  sql: Queryable,
  guests: ReadonlyArray<Pick<GuestSession, "eventId" | "participantId">>,
  now: number,
): Promise<void> => {
  await sql`
    insert into erased_guests (event_id, participant_id, erased_at)
    select p.event_id, p.participant_id, ${toTimestamp(now)}::timestamptz
      from unnest(${guests.map(({ eventId }) => eventId)}::uuid[],
                  ${guests.map(({ participantId }) => participantId)}::text[]) as p(event_id, participant_id)
      -- One may have been deleted since it was looked at.
      join events e on e.id = p.event_id
    on conflict (event_id, participant_id) do update set erased_at = excluded.erased_at`
}

/** Whether the guest's erasure ended each session, in order. */
export const areErased = async (
  sql: Queryable,
  sessions: ReadonlyArray<GuestSession>,
): Promise<ReadonlyArray<boolean>> => {
  const asked = sessions.map(({ eventId, participantId, expiresAt }, n) => ({
    n,
    event_id: eventId,
    participant_id: participantId,
    since: toTimestamp(expiresAt - GUEST_SESSION_SECONDS * 1000 - MARGIN_MS),
  }))
  const rows = await sql<{ isErased: boolean }[]>`
    select g.event_id is not null as is_erased
      from jsonb_to_recordset(${sql.json(asked)}) as a(n integer, event_id uuid, participant_id text, since timestamptz)
      left join erased_guests g on g.event_id = a.event_id and g.participant_id = a.participant_id and g.erased_at > a.since
     order by a.n`
  return rows.map(({ isErased }) => isErased)
}

/** Deletes up to `limit` rows that no session needs any more. Resolves to their number. */
export const deleteErasedGuests = async (sql: Queryable, now: number, limit: number): Promise<number> => {
  const before = toTimestamp(now - KEPT_MS)
  const { count } = await sql`
    delete from erased_guests where ctid = any (array(
      select ctid from erased_guests where erased_at < ${before} order by erased_at limit ${limit}))`
  return count
}
