/** Whoever comes into a room of the media server has to have a seat there, whatever token they come with. No look at the rooms helps. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import { newId } from "../../src/model/ids.ts"
import {
  call,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Json,
  type Workspace,
} from "../support/api.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type LiveKitServer, startLiveKit, tokenWith } from "../support/livekit-server.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"
import { Client } from "./client.ts"

const WEBHOOK = "/v1/media/livekit/webhook"

let livekit: LiveKitServer
let database: TestDatabase
let proxy: PostgresProxy
let server: TestServer
let acme: Workspace

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startPostgresProxy(database.url)
  livekit = await startLiveKit()
  // The looks at the rooms fail.
  livekit.refuse = (method) =>
    method === "ListRooms" ? { status: 503, body: { code: "unavailable", msg: "" } } : undefined
  server = await startTestServer({
    DATABASE_URL: proxy.url,
    MEDIA_URL: livekit.server.url,
    MEDIA_API_KEY: "key",
    MEDIA_API_SECRET: "a secret of the media server's, long enough",
  })
  livekit.webhookUrl = `${server.url}${WEBHOOK}`
  acme = await createWorkspace(server.url)
})
afterAll(async () => {
  await server?.stop()
  await proxy?.close()
  await database?.drop()
  await livekit?.stop()
})

interface InCall {
  readonly client: Client
  readonly userId: string
  /** Each admits to the main room. */
  readonly tokens: ReadonlyArray<string>
}

const open = async (modality: string, fields: object = {}) => {
  const event: Json = await createLiveEvent(server.url, acme.key, { phases: [{ modality }], ...fields })
  const named = (roomId: string | null) => mediaRoomOf({ eventId: event.id, phaseId: event.phases[0].id, roomId })
  const join = async (role: string, name: string): Promise<InCall> => {
    const { session, userId } = await createPerson(server.url, acme.key, event.id, role, name)
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const client = new Client(url)
    const { media } = (await client.identify(token)).d
    return { client, userId, tokens: [media.token, await livekit.join(media.token)] }
  }
  return { event, named, join }
}

const gone = (room: string, who: string) => eventually(() => !livekit.isIn(room, who), `${who} is out of ${room}`)

/** Comes with each of the tokens, and is out each time. */
const expectOut = async (room: string, { userId, tokens }: InCall): Promise<void> => {
  await gone(room, userId)
  for (const token of tokens) {
    await livekit.join(token)
    await gone(room, userId)
  }
}

test("messages are taken where there is no bucket, if they are signed", async () => {
  const { named, join } = await open("meeting")
  const before = livekit.answers.length
  const ann = await join("participant", "Ann")
  expect(livekit.answers.slice(before)).toEqual([200])
  expect(livekit.isIn(named(null), ann.userId)).toBe(true)
  const forged = { raw: "{}", headers: { "content-type": "application/webhook+json", authorization: "none" } }
  expect((await call(server.url, "POST", WEBHOOK, forged)).status).toBe(401)
  await ann.client.cut()
})

test("a person who was removed and blocked is out again, with each token from before, and the others stay", async () => {
  const { named, join } = await open("meeting")
  const [host, ann, ben] = [
    await join("host", "Hedy"),
    await join("participant", "Ann"),
    await join("participant", "Ben"),
  ]
  expect(await host.client.command("participant.remove", { id: ann.userId, block: true })).toMatchObject({ ok: true })
  await expectOut(named(null), ann)
  expect([host, ben].map(({ userId }) => livekit.isIn(named(null), userId))).toEqual([true, true])
  for (const { client } of [host, ben]) await client.cut()
})

test("a person who was moved is out of the room before, and in the next one", async () => {
  const { named, join } = await open("breakout")
  const [host, ann] = [await join("host", "Hedy"), await join("participant", "Ann")]
  const ben = await join("participant", "Ben")
  const planned = await host.client.command("breakout.plan", { strategy: "balanced", rooms: 2 })
  const { d } = await host.client.command("breakout.open", { planId: planned.d.plan.id })
  const first = (await ann.client.dispatch("assignment.updated")).d
  await livekit.join(first.media.token)
  const other = d.rooms.find(({ id }: Json) => id !== first.roomId).id
  await host.client.command("breakout.move", { id: ann.userId, roomId: other })
  await livekit.join((await ann.client.dispatch("assignment.updated")).d.media.token)
  await expectOut(named(first.roomId), { ...ann, tokens: [first.media.token] })
  expect(livekit.isIn(named(other), ann.userId)).toBe(true)
  for (const { client } of [host, ann, ben]) await client.cut()
})

test("somebody who comes late into a room that people are moved out of is out, and the others have time to get on", async () => {
  const { named, join } = await open("breakout")
  const [host, ann, ben] = [
    await join("host", "Hedy"),
    await join("participant", "Ann"),
    await join("participant", "Ben"),
  ]
  const { d } = await host.client.command("breakout.plan", { strategy: "balanced", rooms: 1 })
  await host.client.command("breakout.open", { planId: d.plan.id })
  const seats = new Map<InCall, Json>()
  for (const one of [ann, ben]) seats.set(one, (await one.client.dispatch("assignment.updated")).d)
  await livekit.join(seats.get(ann)?.media.token)
  const room = named(seats.get(ann)?.roomId)
  await livekit.judged(room)
  const closed = performance.now()
  await host.client.command("breakout.close", { graceMs: 0 })
  await livekit.join(seats.get(ben)?.media.token)
  await gone(room, ben.userId)
  // timed: on a machine that stood still for the three seconds of a move nothing can be told.
  if (performance.now() - closed < 2500) expect(livekit.isIn(room, ann.userId)).toBe(true)
  await gone(room, ann.userId)
  for (const { client } of [host, ann, ben]) await client.cut()
})

test("a person whose grant has ended is out again", async () => {
  const { event, named, join } = await open("meeting", { visibility: "private" })
  const [ann, ben] = [await join("participant", "Ann"), await join("participant", "Ben")]
  const memberships = `/v1/events/${event.id}/memberships`
  const { body } = await call(server.url, "GET", memberships, { key: acme.key })
  const { id } = body.memberships.find(({ userId }: Json) => userId === ann.userId)
  expect((await call(server.url, "DELETE", `${memberships}/${id}`, { key: acme.key })).status).toBe(204)
  await ann.client.closed
  await expectOut(named(null), ann)
  expect(livekit.isIn(named(null), ben.userId)).toBe(true)
  await ben.client.cut()
})

test("after the end of the event a token opens no room, and rooms of other deployments stay", async () => {
  const { event, named, join } = await open("meeting")
  const ann = await join("participant", "Ann")
  const elsewhere = `${newId()}:${newId()}`
  livekit.enter(elsewhere, "stranger")
  expect((await call(server.url, "POST", `/v1/events/${event.id}/end`, { key: acme.key })).status).toBe(200)
  await eventually(() => !livekit.rooms.has(named(null)), "the room is closed")
  await livekit.join(ann.tokens[0] ?? "")
  await eventually(() => !livekit.rooms.has(named(null)), "the room is closed again")
  expect(livekit.isIn(elsewhere, "stranger")).toBe(true)
})

test("a token whose metadata somebody has changed admits nobody, and one without any is judged by the event alone", async () => {
  const { named, join } = await open("meeting")
  const ann = await join("participant", "Ann")
  const room = named(null)
  for (const metadata of ["{}", "AAAA", "\u6f22".repeat(1024)]) {
    await livekit.join(await tokenWith(room, ann.userId, metadata))
    await gone(room, ann.userId)
  }
  await livekit.join(await tokenWith(room, ann.userId, ""))
  await livekit.judged(room)
  expect(livekit.isIn(room, ann.userId)).toBe(true)
})

test("whoever comes in while the database is away is judged when it is back", async () => {
  const { named, join } = await open("meeting")
  const [host, ann] = [await join("host", "Hedy"), await join("participant", "Ann")]
  expect(await host.client.command("participant.remove", { id: ann.userId, block: true })).toMatchObject({ ok: true })
  await gone(named(null), ann.userId)
  const away = proxy.onStatement({
    match: /a\.everything/,
    action: { kind: "fail", code: "57P03", message: "the database system is starting up" },
  })
  await livekit.join(ann.tokens[0] ?? "")
  await away.reached(5)
  away.remove()
  await gone(named(null), ann.userId)
  expect(livekit.isIn(named(null), host.userId)).toBe(true)
  await host.client.cut()
})
