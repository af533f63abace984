/**
 * Erasing a person of a workspace. The first transaction removes the person's credentials, addresses and identifiers, and stores an
 * erasure; passes over the workspace's events then remove the person's name from what the events keep. Each step is one bounded transaction
 * and may be repeated.
 */
import { newId } from "../../model/ids.ts"
import { REMOVED_PERSON, registeredAs } from "../../model/participants.ts"
import { foldEmail, storedForms } from "../../model/text/email.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { erasePeopleFromKept } from "../live/kept-history.ts"
import { forgetBounces } from "../mail/bounces.ts"
import { forgetReaders } from "../mail/notices.ts"
import { FIRST_PAGE, type PagePosition } from "../page.ts"
import { forgetOrigins } from "../workspaces/audit.ts"

/** Lease of the process that claimed a pass, counted from its last step. */
const LEASE_MS = 60_000
/**
 * Time by which every socket of the person is closed on every node, everyone has left by the presence grace, and answers kept for repeated
 * commands are gone.
 */
const LAST_PASS_AFTER_MS = 900_000

export interface Erasure {
  readonly id: string
  readonly workspaceId: string
  /** Ids of the person at events. */
  readonly participantIds: ReadonlyArray<string>
  /** The event of each of these ids, in order; null when they count at every event of the workspace. */
  readonly eventIds: ReadonlyArray<string> | null
  /** Last event completed by this pass. */
  readonly after: PagePosition | null
  readonly isLastPass: boolean
}

export const insertErasure = async (
  sql: Queryable,
  given: Pick<Erasure, "workspaceId" | "participantIds" | "eventIds">,
  now: number,
): Promise<Erasure> => {
  const id = newId()
  const { workspaceId, participantIds, eventIds } = given
  await sql`
    insert into erasures (id, workspace_id, participant_ids, event_ids, due_at)
    values (${id}, ${workspaceId}, ${[...participantIds]}::text[], ${eventIds === null ? null : [...eventIds]}::uuid[],
            ${toTimestamp(now + LEASE_MS)})`
  return { id, ...given, after: null, isLastPass: false }
}

/** Deletes the registrations of an address at all events of the workspace. Resolves to their participant ids. */
const deleteRegistrationsOf = async (
  sql: Queryable,
  workspaceId: string,
  email: string,
): Promise<ReadonlyArray<string>> => {
  // Locked first, and in one order, as by every change of registrations.
  await sql`
    select 1 from events e where workspace_id = ${workspaceId}
       and exists (select from registrations r where r.event_id = e.id and r.email = any(${storedForms(email)}::text[]))
     order by id for no key update`
  await sql`
    select keep_blocks(array_agg(r.id)) from registrations r join events e on e.id = r.event_id
     where e.workspace_id = ${workspaceId} and r.email = any(${storedForms(email)}::text[])`
  const rows = await sql<{ id: string }[]>`
    delete from registrations r using events e
     where e.id = r.event_id and e.workspace_id = ${workspaceId} and r.email = any(${storedForms(email)}::text[]) returning r.id`
  return rows.map(({ id }) => registeredAs(id))
}

/** Deletes open invites of the address. Accepted or refused ones stay as acts, without the address. */
const forgetInvitesTo = async (sql: Queryable, workspaceId: string, email: string): Promise<number> => {
  const { count } = await sql`
    update invites set email = null, status = case status when 'pending' then 'revoked' else status end,
           revoked_at = case status when 'pending' then now() else revoked_at end
     where workspace_id = ${workspaceId} and email = any(${storedForms(email)}::text[])`
  return count
}

/**
 * A user's address, if it is the user's own: as stated by the integrator, or as proved by the account. Signing up under another person's
 * address must not allow erasing that person's registrations.
 */
export const addressOf = async (
  sql: Queryable,
  { email, accountId }: { readonly email: string | null; readonly accountId: string | null },
): Promise<string | null> => {
  if (email === null || accountId === null) return email
  const proved = await sql`
    select 1 from account_emails
     where account_id = ${accountId} and email = ${foldEmail(email)} and verified_at is not null`
  return proved.length > 0 ? email : null
}

/** `undefined` when the workspace has no such user. Two transactions for one user run one after the other. */
export const eraseUser = async (
  sql: Queryable,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
  now: number,
): Promise<Erasure | undefined> => {
  const [user] = await sql<{ email: string | null; accountId: string | null }[]>`
    select email, account_id from users where id = ${userId} and workspace_id = ${workspaceId} for update`
  if (user === undefined) return undefined
  const email = await addressOf(sql, user)
  const registered = email === null ? [] : await deleteRegistrationsOf(sql, workspaceId, email)
  if (email !== null) {
    await forgetInvitesTo(sql, workspaceId, email)
    await forgetReaders(sql, workspaceId, storedForms(email))
    await forgetBounces(sql, workspaceId, email)
  }
  // Without the user's row, only the events lead to these rows.
  await sql`update questions set author_name = null where author_user_id = ${userId}`
  await sql`update attendances set name = ${REMOVED_PERSON} where user_id = ${userId}`
  await forgetOrigins(sql, userId)
  await sql`delete from users where id = ${userId}`
  return insertErasure(sql, { workspaceId, participantIds: [userId, ...registered], eventIds: null }, now)
}

/** Erases a person who is no user. `undefined` when the workspace has no registration, invite, waiting notice or bounce of the address. */
export const eraseRegistrant = async (
  sql: Queryable,
  { workspaceId, email }: { readonly workspaceId: string; readonly email: string },
  now: number,
): Promise<Erasure | undefined> => {
  const participantIds = await deleteRegistrationsOf(sql, workspaceId, email)
  const invites = await forgetInvitesTo(sql, workspaceId, email)
  const notices = await forgetReaders(sql, workspaceId, storedForms(email))
  const bounces = await forgetBounces(sql, workspaceId, email)
  if (participantIds.length + invites + notices + bounces === 0) return undefined
  return insertErasure(sql, { workspaceId, participantIds, eventIds: null }, now)
}

/** Claims the erasure whose pass is due first. Another process does not get it during its lease. */
export const claimErasure = async (sql: Queryable, now: number): Promise<Erasure | undefined> => {
  const [row] = await sql<
    (Omit<Erasure, "after"> & { afterCreatedAt: Timestamp | null; afterEventId: string | null })[]
  >`
    update erasures set due_at = ${toTimestamp(now + LEASE_MS)}
     where id = (select id from erasures where due_at <= ${toTimestamp(now)} order by due_at limit 1 for update skip locked)
    returning id, workspace_id, participant_ids, event_ids, after_created_at, after_event_id, is_last_pass`
  if (row === undefined) return undefined
  const { afterCreatedAt, afterEventId, ...erasure } = row
  const after =
    afterCreatedAt === null || afterEventId === null ? null : { createdAt: afterCreatedAt, id: afterEventId }
  return { ...erasure, after }
}

/** Records that the pass continues after this event, even when another process takes it over. */
export const advanceErasure = async (
  sql: Queryable,
  { id, isLastPass }: Erasure,
  to: PagePosition,
  now: number,
): Promise<void> => {
  // A late process must not move another process's pass.
  await sql`
    update erasures set after_created_at = ${to.createdAt}, after_event_id = ${to.id}, due_at = ${toTimestamp(now + LEASE_MS)}
     where id = ${id} and is_last_pass = ${isLastPass}`
}

/** Renews the lease: an event may take long to answer. */
export const keepErasure = async (sql: Queryable, { id, isLastPass }: Erasure, now: number): Promise<void> => {
  await sql`
    update erasures set due_at = ${toTimestamp(now + LEASE_MS)} where id = ${id} and is_last_pass = ${isLastPass}`
}

/** Ends the pass: the last one follows, or the erasure is complete. */
export const finishPass = async (sql: Queryable, { id, isLastPass }: Erasure, now: number): Promise<void> => {
  if (isLastPass) await sql`delete from erasures where id = ${id} and is_last_pass`
  else {
    await sql`
      update erasures set after_created_at = null, after_event_id = null, is_last_pass = true,
             due_at = ${toTimestamp(now + LAST_PASS_AFTER_MS)}
       where id = ${id} and not is_last_pass`
  }
}

interface WalkedEvent extends PagePosition {
  readonly isOpen: boolean
}

/** The next events of the erasure, newest first; `isOpen` means that people may be present. */
export const nextEvents = async (
  sql: Queryable,
  { workspaceId, eventIds }: Pick<Erasure, "workspaceId" | "eventIds">,
  after: PagePosition | null,
  limit: number,
): Promise<ReadonlyArray<WalkedEvent>> => {
  const { createdAt, id } = after ?? FIRST_PAGE
  if (eventIds !== null) {
    return sql<WalkedEvent[]>`
      select id, created_at, status in ('scheduled', 'live') as is_open from events
       where id = any (${[...eventIds]}::uuid[]) and (created_at, id) < (${createdAt}, ${id})
       order by created_at desc, id desc limit ${limit}`
  }
  return sql<WalkedEvent[]>`
    select id, created_at, status in ('scheduled', 'live') as is_open from events
     where workspace_id = ${workspaceId} and (created_at, id) < (${createdAt}, ${id})
     order by created_at desc, id desc limit ${limit}`
}

/** The person's ids that count at some of these events. */
export const participantsAt = (
  { participantIds, eventIds }: Pick<Erasure, "participantIds" | "eventIds">,
  wanted: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  if (eventIds === null) return participantIds
  const events = new Set(wanted)
  return participantIds.filter((_id, n) => events.has(eventIds[n] ?? ""))
}

interface People {
  readonly eventIds: ReadonlyArray<string>
  readonly participantIds: ReadonlyArray<string>
}

/** An event whose actor may know some of the people, and their ids. */
interface KnowingEvent {
  readonly eventId: string
  readonly participantIds: ReadonlyArray<string>
}

export const findKnowingEvents = async (
  sql: Queryable,
  { eventIds, participantIds }: People,
): Promise<ReadonlyArray<KnowingEvent>> =>
  sql<KnowingEvent[]>`
    select e.id as event_id, array_agg(p.id) as participant_ids
      from unnest(${[...eventIds]}::uuid[]) as e(id), unnest(${[...participantIds]}::text[]) as p(id)
     where exists (select from attendances a where a.event_id = e.id and a.participant_id = p.id)
        or exists (select from present_participants a where a.event_id = e.id and a.participant_id = p.id)
        or exists (select from live_records r where r.event_id = e.id and r.kind in ('hand', 'seat') and r.id = p.id)
        or exists (select from live_records r
                    where r.event_id = e.id and r.kind = 'quizPoints' and split_part(r.id, ' ', 2) = p.id)
        or exists (select from live_commands c where c.event_id = e.id and c.scope = p.id)
        or exists (select from questions q where q.event_id = e.id and q.asker_id = p.id)
        or exists (select from chat_messages m where m.event_id = e.id and m.participant_id = p.id)
     group by e.id`

/** Erases the people at these events. docs/internals/personal-data.md lists what is kept of them, and why. */
export const eraseAt = async (sql: Queryable, { eventIds, participantIds }: People): Promise<void> => {
  const events = [...eventIds]
  const people = [...participantIds]
  const keyed = people.map((id) => `key:${id}`)
  await sql`
    update attendances set name = ${REMOVED_PERSON}, user_id = null
     where event_id = any (${events}::uuid[]) and participant_id = any (${people}::text[]) and name <> ${REMOVED_PERSON}`
  await sql`
    update present_participants set present = jsonb_set(present, '{name}', to_jsonb(${REMOVED_PERSON}::text))
     where event_id = any (${events}::uuid[]) and participant_id = any (${people}::text[])`
  await sql`
    update questions set author_user_id = null, author_name = null, asker_id = null, anonymous = true
     where event_id = any (${events}::uuid[]) and asker_id = any (${people}::text[])`
  await sql`
    delete from chat_messages where event_id = any (${events}::uuid[]) and participant_id = any (${people}::text[])`
  await sql`
    delete from live_records where event_id = any (${events}::uuid[]) and kind = 'hand' and id = any (${people}::text[])`
  await sql`
    update live_records set body = jsonb_set(body, '{name}', to_jsonb(${REMOVED_PERSON}::text))
     where event_id = any (${events}::uuid[]) and kind = 'seat' and id = any (${people}::text[]) and body ? 'name'`
  await sql`
    update live_records set body = jsonb_set(body, '{name}', 'null')
     where event_id = any (${events}::uuid[]) and kind = 'quizPoints' and split_part(id, ' ', 2) = any (${people}::text[])`
  await sql`
    delete from live_commands where event_id = any (${events}::uuid[]) and scope = any (${[...people, ...keyed]}::text[])`
  await erasePeopleFromKept(sql, { eventIds, participantIds })
  // Includes undelivered messages, because they name the person.
  await sql`
    delete from outbox_messages
     where (type like 'registration.%' or type = 'survey.answered') and event_id = any (${events}::uuid[])
       and body::jsonb->>'participantId' = any (${people}::text[])`
  await sql`
    delete from table_note_tokens where event_id = any (${events}::uuid[]) and user_id = any (${people}::text[])`
  await sql`
    update table_summaries t
       set content = jsonb_set(content, '{people}', (
             select jsonb_agg(case when p->>'userId' = any (${people}::text[]) then p || '{"name": null}' else p end order by n)
               from jsonb_array_elements(content->'people') with ordinality as listed(p, n)))
     where event_id = any (${events}::uuid[])
       and exists (select from jsonb_array_elements(content->'people') as p
                    where p->>'userId' = any (${people}::text[]) and p->>'name' is not null)`
}
