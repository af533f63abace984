/** The state of the deployment for its operator. Who may read it is in `access.test.ts`. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createLiveEvent, createWorkspace, gatewayToken, type Json } from "../support/api.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { PLATFORM_KEY, startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

let server: TestServer
let rows: Rows
beforeAll(async () => {
  server = await startTestServer()
  rows = rowsOf(server.databaseUrl)
})
afterAll(async () => {
  await rows.end()
  await server.stop()
})

const read = async (): Promise<Json> => {
  const answer = await call(server.url, "GET", "/v1/platform/status", { headers: { "x-platform-key": PLATFORM_KEY } })
  expect(answer.status).toBe(200)
  return answer.body
}

test("names the live events with their people, and the sockets of the process", async () => {
  const house = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, house.key, {
    visibility: "public",
    phases: [{ modality: "broadcast" }],
  })
  const { url, token } = await gatewayToken(server.url, event.id)
  const client = new Client(url)
  await client.identify(token)
  const find = async (): Promise<Json> => (await read()).liveEvents.newest.find(({ id }: Json) => id === event.id)
  await eventually(async () => (await find())?.people === 1, "the person to be counted")
  expect(await find()).toMatchObject({ title: event.title, workspaceId: house.id, startedAt: expect.any(String) })
  const found = await read()
  expect(found).toMatchObject({
    release: "0.1.0",
    process: { sockets: 1, liveEvents: expect.any(Number), node: expect.any(String) },
    backlog: { letters: { count: 0, ageSeconds: 0 } },
  })
  expect(found.liveEvents.total).toBe(found.liveEvents.newest.length)
  client.socket.close()
  await eventually(async () => (await read()).process.sockets === 0, "the socket to be gone")
  await call(server.url, "POST", `/v1/events/${event.id}/end`, { key: house.key })
  expect(await find()).toBeUndefined()
})

test("names a webhook that fails by its origin alone, and no longer once it works", async () => {
  const house = await createWorkspace(server.url)
  const receiver = await startReceiver(status(500))
  const secret = `${receiver.url}/hook?token=secret`
  const hook = (await call(server.url, "POST", "/v1/webhooks", { key: house.key, body: { url: secret } })).body
  await call(server.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key: house.key })
  const find = async (): Promise<Json> => (await read()).failingWebhooks.find(({ id }: Json) => id === hook.id)
  await eventually(async () => (await find()) !== undefined, "the endpoint to be listed")
  expect(await find()).toEqual({
    id: hook.id,
    workspaceId: house.id,
    origin: receiver.url,
    status: "active",
    failingSince: expect.any(String),
    lastFailureAt: expect.any(String),
  })
  expect(JSON.stringify(await read())).not.toContain("secret")
  receiver.answer = status(200)
  await call(server.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key: house.key })
  await eventually(async () => (await find()) === undefined, "the endpoint to work")
})

test("does not name the events of a deleted workspace", async () => {
  const house = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, house.key)
  await rows.run("update workspaces set deleted_at = now() where id = $1", [house.id])
  expect((await read()).liveEvents.newest.map(({ id }: Json) => id)).not.toContain(event.id)
})
