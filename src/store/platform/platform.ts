/** The state of the whole deployment as its operator sees it. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"

/** Maximum length of each list. */
const SHOWN = 100
/** Maximum number that is counted exactly and reported. */
const COUNTED = 100_000

interface LiveEventRow {
  readonly id: string
  readonly title: string
  readonly workspaceId: string
  readonly workspaceSlug: string
  readonly startedAt: Timestamp | null
  /** Number of connected people, as far as their arrival is stored. */
  readonly people: number
}

/** The newest live events. */
export const listLiveEvents = async (sql: Queryable): Promise<ReadonlyArray<LiveEventRow>> =>
  sql<LiveEventRow[]>`
    select e.id, e.title, e.workspace_id, w.slug as workspace_slug, e.started_at,
           (select count(*)::int from present_participants p where p.event_id = e.id) as people
      from events e join workspaces w on w.id = e.workspace_id
     where e.status = 'live' and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
     order by e.started_at desc nulls last, e.id limit ${SHOWN}`

export const countLiveEvents = async (sql: Queryable): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from (
      select from events where status = 'live' and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
       limit ${COUNTED}::int) as live`
  return row?.n ?? 0
}

interface FailingEndpointRow {
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  readonly status: "active" | "disabled"
  readonly failingSince: Timestamp | null
  readonly lastFailureAt: Timestamp
}

/** Webhook endpoints with a failed delivery within a day, last failure first. */
export const listFailingEndpoints = async (sql: Queryable): Promise<ReadonlyArray<FailingEndpointRow>> =>
  sql<FailingEndpointRow[]>`
    select id, workspace_id, url, status, failing_since, last_failure_at from webhook_endpoints
     where last_failure_at > now() - interval '1 day' and (failing_since is not null or status = 'disabled')
     order by last_failure_at desc limit ${SHOWN}`
