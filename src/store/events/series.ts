/** Series, and the events that belong to them. */
import type { EventStatus, Visibility } from "../../model/event.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

export interface StoredSeries {
  readonly id: string
  readonly workspaceId: string
  readonly rrule: string
  readonly timeZone: string
  readonly createdAt: Timestamp
}

export interface EventOfSeries {
  readonly id: string
  readonly title: string
  readonly status: EventStatus
  readonly visibility: Visibility
  readonly scheduledAt: Timestamp | null
  readonly scheduledEndAt: Timestamp | null
  readonly cancelledAt: Timestamp | null
}

export const insertSeries = async (
  sql: Queryable,
  { id, workspaceId, rrule, timeZone }: Omit<StoredSeries, "createdAt">,
): Promise<StoredSeries> => {
  const [row] = await sql<StoredSeries[]>`
    insert into series (id, workspace_id, rrule, time_zone) values (${id}, ${workspaceId}, ${rrule}, ${timeZone})
    returning id, workspace_id, rrule, time_zone, created_at`
  if (row === undefined) throw new Error("insert returned no row")
  return row
}

/** Returns false if one of the events is a template, or already belongs to a series. */
export const joinSeries = async (sql: Queryable, seriesId: string, ids: ReadonlyArray<string>): Promise<boolean> => {
  const { count } = await sql`
    update events set series_id = ${seriesId} where id = any (${[...ids]}::uuid[]) and series_id is null
       and template_name is null`
  return count === ids.length
}

export const findSeries = async (sql: Queryable, id: string): Promise<StoredSeries | undefined> => {
  const [row] = await sql<StoredSeries[]>`
    select id, workspace_id, rrule, time_zone, created_at from series
     where id = ${id} and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}`
  return row
}

/** Series of a workspace, newest first; with `eventId` the one of this event alone. */
export const pageSeries = async (
  sql: Queryable,
  workspaceId: string,
  eventId: string | undefined,
  page: PageRequest,
): Promise<Page<StoredSeries>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<StoredSeries[]>`
    select id, workspace_id, rrule, time_zone, created_at from series
     where workspace_id = ${workspaceId} and (created_at, id) < (${after.createdAt}, ${after.id})
           ${eventId === undefined ? sql`` : sql`and id = (select series_id from events where id = ${eventId})`}
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** Events of a series by their start; those without one come last. */
export const listEventsOfSeries = async (sql: Queryable, seriesId: string): Promise<ReadonlyArray<EventOfSeries>> =>
  sql<EventOfSeries[]>`
    select id, title, status, visibility, scheduled_at, scheduled_end_at, cancelled_at from events
     where series_id = ${seriesId} order by scheduled_at nulls last, id`
