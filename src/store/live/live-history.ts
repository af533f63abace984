/**
 * Reading and deleting the publications of a live event, the heads of its streams, and its kept replies. Every read is bounded by its
 * request, never by the age of the event.
 */
import { Schema } from "effect"
import { PublicationFact } from "../../model/live/publication-fact.ts"
import { SHARED_STREAMS } from "../../model/live/streams.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { forgetTakenBack, KEPT_STREAMS, type Retraction, TAKEN } from "./kept-history.ts"

/** A committed dispatch: its stream, its position, the exact text that sockets receive, and its effect on gateways. */
export interface StoredPublication {
  readonly stream: string
  readonly s: number
  readonly version: number
  readonly frame: string
  readonly at: Timestamp
  /** Present when gateways must act on the dispatch themselves. */
  readonly fact?: PublicationFact
}

const decodeFact = Schema.decodeUnknownSync(PublicationFact)

/** The highest `s` of a stream; 0 for a stream without publications. */
export interface StreamHead {
  readonly stream: string
  readonly s: number
}

const headsOf = (sql: Queryable, eventId: string, streams: ReadonlyArray<string>) => sql<StreamHead[]>`
    select asked.stream, greatest(newest.s, forgotten.s, 0::bigint) as s
      from unnest(${[...streams]}::text[]) as asked(stream)
      left join lateral (select p.s from publications p where p.event_id = ${eventId} and p.stream = asked.stream
                          order by p.s desc limit 1) newest on true
      left join stream_heads forgotten on forgotten.event_id = ${eventId} and forgotten.stream = asked.stream`

/** Heads of some streams, in no order. */
export const findHeads = async (
  sql: Queryable,
  eventId: string,
  streams: ReadonlyArray<string>,
): Promise<ReadonlyArray<StreamHead>> => [...(await headsOf(sql, eventId, streams))]

interface SharedHeads {
  readonly heads: ReadonlyArray<StreamHead>
  /** Whether a room or a participant has any publication. */
  readonly hasOtherStreams: boolean
}

/** Heads of the shared streams. The names of all other streams sort before or after `people`, between `event` and `staff`. */
export const findSharedHeads = async (sql: Queryable, eventId: string): Promise<SharedHeads> => {
  const [row] = await sql<SharedHeads[]>`
    select (select jsonb_agg(head) from (${headsOf(sql, eventId, SHARED_STREAMS)}) head) as heads,
           exists (select from publications where event_id = ${eventId} and stream > 'event' and stream < 'people')
        or exists (select from publications where event_id = ${eventId} and stream > 'people' and stream < 'staff')
        or exists (select from stream_heads where event_id = ${eventId} and stream > 'event' and stream < 'people')
        or exists (select from stream_heads where event_id = ${eventId} and stream > 'people' and stream < 'staff') as has_other_streams`
  if (row === undefined) throw new Error("a select without a row")
  return row
}

/** The stored publications of some streams, oldest first within each: they fill a gateway's replay buffers. */
export const listPublications = async (
  sql: Queryable,
  eventId: string,
  streams: ReadonlyArray<string>,
  { since, perStream }: { readonly since: Timestamp; readonly perStream: number },
): Promise<ReadonlyArray<StoredPublication>> => {
  // The limit is applied before the age, because any number of older rows may wait for the sweep.
  const rows = await sql<(Omit<StoredPublication, "fact"> & { readonly fact: unknown })[]>`
    select p.stream, p.s, p.version, p.frame, p.at, p.fact
      from unnest(${[...streams]}::text[]) as asked(stream)
     cross join lateral (select * from publications where event_id = ${eventId} and stream = asked.stream
                          order by s desc limit ${perStream}) p
     where p.at >= ${since} order by p.stream, p.s`
  return rows.map(({ fact, ...publication }) =>
    fact === null ? publication : { ...publication, fact: decodeFact(fact) },
  )
}

/**
 * Deletes up to `limit` publications from before the cutoff, and keeps the last sequence numbers of their streams. Publications of a kept
 * history are moved (`kept-history.ts`), without what was taken back: after a clock was put back, the dispatch that takes a message back
 * may be moved before the message. Resolves to the number of publications.
 */
export const forgetPublications = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  // Locks the event's row first, as a deletion of the event does, so that the two never deadlock. An event that is being deleted
  // is skipped.
  const [row] = await sql<{ count: number; takenBack: ReadonlyArray<Retraction> }[]>`
    with old as materialized (
      select ctid as place, event_id from publications where at < ${before} order by at limit ${limit}
    ), held as materialized (
      select id, history from events where id in (select event_id from old) order by id for key share skip locked
    ), gone as (
      delete from publications where ctid = any (array(select place from old where event_id in (select id from held)))
      returning event_id, stream, s, version, frame, at
    ), heads as (
      insert into stream_heads as h (event_id, stream, s)
      select event_id, stream, max(s) from gone group by event_id, stream order by event_id, stream
      on conflict (event_id, stream) do update set s = greatest(h.s, excluded.s)
    ), kept as materialized (
      select gone.*, case when substring(frame from '"t":"([A-Za-z.]+)"') = any (${TAKEN}::text[])
               then coalesce(frame::json #>> '{d,message,id}', frame::json #>> '{d,question,id}') end as id
        from gone join held on held.id = gone.event_id
       where held.history = 'kept' and gone.stream = any (${[...KEPT_STREAMS]}::text[])
    ), taken as materialized (
      select k.event_id, k.version, ids.id from kept_publications k
       cross join lateral (
         select k.frame::json #>> '{d,id}' as id union all select json_array_elements_text(k.frame::json #> '{d,ids}')) as ids
       where k.event_id = any (array(select event_id from kept where id is not null))
         and k.t in ('chat.deleted', 'question.removed')
    ), histories as (
      insert into kept_histories (event_id) select distinct event_id from kept order by event_id on conflict do nothing
    ), moved as (
      insert into kept_publications (event_id, version, stream, s, frame, at)
      select event_id, version, stream, s, frame, at from kept
       where not exists (select from taken where taken.event_id = kept.event_id and taken.id = kept.id and taken.version > kept.version)
      returning event_id, version, t, frame
    )
    select (select count(*) from gone) as count,
           (select coalesce(json_agg(json_build_object('eventId', event_id, 'version', version, 'd', frame::json->'d')), '[]'::json)
              from moved where t in ('chat.deleted', 'question.removed')) as taken_back`
  if (row !== undefined) await forgetTakenBack(sql, row.takenBack)
  return row?.count ?? 0
}

/** Deletes up to `limit` kept replies from before the cutoff. Resolves to their number. */
export const forgetLiveCommands = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from live_commands where ctid = any (array(
      select ctid from live_commands where at < ${before} and scope not like 'key:%' order by at limit ${limit}))`
  return count
}

/** Like `forgetLiveCommands`, for commands under an `Idempotency-Key` (`model/live/command-scopes.ts`). */
export const forgetKeyedCommands = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from live_commands where ctid = any (array(
      select ctid from live_commands where at < ${before} and scope like 'key:%' order by at limit ${limit}))`
  return count
}
