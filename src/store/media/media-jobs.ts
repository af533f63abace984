/**
 * Job queue for work on stored bytes, in lanes with fair queueing between workspaces. A claim is a lease: a job whose process died is taken
 * again when the lease ends. Settling a recording and deleting its job is one transaction, so that the job's result is kept once.
 */
import type { Queryable } from "../database.ts"

export const OF_NO_WORKSPACE = "00000000-0000-0000-0000-000000000000"

interface Claimed {
  readonly id: number
  /** Workspace, or `OF_NO_WORKSPACE`. */
  readonly workspaceId: string
  readonly attempts: number
}

export type MediaJob = Claimed &
  (
    | { readonly kind: "inspect"; readonly recordingId: string }
    | { readonly kind: "record" | "move" | "derive" | "retranscribe" | "recognise"; readonly recordingId: string }
    | { readonly kind: "transcribe" | "summarise" | "capture"; readonly eventId: string }
    | { readonly kind: "cut"; readonly clipId: string }
    | { readonly kind: "remove"; readonly storageKey: string }
  )

/** Kinds of jobs that share capacity. */
export interface JobGroup {
  readonly name: string
  readonly kinds: ReadonlyArray<MediaJob["kind"]>
}

/** Time charged for a running job, which also counts when its end is never reported. */
const ADVANCE_MS = 1000
/** Half-life of the spent time. */
export const HALF_LIFE_SECONDS = 1800
/** More than the number of nodes that claim at once, because some rows may be locked. */
const CANDIDATES = 16

/** The lanes among these in which a job waits or runs. */
export const lanesWithJobs = async <L extends JobGroup>(
  sql: Queryable,
  lanes: ReadonlyArray<L>,
): Promise<ReadonlyArray<L>> => {
  const rows = await sql<{ kind: MediaJob["kind"] }[]>`
    select k.kind from unnest(${lanes.flatMap(({ kinds }) => kinds)}::text[]) as k (kind)
     where exists (select from media_jobs j where j.kind = k.kind)`
  return lanes.filter(({ kinds }) => rows.some(({ kind }) => kinds.includes(kind)))
}

/**
 * Claims the oldest due job of the workspace whose turn it is: the one that used the least time of the lane, counted from when it began to
 * wait (start-time fair queueing). So two waiting workspaces get half of the time each, the time used by one alone does not count against
 * it, and the number of jobs gives no advantage. It costs a few index reads per waiting workspace. `attempts` counts this attempt.
 */
export const claimMediaJob = async (
  sql: Queryable,
  { name, kinds }: JobGroup,
  leaseMs: number,
): Promise<MediaJob | undefined> => {
  const [job] = await sql<MediaJob[]>`
    with recursive waiting as (
      select f.kind, f.workspace_id from unnest(${[...kinds]}::text[]) as k (kind) cross join lateral (
        select j.kind, j.workspace_id from media_jobs j where j.kind = k.kind order by j.workspace_id limit 1) f
      union all
      select n.kind, n.workspace_id from waiting w cross join lateral (
        select j.kind, j.workspace_id from media_jobs j
         where j.kind = w.kind and j.workspace_id > w.workspace_id order by j.workspace_id limit 1) n
    ), lane as (
      select coalesce(max(started), 0) as time from media_turns where lane = ${name}
    ), firsts as (
      select j.id, j.due_at, w.workspace_id, greatest(lane.time, t.ended) as begins
        from waiting w cross join lane
        cross join lateral (
          select id, due_at from media_jobs
           where kind = w.kind and workspace_id = w.workspace_id and due_at <= now()
             and (leased_until is null or leased_until <= now())
           order by due_at, id limit 1) j
        left join media_turns t on t.lane = ${name} and t.workspace_id = w.workspace_id
       order by begins, j.due_at, j.id limit ${CANDIDATES}
    ), claimed as (
      select j.id, f.workspace_id, f.begins from firsts f join media_jobs j on j.id = f.id
       where j.leased_until is null or j.leased_until <= now()
       order by f.begins, f.due_at, f.id limit 1 for update of j skip locked
    ), counted as (
      insert into media_turns (lane, workspace_id, started, ended)
      select ${name}, workspace_id, begins, begins + ${ADVANCE_MS}::float8 from claimed
      on conflict (lane, workspace_id) do update
         set started = greatest(media_turns.started, excluded.started),
             ended = greatest(media_turns.ended, excluded.started) + ${ADVANCE_MS}::float8
    )
    update media_jobs j set attempts = attempts + 1, leased_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
      from claimed c where j.id = c.id
    returning j.id, j.kind, j.recording_id, j.clip_id, j.event_id, j.storage_key, j.attempts, j.workspace_id`
  return job
}

/** Charges the actual time of a claimed job instead of the advance. */
export const countJobTime = async (
  sql: Queryable,
  { name }: JobGroup,
  { workspaceId }: MediaJob,
  ms: number,
): Promise<void> => {
  await sql`
    update media_turns set ended = ended + ${ms - ADVANCE_MS}::float8, spent_at = now(),
           spent_ms = spent_ms * power(0.5, extract(epoch from now() - spent_at)::float8 / ${HALF_LIFE_SECONDS}::float8) + ${ms}::float8
     where lane = ${name} and workspace_id = ${workspaceId}`
}

/** Deletes turns of workspaces that did nothing for a day, whose turn would begin now. The lane's own time stays. */
export const deleteIdleTurns = async (sql: Queryable, limit: number): Promise<number> => {
  const { count } = await sql`
    with lanes as (select lane, max(started) as time from media_turns group by lane)
    delete from media_turns t where (lane, workspace_id) in (
      select i.lane, i.workspace_id from media_turns i join lanes l on l.lane = i.lane
       where i.spent_at < now() - interval '1 day' and i.ended <= l.time and i.started < l.time limit ${limit}::int)`
  return count
}

/** Returns a failed job to the queue for another attempt. */
export const postponeMediaJob = async (sql: Queryable, id: number, inMs: number, error: string): Promise<void> => {
  await sql`
    update media_jobs set leased_until = null, due_at = now() + ${inMs}::float8 * interval '1 millisecond', last_error = ${error}
     where id = ${id}`
}

/** Returns false when it was already deleted. */
export const deleteMediaJob = async (sql: Queryable, id: number): Promise<boolean> => {
  const { count } = await sql`delete from media_jobs where id = ${id}`
  return count > 0
}

/** Adds the removal of bytes that no row names any more, because the row was deleted while they were stored. */
export const addRemoveJob = async (sql: Queryable, storageKey: string): Promise<void> => {
  await sql`insert into media_jobs (kind, storage_key) values ('remove', ${storageKey})`
}

/** Adds the move of a broadcast's files to the storage of recordings. */
export const addMoveJob = async (sql: Queryable, recordingId: string): Promise<void> => {
  await sql`insert into media_jobs (kind, recording_id) values ('move', ${recordingId}) on conflict do nothing`
}

/**
 * Adds nothing when a person wrote the summary. A running job's row stays locked until the caller commits, so the job cannot end without
 * the caller's transcript.
 */
export const addSummariseJob = async (sql: Queryable, eventId: string): Promise<void> => {
  await sql`
    insert into media_jobs (kind, event_id)
    select 'summarise', ${eventId}::uuid
     where not exists (select 1 from event_summaries where event_id = ${eventId} and source = 'person')
    on conflict (event_id, kind) where event_id is not null and kind <> 'capture' do update set due_at = media_jobs.due_at`
}

/** Ends the leases of dead processes at once, at the start of the only process. */
export const endMediaLeases = async (sql: Queryable): Promise<void> => {
  await sql`update media_jobs set leased_until = null where leased_until is not null`
}

/** Milliseconds until the next job of these lanes is due or its lease ends; `undefined` when there is none. */
export const nextMediaJobInMs = async (sql: Queryable, lanes: ReadonlyArray<JobGroup>): Promise<number | undefined> => {
  const [row] = await sql<{ inMs: number | null }[]>`
    select extract(epoch from min(greatest(due_at, coalesce(leased_until, due_at))) - now())::float8 * 1000 as in_ms from media_jobs
     where kind = any (${lanes.flatMap(({ kinds }) => kinds)}::text[])`
  return row?.inMs ?? undefined
}
