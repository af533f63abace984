/** Events as calendars and emails show them. */
import type { Event, EventStatus } from "../../model/event.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { type EventFace, FACE } from "../event-face.ts"
import { matches, patternOf } from "../search.ts"

export interface CalendarEvent {
  readonly id: string
  /** Name of the workspace. */
  readonly workspace: string
  readonly title: string
  readonly description: string | null
  readonly location: string | null
  /** IANA name of the zone in which emails state times; null: UTC. */
  readonly timeZone: string | null
  readonly scheduledAt: Timestamp | null
  readonly scheduledEndAt: Timestamp | null
  readonly isCancelled: boolean
  /** Grows with each change that a calendar shows. */
  readonly sequence: number
  /** Time of the last of these changes. */
  readonly changedAt: Timestamp
}

export interface StoredCalendarEvent extends CalendarEvent, EventFace {
  readonly workspaceId: string
  readonly status: EventStatus
  readonly cancelReason: string | null
  readonly emailTexts: Event["emailTexts"]
}

/** Columns of an event in a calendar, of `events e` and `workspaces w`. */
const COLUMNS = `e.id, e.workspace_id, ${FACE}, e.title, e.scheduled_at, e.scheduled_end_at, e.status, e.cancel_reason,
  coalesce(e.description, case when jsonb_typeof(e.metadata->'description') = 'string' then e.metadata->>'description' end)
    as description, e.location, e.time_zone, e.email_texts,
  e.cancelled_at is not null as is_cancelled, e.calendar_sequence as sequence,
  coalesce(e.calendar_changed_at, e.created_at) as changed_at`

export const findCalendarEvent = async (sql: Queryable, id: string): Promise<StoredCalendarEvent | undefined> => {
  const [row] = await sql<StoredCalendarEvent[]>`
    select ${sql.unsafe(COLUMNS)} from events e join workspaces w on w.id = e.workspace_id where e.id = ${id}`
  return row
}

/** Events of a series that everybody may see, by their start. */
export const listCalendarOfSeries = async (sql: Queryable, seriesId: string): Promise<ReadonlyArray<CalendarEvent>> =>
  sql<CalendarEvent[]>`
    select ${sql.unsafe(COLUMNS)} from events e join workspaces w on w.id = e.workspace_id
     where e.series_id = ${seriesId} and e.status <> 'draft' and e.visibility <> 'private' order by e.scheduled_at, e.id`

/** Public events of a workspace that are to come or live, the next ones first. `words` is a part of the title, in any case. */
export const listPublicEvents = async (
  sql: Queryable,
  workspaceId: string,
  { words = "", since, limit }: { readonly words?: string; readonly since: Timestamp; readonly limit: number },
): Promise<ReadonlyArray<StoredCalendarEvent>> =>
  sql<StoredCalendarEvent[]>`
    select ${sql.unsafe(COLUMNS)} from events e join workspaces w on w.id = e.workspace_id
     where e.workspace_id = ${workspaceId} and e.visibility = 'public' and e.status in ('scheduled', 'live')
           and (e.status = 'live' or e.scheduled_at >= ${since})
           -- A node of the build before may publish a template, which it shows as a draft.
           and e.template_name is null
           ${words === "" ? sql`` : sql`and ${matches(sql, "e.title", patternOf(words))}`}
     order by e.scheduled_at nulls first, e.id limit ${limit}`
