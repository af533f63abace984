/** Deleting workspaces: one transaction hides all that belongs to one, and statements in bounded steps remove it. */
import type { Timestamp } from "../model/timestamp.ts"
import { type Queryable, SqlFragment } from "./pool/statement.ts"

/** Ids of deleted workspaces that are not swept yet; nearly always empty. */
export const DELETED_WORKSPACES = "(select id from workspaces where deleted_at is not null)"

/**
 * Hides the workspace and frees its slug: its new slug has a colon, so that nobody can take it. Members are deleted, and keys and open
 * invites revoked, so no credential manages it any more; `DELETED_WORKSPACES` hides what people find without one. Returns false when it
 * has another slug or is already deleted. Run it under `lockWorkspace`.
 */
export const markWorkspaceDeleted = async (sql: Queryable, workspaceId: string, slug: string): Promise<boolean> => {
  const { count } = await sql`
    update workspaces set deleted_at = now(), slug = 'deleted:' || id, founder_account_id = null, updated_at = now()
     where id = ${workspaceId} and slug = ${slug} and deleted_at is null`
  if (count === 0) return false
  await sql`delete from workspace_members where workspace_id = ${workspaceId}`
  await sql`update api_keys set revoked_at = now() where workspace_id = ${workspaceId} and revoked_at is null`
  await sql`
    update invites set status = 'revoked', revoked_at = now() where workspace_id = ${workspaceId} and status = 'pending'`
  return true
}

export const findSlug = async (sql: Queryable, workspaceId: string): Promise<string | undefined> => {
  const [row] = await sql<
    { slug: string }[]
  >`select slug from workspaces where id = ${workspaceId} and deleted_at is null`
  return row?.slug
}

export const listLiveEventsOf = async (sql: Queryable, workspaceId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<
    { id: string }[]
  >`select id from events where workspace_id = ${workspaceId} and status = 'live'`
  return rows.map(({ id }) => id)
}

export interface DeletedWorkspace {
  readonly id: string
  readonly deletedAt: Timestamp
}

export const listDeletedWorkspaces = async (sql: Queryable): Promise<ReadonlyArray<DeletedWorkspace>> =>
  sql<DeletedWorkspace[]>`
    select id, deleted_at from workspaces where deleted_at is not null order by deleted_at limit 100`

export interface EventLeft {
  readonly id: string
  readonly status: "draft" | "scheduled" | "live" | "ended"
}

export const someEventsOf = async (
  sql: Queryable,
  workspaceId: string,
  limit: number,
): Promise<ReadonlyArray<EventLeft>> =>
  sql<EventLeft[]>`select id, status from events where workspace_id = ${workspaceId} order by created_at limit ${limit}`

/** Tables that grow within an event, and the condition by which an index finds an event's rows. */
const WITHIN_EVENTS: ReadonlyArray<readonly [table: string, condition: string]> = [
  ...[
    "chat_messages",
    "publications",
    "kept_publications",
    "live_commands",
    "live_records",
    "attendances",
    "captions",
    "registrations",
    "memberships",
    "stream_heads",
  ].map((table) => [table, "event_id = $event"] as const),
  ["transcript_segments", "transcript_id in (select id from transcripts where event_id = $event)"],
  ["recording_segments", "recording_id in (select id from recordings where event_id = $event)"],
  ["question_votes", "question_id in (select id from questions where event_id = $event)"],
  ["questions", "event_id = $event"],
]

/** Tables that grow with the workspace. The rest is bounded by limits and deleted with the workspace's row. */
const WITHIN_WORKSPACES = ["users", "invites", "audit_entries", "letter_refusals", "email_bounces"]

type Deletion = (sql: Queryable, limit: number) => Promise<number>

const deletion = (table: string, condition: string, id: string): Deletion => {
  const [before = "", after = ""] = condition.split(/\$\w+/u)
  const [from, where, rest] = [new SqlFragment(table), new SqlFragment(before), new SqlFragment(after)]
  return async (sql, limit) => {
    const { count } = await sql`
      delete from ${from} where ctid = any (array(select ctid from ${from} where ${where} ${id} ${rest} limit ${limit}))`
    return count
  }
}

/** Deletions of what grows within an event, so that deleting the event's own row is fast. */
export const deletionsWithin = (eventId: string): ReadonlyArray<Deletion> =>
  WITHIN_EVENTS.map(([table, condition]) => deletion(table, condition, eventId))

export const deletionsOf = (workspaceId: string): ReadonlyArray<Deletion> =>
  WITHIN_WORKSPACES.map((table) => deletion(table, "workspace_id = $workspace", workspaceId))

export const deletionOfDeliveries = (workspaceId: string): Deletion =>
  deletion(
    "webhook_deliveries",
    "endpoint_id in (select id from webhook_endpoints where workspace_id = $workspace)",
    workspaceId,
  )

/** Deletions of the most numerous rows that a recording's deletion would cascade to. */
export const deletionsOfRecordedParts = (workspaceId: string): ReadonlyArray<Deletion> => [
  deletion(
    "recording_segments",
    "recording_id in (select id from recordings where workspace_id = $workspace)",
    workspaceId,
  ),
  deletion(
    "transcript_segments",
    "transcript_id in (select t.id from transcripts t join events e on e.id = t.event_id where e.workspace_id = $workspace)",
    workspaceId,
  ),
]

/** Recordings deleted per statement, each with its clips and takes. */
export const RECORDINGS_AT_ONCE = 20

/** A trigger adds the jobs that remove the bytes. */
export const deletionOfRecordings = (workspaceId: string): Deletion =>
  deletion("recordings", "workspace_id = $workspace", workspaceId)

export const deleteEventRow = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from events where id = ${id}`
}

export const deleteWorkspaceRow = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from workspaces where id = ${id} and deleted_at is not null`
}
