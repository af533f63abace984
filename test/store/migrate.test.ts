import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import postgres from "postgres"
import { expect, onTestFinished, test } from "vitest"
import { migrate, readSchema, SchemaTooNew, SchemaTooOld, SqlFileFailed } from "../../src/store/migrate.ts"
import { createEmptyDatabase, createTestDatabase } from "../support/database.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const STEPS = {
  "0001_rooms.sql": "create table rooms (id int primary key); insert into rooms values (1);",
  "0002_names.sql": "alter table rooms add name text; update rooms set name = 'main';",
}

async function migrationFolder(files: Readonly<Record<string, string>>): Promise<URL> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, "functions"))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return pathToFileURL(`${folder}/`)
}

/** Its address, and a session of the test's own on it. */
async function emptyDatabase(): Promise<{ readonly url: string; readonly sql: postgres.Sql }> {
  const { url, drop } = await createEmptyDatabase()
  const sql = postgres(url, { max: 1 })
  onTestFinished(async () => {
    await sql.end({ timeout: 1 })
    await drop()
  })
  return { url, sql }
}

test("files are applied in order of their numbers, and once", async () => {
  const { url, sql } = await emptyDatabase()
  const folder = await migrationFolder(STEPS)
  expect(await migrate(url, folder)).toEqual({ from: 0, to: 2 })
  expect(await migrate(url, folder)).toEqual({ from: 2, to: 2 })
  expect(await sql`select * from rooms`).toEqual([{ id: 1, name: "main" }])
  expect(await sql`select version, name from schema_migrations order by version`).toEqual([
    { version: 1, name: "rooms" },
    { version: 2, name: "names" },
  ])
})

test("of processes that start at once one migrates and the others find nothing to do", async () => {
  const { url } = await emptyDatabase()
  const folder = await migrationFolder({ ...STEPS, "0003_slow.sql": "select pg_sleep(0.2);" })
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => migrate(url, folder)))
  expect(outcomes.map(({ from }) => from).sort()).toEqual([0, 3, 3, 3, 3])
})

test("waiting for another process's migration is not cut short by a statement timeout of the address", async () => {
  const url = `${(await emptyDatabase()).url}?statement_timeout=500`
  const folder = await migrationFolder({ "0001_slow.sql": "select pg_sleep(0.8);" })
  const outcomes = await Promise.all([migrate(url, folder), migrate(url, folder)])
  expect(outcomes.map(({ from }) => from).sort()).toEqual([0, 1])
})

test("a failing file leaves nothing of itself, those before it stay, and the lock is given free", async () => {
  const { url, sql } = await emptyDatabase()
  const broken = { ...STEPS, "0003_broken.sql": "create table half (); select nonsense;" }
  await expect(migrate(url, await migrationFolder(broken))).rejects.toThrow(/^0003_broken\.sql: .*nonsense/)
  expect(await sql`select to_regclass('half') as half, to_regclass('rooms')::text as rooms`).toEqual([
    { half: null, rooms: "rooms" },
  ])
  expect(await migrate(url, await migrationFolder(STEPS))).toEqual({ from: 2, to: 2 })
})

test("a schema with a migration that this build lacks is refused and stays as it is, also when this build has a later one", async () => {
  const { url, sql } = await emptyDatabase()
  await migrate(url, await migrationFolder(STEPS))
  const older = { "0001_rooms.sql": STEPS["0001_rooms.sql"] }
  for (const [files, last] of [
    [older, 1],
    [{ ...older, "0003_other.sql": "create table other ()" }, 3],
  ] as const) {
    const refused = await migrate(url, await migrationFolder(files)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SchemaTooNew)
    expect(refused).toMatchObject({ problem: `The database has migration 2, which this build (up to ${last}) lacks.` })
  }
  expect(await sql`select max(version) as version, to_regclass('other') as other from schema_migrations`).toEqual([
    { version: 2, other: null },
  ])
})

test("numbers may have gaps, and a file that fills one later is applied then, once", async () => {
  const { url, sql } = await emptyDatabase()
  const late = { "0001_rooms.sql": STEPS["0001_rooms.sql"], "0003_late.sql": "create table late ()" }
  expect(await migrate(url, await migrationFolder(late))).toEqual({ from: 0, to: 3 })
  const filled = await migrationFolder({ ...late, "0002_names.sql": STEPS["0002_names.sql"] })
  expect(await migrate(url, filled)).toEqual({ from: 3, to: 3 })
  expect(await migrate(url, filled)).toEqual({ from: 3, to: 3 })
  expect(await sql`select * from rooms`).toEqual([{ id: 1, name: "main" }])
  expect(await sql`select version from schema_migrations order by applied_at, version`).toEqual([
    { version: 1 },
    { version: 3 },
    { version: 2 },
  ])
})

/** What the two steps and a third leave, and one more migration. */
const BASELINE = {
  "0003_baseline/1_rooms.sql": "create table rooms (id int primary key, name text)",
  "0003_baseline/2_seats.sql": "create table seats (room int references rooms)",
  "0004_late.sql": "create table late ()",
}

const versionsIn = async (sql: postgres.Sql): Promise<ReadonlyArray<number>> =>
  (await sql<{ version: number }[]>`select version from schema_migrations order by version`).map(
    ({ version }) => version,
  )

test("an empty database gets the baseline, which counts as all migrations up to its number, and those after it", async () => {
  const { url, sql } = await emptyDatabase()
  const folder = await migrationFolder(BASELINE)
  expect(await migrate(url, folder)).toEqual({ from: 0, to: 4 })
  expect(await versionsIn(sql)).toEqual([1, 2, 3, 4])
  expect(await migrate(url, folder)).toEqual({ from: 4, to: 4 })
  const whole = await migrationFolder({
    ...STEPS,
    "0003_seats.sql": "create table seats ()",
    "0004_late.sql": "create table late ()",
  })
  expect(await migrate(url, whole)).toEqual({ from: 4, to: 4 })
})

test("builds with the baseline and with its migrations have the same functions in place, and neither applies them again", async () => {
  const { url, sql } = await emptyDatabase()
  const { "0001_applied.sql": applied, ...functions } = greetingFiles("hello")
  const numbered = await migrationFolder({ "0001_applied.sql": applied, "0002_more.sql": "select 1", ...functions })
  const baseline = await migrationFolder({ "0002_baseline/1_applied.sql": applied, ...functions })
  for (const folder of [numbered, baseline, numbered, baseline]) await migrate(url, folder)
  expect(await greeting(sql)).toEqual({ word: "hello", times: 1 })
})

test("a baseline of which a file fails leaves nothing", async () => {
  const { url, sql } = await emptyDatabase()
  const broken = await migrationFolder({ ...BASELINE, "0003_baseline/2_seats.sql": "select nonsense" })
  await expect(migrate(url, broken)).rejects.toThrow(/^0003_baseline\/2_seats\.sql: .*nonsense/)
  expect(await sql`select to_regclass('rooms') as rooms`).toEqual([{ rooms: null }])
  expect(await migrate(url, await migrationFolder(BASELINE))).toEqual({ from: 0, to: 4 })
})

test("a database with all migrations of the baseline carries on, and one with a part of them is refused and stays as it is", async () => {
  const { url, sql } = await emptyDatabase()
  const folder = await migrationFolder(BASELINE)
  await migrate(url, await migrationFolder(STEPS))
  const refused = await migrate(url, folder).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(SchemaTooOld)
  expect(refused).toMatchObject({
    message:
      "The database has schema version 2, and this build takes databases from version 3 on. Start an earlier build on it that has migration 3, and then this one.",
  })
  expect((await readSchema(url, folder)).refusal).not.toBeNull()
  expect(await versionsIn(sql)).toEqual([1, 2])
  await migrate(url, await migrationFolder({ ...STEPS, "0003_seats.sql": "create table seats ()" }))
  expect((await readSchema(url, folder)).refusal).toBeNull()
  expect(await migrate(url, folder)).toEqual({ from: 3, to: 4 })
})

test("a database with a gap in the baseline is refused, also when it has a later migration", async () => {
  const { url } = await emptyDatabase()
  const { "0001_rooms.sql": rooms } = STEPS
  await migrate(url, await migrationFolder({ "0001_rooms.sql": rooms, "0004_late.sql": "create table late ()" }))
  await expect(migrate(url, await migrationFolder(BASELINE))).rejects.toThrow(
    "The database has schema version 1, and this build takes databases from version 3 on. Start an earlier build on it that has migrations 2 to 3, and then this one.",
  )
})

test("a number taken twice, or none at all, is a fault of the build and nothing is applied", async () => {
  const { url, sql } = await emptyDatabase()
  for (const [files, culprit] of [
    [{ ...BASELINE, "0002_names.sql": "select 1" }, "0002_names.sql"],
    [{ "0001_rooms.sql": "create table rooms ()", "0001_rooms_again.sql": "select 1" }, "0001_rooms_again.sql"],
    [{ "0000_rooms.sql": "create table rooms ()" }, "0000_rooms.sql"],
    [{ "0001_rooms.sql": "create table rooms ()", "2_names.sql": "select 1" }, "2_names.sql"],
  ] as const) {
    await expect(migrate(url, await migrationFolder(files))).rejects.toThrow(
      `${culprit} has no migration number of its own`,
    )
    expect(await sql`select to_regclass('rooms') as rooms`).toEqual([{ rooms: null }])
  }
})

/** A table that counts how often the functions are applied, and two files of functions. */
const greetingFiles = (word: string) => ({
  "0001_applied.sql": "create table applied (n int generated always as identity)",
  "functions/count.sql": "insert into applied default values;",
  "functions/greet.sql": `create or replace function greet() returns text language sql as $$ select '${word}' $$;`,
})

const greeting = async (sql: postgres.Sql) => {
  const [row] = await sql`select greet() as word, (select count(*)::int from applied) as times`
  return row
}

test("functions are applied after the tables, once, and again when their text changes, also to what it was", async () => {
  const { url, sql } = await emptyDatabase()
  await migrate(url, await migrationFolder(greetingFiles("hello")))
  await migrate(url, await migrationFolder(greetingFiles("hello")))
  expect(await greeting(sql)).toEqual({ word: "hello", times: 1 })
  expect(await migrate(url, await migrationFolder(greetingFiles("good day")))).toEqual({ from: 1, to: 1 })
  await migrate(url, await migrationFolder(greetingFiles("good day")))
  expect(await greeting(sql)).toEqual({ word: "good day", times: 2 })
  expect(await sql`select length(hash) as digits from schema_functions`).toEqual([{ digits: 64 }])
  await migrate(url, await migrationFolder(greetingFiles("hello")))
  expect(await greeting(sql)).toEqual({ word: "hello", times: 3 })
})

test("functions are applied again after a migration, so that a table that is made anew has its triggers", async () => {
  const { url, sql } = await emptyDatabase()
  const files = {
    "0001_rooms.sql": "create table rooms (id int)",
    "functions/triggers.sql": `
      create or replace function twice() returns trigger language plpgsql as
        $$ begin new.id := 2 * new.id; return new; end $$;
      create or replace trigger twice before insert on rooms for each row execute function twice();`,
  }
  await migrate(url, await migrationFolder(files))
  await migrate(
    url,
    await migrationFolder({ ...files, "0002_anew.sql": "drop table rooms; create table rooms (id int)" }),
  )
  expect(await sql`insert into rooms values (3) returning id`).toEqual([{ id: 6 }])
})

test("of processes that start at once one applies the functions", async () => {
  const { url, sql } = await emptyDatabase()
  await migrate(url, await migrationFolder(greetingFiles("hello")))
  const changed = await migrationFolder({ ...greetingFiles("welcome"), "functions/slow.sql": "select pg_sleep(0.2);" })
  await Promise.all(Array.from({ length: 5 }, () => migrate(url, changed)))
  expect(await greeting(sql)).toEqual({ word: "welcome", times: 2 })
})

test("a failing file of functions is named, and all functions stay as they were", async () => {
  const { url, sql } = await emptyDatabase()
  await migrate(url, await migrationFolder(greetingFiles("hello")))
  const broken = await migrationFolder({
    ...greetingFiles("broken"),
    "functions/later.sql": "create or replace function later() returns int language sql as 'select gone from applied';",
  })
  const failure = await migrate(url, broken).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(SqlFileFailed)
  expect(failure).toMatchObject({ code: "42703", message: 'functions/later.sql: column "gone" does not exist' })
  expect(await greeting(sql)).toEqual({ word: "hello", times: 1 })
  await migrate(url, await migrationFolder(greetingFiles("hello")))
  expect(await greeting(sql)).toEqual({ word: "hello", times: 1 })
  await migrate(url, await migrationFolder(greetingFiles("mended")))
  expect(await greeting(sql)).toEqual({ word: "mended", times: 2 })
})

test("a build that lacks a migration is refused before its functions replace any", async () => {
  const { url, sql } = await emptyDatabase()
  const newer = { ...greetingFiles("newer"), "0002_names.sql": "create table names ()" }
  await migrate(url, await migrationFolder(newer))
  await expect(migrate(url, await migrationFolder(greetingFiles("older")))).rejects.toBeInstanceOf(SchemaTooNew)
  expect(await greeting(sql)).toEqual({ word: "newer", times: 1 })
})

test("a build without the folder of functions applies nothing", async () => {
  const { url, sql } = await emptyDatabase()
  const folder = await migrationFolder(STEPS)
  await rm(new URL("functions/", folder), { recursive: true })
  await expect(migrate(url, folder)).rejects.toThrow(/ENOENT.*functions/)
  expect(await sql`select to_regclass('rooms') as rooms`).toEqual([{ rooms: null }])
})

const PRODUCT = new URL("../../src/store/sql/", import.meta.url)

/** The statements of all SQL files in a folder, without comments. */
const statementsIn = async (folder: URL): Promise<string> => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql"))
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")))
  return texts.join("\n").replace(/--.*$/gm, "")
}

const routinesOf = (sql: postgres.Sql) => sql<{ name: string; definition: string }[]>`
  select proname as name, pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace
  union all select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`

test("each function and trigger of the product is written once, outside the numbered files, and may be applied again", async () => {
  const database = await createTestDatabase()
  const sql = postgres(database.url, { max: 1 })
  onTestFinished(async () => {
    await sql.end({ timeout: 1 })
    await database.drop()
  })
  const applied = await routinesOf(sql)
  const statements = await statementsIn(new URL("functions/", PRODUCT))
  const written = [...statements.matchAll(/\bcreate or replace (?:function|trigger) (\w+)/g)].map(([, name]) => name)
  expect(written.toSorted()).toEqual(applied.map(({ name }) => name).toSorted())
  const tables = [await statementsIn(PRODUCT), await statementsIn(new URL("0037_baseline/", PRODUCT))].join("\n")
  expect(tables).toContain("create table accounts (")
  expect(tables).not.toMatch(/\b(?:function|trigger)\b/)
  await sql`update schema_functions set hash = ''`
  await migrate(database.url)
  expect(new Set(await routinesOf(sql))).toEqual(new Set(applied))
  expect(await sql`select 1 from schema_functions where hash = ''`).toEqual([])
})

test("every test database starts with the current schema", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { from, to } = await migrate(database.url)
  expect(from).toBe(to)
  expect(to).toBeGreaterThan(0)
})
