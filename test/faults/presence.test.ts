/** Arrivals and departures are sent to receivers once, although the outcome of the commit that stored them stayed unknown. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, startServer } from "../../src/app/server.ts"
import { loadConfig } from "../../src/config/config.ts"
import { Client } from "../gateway/client.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken, type Workspace } from "../support/api.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

let database: TestDatabase
let proxy: PostgresProxy
let server: RunningServer
let house: Workspace
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startPostgresProxy(database.url)
  const settings = { PORT: "0", DATABASE_URL: proxy.url, DATABASE_DEADLINE_MS: "3000", LOG_LEVEL: "silent" }
  server = await startServer(
    loadConfig({ ...settings, SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef" }),
    () => {},
  )
  house = await createWorkspace(server.url)
})
afterAll(async () => {
  await server.stop()
  await proxy.close()
  await database.drop()
})

const enter = async (eventId: string): Promise<{ readonly id: string; readonly client: Client }> => {
  const { session, userId } = await createPerson(server.url, house.key, eventId, "viewer")
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return { id: userId, client }
}

test("a commit that happened unseen, and an event that cannot be read right after it", async () => {
  const receiver = await startReceiver()
  const eventTypes = ["participant.joined", "participant.left"]
  await call(server.url, "POST", "/v1/webhooks", { key: house.key, body: { url: receiver.url, eventTypes } })
  const event = await createLiveEvent(server.url, house.key, { phases: [{ modality: "broadcast" }] })
  const told = () =>
    receiver.received.map(({ body }) => {
      const { type, data, participantId } = JSON.parse(body)
      return `${type} ${participantId ?? data.participantId}`
    })
  const first = await enter(event.id)
  await eventually(() => told().length === 1)

  const lost = proxy.onStatement({ match: /commit_live_event/, action: { kind: "cutReply" }, times: 1 })
  const unread = proxy.onStatement({
    match: /insert into live_events/,
    action: { kind: "fail", code: "57P03", message: "the database system is shutting down" },
    times: 1,
  })
  const second = await enter(event.id)
  await lost.reached(1)
  await unread.reached(1)
  const third = await enter(event.id)
  await eventually(() => told().length >= 3)
  expect(told()).toEqual([first, second, third].map(({ id }) => `participant.joined ${id}`))
  for (const { client } of [first, second, third]) await client.cut()
})
