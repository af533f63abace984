/** Registrations that a workspace adds, many at once. */
import type { Queryable } from "../database.ts"

/** Ids of the registrations of these addresses. */
export const listIdsOf = async (
  sql: Queryable,
  eventId: string,
  emails: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, string>> => {
  const rows = await sql<{ id: string; email: string }[]>`
    select id, email from registrations where event_id = ${eventId} and email = any (${[...emails]}::text[])`
  return new Map(rows.map(({ id, email }) => [email, id]))
}

/** The event's row is locked, as for one registration. */
export const insertManyRegistrations = async (
  sql: Queryable,
  eventId: string,
  added: ReadonlyArray<{ readonly id: string; readonly name: string; readonly email: string }>,
): Promise<void> => {
  await sql`
    insert into registrations (id, event_id, name, email, created_at, by_workspace)
    select n.id, e.id, n.name, n.email, greatest(clock_timestamp(), e.calendar_changed_at + interval '1 millisecond'), true
      from events e, jsonb_to_recordset(${sql.json(added.map(({ id, name, email }) => ({ id, name, email })))})
           as n(id uuid, name text, email text)
     where e.id = ${eventId}`
}

/** Whether the workspace chose the address. */
export const isAdded = async (sql: Queryable, registrationId: string): Promise<boolean> => {
  const rows = await sql`select 1 from registrations where id = ${registrationId} and by_workspace`
  return rows.length > 0
}
