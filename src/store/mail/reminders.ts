/** Reminders of scheduled events: which are due, which is next, and their recipients. */
import { EARLIEST_REMINDER } from "../../model/event.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"
import { type EventFace, FACE } from "../event-face.ts"

/** A kind of reminder with the planned starts for which it is due: later than `after`, and no later than `upTo`. */
export interface DueKind {
  readonly kind: string
  readonly after: Timestamp
  readonly upTo: Timestamp
}

/** Records the events for which a kind of reminder has become due. A private event has no entry, so nobody is reminded of it. */
export const openReminders = async (sql: Queryable, { kind, after, upTo }: DueKind, limit: number): Promise<void> => {
  await sql`
    insert into event_reminders (event_id, kind, scheduled_at)
    select e.id, ${kind}, e.scheduled_at from events e
     where e.status = 'scheduled' and e.cancelled_at is null and e.reminders and e.reminder_minutes is null
       and e.scheduled_at > ${after} and e.scheduled_at <= ${upTo}
       and e.visibility <> 'private' and e.registered > 0 and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
       and not exists (select from event_reminders r
                        where r.event_id = e.id and r.kind = ${kind} and r.scheduled_at = e.scheduled_at)
     order by e.scheduled_at limit ${limit}
    on conflict do nothing`
}

export interface ClaimedReminder extends EventFace {
  readonly eventId: string
  readonly workspaceId: string
  readonly title: string
  readonly timeZone: string | null
  /** The organisers' own words in reminders. */
  readonly own: string | null
  readonly scheduledAt: Timestamp
  readonly afterEmail: string
}

/** Columns of a claimed reminder, of `event_reminders r`, `events e` and `workspaces w`. */
const CLAIMED = `r.event_id, e.workspace_id, e.title, e.time_zone, ${FACE}, e.email_texts->>'reminder' as own,
  r.scheduled_at, r.after_email`

/**
 * Claims the longest waiting reminder for the caller's transaction. The event's row is locked against deletion, because a link to a missing
 * registration would fail the whole step.
 */
export const claimReminder = async (
  sql: Queryable,
  { kind, after, upTo }: DueKind,
): Promise<ClaimedReminder | undefined> => {
  const [row] = await sql<ClaimedReminder[]>`
    select ${sql.unsafe(CLAIMED)}
      from event_reminders r join events e on e.id = r.event_id join workspaces w on w.id = e.workspace_id
     where r.kind = ${kind} and not r.done and r.scheduled_at > ${after} and r.scheduled_at <= ${upTo}
       and e.scheduled_at = r.scheduled_at and e.status = 'scheduled' and e.cancelled_at is null
       and e.reminders and e.reminder_minutes is null and e.visibility <> 'private'
       and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
     order by r.touched_at limit 1 for update of r skip locked for key share of e skip locked`
  return row
}

/** Delay in minutes after which a late reminder at an own time is no longer sent. An event may be over half a day later. */
const LATEST_MINUTES = 720

/** Records the events for which a reminder at an own time has become due; its kind is the number of minutes. */
export const openOwnReminders = async (sql: Queryable, now: Timestamp, limit: number): Promise<void> => {
  await sql`
    insert into event_reminders (event_id, kind, scheduled_at)
    select e.id, lead.minutes, e.scheduled_at
      from events e cross join lateral jsonb_array_elements_text(e.reminder_minutes) as lead(minutes)
     where e.status = 'scheduled' and e.cancelled_at is null and e.reminders and e.reminder_minutes is not null
       and e.scheduled_at > ${now}::timestamptz and e.scheduled_at <= ${now}::timestamptz + make_interval(mins => ${EARLIEST_REMINDER})
       and e.scheduled_at <= ${now}::timestamptz + make_interval(mins => lead.minutes::integer)
       and e.scheduled_at > ${now}::timestamptz + make_interval(mins => lead.minutes::integer - ${LATEST_MINUTES})
       and e.visibility <> 'private' and e.registered > 0 and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
       and not exists (select from event_reminders r
                        where r.event_id = e.id and r.kind = lead.minutes and r.scheduled_at = e.scheduled_at)
     order by e.scheduled_at limit ${limit}
    on conflict do nothing`
}

/** Claims as `claimReminder` does. A time that the event no longer has is left out. */
export const claimOwnReminder = async (
  sql: Queryable,
  now: Timestamp,
): Promise<(ClaimedReminder & { readonly kind: string }) | undefined> => {
  const [row] = await sql<(ClaimedReminder & { readonly kind: string })[]>`
    select ${sql.unsafe(CLAIMED)}, r.kind
      from event_reminders r join events e on e.id = r.event_id join workspaces w on w.id = e.workspace_id
     where not r.done and r.kind not in ('day', 'minutes') and r.scheduled_at > ${now}::timestamptz
       and r.scheduled_at > ${now}::timestamptz
           + make_interval(mins => case when r.kind ~ '^[0-9]+$' then r.kind::integer end - ${LATEST_MINUTES})
       and e.scheduled_at = r.scheduled_at and e.status = 'scheduled' and e.cancelled_at is null and e.reminders
       and e.reminder_minutes @> to_jsonb(case when r.kind ~ '^[0-9]+$' then r.kind::integer end)
       and e.visibility <> 'private' and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
     order by r.touched_at limit 1 for update of r skip locked for key share of e skip locked`
  return row
}

export interface RemindedPerson {
  readonly id: string
  readonly name: string
  readonly email: string
  /** The workspace registered the person. */
  readonly added: boolean
}

/** The next people by address who registered by `registeredBy`. People whose registration is being cancelled are left out. */
export const listReminded = async (
  sql: Queryable,
  { eventId, afterEmail }: Pick<ClaimedReminder, "eventId" | "afterEmail">,
  registeredBy: Timestamp,
  limit: number,
): Promise<ReadonlyArray<RemindedPerson>> =>
  sql<RemindedPerson[]>`
    select id, name, email, by_workspace as added from registrations
     where event_id = ${eventId} and state = 'approved' and email > ${afterEmail} and created_at <= ${registeredBy}
     order by email limit ${limit} for key share skip locked`

/** Advances the reminder in the transaction that posts its emails. */
export const advanceReminder = async (
  sql: Queryable,
  { eventId, scheduledAt, afterEmail }: Pick<ClaimedReminder, "eventId" | "scheduledAt" | "afterEmail">,
  kind: string,
  done: boolean,
): Promise<void> => {
  // Addresses are deleted once they are no longer needed.
  await sql`
    update event_reminders
       set after_email = ${done ? "" : afterEmail}, done = ${done}, touched_at = clock_timestamp()
     where event_id = ${eventId} and kind = ${kind} and scheduled_at = ${scheduledAt}`
}

/** Deletes the progress of reminders for times before the cutoff. */
export const deleteReminders = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from event_reminders where (event_id, kind, scheduled_at) in (
      select event_id, kind, scheduled_at from event_reminders where scheduled_at < ${before} order by scheduled_at limit ${limit})`
  return count
}
