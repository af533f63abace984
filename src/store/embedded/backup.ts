/**
 * An online backup of the embedded database: a copy of its files with the write-ahead log that makes them consistent, by PostgreSQL's own
 * protocol (its manual: "Making a Base Backup Using the Low Level API"). Writers are not disturbed. A restore yields the state at the end
 * of the copy.
 */
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { withSession } from "../pool/session.ts"
import type { Queryable } from "../pool/statement.ts"
import { type CopiedFile, copyFiles, describeFile } from "./copy-files.ts"

const SESSION = { application_name: "gathercue backup" }
const LIMITS = { connectMs: 10_000, withinMs: 6 * 3_600_000 }
/** Named by this process, because another backup may run at the same time. */
const SLOT = `gathercue_backup_${process.pid}`

/** Contents that the server recreates, or that describe only the running one. The folders themselves are needed. */
const EMPTIED = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
])
const LEFT_OUT = /^(?:postmaster\.(?:pid|opts)|pg_internal\.init(?:\..*)?|pgsql_tmp.*)$/

const isWanted = (path: string): boolean => {
  const parts = path.split("/")
  return !(parts.length > 1 && EMPTIED.has(parts[0] ?? "")) && !parts.some((part) => LEFT_OUT.test(part))
}

/** Name of the WAL file that holds the position. */
const segmentOf = async (sql: Queryable, position: string): Promise<string> => {
  const [row] = await sql<{ name: string }[]>`select pg_walfile_name(${position}::pg_lsn) as name`
  return row?.name ?? ""
}

/** Segment names are 24 hexadecimal digits and sort in order. */
const segmentsBetween = async (data: string, first: string, last: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(join(data, "pg_wal"))
  return names.filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last).toSorted()
}

/** Copies the database in the folder `data`, whose server is at `url`, to the new folder `target`. */
export const backUpDatabase = (url: string, data: string, target: string): Promise<ReadonlyArray<CopiedFile>> =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => {
    // A temporary slot of this session: it keeps the WAL from being removed during the copy, and is dropped with the session.
    await sql`select pg_create_physical_replication_slot(${SLOT}, true, true)`
    const [start] = await sql<{ position: string }[]>`
      select pg_backup_start('gathercue backup', true)::text as position`
    const files = await copyFiles(data, target, isWanted)
    const [end] = await sql<{ position: string; label: string; tablespaces: string | null }[]>`
      select lsn::text as position, labelfile as label, nullif(spcmapfile, '') as tablespaces from pg_backup_stop(false)`
    if (start === undefined || end === undefined) throw new Error("PostgreSQL told no positions of the backup")
    if (end.tablespaces !== null) throw new Error("the database has tablespaces outside of its folder")
    const wanted = await segmentsBetween(data, await segmentOf(sql, start.position), await segmentOf(sql, end.position))
    const log = await copyFiles(join(data, "pg_wal"), join(target, "pg_wal"), (path) => wanted.includes(path))
    const label = join(target, "backup_label")
    await writeFile(label, end.label, { mode: 0o600, flush: true })
    return [
      ...files,
      ...log.map((file) => ({ ...file, path: `pg_wal/${file.path}` })),
      await describeFile(target, "backup_label"),
    ]
  })
