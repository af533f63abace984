/** Reports of an event: its people, messages, polls and rounds, oldest first, each list from a position on. */
import { Result } from "effect"
import type { StoredAnswers } from "../../model/forms/form.ts"
import { RETURN_WITHIN_MS } from "../../model/live/holdings.ts"
import type { Poll, Round } from "../../model/live/live-records.ts"
import { streamRoom } from "../../model/live/streams.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { RegistrationState } from "../../model/registration.ts"
import type { EventRole } from "../../model/roles.ts"
import { parseTimestamp, type Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import type { Page, PagePosition, PageRequest } from "../page.ts"
import { decodeRecord } from "../record-versions.ts"
import { matches, patternOf } from "../search.ts"

export const FIRST_REPORTED: PagePosition = { createdAt: "0001-01-01T00:00:00.000Z", id: "" }

const encode = ({ createdAt, id }: PagePosition): string => Buffer.from(`${createdAt} ${id}`).toString("base64url")

export const decodeReportCursor = (cursor: string): PagePosition | undefined => {
  const text = Buffer.from(cursor, "base64url").toString("utf8")
  const createdAt = parseTimestamp(text.slice(0, text.indexOf(" ")))
  const id = text.slice(text.indexOf(" ") + 1)
  return createdAt === undefined || id === "" || id.includes("\0") ? undefined : { createdAt, id }
}

/** Drops the row that was read beyond the limit. */
const pageOf = <Row, Shown>(
  rows: ReadonlyArray<Row>,
  limit: number,
  positionOf: (row: Row) => PagePosition,
  show: (row: Row) => Shown,
): Page<Shown> => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const nextCursor = rows.length > limit && last !== undefined ? encode(positionOf(last)) : null
  return { rows: shown.map(show), nextCursor }
}

/** A page of rows that are shown as they are. */
export const reportPage = <Row extends PagePosition>(rows: ReadonlyArray<Row>, limit: number): Page<Row> =>
  pageOf(
    rows,
    limit,
    (row) => row,
    (row) => row,
  )

export interface AttendeeRow {
  readonly participantId: string
  readonly userId: string | null
  readonly name: string
  readonly email: string | null
  readonly role: EventRole
  readonly kind: ParticipantKind
  readonly present: boolean
  readonly firstJoinedAt: Timestamp
  /** Null for a participant who has not left. */
  readonly lastLeftAt: Timestamp | null
  readonly seconds: number
  readonly stays: number
}

/** `now` is the end of the stay of people who are present. People who left and came back are one row. */
export const pageAttendees = async (
  sql: Queryable,
  eventId: string,
  now: Timestamp,
  { after, limit }: PageRequest,
): Promise<Page<AttendeeRow>> => {
  const { createdAt, id } = after ?? FIRST_REPORTED
  const rows = await sql<AttendeeRow[]>`
    with here as (
      select p.participant_id, p.present, greatest((p.present->>'joinedAt')::timestamptz(3), e.started_at) as joined_at
        from present_participants p join events e on e.id = p.event_id where p.event_id = ${eventId}
    ), everybody as (
      select participant_id, coalesce(a.user_id, (h.present->>'userId')::uuid) as user_id,
             coalesce(h.present->>'name', a.name) as name, coalesce(h.present->>'role', a.role) as role,
             coalesce(h.present->>'kind', a.kind) as kind, h.joined_at is not null as present,
             coalesce(a.first_joined_at, h.joined_at) as first_joined_at, a.last_left_at,
             coalesce(a.attended_ms, 0)
               + coalesce(greatest(extract(epoch from ${now}::timestamptz - h.joined_at) * 1000, 0), 0) as attended_ms,
             coalesce(a.stays, 0) + (h.joined_at is not null and coalesce(
               h.joined_at > a.last_left_at
                 + case when a.left_for_good then interval '0' else make_interval(secs => ${RETURN_WITHIN_MS / 1000}) end,
               true))::integer as stays
        from (select * from attendances where event_id = ${eventId}) a full join here h using (participant_id)
    )
    select e.participant_id, u.id as user_id, e.name, coalesce(u.email, r.email) as email, e.role, e.kind, e.present,
           e.first_joined_at, e.last_left_at, round(e.attended_ms / 1000)::integer as seconds, e.stays
      from everybody e left join users u on u.id = e.user_id
      left join registrations r on r.event_id = ${eventId} and e.participant_id = 'reg:' || r.id
     where (e.first_joined_at, e.participant_id) > (${createdAt}, ${id})
     order by e.first_joined_at, e.participant_id limit ${limit + 1}`
  return pageOf(
    rows,
    limit,
    ({ firstJoinedAt, participantId }) => ({ createdAt: firstJoinedAt, id: participantId }),
    (row) => row,
  )
}

export interface RegisteredRow {
  readonly id: string
  readonly eventId: string
  readonly name: string
  readonly email: string
  readonly createdAt: Timestamp
  readonly state: RegistrationState
  /** Place in the waiting list, from 1; null in other states. */
  readonly position: number | null
  readonly offerEndsAt: Timestamp | null
  readonly declineReason: string | null
  /** Time of the first report that the address takes no emails; null without one. */
  readonly bouncedAt: Timestamp | null
  readonly answers: StoredAnswers
}

/** Registrations of an event with their places in the waiting list. */
const registered = (sql: Queryable, eventId: string) => sql`
  select r.id, r.event_id, r.name, r.email, r.created_at, r.state, w.position, r.offer_ends_at, r.decline_reason,
         (select b.created_at from email_bounces b join events e on e.workspace_id = b.workspace_id
           where e.id = r.event_id and b.email = r.email) as bounced_at,
         coalesce(a.answers, '{}') as answers
    from registrations r
    left join form_answers a on a.registration_id = r.id and a.form = 'registration'
    left join (select id, row_number() over (order by turn)::integer as position from registrations
                where event_id = ${eventId} and state = 'waiting') w on w.id = r.id
   where r.event_id = ${eventId}`

/** The existing ones among these registrations of the event, in no order. */
export const listRegistrations = async (
  sql: Queryable,
  eventId: string,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<RegisteredRow>> =>
  sql<RegisteredRow[]>`${registered(sql, eventId)} and r.id = any (${[...ids]}::uuid[])`

/** `q` is a part of the name or the address; an absent condition holds for all. */
export const pageRegistrations = async (
  sql: Queryable,
  eventId: string,
  { q, state }: { readonly q?: string; readonly state?: RegistrationState },
  { after, limit }: PageRequest,
): Promise<Page<RegisteredRow>> => {
  const { createdAt, id } = after ?? FIRST_REPORTED
  const pattern = patternOf(q ?? "")
  const rows = await sql<RegisteredRow[]>`
    ${registered(sql, eventId)}
       ${q === undefined ? sql`` : sql`and (${matches(sql, "r.name", pattern)} or ${matches(sql, "r.email", pattern)})`}
       ${state === undefined ? sql`` : sql`and r.state = ${state}`}
       and (r.created_at, r.id::text) > (${createdAt}, ${id})
     order by r.created_at, r.id limit ${limit + 1}`
  return reportPage(rows, limit)
}

export interface ReportedMessage {
  readonly id: string
  readonly to: "event" | "room" | "staff"
  readonly roomId: string | null
  readonly participantId: string
  readonly name: string
  readonly role: EventRole
  readonly text: string
  readonly replyTo: string | null
  readonly at: Timestamp
}

/** Messages of all chat targets (event, staff and rooms); deleted ones are gone. */
export const pageMessages = async (
  sql: Queryable,
  eventId: string,
  { after, limit }: PageRequest,
): Promise<Page<ReportedMessage>> => {
  const { createdAt, id } = after ?? FIRST_REPORTED
  const rows = await sql<(Omit<ReportedMessage, "to" | "roomId"> & { readonly target: string })[]>`
    select id, target, participant_id, name, role, text, reply_to, at from chat_messages
     where event_id = ${eventId} and (at, id::text) > (${createdAt}, ${id}) order by at, id limit ${limit + 1}`
  return pageOf(
    rows,
    limit,
    (row) => ({ createdAt: row.at, id: row.id }),
    ({ target, ...message }) => {
      const roomId = streamRoom(target) ?? null
      return { ...message, to: roomId === null ? (target as "event" | "staff") : "room", roomId }
    },
  )
}

/**
 * Records of one kind, ordered by a time in their bodies.
 *
 * @throws RecordUnreadable for one that a newer release has written
 */
const pageRecords = async <Shown>(
  sql: Queryable,
  eventId: string,
  kind: "poll" | "round",
  time: "createdAt" | "at",
  { after, limit }: PageRequest,
): Promise<Page<Shown>> => {
  const { createdAt, id } = after ?? FIRST_REPORTED
  const rows = await sql<{ id: string; version: number; time: string; body: unknown }[]>`
    select id, version, body->>${time} as time, body from live_records
     where event_id = ${eventId} and kind = ${kind} and (body->>${time}, id) > (${createdAt}, ${id})
     order by body->>${time}, id limit ${limit + 1}`
  return pageOf(
    rows,
    limit,
    (row) => ({ createdAt: row.time as Timestamp, id: row.id }),
    ({ version, body }) => Result.getOrThrow(decodeRecord(kind, version, body)).record as Shown,
  )
}

/** Most written answers of one poll in a report, those with the most votes. */
const REPORTED_ANSWERS = 2000

/** Polls with their results. The options of polls whose answers are written are the answers that staff have not hidden. */
export const pagePolls = async (sql: Queryable, eventId: string, request: PageRequest): Promise<Page<Poll>> => {
  const page = await pageRecords<Poll>(sql, eventId, "poll", "createdAt", request)
  const ids = page.rows.filter(({ options }) => options.length === 0).map(({ id }) => id)
  if (ids.length === 0) return page
  const answers = await sql<{ poll: string; id: string; text: string; votes: number }[]>`
    select a.* from unnest(${ids}::text[]) as p(id) cross join lateral (
      select p.id as poll, split_part(r.id, ' ', 2) as id, r.body->>'text' as text, (r.body->>'votes')::int as votes
        from live_records r
       where r.event_id = ${eventId} and r.kind = 'pollAnswer' and starts_with(r.id, p.id || ' ')
         and not (r.body->>'hidden')::boolean
       order by (r.body->>'votes')::int desc, r.id limit ${REPORTED_ANSWERS}) a`
  const filled = page.rows.map((poll) => {
    if (poll.options.length > 0) return poll
    const own = answers.filter((row) => row.poll === poll.id)
    return { ...poll, options: own.map(({ id, text }) => ({ id, text })), counts: own.map(({ votes }) => votes) }
  })
  return { ...page, rows: filled }
}

export const pageRounds = (sql: Queryable, eventId: string, request: PageRequest): Promise<Page<Round>> =>
  pageRecords(sql, eventId, "round", "at", request)
