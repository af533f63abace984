/**
 * The queue of work on stored bytes. A claim is a lease: a job whose process died is taken again when the lease ends. Settling a
 * recording and deleting its job is one transaction, so that the job's result is kept once.
 */
import type { Queryable } from "../database.ts"

export type MediaJob =
  | { readonly id: number; readonly kind: "inspect"; readonly recordingId: string; readonly attempts: number }
  | {
      readonly id: number
      readonly kind: "record" | "move" | "derive" | "retranscribe"
      readonly recordingId: string
      readonly attempts: number
    }
  | {
      readonly id: number
      readonly kind: "transcribe" | "summarise" | "capture"
      readonly eventId: string
      readonly attempts: number
    }
  | { readonly id: number; readonly kind: "cut"; readonly clipId: string; readonly attempts: number }
  | { readonly id: number; readonly kind: "remove"; readonly storageKey: string; readonly attempts: number }

/** Takes up to `limit` jobs that are due, oldest first; `attempts` counts this try. */
export const claimMediaJobs = async (
  sql: Queryable,
  limit: number,
  leaseMs: number,
): Promise<ReadonlyArray<MediaJob>> =>
  sql<MediaJob[]>`
    update media_jobs set attempts = attempts + 1, leased_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
     where id = any (array(
       select id from media_jobs where due_at <= now() and (leased_until is null or leased_until <= now())
        order by due_at, id limit ${limit} for update skip locked))
    returning id, kind, recording_id, clip_id, event_id, storage_key, attempts`

/** Gives a failed job back for another try. */
export const postponeMediaJob = async (sql: Queryable, id: number, inMs: number, error: string): Promise<void> => {
  await sql`
    update media_jobs set leased_until = null, due_at = now() + ${inMs}::float8 * interval '1 millisecond', last_error = ${error}
     where id = ${id}`
}

/** False: it was deleted before. */
export const deleteMediaJob = async (sql: Queryable, id: number): Promise<boolean> => {
  const { count } = await sql`delete from media_jobs where id = ${id}`
  return count > 0
}

/** Bytes that no row names any more, because their row went while they were stored. */
export const addRemoveJob = async (sql: Queryable, storageKey: string): Promise<void> => {
  await sql`insert into media_jobs (kind, storage_key) values ('remove', ${storageKey})`
}

/** The files of a broadcast's recording go to where recordings are kept. */
export const addMoveJob = async (sql: Queryable, recordingId: string): Promise<void> => {
  await sql`insert into media_jobs (kind, recording_id) values ('move', ${recordingId}) on conflict do nothing`
}

/**
 * A model is not asked where a person wrote the summary. A job that goes on has its row locked until the caller commits, so that it
 * does not end without having seen the caller's transcript.
 */
export const addSummariseJob = async (sql: Queryable, eventId: string): Promise<void> => {
  await sql`
    insert into media_jobs (kind, event_id)
    select 'summarise', ${eventId}::uuid
     where not exists (select 1 from event_summaries where event_id = ${eventId} and source = 'person')
    on conflict (event_id, kind) where event_id is not null and kind <> 'capture' do update set due_at = media_jobs.due_at`
}

/** At the start of the only process: leases of processes that died end at once. */
export const endMediaLeases = async (sql: Queryable): Promise<void> => {
  await sql`update media_jobs set leased_until = null where leased_until is not null`
}

/** Milliseconds until the next job is due or its lease ends; `undefined`: there is none. */
export const nextMediaJobInMs = async (sql: Queryable): Promise<number | undefined> => {
  const [row] = await sql<{ inMs: number | null }[]>`
    select extract(epoch from min(greatest(due_at, coalesce(leased_until, due_at))) - now())::float8 * 1000 as in_ms from media_jobs`
  return row?.inMs ?? undefined
}
