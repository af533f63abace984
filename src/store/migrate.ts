/**
 * Brings the database to the schema of this build. Tables come from numbered, forward-only SQL files; functions and triggers
 * come from files that are edited in place and applied again when they change.
 *
 * Each numbered file is applied once, in one transaction together with its record in `schema_migrations`. Numbers order the
 * files and name them for good; they need not be contiguous, because two migrations may be developed at once. A schema
 * that another build has migrated further is refused, never written to.
 *
 * The files in sql/functions/ are applied after the numbered ones, all in one transaction. A hash in `schema_functions`
 * shows whether the database has them. The hash covers the numbers of the migrations too: after each change of the
 * tables, functions in the language SQL are checked again and triggers are made again. Numbered files call none of these
 * functions and make no trigger, because in an empty database the functions come last.
 *
 * Any number of processes may start at once: an advisory lock of the database lets one of them work while the others wait
 * and then find nothing to do. A start takes the process lock before it migrates (open-database.ts), so the schema never
 * changes under a server that runs alone. Nodes share that lock: the first one of a newer build changes it under the others, which go on
 * with it (CONTRIBUTING.md has the rule for such changes).
 *
 * An older build cannot put its functions on newer tables, because it is refused for the migration that it lacks. Of two
 * builds with the same migrations, each puts its own functions in place when it starts. Going back to the older build needs
 * that: the statements of a build are written for the functions of that build. A change of functions that an older build
 * must not undo therefore comes with a numbered file, if only with a comment in it.
 */
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { listAddressForms } from "./address-forms.ts"
import { type Session, withSession } from "./pool/session.ts"
import type { Queryable } from "./pool/statement.ts"
import { sqlState } from "./sqlstate.ts"

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

/** A file could not be applied. Nothing of its transaction is kept. */
export class SqlFileFailed extends Error {
  override readonly name = "SqlFileFailed"
  /** The SQLSTATE of the database's error. */
  readonly code: string

  constructor(file: string, cause: unknown) {
    super(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.code = sqlState(cause).code
  }
}

interface SqlFile {
  /** The path inside the folder of the migrations. */
  readonly path: string
  readonly statements: string
}

interface Migration {
  /** Positive and unlike every other's. */
  readonly version: number
  /** The part of the file name after the number. */
  readonly name: string
  readonly file: string
}

/** The build copies these files beside the compiled ones, so the same relative path serves both. */
const FOLDER = new URL("./sql/", import.meta.url)

/** Any constant will do, as long as nothing else in the database uses it. */
const ADVISORY_LOCK = 7_216_104

/** What a file needs that SQL cannot compute, made in its transaction before it. */
const PREPARATIONS: Readonly<Record<string, (sql: Queryable) => Promise<void>>> = {
  "0054_addresses_in_letters.sql": listAddressForms,
}

const SETTINGS = { application_name: "gathercue migration" }
const LIMITS = { connectMs: 10_000, withinMs: 600_000 }

/** The applied files. `hash` is the fingerprint of the functions in place. */
const RECORDS = `
  create table schema_migrations (
    version int primary key,
    name text not null,
    applied_at timestamptz not null default now()
  );
  create table schema_functions (
    id boolean primary key default true check (id),
    hash text not null,
    applied_at timestamptz not null default now()
  )`

/**
 * Applies the migrations that the database lacks, and then the functions unless it has them. When a migration fails, those
 * before it stay and it leaves nothing. When a function fails, all functions stay as they were.
 * All of it happens in one session within ten minutes: the lock belongs to the session, and ends with it if this process is
 * killed.
 * @returns the schema's version before and after; 0 is an empty database
 * @throws SchemaTooNew, SqlFileFailed
 */
export async function migrate(url: string, folder: URL = FOLDER): Promise<{ from: number; to: number }> {
  const migrations = await readMigrations(folder)
  const functions = await readFunctions(folder)
  return withSession(url, SETTINGS, LIMITS, async (session) => {
    // Waits for as long as another process migrates. The lock outlives the transaction it is taken in.
    await unlimited(session, () => session.sql`select pg_advisory_lock(${ADVISORY_LOCK})`)
    const versions = await applyMissing(session, folder, migrations)
    await applyFunctions(session, functions, fingerprint(migrations, functions))
    return versions
  })
}

/** The schema of a database beside that of this build; nothing is changed. */
export interface SchemaState {
  /** The highest migration that the database has; 0 is an empty database. */
  readonly applied: number
  /** The highest migration of this build. */
  readonly known: number
  /** Migrations of the database that this build lacks. */
  readonly unknown: ReadonlyArray<number>
  /** It has this build's functions. */
  readonly hasFunctions: boolean
}

export async function readSchema(url: string, folder: URL = FOLDER): Promise<SchemaState> {
  const migrations = await readMigrations(folder)
  const known = migrations.map(({ version }) => version)
  const hash = fingerprint(migrations, await readFunctions(folder))
  return withSession(url, SETTINGS, { connectMs: 10_000, withinMs: 10_000 }, async ({ sql }) => {
    const isEmpty = !(await hasRecords(sql))
    const applied = isEmpty ? [] : await recorded(sql)
    return {
      applied: Math.max(0, ...applied),
      known: Math.max(0, ...known),
      unknown: applied.filter((version) => !known.includes(version)),
      hasFunctions: !isEmpty && (await appliedFunctions(sql)) === hash,
    }
  })
}

async function hasRecords(sql: Queryable): Promise<boolean> {
  const [table] = await sql<{ exists: boolean }[]>`
    select to_regclass('schema_migrations') is not null as exists`
  return table?.exists === true
}

async function recorded(sql: Queryable): Promise<ReadonlyArray<number>> {
  const rows = await sql<{ version: number }[]>`select version from schema_migrations`
  return rows.map(({ version }) => version)
}

async function applyMissing(
  session: Session,
  folder: URL,
  migrations: ReadonlyArray<Migration>,
): Promise<{ from: number; to: number }> {
  const applied = await appliedVersions(session)
  const known = migrations.map(({ version }) => version)
  const to = Math.max(0, ...known)
  const unknown = applied.filter((version) => !known.includes(version))
  if (unknown.length > 0) throw new SchemaTooNew(Math.max(...unknown), to)
  for (const { version, name, file } of migrations) {
    if (applied.includes(version)) continue
    const migration = await readSql(folder, file)
    await unlimited(session, async () => {
      await PREPARATIONS[file]?.(session.sql)
      await run(session, migration)
      await session.sql`insert into schema_migrations (version, name) values (${version}, ${name})`
    })
  }
  return { from: Math.max(0, ...applied), to }
}

async function appliedVersions({ connection, sql }: Session): Promise<ReadonlyArray<number>> {
  // Statements that are sent together are one transaction.
  if (!(await hasRecords(sql))) await connection.control(RECORDS)
  return recorded(sql)
}

async function appliedFunctions(sql: Queryable): Promise<string | undefined> {
  const [applied] = await sql<{ hash: string }[]>`select hash from schema_functions`
  return applied?.hash
}

async function applyFunctions(session: Session, files: ReadonlyArray<SqlFile>, hash: string): Promise<void> {
  if ((await appliedFunctions(session.sql)) === hash) return
  await unlimited(session, async () => {
    for (const file of files) await run(session, file)
    await session.sql`
      insert into schema_functions (hash) values (${hash})
      on conflict (id) do update set hash = excluded.hash, applied_at = now()`
  })
}

function fingerprint(migrations: ReadonlyArray<Migration>, functions: ReadonlyArray<SqlFile>): string {
  const parts = [migrations.map(({ version }) => version), functions.map(({ path, statements }) => [path, statements])]
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex")
}

async function run({ connection }: Session, { path, statements }: SqlFile): Promise<void> {
  try {
    await connection.control(statements)
  } catch (cause) {
    throw new SqlFileFailed(path, cause)
  }
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
    return { version, name, file }
  })
}

/** In order of their names. A build without the folder is a fault of the build. */
async function readFunctions(folder: URL): Promise<ReadonlyArray<SqlFile>> {
  const files = (await readdir(new URL("functions/", folder))).filter((file) => file.endsWith(".sql")).sort()
  return Promise.all(files.map((file) => readSql(folder, `functions/${file}`)))
}

const readSql = async (folder: URL, path: string): Promise<SqlFile> => ({
  path,
  statements: await readFile(new URL(path, folder), "utf8"),
})
