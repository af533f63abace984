/** More requests than the database can serve at once. */
import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { startServer } from "../../src/app/server.ts"
import { loadConfig } from "../../src/config/config.ts"
import { call, createWorkspace } from "../support/api.ts"
import { createTestDatabase } from "../support/database.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

test("a flood of requests beyond the queue is refused at once, and none of it is lost half-way", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  const server = await startServer(
    loadConfig({
      PORT: "0",
      DATABASE_URL: proxy.url,
      DATABASE_POOL: "4",
      DATABASE_WAITING: "20",
      DATABASE_DEADLINE_MS: String(DATABASE_DEADLINE_MS),
      SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
      LOG_LEVEL: "silent",
    }),
    () => {},
  )
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  const refused = async (): Promise<number> => {
    const { body } = await call(server.url, "GET", "/metrics")
    return Number(/^gathercue_database_refused_total (\d+)$/m.exec(body)?.[1])
  }
  const before = await refused()
  proxy.delayReplies(300)
  // Each has a transaction of its own; those without a key would share statements, and all of them would be served.
  const flood = Promise.all(
    Array.from({ length: 200 }, () => {
      const title = randomUUID()
      return call(server.url, "POST", "/v1/events", {
        key,
        headers: { "idempotency-key": title },
        body: { type: "t", title },
      })
    }),
  )
  // However slowly they come, nothing speeds up before one is refused.
  await eventually(async () => (await refused()) > before, "a refusal")
  proxy.delayReplies(0)
  const answers = await flood
  const created = answers.filter(({ status }) => status === 201)
  expect(answers.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
  expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0)
  expect(created.length).toBeGreaterThan(0)
  for (const { body } of created) {
    expect((await call(server.url, "GET", `/v1/events/${body.id}`, { key })).status).toBe(200)
  }
})
