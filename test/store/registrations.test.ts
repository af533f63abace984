import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { countRegistrations, insertRegistration } from "../../src/store/events/registrations.ts"
import { createTestDatabase } from "../support/database.ts"
import { seedEvent } from "../support/live-events.ts"
import { openStore, type TestSql } from "../support/store.ts"
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

test("the numbers of places and of people who wait are exact however states change", async () => {
  const sql = await open(await createTestDatabase())
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  const numbers = async () => {
    const [row] = await sql`select registered, waiting from events where id = ${eventId}`
    return row
  }
  const states = ["approved", "pending", "waiting", "offered", "declined", "expired"] as const
  const insert = (state: (typeof states)[number]) =>
    insertRegistration(sql, { id: newId(), eventId, name: "Ada", email: `${newId()}@example.com`, state })
  await Promise.all([...states, ...states].map(insert))
  expect(await numbers()).toEqual({ registered: 4, waiting: 2 })
  await sql`update registrations set state = 'waiting' where state in ('pending', 'offered')`
  expect(await numbers()).toEqual({ registered: 2, waiting: 6 })
  await sql`update registrations set name = 'Bob'`
  expect(await numbers()).toEqual({ registered: 2, waiting: 6 })
  await sql`update registrations set state = 'offered' where state = 'waiting'`
  expect(await numbers()).toEqual({ registered: 8, waiting: 0 })
  await sql`delete from registrations where state in ('offered', 'declined')`
  expect(await numbers()).toEqual({ registered: 2, waiting: 0 })
  await expect(sql`update registrations set state = 'asleep'`).rejects.toMatchObject({ code: "23514" })
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
