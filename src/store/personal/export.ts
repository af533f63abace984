/**
 * Paged export of everything stored about a person of a workspace: first the person, then what each event has about them, newest event
 * first. A page reads a bounded number of events.
 */
import { parseId } from "../../model/ids.ts"
import { type Guest, guestAt, registeredAs } from "../../model/participants.ts"
import { storedForms } from "../../model/text/email.ts"
import { parseTimestamp, type Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PagePosition, type PageRequest } from "../page.ts"

const formsOf = (email: string | null | undefined): ReadonlyArray<string> => (email == null ? [] : storedForms(email))

/** Kinds in the order of an event's items. */
type ExportKind =
  | "account"
  | "address"
  | "session"
  | "identity"
  | "workspaceMember"
  | "user"
  | "attendance"
  | "bounce"
  | "chatMessage"
  | "formAnswers"
  | "invite"
  | "membership"
  | "pollVote"
  | "question"
  | "questionVote"
  | "record"
  | "registration"
  | "tableNotes"

export interface ExportItem {
  readonly kind: ExportKind
  readonly id: string
  readonly eventId: string | null
  readonly at: Timestamp | null
  readonly data: { readonly [field: string]: unknown }
}

/** Last item of the previous page, at an event. */
export interface ExportPosition extends PagePosition {
  readonly kind: string
  readonly itemId: string
}

/** Sorts after every item of an event. */
const END = "~"
/** Events per statement, and statements per page. */
const EVENTS = 20
const STEPS = 10

/** A time inside a JSON object, formatted as elsewhere: PostgreSQL would write it with its offset. */
export const utcOf = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const encodeExportCursor = ({ createdAt, id, kind, itemId }: ExportPosition): string =>
  Buffer.from([createdAt, id, kind, itemId].join("\n")).toString("base64url")

export const decodeExportCursor = (cursor: string): ExportPosition | undefined => {
  const [time = "", event = "", kind = "", itemId, ...rest] = Buffer.from(cursor, "base64url")
    .toString("utf8")
    .split("\n")
  const [createdAt, id] = [parseTimestamp(time), parseId(event)]
  if (createdAt === undefined || id === undefined || itemId === undefined || rest.length > 0) return undefined
  return `${kind}${itemId}`.includes("\0") ? undefined : { createdAt, id, kind, itemId }
}

/** A person of a workspace: a user, the registrant of an address, or a partner's guest. */
export interface ExportedPerson {
  readonly workspaceId: string
  readonly userId: string | null
  readonly email: string | null
  readonly guest: Guest | null
}

interface People extends ExportedPerson {
  readonly participantIds: ReadonlyArray<string>
}

/** A guest has a separate id at each event; others have the same ids everywhere. */
const peopleAt = (people: People, eventIds: ReadonlyArray<string>): People => {
  const { guest } = people
  return guest === null ? people : { ...people, participantIds: eventIds.map((id) => guestAt(id, guest)) }
}

const findPeople = async (sql: Queryable, person: ExportedPerson): Promise<People> => {
  const rows = await sql<{ id: string }[]>`
    select r.id from events e join registrations r on r.event_id = e.id
     where e.workspace_id = ${person.workspaceId} and r.email = any(${formsOf(person.email)}::text[])`
  const registered = rows.map(({ id }) => registeredAs(id))
  return { ...person, participantIds: person.userId === null ? registered : [person.userId, ...registered] }
}

/** The user's own row, and the newest invites to the workspace as a whole. */
const readPerson = async (
  sql: Queryable,
  { workspaceId, userId, email }: ExportedPerson,
): Promise<ReadonlyArray<ExportItem>> =>
  sql<ExportItem[]>`
    select 'user' as kind, id::text, null::uuid as event_id, created_at as at, jsonb_build_object('externalSub', external_sub,
           'accountId', account_id, 'email', email, 'name', name, 'picture', picture, 'updatedAt', ${sql.unsafe(utcOf("updated_at"))}) as data
      from users where id = ${userId}
    union all
    (select 'invite', id::text, null, created_at, jsonb_build_object('email', email, 'role', role, 'status', status)
       from invites where workspace_id = ${workspaceId} and event_id is null and email = any(${formsOf(email)}::text[])
      order by created_at desc limit 100)
    union all
    select 'bounce', id::text, null, created_at, jsonb_build_object('email', email, 'reason', reason, 'reports', reports,
           'lastAt', ${sql.unsafe(utcOf("last_at"))})
      from email_bounces where workspace_id = ${workspaceId} and email = any(${formsOf(email)}::text[])`

/** Items of these events about the person, after the position at the first of them. */
const readAt = async (
  sql: Queryable,
  { userId, email, participantIds }: People,
  eventIds: ReadonlyArray<string>,
  { id: first, kind, itemId }: ExportPosition,
  limit: number,
): Promise<ReadonlyArray<ExportItem & { readonly eventId: string }>> => {
  const people = [...participantIds]
  const addresses = formsOf(email)
  return sql<(ExportItem & { readonly eventId: string })[]>`
    with walked as materialized (
      select * from unnest(${[...eventIds]}::uuid[]) with ordinality as w(event_id, n)
    ), item as (
      select a.event_id, 'attendance' as kind, a.participant_id as id, a.first_joined_at as at,
             jsonb_build_object('name', a.name, 'role', a.role, 'kind', a.kind, 'lastLeftAt', ${sql.unsafe(utcOf("a.last_left_at"))},
               'attendedMs', a.attended_ms, 'stays', a.stays) as data
        from walked w join attendances a using (event_id) where a.participant_id = any (${people}::text[])
      union all
      select p.event_id, 'attendance', p.participant_id || ' now', null, p.present
        from walked w join present_participants p using (event_id) where p.participant_id = any (${people}::text[])
      union all
      select m.event_id, 'chatMessage', m.id::text, m.at,
             jsonb_build_object('to', m.target, 'name', m.name, 'role', m.role, 'text', m.text, 'replyTo', m.reply_to)
        from walked w join chat_messages m using (event_id) where m.participant_id = any (${people}::text[])
      union all
      select r.event_id, 'formAnswers', a.id::text, a.created_at, jsonb_build_object('form', a.form, 'answers', (
               select jsonb_object_agg(e.key, jsonb_build_object('value', e.value->'value', 'version', e.value->'version', 'answeredAt', e.value->'at',
                        'question', coalesce(w.question, q)->'text'))
                 from jsonb_each(a.answers) as e
                 left join form_wordings w on w.event_id = a.event_id and w.form = a.form and w.question_id = e.key
                                          and w.version::text = e.value->>'version'
                 left join event_forms f on f.event_id = a.event_id and f.form = a.form
                 left join lateral jsonb_array_elements(f.questions) as q on q->>'id' = e.key and q->'version' = e.value->'version'))
        from walked w join registrations r using (event_id) join form_answers a on a.registration_id = r.id
       where r.email = any(${addresses}::text[])
      union all
      select i.event_id, 'invite', i.id::text, i.created_at,
             jsonb_build_object('email', i.email, 'role', i.role, 'status', i.status)
        from walked w join invites i using (event_id) where i.email = any(${addresses}::text[])
      union all
      select m.event_id, 'membership', m.id::text, m.created_at, jsonb_build_object('role', m.role)
        from walked w join memberships m using (event_id) where m.user_id = ${userId}
      union all
      select r.event_id, 'pollVote', r.id, null, jsonb_strip_nulls(jsonb_build_object(
               'pollId', split_part(r.id, ' ', 1), 'optionIds', r.body,
               'texts', (select jsonb_agg(t.body->'text') from jsonb_array_elements_text(r.body) o
                           join live_records t on t.event_id = w.event_id and t.kind = 'pollAnswer'
                            and t.id = split_part(r.id, ' ', 1) || ' ' || o.value),
               'points', (select q.body->'points' from live_records q
                           where q.event_id = w.event_id and q.kind = 'quizPoints' and q.id = r.id)))
        from walked w join live_records r using (event_id)
       where r.kind = 'pollVote' and split_part(r.id, ' ', 2) = any (${people}::text[])
      union all
      select q.event_id, 'question', q.id::text, q.created_at,
             jsonb_build_object('text', q.text, 'authorName', q.author_name, 'status', q.status, 'answer', q.answer, 'votes', q.votes)
        from walked w join questions q using (event_id)
       where q.asker_id = any (${people}::text[]) or q.author_user_id = ${userId}
      union all
      select q.event_id, 'questionVote', v.question_id || ' ' || v.voter, v.created_at, jsonb_build_object('questionId', q.id)
        from walked w join questions q using (event_id)
       cross join unnest(${people}::text[]) as p(voter)
        join question_votes v on v.question_id = q.id and v.voter = p.voter
      union all
      select r.event_id, 'record', r.kind || ' ' || r.id, null, jsonb_build_object('record', r.kind, 'body', r.body)
        from walked w join live_records r using (event_id)
       where r.kind in ('hand', 'seat', 'stage', 'role', 'mute', 'admission', 'waiting', 'opt') and r.id = any (${people}::text[])
      union all
      select r.event_id, 'registration', r.id::text, r.created_at, jsonb_build_object('name', r.name, 'email', r.email,
               'state', r.state, 'offerEndsAt', ${sql.unsafe(utcOf("r.offer_ends_at"))}, 'declineReason', r.decline_reason)
        from walked w join registrations r using (event_id) where r.email = any(${addresses}::text[])
      union all
      select s.event_id, 'tableNotes', s.room_id || ' ' || (p->>'userId'), s.generated_at,
             jsonb_build_object('roomId', s.room_id, 'said', p)
        from walked w join table_summaries s using (event_id), jsonb_array_elements(s.content->'people') as p
       where p->>'userId' = any (${people}::text[])
    )
    select i.kind, i.id, i.event_id, i.at, i.data from item i join walked w using (event_id)
     where i.event_id <> ${first} or (i.kind collate "C", i.id collate "C") > (${kind}, ${itemId})
     order by w.n, i.kind collate "C", i.id collate "C" limit ${limit}`
}

const FIRST: ExportPosition = { ...FIRST_PAGE, kind: "", itemId: "" }

/** Kinds of items that belong to no event, in order. They precede those of events. */
const OWN_KINDS: ReadonlyArray<string> = [
  "account",
  "address",
  "session",
  "identity",
  "workspaceMember",
  "user",
  "invite",
  "bounce",
] satisfies ReadonlyArray<ExportKind>

/** Negative when `one` comes first. */
const compareOwn = (
  one: Pick<ExportItem, "kind" | "id">,
  other: { readonly kind: string; readonly id: string },
): number =>
  OWN_KINDS.indexOf(one.kind) - OWN_KINDS.indexOf(other.kind) || (one.id < other.id ? -1 : Number(one.id > other.id))

interface OwnPage {
  readonly rows: ReadonlyArray<ExportItem>
  /** The last of the rows; null when there are no more. */
  readonly next: ExportPosition | null
}

/** A page of items that belong to no event, after a position among them. */
export const pageOwnItems = (
  items: ReadonlyArray<ExportItem>,
  after: ExportPosition | null,
  limit: number,
): OwnPage => {
  const { kind, itemId } = after ?? FIRST
  const left = items.filter((item) => compareOwn(item, { kind, id: itemId }) > 0).toSorted(compareOwn)
  const rows = left.slice(0, limit)
  const last = rows.at(-1)
  const isWhole = rows.length === left.length || last === undefined
  return { rows, next: isWhole ? null : { ...FIRST, kind: last.kind, itemId: last.id } }
}

interface BegunPage {
  readonly items: ReadonlyArray<ExportItem>
  /** Position after which this or the next page continues. */
  readonly from: ExportPosition
  readonly isFull: boolean
}

/** The part of a page that belongs to no event. */
const beginPage = async (
  sql: Queryable,
  person: ExportedPerson,
  from: ExportPosition,
  limit: number,
): Promise<BegunPage> => {
  if (from.id !== FIRST.id || from.kind === END) return { items: [], from, isFull: false }
  const { rows, next } = pageOwnItems(await readPerson(sql, person), from, limit)
  return { items: rows, from: next ?? { ...FIRST, kind: END }, isFull: rows.length >= limit }
}

/** A page may have fewer items than its limit, or none, and still be followed by another: it has read as many events as one request may. */
export const pageExport = async (
  sql: Queryable,
  person: ExportedPerson,
  { limit, after }: PageRequest<ExportPosition>,
): Promise<Page<ExportItem>> => {
  const people = await findPeople(sql, person)
  const begun = await beginPage(sql, person, after ?? FIRST, limit)
  if (begun.isFull) return { rows: begun.items, nextCursor: encodeExportCursor(begun.from) }
  const items = [...begun.items]
  let { from } = begun
  for (let step = 0; step < STEPS; step++) {
    const events = await sql<PagePosition[]>`
      select id, created_at from events
       where workspace_id = ${person.workspaceId} and (created_at, id) <= (${from.createdAt}, ${from.id})
         and (id <> ${from.id} or ${from.kind}::text <> ${END})
       order by created_at desc, id desc limit ${EVENTS}`
    const last = events.at(-1)
    if (last === undefined) return { rows: items, nextCursor: null }
    const ids = events.map(({ id }) => id)
    const room = limit - items.length
    const found = await readAt(sql, peopleAt(people, ids), ids, from, room)
    items.push(...found)
    const lastItem = found.at(-1)
    if (found.length >= room && lastItem !== undefined) {
      const at = events.find(({ id }) => id === lastItem.eventId) ?? last
      return { rows: items, nextCursor: encodeExportCursor({ ...at, kind: lastItem.kind, itemId: lastItem.id }) }
    }
    from = { ...last, kind: END, itemId: "" }
    if (items.length >= limit) break
  }
  return { rows: items, nextCursor: encodeExportCursor(from) }
}
