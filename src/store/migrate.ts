/**
 * Brings the schema to what this build knows: numbered, forward-only SQL files, each in one transaction together with
 * its record in `schema_migrations`. Any number of processes may start at once: an advisory lock of the database lets
 * one migrate while the others wait and then find nothing to do. A newer schema is refused, never written to.
 */
import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type postgres from "postgres"

/** The database was migrated by a newer build; running this one on it could damage data. */
export class SchemaTooNew extends Error {
  override readonly name = "SchemaTooNew"
  readonly found: number
  readonly known: number

  constructor(found: number, known: number) {
    super(`The database schema is at version ${found} and this build knows ${known}; start a build at least as new.`)
    this.found = found
    this.known = known
  }
}

interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number
  /** What follows the number in the file name. */
  readonly name: string
  readonly file: URL
}

/** The build copies these files beside the compiled ones, so the same relative path serves both. */
const FOLDER = new URL("./sql/", import.meta.url)

/** Any constant will do, as long as nothing else in the database uses it. */
const ADVISORY_LOCK = 7_216_104

/**
 * Applies the migrations that the database lacks. When one fails, those before it stay and it leaves nothing.
 * @returns the schema's version before and after; 0 is an empty database
 * @throws SchemaTooNew
 */
export async function migrate(sql: postgres.Sql, folder: URL = FOLDER): Promise<{ from: number; to: number }> {
  const migrations = await readMigrations(folder)
  // One connection for all: the lock belongs to the session, and ends with it if this process is killed.
  const connection = await sql.reserve()
  try {
    await lock(connection)
    try {
      return await applyMissing(connection, migrations)
    } finally {
      await connection`select pg_advisory_unlock(${ADVISORY_LOCK})`
    }
  } finally {
    connection.release()
  }
}

/** A session lock outlives the transaction it is taken in, which lifts the pool's time limits for the wait alone. */
async function lock(connection: postgres.ReservedSql): Promise<void> {
  await inTransaction(connection, async () => {
    await connection`select pg_advisory_lock(${ADVISORY_LOCK})`
  })
}

async function applyMissing(
  connection: postgres.ReservedSql,
  migrations: ReadonlyArray<Migration>,
): Promise<{ from: number; to: number }> {
  const from = await currentVersion(connection)
  const to = migrations.length
  if (from > to) throw new SchemaTooNew(from, to)
  for (const migration of migrations.slice(from)) await apply(connection, migration)
  return { from, to }
}

async function currentVersion(connection: postgres.ReservedSql): Promise<number> {
  const [table] = await connection<[{ exists: boolean }]>`
    select to_regclass('schema_migrations') is not null as exists`
  if (!table.exists) {
    await connection`
      create table schema_migrations (
        version int primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`
  }
  const [row] = await connection<[{ version: number }]>`
    select coalesce(max(version), 0) as version from schema_migrations`
  return row.version
}

async function apply(connection: postgres.ReservedSql, { version, name, file }: Migration): Promise<void> {
  const statements = await readFile(file, "utf8")
  await inTransaction(connection, async () => {
    await connection.unsafe(statements).simple()
    await connection`insert into schema_migrations (version, name) values (${version}, ${name})`
  })
}

async function inTransaction(connection: postgres.ReservedSql, work: () => Promise<void>): Promise<void> {
  await connection`begin`
  try {
    await connection`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
    await work()
    await connection`commit`
  } catch (error) {
    // A lost connection rolls back by itself; the first error is the one to report.
    await connection`rollback`.catch(() => undefined)
    throw error
  }
}

async function readMigrations(folder: URL): Promise<ReadonlyArray<Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort()
  return files.map((file, index) => {
    const [, number, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? []
    if (name === undefined || Number(number) !== index + 1) {
      throw new Error(`${fileURLToPath(folder)}: ${file} is not the migration number ${index + 1}`)
    }
    return { version: index + 1, name, file: new URL(file, folder) }
  })
}
