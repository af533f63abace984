/** Places at an event that people took themselves, and the tokens that let them in. */
import type { EventStatus } from "../model/event.ts"
import type { Queryable } from "./database.ts"

export interface RegistrationRow {
  readonly id: string
  readonly eventId: string
  readonly workspaceId: string
  readonly name: string
}

/** Takes the event's row, so that of two who want the last seat one sees the other; its capacity (null for none) and state. */
export const lockCapacity = async (
  sql: Queryable,
  eventId: string,
): Promise<{ readonly capacity: number | null; readonly status: EventStatus } | undefined> => {
  const [row] = await sql<{ capacity: number | null; status: EventStatus }[]>`
    select capacity, status from events where id = ${eventId} for no key update`
  return row
}

export const findRegistration = async (
  sql: Queryable,
  eventId: string,
  email: string,
): Promise<{ readonly id: string } | undefined> => {
  const [row] = await sql<{ id: string }[]>`
    select id from registrations where event_id = ${eventId} and email = ${email}`
  return row
}

export const countRegistrations = async (sql: Queryable, eventId: string): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`select count(*) from registrations where event_id = ${eventId}`
  return row?.count ?? 0
}

export const insertRegistration = async (
  sql: Queryable,
  registration: { id: string; eventId: string; name: string; email: string },
): Promise<void> => {
  await sql`
    insert into registrations (id, event_id, name, email)
    values (${registration.id}, ${registration.eventId}, ${registration.name}, ${registration.email})`
}

export const insertEntryToken = async (
  sql: Queryable,
  tokenHash: Uint8Array,
  registrationId: string,
): Promise<void> => {
  await sql`insert into entry_tokens (token_hash, registration_id) values (${tokenHash}, ${registrationId})`
}

/** The registration behind a token, until a day after the event has ended: letters are opened twice. */
export const findByEntryToken = async (sql: Queryable, tokenHash: Uint8Array): Promise<RegistrationRow | undefined> => {
  const [row] = await sql<RegistrationRow[]>`
    select r.id, r.event_id, e.workspace_id, r.name
      from entry_tokens t join registrations r on r.id = t.registration_id join events e on e.id = r.event_id
     where t.token_hash = ${tokenHash} and (e.ended_at is null or e.ended_at > now() - interval '24 hours')`
  return row
}
