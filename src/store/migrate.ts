/**
 * Brings the schema to what this build knows: numbered, forward-only SQL files, each in one transaction together with
 * its record in `schema_migrations`. Numbers order the files and name them for good; they need not be contiguous, because
 * work on two migrations may go on at once. Any number of processes may start at once: an advisory lock of the database
 * lets one migrate while the others wait and then find nothing to do. A schema that was brought further by another build
 * is refused, never written to.
 */
import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { type Session, withSession } from "./pool/session.ts"

/** The database was migrated by a newer build; running this one on it could damage data. */
export class SchemaTooNew extends Error {
  override readonly name = "SchemaTooNew"
  /** The highest applied migration that this build lacks. */
  readonly found: number
  /** The highest migration of this build. */
  readonly known: number

  constructor(found: number, known: number) {
    super(
      `The database has migration ${found}, which this build (up to ${known}) lacks; start a build at least as new.`,
    )
    this.found = found
    this.known = known
  }
}

interface Migration {
  /** Positive and unlike every other's. */
  readonly version: number
  /** What follows the number in the file name. */
  readonly name: string
  readonly file: URL
}

/** The build copies these files beside the compiled ones, so the same relative path serves both. */
const FOLDER = new URL("./sql/", import.meta.url)

/** Any constant will do, as long as nothing else in the database uses it. */
const ADVISORY_LOCK = 7_216_104

const SETTINGS = { application_name: "gathercue migration" }
const LIMITS = { connectMs: 10_000, withinMs: 600_000 }

/**
 * Applies the migrations that the database lacks. When one fails, those before it stay and it leaves nothing.
 * All of it happens in one session within ten minutes: the lock belongs to the session, and ends with it if this process is
 * killed.
 * @returns the schema's version before and after; 0 is an empty database
 * @throws SchemaTooNew
 */
export async function migrate(url: string, folder: URL = FOLDER): Promise<{ from: number; to: number }> {
  const migrations = await readMigrations(folder)
  return withSession(url, SETTINGS, LIMITS, async (session) => {
    // Waits for as long as another process migrates. The lock outlives the transaction it is taken in.
    await unlimited(session, () => session.sql`select pg_advisory_lock(${ADVISORY_LOCK})`)
    return await applyMissing(session, migrations)
  })
}

async function applyMissing(
  session: Session,
  migrations: ReadonlyArray<Migration>,
): Promise<{ from: number; to: number }> {
  const applied = await appliedVersions(session)
  const known = migrations.map(({ version }) => version)
  const to = Math.max(0, ...known)
  const unknown = applied.filter((version) => !known.includes(version))
  if (unknown.length > 0) throw new SchemaTooNew(Math.max(...unknown), to)
  for (const migration of migrations) if (!applied.includes(migration.version)) await apply(session, migration)
  return { from: Math.max(0, ...applied), to }
}

async function appliedVersions({ sql }: Session): Promise<ReadonlyArray<number>> {
  const [table] = await sql<{ exists: boolean }[]>`
    select to_regclass('schema_migrations') is not null as exists`
  if (table?.exists !== true) {
    await sql`
      create table schema_migrations (
        version int primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`
  }
  const rows = await sql<{ version: number }[]>`select version from schema_migrations`
  return rows.map(({ version }) => version)
}

async function apply(session: Session, { version, name, file }: Migration): Promise<void> {
  const statements = await readFile(file, "utf8")
  await unlimited(session, async () => {
    await session.connection.control(statements)
    await session.sql`insert into schema_migrations (version, name) values (${version}, ${name})`
  })
}

/**
 * One transaction without the time limits that the address or the server may set. A lost session rolls back by itself, and
 * the statements after it fail, because a session is never replaced.
 */
async function unlimited({ connection, sql }: Session, work: () => PromiseLike<unknown>): Promise<void> {
  await connection.control("begin")
  try {
    await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
    await work()
    await connection.control("commit")
  } catch (error) {
    // The first error is the one to report.
    await connection.control("rollback").catch(() => undefined)
    throw error
  }
}

/** In order of their numbers. */
async function readMigrations(folder: URL): Promise<ReadonlyArray<Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort()
  const taken = new Set([0])
  return files.map((file) => {
    const [, number, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? []
    const version = Number(number)
    if (name === undefined || taken.has(version)) {
      throw new Error(`${fileURLToPath(folder)}: ${file} has no migration number of its own`)
    }
    taken.add(version)
    return { version, name, file: new URL(file, folder) }
  })
}
