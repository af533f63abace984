/** Feeds of occurrences: the outbox of a workspace in one order, which readers follow by a cursor. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

/** Maximum number of occurrences that get places in one transaction. */
const PLACED_AT_ONCE = 1_000
/** Interval after which the time of the last read is written again. */
const NOTED_EVERY = "1 hour"

/** Position in a feed: 0 is before its first occurrence. */
export type FeedPlace = number

export interface PlacedOccurrence {
  readonly place: FeedPlace
  /** Exact body bytes of the webhook. */
  readonly body: string
}

/** Begins to keep the workspace's occurrences, if they are not kept yet. Resolves to the time since which all are kept. */
export const keepOccurrences = async (sql: Queryable, workspaceId: string): Promise<Timestamp> => {
  const [known] = await sql<{ since: Timestamp }[]>`
    with noted as (
      update occurrence_feeds set read_at = now()
       where workspace_id = ${workspaceId} and read_at < now() - ${NOTED_EVERY}::interval)
    select since from occurrence_feeds where workspace_id = ${workspaceId}`
  if (known !== undefined) return known.since
  const [feed] = await sql<{ since: Timestamp }[]>`
    insert into occurrence_feeds (workspace_id) values (${workspaceId})
    on conflict (workspace_id) do update set read_at = excluded.read_at returning since`
  if (feed === undefined) throw new Error("an upsert returned no row")
  return feed.since
}

export const hasUnplaced = async (sql: Queryable, workspaceId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from outbox_messages where workspace_id = ${workspaceId} and seq is not null and place is null limit 1`
  return rows.length > 0
}

/**
 * Gives places to occurrences that have none. Readers of one feed do so in turn, so that places grow in the order in which they become
 * visible: a reader at a place has seen everything before it. Run it in a transaction.
 */
export const placeOccurrences = async (sql: Queryable, workspaceId: string): Promise<void> => {
  await sql`select 1 from occurrence_feeds where workspace_id = ${workspaceId} for update`
  // Draws from the sequence in the order of the inner query.
  await sql`
    with unplaced as materialized (
      select id from outbox_messages where workspace_id = ${workspaceId} and seq is not null and place is null
       order by seq limit ${PLACED_AT_ONCE}
    ), placed as materialized (
      select id, nextval('occurrence_places') as place from unplaced
    )
    update outbox_messages m set place = placed.place from placed where m.id = placed.id`
}

/** The occurrences after a place, the oldest first. */
export const readOccurrences = async (
  sql: Queryable,
  workspaceId: string,
  after: FeedPlace,
  limit: number,
): Promise<ReadonlyArray<PlacedOccurrence>> => sql<PlacedOccurrence[]>`
  select place, body from outbox_messages where workspace_id = ${workspaceId} and place > ${after} order by place limit ${limit}`

/** The place of the newest occurrence that has one. */
export const endOfFeed = async (sql: Queryable, workspaceId: string): Promise<FeedPlace> => {
  const [row] = await sql<{ place: FeedPlace | null }[]>`
    select max(place) as place from outbox_messages where workspace_id = ${workspaceId}`
  return row?.place ?? 0
}

/** Ends feeds that nobody has read since the cutoff. */
export const sweepFeeds = async (sql: Queryable, before: Timestamp): Promise<void> => {
  await sql`delete from occurrence_feeds where read_at < ${before}`
}
