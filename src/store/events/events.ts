/** Events and phases as rows. Reads go here directly; after creation only the event's actor writes them. */
import { Event, type EventStatus } from "../../model/event.ts"
import type { Modality } from "../../model/modality.ts"
import type { Feature, Phase, PhaseConfig, PhaseState } from "../../model/phase.ts"
import { inSnakeCase } from "../../model/text/identifiers.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"
import { matches, patternOf } from "../search.ts"

/** Columns of an event by field, derived from the model. */
const COLUMN_OF: ReadonlyMap<string, string> = new Map(
  Object.keys(Event.fields)
    .filter((field) => field !== ("warnings" satisfies keyof Event))
    .map((field) => [field, inSnakeCase(field)]),
)
const EVENT_COLUMNS = [...COLUMN_OF.values()].join(", ")

const PHASE_COLUMNS = `id, event_id, position, modality, config, feature_set, status, started_at, ended_at,
  timer_ends_at, extended_seconds`

type NewEvent = Omit<
  Event,
  "createdAt" | "updatedAt" | "publishedAt" | "cancelledAt" | "cancelReason" | "startedAt" | "endedAt"
>

interface NewPhase {
  readonly id: string
  readonly modality: Modality
  readonly config: PhaseConfig
  readonly featureSet: ReadonlyArray<Feature>
}

/** A new event to store, and its phases in order. */
export interface EventDraft {
  readonly event: NewEvent
  readonly phases: ReadonlyArray<NewPhase>
}

/** An event in the form that `update_event` takes; also a draft without its phases, as `insert_events` takes it. */
export const eventRow = (event: NewEvent): object =>
  Object.fromEntries(
    Object.entries(event).flatMap(([field, value]) => {
      const column = COLUMN_OF.get(field)
      return column === undefined ? [] : [[column, value]]
    }),
  )

/** A draft in the form that `insert_events` takes. */
const draftRow = ({ event, phases }: EventDraft): object => ({
  ...eventRow(event),
  phases: phases.map((phase, position) => ({
    id: phase.id,
    position,
    modality: phase.modality,
    config: phase.config,
    feature_set: phase.featureSet,
  })),
})

/** Inserts all or none, in no order. */
export const insertEvents = async (sql: Queryable, drafts: ReadonlyArray<EventDraft>): Promise<ReadonlyArray<Event>> =>
  sql<Event[]>`select ${sql.unsafe(EVENT_COLUMNS)} from insert_events(${sql.json(drafts.map(draftRow))})`

/** Inserts the event and its phases in one statement. */
export const insertEvent = async (sql: Queryable, draft: EventDraft): Promise<Event> => {
  const [row] = await insertEvents(sql, [draft])
  if (row === undefined) throw new Error("insert returned no row")
  return row
}

/** Inserts all or none, in no order; fails soon with 55P03 instead of waiting for a row that another transaction has locked. */
export const insertEventsSoon = async (
  sql: Queryable,
  drafts: ReadonlyArray<EventDraft>,
): Promise<ReadonlyArray<Event>> =>
  sql<Event[]>`select ${sql.unsafe(EVENT_COLUMNS)} from insert_events_soon(${sql.json(drafts.map(draftRow))})`

export const findEvent = async (sql: Queryable, id: string): Promise<Event | undefined> => {
  const [row] = await sql<
    Event[]
  >`select ${sql.unsafe(EVENT_COLUMNS)} from events where id = ${id} and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}`
  return row
}

/** Finds the event even if its workspace was deleted: its actor must still end it. */
export const findStoredEvent = async (sql: Queryable, id: string): Promise<Event | undefined> => {
  const [row] = await sql<Event[]>`select ${sql.unsafe(EVENT_COLUMNS)} from events where id = ${id}`
  return row
}

/** Conditions of a list of events; an absent one holds for all. */
interface EventFilter {
  /** Part of the title, in any case. */
  readonly q?: string
  readonly status?: EventStatus
  readonly type?: string
  /** `scheduledAt` is at this time or later. */
  readonly from?: Timestamp
  /** `scheduledAt` is before this time. */
  readonly to?: Timestamp
}

/** `eventIds` restricts the page to these events; null for all of the workspace. */
export const pageEvents = async (
  sql: Queryable,
  { workspaceId, eventIds }: { readonly workspaceId: string; readonly eventIds: ReadonlyArray<string> | null },
  { q, status, type, from, to }: EventFilter,
  page: PageRequest,
): Promise<Page<Event>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<Event[]>`
    select ${sql.unsafe(EVENT_COLUMNS)} from events
     where workspace_id = ${workspaceId} and template_name is null
           and (created_at, id) < (${after.createdAt}, ${after.id})
           ${eventIds === null ? sql`` : sql`and id = any (${[...eventIds]}::uuid[])`}
           ${q === undefined ? sql`` : sql`and ${matches(sql, "title", patternOf(q))}`}
           ${status === undefined ? sql`` : sql`and status = ${status}`}
           ${type === undefined ? sql`` : sql`and type = ${type}`}
           ${from === undefined ? sql`` : sql`and scheduled_at >= ${from}`}
           ${to === undefined ? sql`` : sql`and scheduled_at < ${to}`}
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** Whether all of these events belong to the workspace. */
export const areEventsOf = async (
  sql: Queryable,
  workspaceId: string,
  ids: ReadonlyArray<string>,
): Promise<boolean> => {
  const rows = await sql`select 1 from events where workspace_id = ${workspaceId} and id = any (${[...ids]}::uuid[])`
  return rows.length === new Set(ids).size
}

export const listPhases = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<Phase>> => {
  const rows = await sql<Phase[]>`
    select ${sql.unsafe(PHASE_COLUMNS)} from phases where event_id = ${eventId} order by position`
  return [...rows]
}

/** Times inside JSON in the same form as times read from columns. */
const JSON_TIME = (column: string): string => `to_char(p.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const PHASE_JSON = `json_build_object('id', p.id, 'eventId', p.event_id, 'position', p.position, 'modality', p.modality,
  'config', p.config, 'featureSet', p.feature_set, 'status', p.status, 'startedAt', ${JSON_TIME("started_at")},
  'endedAt', ${JSON_TIME("ended_at")}, 'timerEndsAt', ${JSON_TIME("timer_ends_at")},
  'extendedSeconds', p.extended_seconds)`

export interface EventAgenda extends Event {
  readonly phases: ReadonlyArray<Phase>
}

/** The existing ones among these events, in no order, each with its agenda. */
export const findEventsWithPhases = async (
  sql: Queryable,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<EventAgenda>> =>
  sql<EventAgenda[]>`
    select ${sql.unsafe(EVENT_COLUMNS)},
           (select coalesce(json_agg(${sql.unsafe(PHASE_JSON)} order by p.position), '[]'::json)
              from phases p where p.event_id = events.id) as phases
      from events where id = any (${ids}::uuid[]) and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}`

export const findEventWithPhases = async (sql: Queryable, id: string): Promise<EventAgenda | undefined> =>
  (await findEventsWithPhases(sql, [id]))[0]

/**
 * Keeps the event from being deleted until the transaction ends, and reads it. Other changes do not wait: the lock is one that only the end
 * of the row contradicts. Resolves to undefined for an event that is gone.
 */
export const holdEvent = async (sql: Queryable, id: string): Promise<EventAgenda | undefined> => {
  const held = await sql`select 1 from events where id = ${id} for key share`
  return held.length === 0 ? undefined : findEventWithPhases(sql, id)
}

export const listPhaseStates = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<PhaseState>> => {
  const rows = await sql<PhaseState[]>`
    select ${sql.unsafe(PHASE_COLUMNS)}, rev, timer_rev, timer_elapsed
      from phases where event_id = ${eventId} order by position`
  return [...rows]
}

/** Event of a phase, and the event's workspace. */
export const findPhaseOwner = async (
  sql: Queryable,
  phaseId: string,
): Promise<{ readonly eventId: string; readonly workspaceId: string } | undefined> => {
  const [row] = await sql<{ eventId: string; workspaceId: string }[]>`
    select p.event_id, e.workspace_id from phases p join events e on e.id = p.event_id where p.id = ${phaseId}`
  return row
}

/**
 * Ids of events that are live, and of ended events whose participants' departures were not announced: their actors are activated at start,
 * so that timers need no traffic to fire and the departures are announced.
 */
export const listLiveEventIds = async (sql: Queryable): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select id from events where status = 'live' union select event_id from present_participants order by id`
  return rows.map((row) => row.id)
}

/** Phases in the form that `upsert_phases` takes. */
export const phaseRows = (phases: ReadonlyArray<PhaseState>): ReadonlyArray<object> =>
  phases.map((phase) => ({
    id: phase.id,
    event_id: phase.eventId,
    position: phase.position,
    modality: phase.modality,
    config: phase.config,
    feature_set: phase.featureSet,
    status: phase.status,
    started_at: phase.startedAt,
    ended_at: phase.endedAt,
    timer_ends_at: phase.timerEndsAt,
    extended_seconds: phase.extendedSeconds,
    rev: phase.rev,
    timer_rev: phase.timerRev,
    timer_elapsed: phase.timerElapsed,
  }))

export const findWorkspaceOf = async (sql: Queryable, eventId: string): Promise<string | undefined> => {
  const [row] = await sql<{ workspaceId: string }[]>`select workspace_id from events where id = ${eventId}`
  return row?.workspaceId
}
