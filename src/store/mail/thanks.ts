/** Emails after an event: at which events they are due, which is next, and their recipients. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"
import { type EventFace, FACE } from "../event-face.ts"

/** Ends of events after which emails are due: later than `after`, and no later than `upTo`. */
interface DueEnds {
  readonly after: Timestamp
  readonly upTo: Timestamp
}

/**
 * Records the events whose emails have become due, before their entry tokens are swept: an index has these. A private event has no page for
 * everybody, so nobody is sent there.
 */
export const openThanks = async (sql: Queryable, { after, upTo }: DueEnds, limit: number): Promise<void> => {
  await sql`
    insert into event_thanks (event_id)
    select e.id from events e join event_forms f on f.event_id = e.id and f.form = 'survey' and f.thanks
     where e.ended_at > ${after} and e.ended_at <= ${upTo} and not e.entries_swept and e.visibility <> 'private'
       and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
       and not exists (select from event_thanks t where t.event_id = e.id)
     order by e.ended_at limit ${limit}
    on conflict do nothing`
}

/** Ends the emails of events that ended at `after` or before, and deletes the addresses to which they have come. */
export const closeThanks = async (sql: Queryable, { after }: DueEnds, limit: number): Promise<void> => {
  await sql`
    update event_thanks set done = true, after_email = '' where event_id = any (array(
      select t.event_id from event_thanks t join events e on e.id = t.event_id
       where not t.done and e.ended_at <= ${after} order by t.touched_at limit ${limit} for update of t skip locked))`
}

export interface ClaimedThanks extends EventFace {
  readonly eventId: string
  readonly workspaceId: string
  readonly title: string
  readonly anonymous: boolean
  /** Whether the survey has questions. */
  readonly asks: boolean
  readonly afterEmail: string
}

/** Claims the longest waiting event for the caller's transaction; the event's row is locked against deletion. */
export const claimThanks = async (sql: Queryable, { after }: DueEnds): Promise<ClaimedThanks | undefined> => {
  const [row] = await sql<ClaimedThanks[]>`
    select t.event_id, e.workspace_id, e.title, ${sql.unsafe(FACE)}, f.anonymous, f.questions <> '[]' as asks, t.after_email
      from event_thanks t join events e on e.id = t.event_id join workspaces w on w.id = e.workspace_id join event_forms f on f.event_id = e.id and f.form = 'survey' and f.thanks
     where not t.done and e.ended_at > ${after} and e.visibility <> 'private' and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
     order by t.touched_at limit 1 for update of t skip locked for key share of e skip locked`
  return row
}

export interface ThankedPerson {
  /** Null for a user of the workspace who was there without a registration. */
  readonly registrationId: string | null
  readonly name: string
  readonly email: string
  readonly wasThere: boolean
  /** The workspace registered the person. */
  readonly added: boolean
}

/** The next people by address: those who registered, and users of the workspace who were there. */
export const listThanked = async (
  sql: Queryable,
  { eventId, afterEmail }: Pick<ClaimedThanks, "eventId" | "afterEmail">,
  limit: number,
): Promise<ReadonlyArray<ThankedPerson>> =>
  sql<ThankedPerson[]>`
    with registered as (
      select r.id as registration_id, r.name, r.email,
             exists (select from attendances a where a.event_id = ${eventId} and a.participant_id = 'reg:' || r.id) as was_there, r.by_workspace as added
        from registrations r where r.event_id = ${eventId} and r.state = 'approved' and r.email > ${afterEmail} order by r.email limit ${limit}
    ), present as (
      select distinct on (lower(u.email)) null::uuid as registration_id, a.name, lower(u.email) as email, true as was_there, false as added
        from attendances a join users u on u.id = a.user_id
       where a.event_id = ${eventId} and lower(u.email) > ${afterEmail}
         and not exists (select from registrations r where r.event_id = ${eventId} and r.state = 'approved' and r.email = lower(u.email))
       order by lower(u.email) limit ${limit}
    )
    select * from registered union all select * from present order by email limit ${limit}`

/** Advances the event in the transaction that posts its emails. */
export const advanceThanks = async (
  sql: Queryable,
  { eventId, afterEmail }: Pick<ClaimedThanks, "eventId" | "afterEmail">,
  done: boolean,
): Promise<void> => {
  // Addresses are deleted once they are no longer needed.
  await sql`
    update event_thanks set after_email = ${done ? "" : afterEmail}, done = ${done}, touched_at = clock_timestamp()
     where event_id = ${eventId}`
}
