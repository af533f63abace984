/** Audit entries that are stored together, and what one that cannot be stored means for the others. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import type { NewAuditEntry } from "../../src/store/workspaces/audit.ts"
import { AuditWrites } from "../../src/store/workspaces/audit-log.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { openStore, type TestSql } from "../support/store.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

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

/** Its time does not pass by itself: a transaction is never so slow that the next one begins beside it. */
const open = async (refused = () => {}) => {
  proxy.heal()
  const pool = new Pool({ url: proxy.url, connections: 6, waiting: 100, deadlineMs: 30_000 })
  onTestFinished(() => pool.close(100))
  await pool.sql`select 1`
  const { timers, pass } = await openVirtualTime()
  return { writes: new AuditWrites((body) => pool.transaction(body), timers, refused), pass }
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
  const { writes } = await open()
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
  const { writes } = await open()
  const bad = entryOf("some-bad", { actorKind: "nobody" as NewAuditEntry["actorKind"] })
  const gone = entryOf("some-gone", { workspaceId: newId() })
  const asked = [[entryOf("some-0")], [entryOf("some-1")], [bad], [gone], [entryOf("some-2"), entryOf("some-3")]]
  const outcomes = await Promise.allSettled(asked.map((entries) => writes.add(entries)))
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"])
  expect(await targets("some-")).toEqual(["some-0", "some-1", "some-2", "some-3"])
})

test("acts that are logged a number of times an hour are so also when they come together", async () => {
  const { writes } = await open()
  const actorId = newId()
  const failed = entryOf("often", { action: "connection.failed", actorId })
  await writes.add([failed])
  await Promise.all(Array.from({ length: 12 }, () => writes.add([failed])))
  await Promise.all([writes.add([{ ...failed, actorId: newId() }]), writes.add([failed, failed])])
  const rows = await sql`select 1 from audit_entries where target_id = 'often' and actor_id = ${actorId}`
  expect(rows).toHaveLength(5)
  expect(await targets("often")).toHaveLength(6)
})

test("a workspace that is locked delays its own entries alone, and loses none", async () => {
  const { writes, pass } = await open()
  const other = newId()
  await sql`insert into workspaces (id, name, slug) values (${other}, 'Other', 'other')`
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const holder = new Pool({ url: database.url, connections: 2, waiting: 2, deadlineMs: 30_000 })
  onTestFinished(() => holder.close(100))
  const lock = await new Promise<{ readonly ended: Promise<void> }>((resolve) => {
    const ended = holder.transaction(async (held) => {
      await held`select 1 from workspaces where id = ${workspaceId} for update`
      resolve({ ended })
      await released
    })
  })
  const first = writes.add([entryOf("locked-0")])
  const own = writes.add([entryOf("locked-1")])
  const others = writes.add([entryOf("locked-2", { workspaceId: other })])
  // The first one waits for the lock. The next transaction begins beside it, and has entries of both.
  await pass(50)
  await others
  expect(await targets("locked-")).toEqual(["locked-2"])
  release()
  await Promise.all([lock.ended, first, own])
  expect(await targets("locked-")).toEqual(["locked-0", "locked-1", "locked-2"])
})

test("acts beyond the bound are refused at once", async () => {
  let refused = 0
  const { writes } = await open(() => refused++)
  let release = (): void => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  proxy.onStatement({
    match: ({ sql: text }) => /insert into audit_entries/.test(text),
    action: { kind: "hold", until },
  })
  const held = Array.from({ length: 2_001 }, (_, n) => writes.add([entryOf(`bound-${n}`)]))
  await expect(writes.add([entryOf("bound-more")])).rejects.toMatchObject({ code: "POOL_FULL" })
  expect(refused).toBe(1)
  release()
  await Promise.allSettled(held)
})

test("a lost connection is told to each caller whose entries were under way", async () => {
  const { writes } = await open()
  proxy.onStatement({ match: ({ sql: text }) => /insert into audit_entries/.test(text), action: { kind: "cutBefore" } })
  const outcomes = await Promise.allSettled([writes.add([entryOf("lost-0")]), writes.add([entryOf("lost-1")])])
  expect(outcomes.some(({ status }) => status === "rejected")).toBe(true)
  const stored = outcomes.filter(({ status }) => status === "fulfilled").length
  expect(await targets("lost-")).toHaveLength(stored)
})
