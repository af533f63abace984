/** One server per database, also when the one before lost its power instead of ending. */
import { afterEach, beforeEach, expect, test } from "vitest"
import { type ProcessLock, takeProcessLock } from "../../src/store/process-lock.ts"
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

let database: TestDatabase
let proxy: PostgresProxy
const taken: ProcessLock[] = []

const take = async (url: string): Promise<ProcessLock | undefined> => {
  const lock = await takeProcessLock(url)
  if (lock !== undefined) taken.push(lock)
  return lock
}

beforeEach(async () => {
  database = await createEmptyDatabase()
  proxy = await startPostgresProxy(database.url)
})
afterEach(async () => {
  for (const lock of taken.splice(0)) await lock.release()
  await proxy.close()
  await database.drop()
})

test("a holder that lives keeps the lock, and a starting server is refused within seconds", async () => {
  const holder = await take(proxy.url)
  const since = performance.now()
  expect(await take(database.url)).toBeUndefined()
  expect(performance.now() - since).toBeLessThan(10_000)
  expect(holder?.held()).toBe(true)
})

test("a released lock is there for the next at once", async () => {
  const holder = await take(proxy.url)
  await holder?.release()
  const since = performance.now()
  expect((await take(database.url))?.held()).toBe(true)
  expect(performance.now() - since).toBeLessThan(1_500)
})

test("a holder whose machine lost its power is outlasted within thirty seconds, and knows it when it is back", async () => {
  const holder = await take(proxy.url)
  // The server's side of its session stays open, and receives nothing.
  proxy.silence("all")
  const since = performance.now()
  const next = await take(database.url)
  expect(next?.held()).toBe(true)
  expect(performance.now() - since).toBeLessThan(30_000)
  proxy.heal()
  await eventually(() => holder?.held() === false, "the old holder to notice")
  // It goes on trying, and gets the lock when the new holder lets it go.
  await next?.release()
  await eventually(() => holder?.held() === true, "the old holder to have it again")
}, 60_000)

test("a starter whose question for the lock is swallowed gives up instead of waiting for ever", async () => {
  proxy.onStatement({ match: /pg_try_advisory_lock/, action: { kind: "drop" } })
  const since = performance.now()
  await expect(takeProcessLock(proxy.url, 500)).rejects.toMatchObject({ code: "POOL_DEADLINE" })
  expect(performance.now() - since).toBeLessThan(8_000)
})

test("a lock whose session was cut is taken again by the same process", async () => {
  const holder = await take(proxy.url)
  proxy.reset()
  await eventually(() => holder?.held() === false)
  await eventually(() => holder?.held() === true)
})

test("a lock whose session fell silent is taken again, though the server still holds it for the old session", async () => {
  const holder = await take(proxy.url)
  proxy.silence("open")
  await eventually(() => holder?.held() === false, "the holder to notice")
  await eventually(() => holder?.held() === true, "the holder to have it again", 3_000)
})
