/** Announcements that are prepared before an event and sent while it is live: over HTTP and over sockets. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Json,
  type Workspace,
} from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
let workspace: Workspace
beforeAll(async () => {
  server = await startTestServer()
  workspace = await createWorkspace(server.url)
})
afterAll(() => server.stop())

const MEETING = { phases: [{ modality: "meeting", featureSet: ["chat"] }] }

const send = (eventId: string, t: string, d: object) =>
  call(server.url, "POST", `/v1/events/${eventId}/commands`, { key: workspace.key, body: { t, d } })
const prepare = async (eventId: string, text: string, more: object = {}): Promise<Json> =>
  (await send(eventId, "announcement.prepare", { text, ...more })).body.d.prepared
const preparedAt = async (eventId: string): Promise<ReadonlyArray<Json>> =>
  (await call(server.url, "GET", `/v1/events/${eventId}/state`, { key: workspace.key })).body.preparedAnnouncements
const act = (eventId: string, verb: string) =>
  call(server.url, "POST", `/v1/events/${eventId}/${verb}`, { key: workspace.key })
const enter = async (eventId: string, role: string) => {
  const { session } = await createPerson(server.url, workspace.key, eventId, role)
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  return { client, ready: (await client.identify(token)).d as Json }
}
const heard = ({ received }: Client): ReadonlyArray<string> =>
  received.filter(({ t }) => t === "announcement").map(({ d }) => d.text)
const ofStaff = ({ received }: Client) => received.filter(({ t }) => /^announcement\./.test(t))

test("what is prepared in a draft outlives a restart, is seen by hosts alone, and is sent once", async () => {
  const { id } = await createEvent(server.url, workspace.key, MEETING)
  const [welcome, lunch] = [await prepare(id, "Welcome!"), await prepare(id, "Lunch is at one.")]
  expect(welcome).toEqual({ id: expect.any(String), text: "Welcome!", roomIds: null, at: expect.any(String) })
  expect((await send(id, "announcement.send", { id: welcome.id })).body).toMatchObject({ code: "conflict" })
  await act(id, "publish")
  await act(id, "start")
  server = await server.restart()
  const [host, ann] = [await enter(id, "host"), await enter(id, "participant")]
  expect(host.ready.preparedAnnouncements).toEqual([welcome, lunch])
  expect(Object.keys(ann.ready)).not.toContain("preparedAnnouncements")
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(id, "announcement.send", { id: welcome.id })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404])
  await expect.poll(() => heard(ann.client)).toEqual(["Welcome!"])
  expect(await host.client.command("announcement.send", { id: lunch.id })).toMatchObject({
    ok: true,
    d: { announcement: { text: "Lunch is at one.", by: { name: "host" } } },
  })
  await expect.poll(() => heard(ann.client)).toEqual(["Welcome!", "Lunch is at one."])
  await expect
    .poll(() => ofStaff(host.client))
    .toMatchObject([
      { t: "announcement.discarded", st: "staff", d: { id: welcome.id } },
      { t: "announcement.discarded", st: "staff", d: { id: lunch.id } },
    ])
  expect(ofStaff(ann.client)).toEqual([])
  expect(await preparedAt(id)).toEqual([])
})

test("a discarded one is gone, and one for a room that is not there stays prepared", async () => {
  const { id } = await createLiveEvent(server.url, workspace.key, MEETING)
  const { client } = await enter(id, "host")
  const room = "0197f3a2-0000-7000-8000-000000000000"
  const [early, never] = [await prepare(id, "To a room", { targets: [room, room] }), await prepare(id, "Never sent")]
  expect(early.roomIds).toEqual([room])
  await expect.poll(() => ofStaff(client).map(({ d }) => d.prepared?.text)).toEqual(["To a room", "Never sent"])
  expect(await send(id, "announcement.send", { id: early.id })).toMatchObject({
    status: 404,
    body: { code: "not_found" },
  })
  expect((await send(id, "announcement.discard", { id: never.id })).body.d).toEqual({ id: never.id })
  expect((await send(id, "announcement.discard", { id: never.id })).status).toBe(404)
  expect(await preparedAt(id)).toEqual([early])
  await act(id, "end")
  expect((await send(id, "announcement.prepare", { text: "Too late" })).status).toBe(409)
})

test("a hundred can be prepared, and one sent makes room for another", async () => {
  const { id } = await createLiveEvent(server.url, workspace.key, MEETING)
  const commands = Array.from({ length: 50 }, (_, n) => ({ t: "announcement.prepare", d: { text: `No. ${n}` } }))
  for (let half = 0; half < 2; half++) {
    const body = { commands, atomic: true }
    await call(server.url, "POST", `/v1/events/${id}/commands/batch`, { key: workspace.key, body })
  }
  const [first] = await preparedAt(id)
  expect((await send(id, "announcement.prepare", { text: "One more" })).status).toBe(409)
  await send(id, "announcement.send", { id: first.id })
  await prepare(id, "One more")
  expect((await preparedAt(id)).map(({ text }) => text)).toHaveLength(100)
})

test("those for rooms name a thousand together, so that the hosts' snapshot stays small", async () => {
  const { id } = await createLiveEvent(server.url, workspace.key, MEETING)
  const rooms = (count: number) => Array.from({ length: count }, () => randomUUID())
  for (const count of [500, 499]) await prepare(id, "To rooms", { targets: rooms(count) })
  expect((await send(id, "announcement.prepare", { text: "Too many", targets: rooms(2) })).status).toBe(409)
  await prepare(id, "One more", { targets: rooms(1) })
  await prepare(id, "To all")
  expect(await preparedAt(id)).toHaveLength(4)
})
