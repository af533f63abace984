/**
 * Brings the database to the schema of this build. Tables come from the baseline and from numbered, forward-only SQL files; functions
 * and triggers come from files that are edited in place and applied again when they change.
 *
 * Each numbered file is applied once, in one transaction together with its record in `schema_migrations`. Numbers order the
 * files and name them for good; they need not be contiguous, because two migrations may be developed at once. A schema
 * that another build has migrated further is refused, never written to.
 *
 * The folder NNNN_baseline holds the tables as the migrations 1 to NNNN left them. Its files are applied to an empty database in one
 * transaction, in order of their names, and recorded as all these migrations, so that a build that still has them finds nothing to do.
 * A database that has only some of them is refused.
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

/** This build refuses the database, for a reason and with a remedy in sentences for the operator. */
class SchemaRefusal extends Error {
  readonly problem: string
  readonly remedy: string

  constructor(problem: string, remedy: string) {
    super(`${problem} ${remedy}`)
    this.problem = problem
    this.remedy = remedy
  }
}

/** The database was migrated by a newer build; running this one on it could damage data. */
export class SchemaTooNew extends SchemaRefusal {
  override readonly name = "SchemaTooNew"

  /** `found` is the highest applied migration that this build lacks, `known` the highest one of this build. */
  constructor(found: number, known: number) {
    super(
      `The database has migration ${found}, which this build (up to ${known}) lacks.`,
      "Start a build at least as new.",
    )
  }
}

/** The database lacks migrations that this build has in its baseline alone, which is for empty databases. */
export class SchemaTooOld extends SchemaRefusal {
  override readonly name = "SchemaTooOld"

  /** The database has all migrations up to version `found`; the baseline has version `needed`. */
  constructor(found: number, needed: number) {
    const lacks = needed > found + 1 ? `migrations ${found + 1} to ${needed}` : `migration ${needed}`
    super(
      `The database has schema version ${found}, and this build takes databases from version ${needed} on.`,
      `Start an earlier build on it that has ${lacks}, and then this one.`,
    )
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
  /** Path inside the migrations folder. */
  readonly path: string
  readonly statements: string
}

interface Migration {
  /** Positive numbers, unique to this migration: one, or for the baseline all up to its own. */
  readonly versions: ReadonlyArray<number>
  /** Name without the number. */
  readonly name: string
  readonly files: ReadonlyArray<string>
}

/** The build copies these files beside the compiled ones, so the same relative path serves both. */
const FOLDER = new URL("./sql/", import.meta.url)

/** There is at most one such folder. */
const BASELINE = /^(\d{4})_baseline$/

/** Any constant will do, as long as nothing else in the database uses it. */
const ADVISORY_LOCK = 7_216_104

/** Preparation in a file's transaction of what SQL cannot compute. */
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
 * @throws SchemaTooNew, SchemaTooOld, SqlFileFailed
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

/** Schema of a database compared with this build's; reads only. */
export interface SchemaState {
  /** The highest migration that the database has; 0 is an empty database. */
  readonly applied: number
  /** The highest migration of this build. */
  readonly known: number
  /** Reason why this build refuses the database, if it does. */
  readonly refusal: Pick<SchemaRefusal, "problem" | "remedy"> | null
  /** Whether the database has this build's functions. */
  readonly hasFunctions: boolean
}

export async function readSchema(url: string, folder: URL = FOLDER): Promise<SchemaState> {
  const migrations = await readMigrations(folder)
  const hash = fingerprint(migrations, await readFunctions(folder))
  return withSession(url, SETTINGS, { connectMs: 10_000, withinMs: 10_000 }, async ({ sql }) => {
    const isEmpty = !(await hasRecords(sql))
    const applied = isEmpty ? [] : await recorded(sql)
    const refused = refusalOf(applied, migrations)
    return {
      applied: Math.max(0, ...applied),
      known: newest(migrations),
      refusal: refused === undefined ? null : { problem: refused.problem, remedy: refused.remedy },
      hasFunctions: !isEmpty && (await appliedFunctions(sql)) === hash,
    }
  })
}

const versionsOf = (migrations: ReadonlyArray<Migration>): ReadonlyArray<number> =>
  migrations.flatMap(({ versions }) => versions)

const newest = (migrations: ReadonlyArray<Migration>): number => Math.max(0, ...versionsOf(migrations))

function refusalOf(
  applied: ReadonlyArray<number>,
  migrations: ReadonlyArray<Migration>,
): SchemaTooNew | SchemaTooOld | undefined {
  const known = versionsOf(migrations)
  const unknown = applied.filter((version) => !known.includes(version))
  if (unknown.length > 0) return new SchemaTooNew(Math.max(...unknown), newest(migrations))
  if (applied.length === 0) return undefined
  const baseline = migrations.find(({ versions }) => versions.length > 1)?.versions ?? []
  const lacking = baseline.find((version) => !applied.includes(version))
  return lacking === undefined ? undefined : new SchemaTooOld(lacking - 1, baseline.length)
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
  const refusal = refusalOf(applied, migrations)
  if (refusal !== undefined) throw refusal
  for (const { versions, name, files } of migrations) {
    if (versions.every((version) => applied.includes(version))) continue
    const read = await Promise.all(files.map((file) => readSql(folder, file)))
    await unlimited(session, async () => {
      for (const file of read) {
        await PREPARATIONS[file.path]?.(session.sql)
        await run(session, file)
      }
      await session.sql`
        insert into schema_migrations (version, name) select unnest(${versions.map(String)}::text[])::int, ${name}::text`
    })
  }
  return { from: Math.max(0, ...applied), to: newest(migrations) }
}

async function appliedVersions({ connection, sql }: Session): Promise<ReadonlyArray<number>> {
  // Statements sent together form one transaction.
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
  const parts = [versionsOf(migrations), functions.map(({ path, statements }) => [path, statements])]
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
 * Runs one transaction without time limits set by the address or the server. A lost session rolls back by itself, and later statements
 * fail, because a session is never replaced.
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

const sqlFilesIn = async (folder: URL): Promise<ReadonlyArray<string>> =>
  (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort()

/** Migrations in order of their numbers. */
async function readMigrations(folder: URL): Promise<ReadonlyArray<Migration>> {
  const [baseline] = (await readdir(folder)).filter((entry) => BASELINE.test(entry))
  const migrations = baseline === undefined ? [] : [await readBaseline(folder, baseline)]
  const taken = new Set([0, ...versionsOf(migrations)])
  for (const file of await sqlFilesIn(folder)) {
    const [, number, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? []
    const version = Number(number)
    if (name === undefined || taken.has(version)) {
      throw new Error(`${fileURLToPath(folder)}: ${file} has no migration number of its own`)
    }
    taken.add(version)
    migrations.push({ versions: [version], name, files: [file] })
  }
  return migrations
}

async function readBaseline(folder: URL, name: string): Promise<Migration> {
  const files = await sqlFilesIn(new URL(`${name}/`, folder))
  const version = Number(BASELINE.exec(name)?.[1])
  return {
    versions: Array.from({ length: version }, (_, n) => n + 1),
    name: "baseline",
    files: files.map((file) => `${name}/${file}`),
  }
}

/** Function files in order of their names. A build without the folder is faulty. */
async function readFunctions(folder: URL): Promise<ReadonlyArray<SqlFile>> {
  const files = await sqlFilesIn(new URL("functions/", folder))
  return Promise.all(files.map((file) => readSql(folder, `functions/${file}`)))
}

const readSql = async (folder: URL, path: string): Promise<SqlFile> => ({
  path,
  statements: await readFile(new URL(path, folder), "utf8"),
})
