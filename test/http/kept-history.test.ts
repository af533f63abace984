/** Kept histories over REST: the setting, the recap that says so, and the tokens that replay. */
import { expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createEvent, createPerson, createWorkspace, type Workspace } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { openStore, type TestSql } from "../support/store.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const step = (id: string, verb: string) => call(server.url, "POST", `/v1/events/${id}/${verb}`, { key: acme.key })

const eventWith = async (fields: object, ...verbs: ReadonlyArray<string>): Promise<string> => {
  const { id } = await createEvent(server.url, acme.key, { phases: [{ modality: "meeting" }], ...fields })
  for (const verb of verbs) expect((await step(id, verb)).status, verb).toBe(200)
  return id
}

const tokenFor = (eventId: string, session?: string, replay = true) =>
  call(server.url, "POST", "/v1/auth/gateway-token", { body: { eventId, replay }, bearer: session })

const withSql = async <A>(body: (sql: TestSql) => PromiseLike<A>): Promise<A> => {
  const sql = openStore(server.databaseUrl, 1)
  try {
    return await body(sql)
  } finally {
    await sql.end()
  }
}

const recapOf = async (id: string) => (await call(server.url, "GET", `/v1/public/events/${id}/recap`)).body.replay

test("an event is brief by default, and may be kept until it begins", async () => {
  const brief = await eventWith({}, "publish")
  const read = async (id: string) => (await call(server.url, "GET", `/v1/events/${id}`, { key: acme.key })).body.history
  const patch = (id: string, history: string) =>
    call(server.url, "PATCH", `/v1/events/${id}`, { key: acme.key, body: { history } })
  expect(await read(brief)).toBe("brief")
  expect((await patch(brief, "kept")).body.history).toBe("kept")
  expect((await patch(brief, "brief")).body.history).toBe("brief")
  await step(brief, "start")
  const late = await patch(brief, "kept")
  expect([late.status, late.body.code]).toEqual([409, "conflict"])
  const kept = await eventWith({ history: "kept" }, "publish", "start")
  expect((await patch(kept, "kept")).status).toBe(200)
  expect((await patch(kept, "brief")).body.history).toBe("brief")
  const fault = await patch(kept, "whole")
  expect([fault.status, fault.body.errors[0].pointer]).toEqual([400, "#/history"])
})

test("whoever sees the recap of a kept event that has ended gets a token to replay it, and nobody else", async () => {
  const kept = await eventWith({ history: "kept", visibility: "unlisted" }, "publish", "start")
  expect([await recapOf(kept), (await tokenFor(kept)).status]).toEqual([null, 409])
  await step(kept, "end")
  expect(await recapOf(kept)).toEqual({ offsetMs: 0 })
  expect((await tokenFor(kept)).body).toMatchObject({ role: "viewer", anonymous: true, eventId: kept })
  // A token for the live event of somebody without a session is refused as before.
  expect((await tokenFor(kept, undefined, false)).status).toBe(401)
  const brief = await eventWith({}, "publish", "start", "end")
  expect([await recapOf(brief), (await tokenFor(brief)).status]).toEqual([null, 409])
  const closed = await eventWith({ history: "kept", visibility: "private" }, "publish", "start", "end")
  const { session } = await createPerson(server.url, acme.key, closed, "participant")
  expect([(await tokenFor(closed)).status, (await tokenFor(closed, session)).status]).toEqual([404, 200])
  const elsewhere: Workspace = await createWorkspace(server.url)
  const stranger = await createPerson(
    server.url,
    elsewhere.key,
    (await createEvent(server.url, elsewhere.key, { phases: [] })).id,
    "host",
  )
  expect((await tokenFor(closed, stranger.session)).status).toBe(404)
  expect((await tokenFor("01a228bc-0000-7240-bb49-947484f0b972")).status).toBe(404)
  const draft = await eventWith({ history: "kept" })
  expect((await tokenFor(draft)).status).toBe(404)
  await withSql((sql) => sql`update events set ended_at = now() - interval '91 days' where id = ${kept}`)
  expect([await recapOf(kept), (await tokenFor(kept)).status]).toEqual([null, 409])
})

test("the recap says where in the event a recording began, as far as that is known", async () => {
  const kept = await eventWith({ history: "kept", visibility: "public" }, "publish", "start", "end")
  const { body } = await call(server.url, "GET", `/v1/events/${kept}`, { key: acme.key })
  await withSql(
    (sql) => sql`
    insert into recordings (id, event_id, workspace_id, kind, status, source, began_at, duration_ms)
    values (${kept}, ${kept}, ${body.workspaceId}, 'merged', 'ready', 'livekit', ${body.startedAt}::timestamptz + interval '5 seconds', 1000)`,
  )
  expect(await recapOf(kept)).toEqual({ offsetMs: 5000 })
  await withSql((sql) => sql`update recordings set source = 'broadcast', began_at = null where id = ${kept}`)
  await withSql(
    (sql) => sql`
    insert into recording_segments (recording_id, number, take, file_offset, bytes, start_ms, duration_ms, is_discontinuous, at)
    select ${kept}, n, 0, 0, 1, n * 2000, 2000, false, ${body.startedAt}::timestamptz + (n * 2 + 9) * interval '1 second'
      from generate_series(0, 3) as g(n)`,
  )
  expect(await recapOf(kept)).toEqual({ offsetMs: 7000 })
})

test("a replay of a private event ends with the right to see it", async () => {
  const closed = await eventWith({ history: "kept", visibility: "private" }, "publish", "start", "end")
  const { userId, session } = await createPerson(server.url, acme.key, closed, "participant")
  const { token, url } = (await tokenFor(closed, session)).body
  const client = new Client(url)
  await client.hello()
  client.send({ op: 2, d: { token, replay: { from: 0, speed: 0 } } })
  expect((await client.dispatch("ready")).d.me.participantId).toBe(userId)
  expect((await call(server.url, "DELETE", `/v1/users/${userId}`, { key: acme.key })).status).toBe(204)
  expect(await client.closeCode()).toBe(4203)
})
