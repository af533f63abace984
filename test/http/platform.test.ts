/** What operators see: live events, and the workspaces that take most. */

import { request } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createLiveEvent, createWorkspace, gatewayToken, type Json } from "../support/api.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { PLATFORM_KEY } from "../support/server.ts"
import { sharedRows, sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()

const rows = sharedRows(server)

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
    backlog: { letters: { count: 0, overdueSeconds: 0 } },
  })
  // The test server's disk is that of this machine, which other tests fill and empty meanwhile.
  await eventually(async () => (await read()).process.mediaFreeBytes > 0, "the first look at the disk")
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

test("names who takes most of uploads, jobs and room, and no deleted workspace", async () => {
  const [large, small] = [await createWorkspace(server.url), await createWorkspace(server.url)]
  const event = await createLiveEvent(server.url, large.key)
  const begin = async (): Promise<Json> =>
    (await call(server.url, "POST", `/v1/events/${event.id}/recordings`, { key: large.key, body: {} })).body
  const [open, done] = [await begin(), await begin()]
  await rows.run("update recordings set status = 'processing', size_bytes = 3000000 where id = $1", [done.id])
  await rows.run("insert into media_turns values ('files', $1, 0, 0, 4000, now()), ('quick', $1, 0, 0, 500, now())", [
    large.id,
  ])
  await rows.run("insert into media_turns values ('files', $1, 0, 0, 1000, now())", [small.id])
  await rows.run(
    "insert into media_jobs (kind, recording_id, due_at) values ('inspect', $1, now() + interval '1 day')",
    [done.id],
  )
  const upload = request(open.uploadUrl, { method: "PUT", headers: { "content-length": 1000 } })
  upload.on("error", () => {})
  onTestFinished(() => void upload.destroy())
  upload.write(Buffer.alloc(10))
  const shares = async (): Promise<Json[]> => (await read()).shares
  const ofLarge = async () => (await shares()).find(({ workspaceId }) => workspaceId === large.id)
  await eventually(async () => (await ofLarge())?.uploads === 1, "the upload to be counted")
  expect(await ofLarge()).toEqual({
    workspaceId: large.id,
    workspaceSlug: expect.any(String),
    uploads: 1,
    encoders: 0,
    jobsWaiting: 1,
    jobSeconds: 4.5,
    bytes: 3_000_000,
  })
  expect((await shares()).map(({ workspaceId }) => workspaceId)).toEqual([large.id, small.id])
  const { body: metrics } = await call(server.url, "GET", "/metrics")
  expect(metrics).toContain(`gathercue_workspace_uploads{workspace="${large.id}"} 1\n`)
  await rows.run("update workspaces set deleted_at = now() where id = $1", [small.id])
  expect((await shares()).map(({ workspaceId }) => workspaceId)).toEqual([large.id])
})

test("names the busiest workspaces, keys and events of the last minutes, and no deleted workspace", async () => {
  const [busy, calm] = [await createWorkspace(server.url), await createWorkspace(server.url)]
  const event = await createLiveEvent(server.url, busy.key, { title: "Stampede", visibility: "public" })
  const other = await createLiveEvent(server.url, calm.key)
  for (let n = 0; n < 40; n++) await call(server.url, "GET", `/v1/events/${event.id}`, { key: busy.key })
  // Of nobody's key: they count for the event and its workspace.
  for (let n = 0; n < 5; n++) await call(server.url, "GET", `/v1/public/events/${event.id}`)
  const { url, token } = await gatewayToken(server.url, event.id)
  const client = new Client(url)
  onTestFinished(() => client.socket.close())
  await client.identify(token)
  for (let n = 0; n < 3; n++) await client.command("roster.list", {})
  const of = (list: Json[], field: string, id: string) => list.find((one) => one[field] === id)
  const { busiest } = await read()
  const workspace = of(busiest.workspaces, "workspaceId", busy.id)
  const asked = of(busiest.events, "eventId", event.id)
  // 40 and 5, publish and start; the creation has no event in its address.
  expect(asked).toEqual({ eventId: event.id, title: "Stampede", workspaceId: busy.id, requests: 47, commands: 3 })
  expect(workspace).toEqual({
    workspaceId: busy.id,
    workspaceSlug: expect.any(String),
    requests: 48,
    commands: 3,
  })
  const [row] = await rows.run("select id from api_keys where workspace_id = $1", [busy.id])
  expect(of(busiest.keys, "keyId", String(row?.["id"]))).toEqual({
    keyId: row?.["id"],
    name: expect.any(String),
    workspaceId: busy.id,
    requests: 43,
  })
  const place = (id: string) => busiest.workspaces.findIndex((one: Json) => one.workspaceId === id)
  expect(place(busy.id)).toBeLessThan(place(calm.id))
  expect(of(busiest.events, "eventId", other.id)).toMatchObject({ commands: 0 })
  expect(busiest.seconds).toBeGreaterThan(0)
  expect(JSON.stringify(busiest)).not.toContain(busy.key)
  await rows.run("update workspaces set deleted_at = now() where id = $1", [busy.id])
  const { busiest: after } = await read()
  expect(JSON.stringify(after)).not.toContain(busy.id)
})

test("does not name the events of a deleted workspace", async () => {
  const house = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, house.key)
  await rows.run("update workspaces set deleted_at = now() where id = $1", [house.id])
  expect((await read()).liveEvents.newest.map(({ id }: Json) => id)).not.toContain(event.id)
})
