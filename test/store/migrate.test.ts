import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import postgres from "postgres"
import { expect, onTestFinished, test } from "vitest"
import { migrate, SchemaTooNew } from "../../src/store/migrate.ts"
import { createEmptyDatabase, createTestDatabase } from "../support/database.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const STEPS = {
  "0001_rooms.sql": "create table rooms (id int primary key); insert into rooms values (1);",
  "0002_names.sql": "alter table rooms add name text; update rooms set name = 'main';",
}

async function migrationFolder(files: Readonly<Record<string, string>>): Promise<URL> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
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

test("a database made by an older build gets only what it lacks", async () => {
  const { url } = await emptyDatabase()
  await migrate(url, await migrationFolder({ "0001_rooms.sql": STEPS["0001_rooms.sql"] }))
  expect(await migrate(url, await migrationFolder(STEPS))).toEqual({ from: 1, to: 2 })
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
  await expect(migrate(url, await migrationFolder(broken))).rejects.toThrow(/nonsense/)
  expect(await sql`select to_regclass('half') as half, to_regclass('rooms')::text as rooms`).toEqual([
    { half: null, rooms: "rooms" },
  ])
  expect(await migrate(url, await migrationFolder(STEPS))).toEqual({ from: 2, to: 2 })
})

test("a schema newer than this build is refused and stays as it is", async () => {
  const { url, sql } = await emptyDatabase()
  await migrate(url, await migrationFolder(STEPS))
  const older = await migrationFolder({ "0001_rooms.sql": STEPS["0001_rooms.sql"] })
  const refused = await migrate(url, older).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(SchemaTooNew)
  expect(refused).toMatchObject({ found: 2, known: 1 })
  expect(await sql`select max(version) as version from schema_migrations`).toEqual([{ version: 2 }])
})

test("a schema with a migration that this build lacks is refused, also when this build has a later one", async () => {
  const { url, sql } = await emptyDatabase()
  await migrate(url, await migrationFolder(STEPS))
  const other = { "0001_rooms.sql": STEPS["0001_rooms.sql"], "0003_other.sql": "create table other ()" }
  const refused = await migrate(url, await migrationFolder(other)).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(SchemaTooNew)
  expect(refused).toMatchObject({ found: 2, known: 3 })
  expect(await sql`select to_regclass('other') as other`).toEqual([{ other: null }])
})

test("numbers may have gaps, and what fills one later is applied then, once", async () => {
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

test.each([
  [{ "0001_rooms.sql": "create table rooms ()", "0001_rooms_again.sql": "select 1" }, "0001_rooms_again.sql"],
  [{ "0000_rooms.sql": "create table rooms ()" }, "0000_rooms.sql"],
  [{ "0001_rooms.sql": "create table rooms ()", "2_names.sql": "select 1" }, "2_names.sql"],
])("a number taken twice, or none at all, is a fault of the build and nothing is applied", async (files, culprit) => {
  const { url, sql } = await emptyDatabase()
  await expect(migrate(url, await migrationFolder(files))).rejects.toThrow(
    `${culprit} has no migration number of its own`,
  )
  expect(await sql`select to_regclass('rooms') as rooms`).toEqual([{ rooms: null }])
})

test("every test database starts with the current schema", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { from, to } = await migrate(database.url)
  expect(from).toBe(to)
  expect(to).toBeGreaterThan(0)
})
