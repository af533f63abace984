/** Reads of events that share statements, against a database behind a proxy that counts them. */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest"
import { systemTimers, type Timers } from "../../src/clock/timers.ts"
import { newId } from "../../src/model/ids.ts"
import { AgendaReads } from "../../src/store/events/agendas.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { seedEvent } from "../support/live-events.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { openStore, type TestSql } from "../support/store.ts"

const READ = /as phases\s+from events where id/

let database: TestDatabase
let sql: TestSql
let proxy: PostgresProxy
let pool: Pool
let reads: AgendaReads
let statements: number
let refused: number

beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url)
  proxy = await startPostgresProxy(database.url)
})
afterAll(async () => {
  await proxy.close()
  await sql.end()
  await database.drop()
})

/** Only tests of statements without an answer need the shorter deadline. */
const open = async (deadlineMs: number, timers: Timers = systemTimers): Promise<void> => {
  pool = new Pool({ url: proxy.url, connections: 4, waiting: 100, deadlineMs })
  onTestFinished(() => pool.close(100))
  reads = new AgendaReads(pool.sql, timers, () => void refused++)
  statements = 0
  refused = 0
  proxy.onStatement({
    match: ({ sql: text }) => {
      if (READ.test(text)) statements++
      return false
    },
    action: { kind: "drop" },
  })
  await reads.find(newId())
  statements = 0
}

beforeEach(() => {
  proxy.heal()
  return open(60_000)
})

const seed = (phases: number) =>
  seedEvent(
    sql,
    Array.from({ length: phases }, () => ({ modality: "meeting" as const })),
  )

test("many at once are a few statements, and each caller gets its own event with its agenda in order", async () => {
  const seeded = await Promise.all([0, 1, 2, 3, 4, 5].map((phases) => seed(phases)))
  const asked = Array.from({ length: 60 }, (_, n) => seeded[n % seeded.length])
  const found = await Promise.all(asked.map((one) => reads.find(one?.eventId ?? "")))
  expect(found.map((event) => event?.id)).toEqual(asked.map((one) => one?.eventId))
  expect(found.map((event) => event?.phases.map(({ id }) => id))).toEqual(asked.map((one) => one?.phaseIds))
  // Two single ones, and all the others together.
  expect(statements).toBe(3)
})

test("an event that is not there is absent, also among others that are", async () => {
  const { eventId } = await seed(1)
  const found = await Promise.all([newId(), newId(), newId(), eventId].map((id) => reads.find(id)))
  expect(found.map((event) => event?.id)).toEqual([undefined, undefined, undefined, eventId])
})

test("a read sees what was committed before it was asked for, however many are under way", async () => {
  const { eventId } = await seed(0)
  const others = Array.from({ length: 5 }, () => reads.find(eventId))
  for (let n = 0; n < 20; n++) {
    await sql`update events set title = ${`Title ${n}`} where id = ${eventId}`
    others.push(reads.find(newId()))
    expect((await reads.find(eventId))?.title).toBe(`Title ${n}`)
  }
  await Promise.all(others)
})

test("a statement that gets no answer holds up only those that came with it", async () => {
  await open(4_000)
  const { eventId } = await seed(1)
  const lost = proxy.onStatement({ match: READ, action: { kind: "drop" }, times: 2 })
  const unlucky = [reads.find(eventId), reads.find(eventId)].map((read) => read.catch(({ code }) => code))
  await lost.reached(2)
  let isOver = false
  void Promise.race(unlucky).then(() => {
    isOver = true
  })
  expect((await reads.find(eventId))?.id).toBe(eventId)
  expect(isOver).toBe(false)
  expect(await Promise.all(unlucky)).toEqual(["POOL_DEADLINE", "POOL_DEADLINE"])
})

test("an error is the error of all that came together, and of nobody else", async () => {
  // No statement counts as slow, however busy the machine is: those after it are gathered until it is answered.
  await open(60_000, { ...systemTimers, after: () => () => {} })
  const { eventId } = await seed(1)
  let release: () => void = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  const held = proxy.onStatement({ match: READ, action: { kind: "hold", until }, times: 2 })
  const busy = [reads.find(eventId), reads.find(eventId)]
  const together = Array.from({ length: 4 }, () => reads.find(eventId).catch(({ code }) => code))
  await held.reached(2)
  proxy.onStatement({ match: READ, action: { kind: "fail", code: "53200", message: "out of memory" }, times: 1 })
  release()
  const settled = await Promise.all([...busy, ...together])
  expect(settled.slice(2)).toEqual(Array(4).fill("53200"))
  expect((await reads.find(eventId))?.id).toBe(eventId)
})

test("more than may wait are refused at once", async () => {
  const { eventId } = await seed(0)
  const all = Array.from({ length: 2_003 }, () =>
    reads.find(eventId).then(
      (event) => event?.id,
      ({ code }) => code,
    ),
  )
  const outcomes = await Promise.all(all)
  expect(outcomes.filter((one) => one === eventId)).toHaveLength(2_002)
  expect([outcomes.at(-1), refused]).toEqual(["POOL_FULL", 1])
})
