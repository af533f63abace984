/** Times of backups, and the turn for the next one: any of several workers may make it. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../pool/statement.ts"

/** Any constant will do, as long as nothing else in the database uses it. */
const LOCK_KEY = 7_216_105
/** Retry interval after a failed attempt, longer than most backups take: one that takes longer holds the lock. */
const AGAIN_AFTER = "30 minutes"
const LONGEST_FAILURE = 500

type Readiness = "ready" | "busy" | "quiet"

/** `ready`: no other session may back up to a bucket until `endBackup`. `quiet`: a copy must not replace the original's backups. */
export const beginBackup = async (sql: Queryable): Promise<Readiness> => {
  const [known] = await sql<{ isKnown: boolean }[]>`select to_regclass('instances') is not null as is_known`
  if (known?.isKnown === true && (await sql`select from instances where quiet_since is not null`).length > 0) {
    return "quiet"
  }
  const [row] = await sql<{ isFree: boolean }[]>`select pg_try_advisory_lock(${LOCK_KEY}) as is_free`
  return row?.isFree === true ? "ready" : "busy"
}

/** The session's end also frees the turn, but PostgreSQL may notice that end only after the next backup has asked. */
export const endBackup = async (sql: Queryable): Promise<void> => {
  await sql`select pg_advisory_unlock(${LOCK_KEY})`
}

/** A command may back up the database of an older build, whose table has other columns or is missing. */
const isKept = async (sql: Queryable): Promise<boolean> => {
  const [row] = await sql<{ isKept: boolean }[]>`
    select exists (select from pg_attribute where attrelid = to_regclass('backups') and attname = 'folder_bytes') as is_kept`
  return row?.isKept === true
}

/** Whether another server made this backup, on a copy of the database or on its original. `madeAt` is stated by the backup. */
export const isOfAnother = async (sql: Queryable, madeAt: string): Promise<boolean> => {
  if (!(await isKept(sql))) return false
  const [row] = await sql<{ isKnown: boolean | null }[]>`
    select ${madeAt}::timestamptz <= greatest(made_at, known_until) as is_known from backups`
  return row?.isKnown !== true
}

/** Claims all backups made until then for this database. */
export const answerForBackups = async (sql: Queryable, until: Timestamp): Promise<void> => {
  if (!(await isKept(sql))) return
  await sql`
    insert into backups (known_until) values (${until}) on conflict (id) do update set known_until = excluded.known_until`
}

export const noteBackup = async (sql: Queryable, bytes: number): Promise<void> => {
  if (!(await isKept(sql))) return
  await sql`
    insert into backups (made_at, made_bytes) values (now(), ${bytes}) on conflict (id)
    do update set made_at = excluded.made_at, made_bytes = excluded.made_bytes, failed_at = null, failure = null`
}

export const noteFolderBackup = async (sql: Queryable, bytes: number): Promise<void> => {
  if (!(await isKept(sql))) return
  await sql`
    insert into backups (folder_at, folder_bytes) values (now(), ${bytes}) on conflict (id)
    do update set folder_at = excluded.folder_at, folder_bytes = excluded.folder_bytes`
}

/** Records the schedule's last failure; the next backup to a bucket removes it. */
export const noteFailedBackup = async (sql: Queryable, failure: string): Promise<void> => {
  await sql`update backups set failed_at = now(), failure = ${failure.slice(0, LONGEST_FAILURE)}`
}

/** Seconds since the last backup, or since the schedule was set up if it has made none. */
export const backupAge = async (sql: Queryable): Promise<number> => {
  await sql`insert into backups default values on conflict (id) do nothing`
  const [row] = await sql<{ seconds: number }[]>`
    select greatest(0, extract(epoch from now() - coalesce(made_at, since)))::float8 as seconds from backups`
  return row?.seconds ?? 0
}

/** Returns true when the caller must make the backup that is due. The first is due at once. */
export const takeBackupTurn = async (sql: Queryable, everyHours: number): Promise<boolean> => {
  const { count } = await sql`
    update backups set tried_at = now()
     where (made_at is null or made_at <= now() - ${everyHours}::int * interval '1 hour')
       and (tried_at is null or tried_at <= now() - ${AGAIN_AFTER}::interval or tried_at <= made_at)`
  return count > 0
}

interface BackupsMade {
  readonly madeAt: Timestamp | null
  /** Null for a backup by a build that did not record it. */
  readonly madeBytes: number | null
  readonly failedAt: Timestamp | null
  readonly failure: string | null
  readonly folderAt: Timestamp | null
  readonly folderBytes: number | null
  /** Time of the schedule's next backup or attempt. */
  readonly nextAt: Timestamp
}

/** Undefined when there was no backup and there is no schedule. `nextAt` is when `takeBackupTurn` returns true. */
export const readBackups = async (sql: Queryable, everyHours: number): Promise<BackupsMade | undefined> => {
  const [row] = await sql<BackupsMade[]>`
    select made_at, made_bytes::float8, failed_at, failure, folder_at, folder_bytes::float8,
           greatest(made_at + ${everyHours}::int * interval '1 hour', now(),
                    case when made_at is null or tried_at > made_at then tried_at + ${AGAIN_AFTER}::interval end) as next_at
      from backups`
  return row
}
