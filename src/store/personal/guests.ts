/**
 * Erasing a partner's guest, who has no row of their own: the ids at events derive from the event, the issuer and the partner's own id of
 * the guest. They are computed for the workspace's events in steps, so the partner's id is stored nowhere. The erasure covers events that
 * hold something about the guest, and all events that a session of the guest may still open.
 */
import { GUEST_SESSION_SECONDS, type Guest, guestAt, REMOVED_PERSON } from "../../model/participants.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type PagePosition } from "../page.ts"
import { endGuestSessions } from "./erased-guests.ts"
import { type Erasure, insertErasure } from "./erasures.ts"

/** Events per step, and maximum number of ids of an erasure. */
const EVENTS = 500

/** The guest at one event. */
export interface GuestPlace {
  readonly eventId: string
  readonly participantId: string
  /** Whether an earlier session may still open the event. */
  readonly isOpen: boolean
  /** Whether the event stores something that an erasure removes. */
  readonly isStored: boolean
}

export interface SearchStep {
  readonly places: ReadonlyArray<GuestPlace>
  /** Last event of the step; null when all events were searched. */
  readonly last: PagePosition | null
}

/** The events with something that `eraseAt` removes; each condition is one index lookup. */
const findStored = async (
  sql: Queryable,
  eventIds: ReadonlyArray<string>,
  participantIds: ReadonlyArray<string>,
): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ eventId: string }[]>`
    select p.event_id from unnest(${[...eventIds]}::uuid[], ${[...participantIds]}::text[]) as p(event_id, participant_id)
     where exists (select from attendances a
                    where a.event_id = p.event_id and a.participant_id = p.participant_id and a.name <> ${REMOVED_PERSON})
        or exists (select from present_participants a
                    where a.event_id = p.event_id and a.participant_id = p.participant_id)
        or exists (select from live_records r where r.event_id = p.event_id and r.kind = 'hand' and r.id = p.participant_id)
        or exists (select from live_records r where r.event_id = p.event_id and r.kind = 'seat' and r.id = p.participant_id
                      and r.body->>'name' <> ${REMOVED_PERSON})
        or exists (select from live_records r where r.event_id = p.event_id and r.kind = 'quizPoints'
                      and split_part(r.id, ' ', 2) = p.participant_id and r.body->>'name' is not null)
        or exists (select from live_commands c
                    where c.event_id = p.event_id and c.scope in (p.participant_id, 'key:' || p.participant_id))
        or exists (select from questions q
                    where q.event_id = p.event_id and q.asker_id = p.participant_id and q.asker_id like 'guest:%')
        or exists (select from chat_messages m
                    where m.event_id = p.event_id and m.participant_id = p.participant_id and m.participant_id like 'guest:%')
        or exists (select from table_note_tokens t where t.event_id = p.event_id and t.user_id = p.participant_id)
        or exists (select from table_summaries t, jsonb_array_elements(t.content->'people') as listed(one)
                    where t.event_id = p.event_id and one->>'userId' = p.participant_id and one->>'name' is not null)`
  return new Set(rows.map(({ eventId }) => eventId))
}

/** Searches the workspace's next events, newest first, for those that are open to the guest or store something about them. */
export const searchGuest = async (
  sql: Queryable,
  { workspaceId, guest }: { readonly workspaceId: string; readonly guest: Guest },
  after: PagePosition | null,
  now: number,
): Promise<SearchStep> => {
  const { createdAt, id } = after ?? FIRST_PAGE
  const endedSince = toTimestamp(now - GUEST_SESSION_SECONDS * 1000)
  const events = await sql<(PagePosition & { readonly isOpen: boolean })[]>`
    select id, created_at, status in ('scheduled', 'live') or coalesce(ended_at > ${endedSince}, false) as is_open from events
     where workspace_id = ${workspaceId} and (created_at, id) < (${createdAt}, ${id})
     order by created_at desc, id desc limit ${EVENTS}`
  const ids = events.map((event) => event.id)
  const participantIds = ids.map((eventId) => guestAt(eventId, guest))
  const stored = await findStored(sql, ids, participantIds)
  const places = events.map(
    ({ id: eventId, isOpen }, n): GuestPlace => ({
      eventId,
      participantId: participantIds[n] ?? "",
      isOpen,
      isStored: stored.has(eventId),
    }),
  )
  return {
    places: places.filter(({ isOpen, isStored }) => isOpen || isStored),
    last: events.length < EVENTS ? null : (events.at(-1) ?? null),
  }
}

/** The ids among these that are being erased. */
const beingErased = async (sql: Queryable, participantIds: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ id: string }[]>`
    select p.id from unnest(${[...participantIds]}::text[]) as p(id)
     where exists (select from erasures x where x.participant_ids @> array[p.id])`
  return new Set(rows.map(({ id }) => id))
}

/** A guest being erased is not admitted: the passes could not tell new data from data to erase. */
export const isBeingErased = async (sql: Queryable, participantId: string): Promise<boolean> =>
  (await beingErased(sql, [participantId])).size > 0

/**
 * The erasures to begin; none when everything stored about the guest is already being erased. Run it under `lockWorkspace`, so that of two
 * callers one sees the erasure of the other.
 */
export const eraseGuest = async (
  sql: Queryable,
  workspaceId: string,
  places: ReadonlyArray<GuestPlace>,
  now: number,
): Promise<ReadonlyArray<Erasure>> => {
  const taken = await beingErased(
    sql,
    places.map(({ participantId }) => participantId),
  )
  const left = places.filter(({ participantId }) => !taken.has(participantId))
  if (!left.some(({ isStored }) => isStored)) return []
  const erasures: Erasure[] = []
  for (let from = 0; from < left.length; from += EVENTS) {
    const some = left.slice(from, from + EVENTS)
    await endGuestSessions(sql, some, now)
    const participantIds = some.map(({ participantId }) => participantId)
    erasures.push(
      await insertErasure(sql, { workspaceId, participantIds, eventIds: some.map(({ eventId }) => eventId) }, now),
    )
  }
  return erasures
}
