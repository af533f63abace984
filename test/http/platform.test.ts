/** What operators see: live events, workspaces that take most, and the states of one event. */

import { once } from "node:events"
import { request } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { WebSocketServer } from "ws"
import { Client } from "../gateway/client.ts"
import { call, createEvent, createLiveEvent, createWorkspace, gatewayToken, type Json } from "../support/api.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { PLATFORM_KEY, SECRET_KEY, startTestServer } from "../support/server.ts"
import { runCommand } from "../support/server-process.ts"
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

const inspect = (id: string) =>
  call(server.url, "GET", `/v1/platform/events/${id}/inspection`, { headers: { "x-platform-key": PLATFORM_KEY } })

const timedEvent = async (): Promise<{ readonly key: string; readonly event: Json }> => {
  const { key } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key, {
    phases: [{ modality: "meeting", config: { durationSeconds: 600 } }, { modality: "broadcast" }],
  })
  return { key, event }
}

/** The states of a live event in a meeting's first phase without rooms, rotation, capture and hosts. */
const AT_REST = ["live.door.open", "live.presence.list", "live.rooms.closed", "live.rotation.idle", "live.capture.off"]

test("states, deadlines and transitions follow the event, and name the node", async () => {
  const { key, event } = await timedEvent()
  const first = await inspect(event.id)
  expect(first.status).toBe(200)
  expect(first.body.states).toEqual(expect.arrayContaining([...AT_REST, "live.phase.running", "live.broadcast.off"]))
  const endsAt = (await call(server.url, "GET", `/v1/events/${event.id}`, { key })).body.phases[0].timerEndsAt
  expect(first.body.deadlines).toContainEqual({ name: "phase.end", about: null, at: endsAt })
  const warnsAt = new Date(Date.parse(endsAt) - 60_000).toISOString()
  expect(first.body.deadlines[0]).toEqual({ name: "phase.warning", about: null, at: warnsAt })
  expect(first.body.transitions.at(-1)).toMatchObject({ event: expect.any(String), entered: expect.any(Array) })
  await call(server.url, "POST", `/v1/events/${event.id}/advance`, { key })
  const second = await inspect(event.id)
  expect(second.body.states).toEqual(
    expect.arrayContaining(["live.phase.untimed", "live.door.none", "live.broadcast.idle"]),
  )
  expect(second.body.deadlines.filter(({ name }: Json) => name.startsWith("phase."))).toEqual([])
  const last = second.body.transitions.map(({ event: cause, entered }: Json) => [cause, entered])
  expect(last).toContainEqual(["phase.next", ["live.phase.untimed"]])
  expect(last).toContainEqual(["phase.began", ["live.door.none", "live.broadcast.idle"]])
  expect(second.body.version).toBeGreaterThan(first.body.version)
  expect(second.body.ownedSince).toBe(first.body.ownedSince)
})

test("no more than the last twenty transitions are remembered", async () => {
  const { key, event } = await timedEvent()
  const move = async (lobby: string): Promise<void> => {
    const [phase] = (await call(server.url, "GET", `/v1/events/${event.id}`, { key })).body.phases
    const answer = await call(server.url, "PATCH", `/v1/phases/${phase.id}`, {
      key,
      body: { config: { ...phase.config, lobby } },
    })
    expect(answer.status).toBe(200)
  }
  for (let round = 0; round < 12; round++) {
    await move("ask")
    await move("open")
  }
  const { transitions } = (await inspect(event.id)).body
  expect(transitions).toHaveLength(20)
  expect(transitions.map(({ entered }: Json) => entered)).toEqual(
    Array.from({ length: 20 }, (_, index) => [index % 2 === 0 ? "live.door.ask" : "live.door.open"]),
  )
})

test("an event that is not live has its life alone, and one that is not there is not found", async () => {
  const { key } = await createWorkspace(server.url)
  const draft = await createEvent(server.url, key)
  expect((await inspect(draft.id)).body).toMatchObject({ states: ["draft"], deadlines: [], transitions: [], polls: [] })
  for (const id of ["0196a1f0-0000-7000-8000-00000000dead", "nothing"]) {
    const answer = await inspect(id)
    expect([answer.status, answer.body.code]).toEqual([404, "not_found"])
  }
})

test("the command prints the same for a person and for a program, and says why it cannot", async () => {
  const { event } = await timedEvent()
  const environment = { PORT: new URL(server.url).port, PLATFORM_KEY, SECRET_KEY }
  const text = await runCommand(["inspect", event.id], environment)
  expect(text.code).toBe(0)
  expect(text.stdout).toMatch(/^Event .* at node \S+ since \S+, version \d+, fencing token \d+\n/)
  expect(text.stdout).toContain("\n  live.phase.running\n")
  expect(text.stdout).toMatch(/Waits for\n {2}\S+ \(in (?:5[0-9][0-9]|[1-4][0-9]{2}) s\) {2}phase\.warning\n/)
  const json = await runCommand(["inspect", event.id, "--json"], environment)
  expect(JSON.parse(json.stdout).states).toContain("live.phase.running")
  const refused = async (args: ReadonlyArray<string>, changed: Record<string, string>) => {
    const { code, stderr } = await runCommand(args, { ...environment, ...changed })
    expect(code).toBe(1)
    return stderr
  }
  const wrong = await refused(["inspect", event.id], { PLATFORM_KEY: "another-key-of-the-tests-0123456789" })
  expect(wrong).toMatch(/^The server at \S+ refused: /)
  expect(await refused(["inspect", "0196a1f0-0000-7000-8000-00000000dead"], {})).toMatch(/refused: .*event/i)
  expect(await refused(["inspect", event.id], { PORT: "9" })).toMatch(/cannot be reached/)
  expect(await refused(["inspect", event.id], { PLATFORM_KEY: "" })).toMatch(/^PLATFORM_KEY must be set/)
  expect(await refused(["inspect", event.id], { PORT: "0" })).toMatch(/^With PORT 0 nobody knows/)
  expect(await refused(["inspect"], {})).toMatch(/needs the id of an event/)
})

test("with INSPECT an inspector's relay is shown each actor and its transitions", async () => {
  const relay = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => relay.close())
  const shown: Json[] = []
  relay.on("connection", (socket) => socket.on("message", (data) => shown.push(JSON.parse(String(data)))))
  if (relay.address() === null) await once(relay, "listening")
  const watched = await startTestServer({ INSPECT: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}` })
  onTestFinished(() => watched.stop())
  const { key } = await createWorkspace(watched.url)
  const event = await createLiveEvent(watched.url, key, { phases: [{ modality: "meeting" }, { modality: "meeting" }] })
  await call(watched.url, "POST", `/v1/events/${event.id}/end`, { key })
  const of = (type: string): Json[] => shown.filter((one) => one.type === `@xstate.${type}`)
  await eventually(() => of("snapshot").some(({ snapshot }) => snapshot.value === "ended"), "the end to be shown")
  const actor = of("actor").find(({ name }) => name === event.id)
  expect(JSON.parse(actor?.definition)).toMatchObject({ id: "liveEvent", states: { live: { type: "parallel" } } })
  expect(of("event").map(({ event: { type } }) => type)).toContain("event.start")
  expect(JSON.stringify(shown)).not.toContain("turn")
})
