/** Audit entries that are stored together, and what one that cannot be stored means for the others. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { newId } from "../../src/model/ids.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import type { NewAuditEntry } from "../../src/store/workspaces/audit.ts"
import { AuditWrites } from "../../src/store/workspaces/audit-log.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { openStore, type TestSql } from "../support/store.ts"

let database: TestDatabase
let sql: TestSql
let proxy: PostgresProxy
const workspaceId = newId()

beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url)
  proxy = await startPostgresProxy(database.url)
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Test', 'test')`
})
afterAll(async () => {
  await proxy.close()
  await sql.end()
  await database.drop()
})

const open = async (): Promise<AuditWrites> => {
  proxy.heal()
  const pool = new Pool({ url: proxy.url, connections: 6, waiting: 100, deadlineMs: 30_000 })
  onTestFinished(() => pool.close(100))
  await pool.sql`select 1`
  return new AuditWrites(
    (body) => pool.transaction(body),
    systemTimers,
    () => {},
  )
}

const entryOf = (targetId: string, changed: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  ...{ workspaceId, targetId, action: "event.published", actorKind: "key", actorId: newId(), requestId: newId() },
  ...changed,
})

const targets = async (prefix: string): Promise<ReadonlyArray<string | null>> => {
  const rows = await sql<{ targetId: string }[]>`
    select target_id from audit_entries where target_id like ${`${prefix}%`} order by target_id`
  return rows.map(({ targetId }) => targetId)
}

test("many at once are a few transactions, and each entry is stored once", async () => {
  const writes = await open()
  let statements = 0
  proxy.onStatement({
    match: ({ sql: text }) => {
      if (/insert into audit_entries/.test(text)) statements++
      return false
    },
    action: { kind: "drop" },
  })
  const names = Array.from({ length: 40 }, (_, n) => `many-${String(n).padStart(2, "0")}`)
  await Promise.all(names.map((name) => writes.add([entryOf(name)])))
  expect(await targets("many-")).toEqual(names)
  expect(statements).toBeGreaterThan(0)
  expect(statements).toBeLessThan(20)
})

test("an entry that PostgreSQL refuses fails alone, and a workspace that is gone fails none", async () => {
  const writes = await open()
  const bad = entryOf("some-bad", { actorKind: "nobody" as NewAuditEntry["actorKind"] })
  const gone = entryOf("some-gone", { workspaceId: newId() })
  const asked = [[entryOf("some-0")], [entryOf("some-1")], [bad], [gone], [entryOf("some-2"), entryOf("some-3")]]
  const outcomes = await Promise.allSettled(asked.map((entries) => writes.add(entries)))
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"])
  expect(await targets("some-")).toEqual(["some-0", "some-1", "some-2", "some-3"])
})

test("acts that are logged a number of times an hour are so also when they come together", async () => {
  const writes = await open()
  const actorId = newId()
  const failed = entryOf("often", { action: "connection.failed", actorId })
  await writes.add([failed])
  await Promise.all(Array.from({ length: 12 }, () => writes.add([failed])))
  await Promise.all([writes.add([{ ...failed, actorId: newId() }]), writes.add([failed, failed])])
  const rows = await sql`select 1 from audit_entries where target_id = 'often' and actor_id = ${actorId}`
  expect(rows).toHaveLength(5)
  expect(await targets("often")).toHaveLength(6)
})

test("a lost connection is told to each caller whose entries were under way", async () => {
  const writes = await open()
  proxy.onStatement({ match: ({ sql: text }) => /insert into audit_entries/.test(text), action: { kind: "cutBefore" } })
  const outcomes = await Promise.allSettled([writes.add([entryOf("lost-0")]), writes.add([entryOf("lost-1")])])
  expect(outcomes.some(({ status }) => status === "rejected")).toBe(true)
  const stored = outcomes.filter(({ status }) => status === "fulfilled").length
  expect(await targets("lost-")).toHaveLength(stored)
})
