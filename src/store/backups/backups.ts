/** When backups were made, and whose turn the next one is: any of several workers may make it. */
import type { Queryable } from "../pool/statement.ts"

/** Any constant will do, as long as nothing else in the database uses it. */
const LOCK_KEY = 7_216_105
/** After a try that failed, and longer than most take: one that goes on holds the lock. */
const AGAIN_AFTER = "30 minutes"

export type Readiness = "ready" | "busy" | "quiet"

/** May this session back up to a bucket? Until `endBackup` no other may. A copy would take the place of the original's backups. */
export const beginBackup = async (sql: Queryable): Promise<Readiness> => {
  const [known] = await sql<{ isKnown: boolean }[]>`select to_regclass('instances') is not null as is_known`
  if (known?.isKnown === true && (await sql`select from instances where quiet_since is not null`).length > 0) {
    return "quiet"
  }
  const [row] = await sql<{ isFree: boolean }[]>`select pg_try_advisory_lock(${LOCK_KEY}) as is_free`
  return row?.isFree === true ? "ready" : "busy"
}

/** The session's end frees the turn too, but PostgreSQL may notice that end after the next backup has asked. */
export const endBackup = async (sql: Queryable): Promise<void> => {
  await sql`select pg_advisory_unlock(${LOCK_KEY})`
}

export const noteBackup = async (sql: Queryable): Promise<void> => {
  const [row] = await sql<{ isKnown: boolean }[]>`select to_regclass('backups') is not null as is_known`
  if (row?.isKnown !== true) return
  await sql`insert into backups (made_at) values (now()) on conflict (id) do update set made_at = excluded.made_at`
}

/** Seconds since the last backup; of a schedule that made none yet since it was set up. */
export const backupAge = async (sql: Queryable): Promise<number> => {
  await sql`insert into backups default values on conflict (id) do nothing`
  const [row] = await sql<{ seconds: number }[]>`
    select greatest(0, extract(epoch from now() - coalesce(made_at, since)))::float8 as seconds from backups`
  return row?.seconds ?? 0
}

/** True: the caller makes the backup that is due. The first is due at once. */
export const takeBackupTurn = async (sql: Queryable, everyHours: number): Promise<boolean> => {
  const { count } = await sql`
    update backups set tried_at = now()
     where (made_at is null or made_at <= now() - ${everyHours}::int * interval '1 hour')
       and (tried_at is null or tried_at <= now() - ${AGAIN_AFTER}::interval or tried_at <= made_at)`
  return count > 0
}
