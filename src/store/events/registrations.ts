/** Registrations of people for an event, and their entry tokens. */
import type { EventStatus } from "../../model/event.ts"
import { registrationOf } from "../../model/participants.ts"
import type { Approval, Places, RegistrationState } from "../../model/registration.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"

interface RegistrationRow {
  readonly id: string
  readonly eventId: string
  readonly workspaceId: string
  readonly name: string
  readonly state: RegistrationState
}

/** A person and the state of their registration. */
export interface StoredRegistrant {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly state: RegistrationState
}

export interface Openness extends Places {
  readonly approval: Approval | null
  readonly status: EventStatus
  readonly isCancelled: boolean
}

/** Locks the event's row, which orders all changes of registrations. Resolves to what they depend on. */
export const lockCapacity = async (sql: Queryable, eventId: string): Promise<Openness | undefined> => {
  const [row] = await sql<Openness[]>`
    select capacity, registered, waiting, approval, waiting_list, status, cancelled_at is not null as is_cancelled
      from events where id = ${eventId} for no key update`
  return row
}

export const findRegistration = async (
  sql: Queryable,
  eventId: string,
  email: string,
): Promise<StoredRegistrant | undefined> => {
  const [row] = await sql<StoredRegistrant[]>`
    select id, name, email, state from registrations where event_id = ${eventId} and email = ${email}`
  return row
}

/** The registration by id; `undefined` when the event has no such registration. */
export const findRegistrationById = async (
  sql: Queryable,
  eventId: string,
  id: string,
): Promise<StoredRegistrant | undefined> => {
  const [row] = await sql<StoredRegistrant[]>`
    select id, name, email, state from registrations where event_id = ${eventId} and id = ${id}`
  return row
}

/** Whether a participant's registration exists, and lets them in. */
export const isRegistered = async (
  sql: Queryable,
  { eventId, participantId }: { readonly eventId: string; readonly participantId: string },
): Promise<boolean> => (await findRegistrationById(sql, eventId, registrationOf(participantId)))?.state === "approved"

/**
 * Releases the seat and deletes the entry links. `staysOut` bars the address, because of what a host decided. `undefined` when there was no
 * registration. `byPerson`: one that the organisers declined stays.
 */
export const deleteRegistration = async (
  sql: Queryable,
  eventId: string,
  { id, staysOut, byPerson }: { readonly id: string; readonly staysOut: boolean; readonly byPerson: boolean },
): Promise<StoredRegistrant | undefined> => {
  // Locked first, as by every change of a registration: the trigger that counts places changes the row.
  await lockCapacity(sql, eventId)
  if (staysOut) await sql`select keep_blocks(${[id]}::uuid[])`
  const [row] = await sql<StoredRegistrant[]>`
    delete from registrations where event_id = ${eventId} and id = ${id} and not (${byPerson} and state = 'declined')
    returning id, name, email, state`
  return row
}

/** The addresses among these that have a place at the event. */
export const listRegistered = async (
  sql: Queryable,
  eventId: string,
  emails: ReadonlyArray<string>,
): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ email: string }[]>`
    select email from registrations where event_id = ${eventId} and email = any (${[...emails]}::text[]) and state = 'approved'`
  return new Set(rows.map(({ email }) => email))
}

/** Number of places that are taken or offered. It is in the event's row; the database maintains it. */
export const countRegistrations = async (sql: Queryable, eventId: string): Promise<number> => {
  const [row] = await sql<{ registered: number }[]>`select registered from events where id = ${eventId}`
  return row?.registered ?? 0
}

/** The event's row is locked, so each change of the event is earlier or later. The time says which, also within a millisecond. */
export const insertRegistration = async (
  sql: Queryable,
  registration: { id: string; eventId: string; name: string; email: string; state?: RegistrationState },
): Promise<void> => {
  const { id, eventId, name, email, state = "approved" } = registration
  await sql`
    insert into registrations (id, event_id, name, email, created_at, state, turn)
    select ${id}, id, ${name}, ${email}, greatest(clock_timestamp(), calendar_changed_at + interval '1 millisecond'),
           ${state}, ${state === "waiting" ? sql`nextval('registration_turns')` : sql`null`}
      from events where id = ${eventId}`
}

export const insertEntryToken = async (
  sql: Queryable,
  tokenHash: Uint8Array,
  registrationId: string,
): Promise<void> => {
  await sql`insert into entry_tokens (token_hash, registration_id) values (${tokenHash}, ${registrationId})`
}

/**
 * The registration of a token, until a day after the event has ended, because emails are opened twice. Excludes people whom a host has
 * removed for good.
 */
export const findByEntryToken = async (sql: Queryable, tokenHash: Uint8Array): Promise<RegistrationRow | undefined> => {
  const [row] = await sql<RegistrationRow[]>`
    select r.id, r.event_id, e.workspace_id, r.name, r.state
      from entry_tokens t join registrations r on r.id = t.registration_id join events e on e.id = r.event_id
     where t.token_hash = ${tokenHash} and not is_blocked(e.id, 'reg:' || r.id)
       and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)} and (e.ended_at is null or e.ended_at > now() - interval '24 hours')`
  return row
}

/** Written at most once a minute. */
export const noteEntry = async (sql: Queryable, tokenHash: Uint8Array): Promise<void> => {
  await sql`
    update entry_tokens set last_used_at = now()
     where token_hash = ${tokenHash} and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}

/** Events that ended before the cutoff and whose entry tokens are yet to be swept, earliest end first. */
export const listEventsWithOldEntries = async (
  sql: Queryable,
  endedBefore: Timestamp,
  limit: number,
): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select id from events where ended_at < ${endedBefore} and not entries_swept order by ended_at limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Deletes up to `limit` entry tokens of these events. Resolves to their number. */
export const deleteEntryTokens = async (
  sql: Queryable,
  eventIds: ReadonlyArray<string>,
  limit: number,
): Promise<number> => {
  const { count } = await sql`
    delete from entry_tokens where token_hash = any (array(
      select t.token_hash from registrations r join entry_tokens t on t.registration_id = r.id
       where r.event_id = any (${[...eventIds]}::uuid[]) limit ${limit}))`
  return count
}

/** Records that no entry tokens of these events are left, and no more are made. */
export const markEntriesSwept = async (sql: Queryable, eventIds: ReadonlyArray<string>): Promise<void> => {
  await sql`update events set entries_swept = true where id = any (${[...eventIds]}::uuid[])`
}
