/** Notices of changed, cancelled and deleted events: which is next, what has changed since its readers knew, and who they are. */
import type { Language } from "../../model/presentation.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"

/** `added`: the workspace registered them. */
type Audience = "registered" | "added" | "invited"

export interface ClaimedNotice {
  readonly number: string
  readonly eventId: string
  readonly workspaceId: string
  readonly workspace: string
  readonly audience: Audience
  readonly gone: boolean
  readonly reason: string | null
  /** Zone of a deleted event; null also for an event that is there. */
  readonly timeZone: string | null
  /** Language of a deleted event. */
  readonly language: Language | null
  readonly knownTitle: string
  readonly knownAt: Timestamp | null
  readonly knownEndAt: Timestamp | null
  readonly knownCancelled: boolean
  readonly knownSequence: number
  readonly since: Timestamp
  readonly changedAt: Timestamp
  readonly afterEmail: string
  readonly untilEmail: string | null
}

/**
 * Claims, for the caller's transaction, the notice that waits longest among those whose event has not changed after `settledBy`, or changed
 * first before `longSince`. Only the newest notice of an event and audience is claimed. A change of the event waits for the transaction.
 */
export const claimNotice = async (
  sql: Queryable,
  now: Timestamp,
  settledBy: Timestamp,
  longSince: Timestamp,
): Promise<ClaimedNotice | undefined> => {
  const [row] = await sql<ClaimedNotice[]>`
    select n.number::text, n.event_id, n.workspace_id, w.name as workspace, n.audience, n.gone, n.reason, n.time_zone, n.language, n.known_title, n.known_at,
           n.known_end_at, n.known_cancelled, n.known_sequence, n.since, n.changed_at, n.after_email, n.until_email
      from event_notices n join workspaces w on w.id = n.workspace_id
     where (n.changed_at <= ${settledBy} or n.since <= ${longSince}) and (n.held_until is null or n.held_until <= ${now})
       and not exists (select from event_notices m
                        where m.event_id = n.event_id and m.audience = n.audience and m.number > n.number)
       and n.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
     order by n.touched_at, n.number limit 1 for update of n skip locked`
  return row
}

export interface NoticeReader {
  /** The registration; null for invited people and for readers of a deleted event. */
  readonly id: string | null
  readonly name: string | null
  readonly email: string
  /** False for registered people without a place. */
  readonly hasPlace: boolean
  /** The reader came after the first change, and does not know the event as the notice says. */
  readonly isLate: boolean
}

/**
 * The next readers by address, except those who came after the last change. `lateOnly`: the event is again as the others know it. People
 * whose registration is being cancelled are left out. Registered people without a place are told of a cancellation, and of its end.
 */
export const listReaders = async (
  sql: Queryable,
  notice: ClaimedNotice,
  { lateOnly, isOfCancellation }: { readonly lateOnly: boolean; readonly isOfCancellation: boolean },
  limit: number,
): Promise<ReadonlyArray<NoticeReader>> => {
  const { number, eventId, audience, gone, since, changedAt, afterEmail, untilEmail } = notice
  if (gone) {
    return sql<NoticeReader[]>`
      select null as id, name, email, has_place, false as is_late from notice_readers
       where notice = ${number} and email > ${afterEmail} order by email limit ${limit}`
  }
  if (audience !== "invited") {
    return sql<NoticeReader[]>`
      select id, name, email, state = 'approved' as has_place, created_at > ${since} as is_late from registrations
       where event_id = ${eventId} and by_workspace = ${audience === "added"} and email > ${afterEmail} and (${untilEmail}::text is null or email <= ${untilEmail})
         and (state = 'approved' or ${isOfCancellation} and state in ('pending', 'waiting', 'offered'))
         and created_at <= ${changedAt} and (not ${lateOnly} or created_at > ${since})
       order by email limit ${limit} for key share skip locked`
  }
  const invited = isOfCancellation
    ? sql`invited_to(${eventId}, ${afterEmail}, ${untilEmail})`
    : sql`invited_but(${eventId}, ${afterEmail}, ${untilEmail}, array['approved'])`
  return sql<NoticeReader[]>`
    select null as id, i.name, i.email, true as has_place, i.created_at > ${since} as is_late from ${invited} as i
     where i.created_at <= ${changedAt} and (not ${lateOnly} or i.created_at > ${since})
     order by i.email limit ${limit}`
}

/** Moves the notice on in the transaction that posts its emails. */
export const advanceNotice = async (sql: Queryable, number: string, afterEmail: string): Promise<void> => {
  await sql`
    update event_notices set after_email = ${afterEmail}, touched_at = clock_timestamp() where number = ${number}`
}

/** Holds the notice, because the workspace may send no more emails today. */
export const holdNotice = async (sql: Queryable, number: string, until: Timestamp): Promise<void> => {
  await sql`update event_notices set held_until = ${until} where number = ${number}`
}

/** Deletes a notice whose readers have been told. */
export const deleteNotice = async (sql: Queryable, number: string): Promise<void> => {
  await sql`delete from event_notices where number = ${number}`
}

/** Stops emails about deleted events to these addresses. Resolves to their number. */
export const forgetReaders = async (
  sql: Queryable,
  workspaceId: string,
  emails: ReadonlyArray<string>,
): Promise<number> => {
  const { count } = await sql`
    delete from notice_readers r using event_notices n
     where n.number = r.notice and n.workspace_id = ${workspaceId} and r.email = any (${[...emails]}::text[])`
  return count
}
