/** Events that are stored together, and what one that cannot be stored means for the others. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { NEW_EVENT } from "../../src/model/event.ts"
import { newId } from "../../src/model/ids.ts"
import type { EventDraft } from "../../src/store/events/events.ts"
import { EventInserts } from "../../src/store/events/new-events.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { openStore, type TestSql } from "../support/store.ts"

let database: TestDatabase
let sql: TestSql
let proxy: PostgresProxy
let workspaceId: string

beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url)
  proxy = await startPostgresProxy(database.url)
  workspaceId = await addWorkspace()
})
afterAll(async () => {
  await proxy.close()
  await sql.end()
  await database.drop()
})

const addWorkspace = async (): Promise<string> => {
  const id = newId()
  await sql`insert into workspaces (id, name, slug) values (${id}, 'Test', ${id})`
  return id
}

const open = async (): Promise<EventInserts> => {
  proxy.heal()
  const pool = new Pool({ url: proxy.url, connections: 6, waiting: 100, deadlineMs: 30_000 })
  onTestFinished(() => pool.close(100))
  await pool.sql`select 1`
  return new EventInserts(pool.sql, systemTimers, () => {})
}

const draftOf = (title: string, of = workspaceId, phases = 2): EventDraft => ({
  event: {
    ...NEW_EVENT,
    ...{ id: newId(), workspaceId: of, type: "webinar", title, status: "draft", visibility: "unlisted", capacity: 7 },
    ...{ scheduledAt: "2026-12-01T10:00:00.123Z", scheduledEndAt: null, metadata: { "a\\b": [1, "ü", null] } },
    ...{ allowAnonymousVoting: true, allowAnonymousQuestions: false, reminders: false },
    hostAbsence: { measure: "locked", afterSeconds: 30 },
    history: "kept",
  },
  phases: Array.from({ length: phases }, (_, n) => ({
    ...{ id: newId(), modality: "meeting", config: { n }, featureSet: n === 0 ? [] : ["chat"] },
  })),
})

const outcome = (insert: Promise<{ readonly title: string }>): Promise<string> =>
  insert.then(
    ({ title }) => title,
    ({ code }) => String(code),
  )

const stored = async (drafts: ReadonlyArray<EventDraft>): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string; title: string; phases: string[] | null }[]>`
    select id, title, (select array_agg(p.id::text order by p.position) from phases p where p.event_id = events.id) as phases
      from events where id = any (${drafts.map(({ event }) => event.id)}::uuid[])`
  for (const { id, phases } of rows) {
    const draft = drafts.find(({ event }) => event.id === id)
    expect(phases ?? []).toEqual(draft?.phases.map((phase) => phase.id))
  }
  return rows.map(({ title }) => title).sort()
}

test("many at once are a few statements, and each caller gets its own event as it is stored", async () => {
  const inserts = await open()
  const drafts = Array.from({ length: 30 }, (_, n) => draftOf(`Event ${n}`, workspaceId, n % 4))
  let statements = 0
  proxy.onStatement({
    match: ({ sql: text }) => {
      if (/insert_events/.test(text)) statements++
      return false
    },
    action: { kind: "drop" },
  })
  const created = await Promise.all(drafts.map((draft) => inserts.add(draft)))
  expect(created.map(({ id, title }) => [id, title])).toEqual(drafts.map(({ event }) => [event.id, event.title]))
  const { createdAt: _, ...first } = created[0] as (typeof created)[0]
  expect(first).toEqual({
    ...drafts[0]?.event,
    ...{
      updatedAt: created[0]?.createdAt,
      publishedAt: null,
      cancelledAt: null,
      cancelReason: null,
      startedAt: null,
      endedAt: null,
    },
  })
  expect(await stored(drafts)).toEqual(drafts.map(({ event }) => event.title).sort())
  expect(statements).toBe(3)
})

test("one that PostgreSQL refuses keeps none of the others from being stored, and is not stored", async () => {
  const inserts = await open()
  const drafts = Array.from({ length: 12 }, (_, n) => draftOf(`Event ${n}`, n === 7 ? newId() : workspaceId))
  const outcomes = await Promise.all(drafts.map((draft) => outcome(inserts.add(draft))))
  expect(outcomes).toEqual(drafts.map(({ event }, n) => (n === 7 ? "23503" : event.title)))
  expect(await stored(drafts)).toEqual(outcomes.filter((one) => one !== "23503").sort())
})

test("one whose workspace is locked waits alone", async () => {
  const inserts = await open()
  const locked = await addWorkspace()
  const drafts = Array.from({ length: 10 }, (_, n) => draftOf(`Event ${n}`, n === 5 ? locked : workspaceId))
  let waiting: Promise<string> | undefined
  await sql.begin(async (transaction) => {
    await transaction`select 1 from workspaces where id = ${locked} for update`
    const outcomes = drafts.map((draft) => outcome(inserts.add(draft)))
    waiting = outcomes[5]
    const others = outcomes.filter((_, n) => n !== 5)
    expect(await Promise.all(others)).toEqual(drafts.filter((_, n) => n !== 5).map(({ event }) => event.title))
  })
  expect(await waiting).toBe("Event 5")
})

test("when the answer is lost, all that came together are told so, and each is stored or not as a whole", async () => {
  const inserts = await open()
  const drafts = Array.from({ length: 8 }, (_, n) => draftOf(`Event ${n}`))
  proxy.onStatement({ match: /insert_events_soon/, action: { kind: "cutReply" }, times: 1 })
  const outcomes = await Promise.all(drafts.map((draft) => outcome(inserts.add(draft))))
  expect(outcomes.slice(2)).toEqual(Array(6).fill("POOL_CONNECTION_LOST"))
  expect(await stored(drafts)).toHaveLength(8)
})

test("more than may wait are refused at once, and are not stored", async () => {
  const inserts = await open()
  const drafts = Array.from({ length: 503 }, (_, n) => draftOf(`Event ${n}`, workspaceId, 0))
  const outcomes = await Promise.all(drafts.map((draft) => outcome(inserts.add(draft))))
  expect(outcomes.at(-1)).toBe("POOL_FULL")
  expect(outcomes.filter((one) => one === "POOL_FULL")).toHaveLength(1)
  expect(await stored(drafts)).toHaveLength(502)
})
