import { readdir, readFile } from "node:fs/promises"
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { countRegistrations, insertRegistration } from "../../src/store/registrations.ts"
import { createEmptyDatabase, createTestDatabase } from "../support/database.ts"
import { seedEvent } from "../support/live-events.ts"
import { openStore, runScript, type TestSql } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

const open = async (database: { readonly url: string; readonly drop: () => Promise<void> }): Promise<TestSql> => {
  const sql = openStore(database.url, 8)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return sql
}

const register = (sql: TestSql, eventId: string) =>
  insertRegistration(sql, { id: newId(), eventId, name: "Ada", email: `${newId()}@example.com` })

test("the number of registrations is exact however they come and go", async () => {
  const sql = await open(await createTestDatabase())
  const [first, second] = await Promise.all([1, 2].map(() => seedEvent(sql, [{ modality: "meeting" }])))
  const ids = [first?.eventId ?? "", second?.eventId ?? ""]
  await Promise.all(Array.from({ length: 60 }, (_, n) => register(sql, ids[n % 2] ?? "")))
  expect(await Promise.all(ids.map((id) => countRegistrations(sql, id)))).toEqual([30, 30])
  await sql`delete from registrations where id in (select id from registrations where event_id = ${ids[0] ?? ""} limit 7)`
  await expect(
    sql.begin(async (tx) => {
      await tx`delete from registrations`
      throw new Error("rolled back")
    }),
  ).rejects.toThrow("rolled back")
  expect(await Promise.all(ids.map((id) => countRegistrations(sql, id)))).toEqual([23, 30])
  await sql`delete from events where id = ${ids[1] ?? ""}`
  expect(await Promise.all(ids.map((id) => countRegistrations(sql, id)))).toEqual([23, 0])
  expect(await sql`select 1 from registrations`).toHaveLength(23)
})

test("a lower capacity is refused by the number, also while somebody registers", async () => {
  const sql = await open(await createTestDatabase())
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  await Promise.all(Array.from({ length: 5 }, () => register(sql, eventId)))
  const lower = (capacity: number) => sql`update events set capacity = ${capacity} where id = ${eventId}`
  await lower(5)
  await expect(lower(4)).rejects.toMatchObject({ code: "GC002" })
  const waiting = () => sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  let lowered: Promise<unknown> | undefined
  await sql.begin(async (tx) => {
    await tx`update events set capacity = 6 where id = ${eventId}`
    await tx`insert into registrations (id, event_id, name, email) values (${newId()}, ${eventId}, 'Bob', 'bob@example.com')`
    lowered = lower(5).then(
      () => "done",
      (cause: { readonly code?: string }) => cause.code,
    )
    // It looks at the number as it is once it has the row.
    await eventually(async () => (await waiting()).length === 1, "the lower capacity waits")
  })
  expect(await lowered).toBe("GC002")
})

const FOLDER = new URL("../../src/store/sql/", import.meta.url)

test("registrations from before the number was kept are counted by the migration", async () => {
  const database = await createEmptyDatabase()
  const sql = await open(database)
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).sort()
  const apply = async (names: ReadonlyArray<string>) => {
    for (const name of names) await runScript(database.url, await readFile(new URL(name, FOLDER), "utf8"))
  }
  const later = files.findIndex((name) => name.startsWith("0021_"))
  await apply(files.slice(0, later))
  const ids = [newId(), newId()]
  await sql`insert into workspaces (id, name, slug) values (${newId()}, 'Test', 'test')`
  for (const id of ids) {
    await sql`
      insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting,
                          allow_anonymous_questions, metadata)
      select ${id}, id, 'webinar', 'Launch', 'scheduled', 'public', false, false, '{}' from workspaces`
  }
  for (let n = 0; n < 9; n++) await register(sql, ids[0] ?? "")
  await apply(files.slice(later))
  expect(await Promise.all(ids.map((id) => countRegistrations(sql, id)))).toEqual([9, 0])
  await register(sql, ids[0] ?? "")
  expect(await countRegistrations(sql, ids[0] ?? "")).toBe(10)
})
