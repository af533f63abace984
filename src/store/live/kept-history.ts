/**
 * The kept history of an event: the publications that an anonymous viewer would receive. Names of the audience and what staff see are in
 * other streams, and are not kept. Those of the last minutes are still in `publications`, so both tables are read as one.
 */
import type { Event } from "../../model/event.ts"
import { SHARED_STREAMS } from "../../model/live/streams.ts"
import { REMOVED_PERSON } from "../../model/participants.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import { type Queryable, SqlFragment } from "../pool/statement.ts"

/** The streams of an anonymous viewer. */
export const KEPT_STREAMS = SHARED_STREAMS.filter((stream) => stream === "event" || stream === "stage")

const DAY_MS = 86_400_000

/** A moved dispatch that takes back a message, or a question from the audience. */
export interface Retraction {
  readonly eventId: string
  readonly version: number
  readonly d: { readonly ids?: ReadonlyArray<string>; readonly id?: string }
}

/** Dispatches that show what can be taken back. */
export const TAKEN = ["chat.message", "question.created", "question.updated"]

/**
 * Deletes what was taken back: a replay must not show what a host deleted or hid. One statement deletes all of it and reads the messages of
 * an event once.
 */
export const forgetTakenBack = async (sql: Queryable, takenBack: ReadonlyArray<Retraction>): Promise<void> => {
  const all = takenBack.flatMap(({ eventId, version, d }) =>
    (d.ids ?? (d.id === undefined ? [] : [d.id])).map((id) => ({ eventId, version, id })),
  )
  if (all.length === 0) return
  await sql`
    with taken as materialized (
      select event_id, id, max(version::bigint) as version
        from unnest(${all.map(({ eventId }) => eventId)}::uuid[], ${all.map(({ id }) => id)}::text[],
                    ${all.map(({ version }) => String(version))}::text[]) as t(event_id, id, version)
       group by event_id, id
    ), said as materialized (
      select ctid as place, event_id, version, coalesce(frame::json #>> '{d,message,id}', frame::json #>> '{d,question,id}') as id
        from kept_publications where event_id = any (array(select event_id from taken)) and t = any (${TAKEN}::text[])
    )
    delete from kept_publications where ctid = any (array(
      select said.place from said join taken using (event_id, id) where said.version < taken.version))`
}

/** Place of a publication in the order of commits. */
interface KeptPlace {
  readonly version: number
  readonly stream: string
  readonly s: number
}

export const BEFORE_ALL: KeptPlace = { version: -1, stream: "", s: 0 }

export interface KeptPublication extends KeptPlace {
  readonly frame: string
  readonly at: Timestamp
}

/** The form `and not (…)` keeps the condition from becoming a join, which would read all frames of the event for each page. */
const IS_TAKEN_BACK = new SqlFragment(
  `exists (select from taken where taken.version > k.version
     and taken.id = coalesce(k.frame::json #>> '{d,message,id}', k.frame::json #>> '{d,question,id}'))
   or coalesce(k.frame::json #>> '{d,message,participantId}', '') in (select id from erased)`,
)

/**
 * The next publications after the place. What was taken back lately is left out: the sweep deletes it only once it moves the dispatch that
 * takes it back. Until the last pass of an erasure, the person's messages and names are left out too.
 */
export const listKept = async (
  sql: Queryable,
  eventId: string,
  after: KeptPlace,
  limit: number,
): Promise<ReadonlyArray<KeptPublication>> => {
  const rows = await sql<KeptPublication[]>`
    with taken as materialized (
      select p.version, ids.id
        from publications p
       cross join lateral (
         select p.frame::json #>> '{d,id}' as id
         union all
         select json_array_elements_text(p.frame::json #> '{d,ids}')) as ids
       where p.event_id = ${eventId} and p.stream = 'event'
         and (p.frame like '%"t":"chat.deleted"%' or p.frame like '%"t":"question.removed"%')
    ), erased as materialized (
      select unnest(r.participant_ids) as id from events e join erasures r on r.workspace_id = e.workspace_id where e.id = ${eventId}
    )
    select * from (
      (select version, stream, s, frame, at from kept_publications k
        where event_id = ${eventId} and (version, stream, s) > (${after.version}, ${after.stream}, ${after.s})
          and not (t = any (${TAKEN}::text[]) and (${IS_TAKEN_BACK}))
        order by version, stream, s limit ${limit})
      union all
      (select version, stream, s, frame, at from publications k
        where event_id = ${eventId} and stream = any (${[...KEPT_STREAMS]}::text[])
          and (version, stream, s) > (${after.version}, ${after.stream}, ${after.s})
          and not (substring(frame from '"t":"([A-Za-z.]+)"') = any (${TAKEN}::text[]) and (${IS_TAKEN_BACK}))
        order by version, stream, s limit ${limit})
    ) both_tables order by version, stream, s limit ${limit}`
  const erased = await sql<{ id: string }[]>`
    select unnest(r.participant_ids) as id from events e join erasures r on r.workspace_id = e.workspace_id where e.id = ${eventId}`
  const people = new Set(erased.map(({ id }) => id))
  const names = (frame: string) => [...people].some((id) => frame.includes(id))
  return rows.map((row) => (names(row.frame) ? { ...row, frame: frameWithout(row.frame, people) } : row))
}

/** The phases that were appended while the history was kept. They are not in the agenda that the event began with. */
export const listAppendedPhases = async (sql: Queryable, eventId: string): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ id: string }[]>`
    select frame::json #>> '{d,phase,id}' as id from kept_publications where event_id = ${eventId} and t = 'phase.appended'
    union all
    select frame::json #>> '{d,phase,id}' from publications
     where event_id = ${eventId} and stream = 'event' and frame like '%"t":"phase.appended"%'`
  return new Set(rows.map(({ id }) => id))
}

/** Deletes up to `limit` kept publications of events that ended before the cutoff, or whose history is no longer to be kept. */
export const forgetKept = async (sql: Queryable, endedBefore: Timestamp, limit: number): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    with due as materialized (
      select h.event_id from kept_histories h join events e on e.id = h.event_id
       where e.ended_at < ${endedBefore} or e.history = 'brief' order by h.event_id for update of h skip locked
    ), gone as (
      delete from kept_publications where ctid = any (array(
        select k.ctid from due join kept_publications k on k.event_id = due.event_id limit ${limit}))
      returning 1
    )
    select count(*) from gone`
  const count = row?.count ?? 0
  if (count < limit) {
    await sql`
      delete from kept_histories h using events e
       where e.id = h.event_id and (e.ended_at < ${endedBefore} or e.history = 'brief')
         and not exists (select from kept_publications k where k.event_id = h.event_id)`
  }
  return count
}

/** The history of an event that ended before this time is no longer kept. `now` is in Unix milliseconds. */
export const keptSince = (now: number, days: number): Timestamp => toTimestamp(now - days * DAY_MS)

/** Why the event cannot be replayed; `undefined` when it can. */
export const whyNotReplayable = (
  { status, history, endedAt }: Pick<Event, "status" | "history" | "endedAt">,
  now: number,
  days: number,
): string | undefined => {
  if (status !== "ended" || endedAt === null) return "The event has not ended."
  return history === "kept" && endedAt >= keptSince(now, days)
    ? undefined
    : "The history of the event is not kept, or not any more."
}

type Json = { readonly [key: string]: unknown } | ReadonlyArray<unknown>

/** The value without the names of these people; a question of theirs becomes an anonymous one. */
const withoutNames = (value: unknown, people: ReadonlySet<unknown>): unknown => {
  if (typeof value !== "object" || value === null) return value
  const json = value as Json
  if (Array.isArray(json)) return json.map((one) => withoutNames(one, people))
  const fields = Object.fromEntries(Object.entries(json).map(([key, inner]) => [key, withoutNames(inner, people)]))
  if (people.has(fields["authorId"])) return { ...fields, authorId: null, authorName: null, anonymous: true }
  return people.has(fields["participantId"]) && "name" in fields ? { ...fields, name: REMOVED_PERSON } : fields
}

const frameWithout = (frame: string, people: ReadonlySet<unknown>): string =>
  JSON.stringify(withoutNames(JSON.parse(frame), people))

const ERASED_AT_ONCE = 500

/** Deletes the chat messages of the people, and removes their names from everything else. */
export const erasePeopleFromKept = async (
  sql: Queryable,
  {
    eventIds,
    participantIds,
  }: { readonly eventIds: ReadonlyArray<string>; readonly participantIds: ReadonlyArray<string> },
): Promise<void> => {
  const [events, people] = [[...eventIds], [...participantIds]]
  await sql`
    delete from kept_publications where event_id = any (${events}::uuid[]) and t = 'chat.message'
       and frame::json #>> '{d,message,participantId}' = any (${people}::text[])`
  let after: KeptPlace & { readonly eventId: string } = {
    eventId: "00000000-0000-0000-0000-000000000000",
    ...BEFORE_ALL,
  }
  while (true) {
    const rows: ReadonlyArray<KeptPublication & { readonly eventId: string }> = await sql<
      (KeptPublication & { readonly eventId: string })[]
    >`
      select event_id, version, stream, s, frame, at from kept_publications k
       where event_id = any (${events}::uuid[])
         and (event_id, version, stream, s) > (${after.eventId}, ${after.version}, ${after.stream}, ${after.s})
         and exists (select from unnest(${people}::text[]) as p(id) where strpos(k.frame, p.id) > 0)
       order by event_id, version, stream, s limit ${ERASED_AT_ONCE}`
    for (const { eventId, version, stream, s, frame } of rows) {
      const erased = frameWithout(frame, new Set(people))
      if (erased === frame) continue
      await sql`
        update kept_publications set frame = ${erased}
         where event_id = ${eventId} and version = ${version} and stream = ${stream} and s = ${s}`
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < ERASED_AT_ONCE) return
    after = last
  }
}
