/** Notes of a table: stored for a workspace, read by who sat there, and by nobody else. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  type CallOptions,
  call,
  createEvent,
  createPerson,
  createWorkspace,
  type Json,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
let rows: Rows
let acme: Workspace
let event: Json
beforeAll(async () => {
  server = await startTestServer()
  rows = rowsOf(server.databaseUrl)
  acme = await createWorkspace(server.url)
  event = await createEvent(server.url, acme.key)
})
afterAll(async () => {
  await rows.end()
  await server.stop()
})

const api = (method: string, path: string, options: CallOptions = {}) => call(server.url, method, path, options)

const NOTES = {
  table: { number: 3, label: "Table 3" },
  summary: {
    tldr: "We agreed",
    themes: [{ title: "Tools", summary: "Fewer of them" }],
    ideas: ["Meet again"],
    questions: ["When?"],
    perQuestion: [{ ordinal: 1, question: "Why?", discussed: true, summary: "Because" }],
  },
  stats: { totalWords: 900, promptsCovered: 2, promptsTotal: 3, lifetimeSeconds: 600, headcount: 2 },
  people: [
    {
      userId: "u1",
      name: "Ada",
      words: 500,
      turns: 12,
      badges: [{ id: "b", name: "Spark", description: "Began", tier: 1, icon: "spark", glyph: "*" }],
    },
  ],
}
const put = (roomId: string, recipients: ReadonlyArray<object>, fields: object = {}) =>
  api("PUT", `/v1/events/${event.id}/tables/${roomId}/summary`, {
    key: acme.key,
    body: { ...NOTES, ...fields, recipients },
  })
const read = (token: string, eventId = event.id) =>
  api("GET", `/v1/public/events/${eventId}/table-summary?t=${encodeURIComponent(token)}`)

describe("notes of a table", () => {
  test("are read with the recipient's token exactly as the specification draws them", async () => {
    const email = `${randomUUID()}@example.com`
    const stored = await put("room-a", [{ userId: "u1", name: "Ada", email }])
    expect([stored.status, stored.body]).toEqual([
      200,
      {
        eventId: event.id,
        roomId: "room-a",
        generatedAt: expect.any(String),
        recipients: [{ userId: "u1", mailed: true, url: expect.stringContaining("/table-summary#token=") }],
      },
    ])
    const answer = await read(tokenIn(stored.body.recipients[0].url))
    // The address holds the token: nothing on the way may keep the answer.
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const { table, ...content } = NOTES
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        event: { id: event.id, title: "Launch", scheduledAt: null },
        table: { roomId: "room-a", ...table },
        recipientUserId: "u1",
        recipientName: "Ada",
        ...content,
        generatedAt: stored.body.generatedAt,
      },
    ])
    const letters = (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails
    expect(letters[0].links).toEqual([stored.body.recipients[0].url])
  })

  test("never show another table's content, another event's, or anything without the token", async () => {
    const a = await put("room-b", [{ userId: "u1", email: "b@example.com" }])
    await put("room-c", [{ userId: "u2", email: "c@example.com" }], {
      summary: { ...NOTES.summary, tldr: "Table C only" },
    })
    const token = tokenIn(a.body.recipients[0].url)
    expect(JSON.stringify((await read(token)).body)).not.toContain("Table C only")
    const other = await createEvent(server.url, acme.key)
    expect((await read(token, other.id)).status).toBe(404)
    expect((await read("nonsense")).status).toBe(404)
    expect((await read("")).status).toBe(400)
    expect((await api("GET", `/v1/public/events/${event.id}/table-summary`)).status).toBe(400)
  })

  test("are replaced by a later PUT; a person with a link keeps it and gets no second email", async () => {
    const first = await put("room-d", [{ userId: "u1", email: "d@example.com" }])
    const token = tokenIn(first.body.recipients[0].url)
    const second = await put("room-d", [{ userId: "u1", email: "d@example.com" }, { userId: "u2" }], {
      stats: null,
      summary: { ...NOTES.summary, tldr: "Corrected" },
    })
    expect(second.body.recipients).toEqual([
      { userId: "u1", mailed: false },
      { userId: "u2", mailed: false, url: expect.any(String) },
    ])
    expect((await read(token)).body).toMatchObject({ stats: null, summary: { tldr: "Corrected" } })
    expect((await api("GET", "/v1/dev/outbox?to=d@example.com")).body.mails).toHaveLength(1)
  })

  test("a token ends after 90 days and is stored hashed", async () => {
    const stored = await put("room-e", [{ userId: "u1" }])
    const token = tokenIn(stored.body.recipients[0].url)
    const kept = await rows.run("select token_hash::text, user_id from table_note_tokens where room_id = 'room-e'")
    expect(JSON.stringify(kept)).not.toContain(token)
    await rows.run("update table_note_tokens set expires_at = now() - interval '1 second' where room_id = 'room-e'")
    expect((await read(token)).status).toBe(404)
  })

  test("go to a user's own address when none is given, but never to another workspace's user", async () => {
    const email = `${randomUUID()}@example.com`
    const mine = await api("POST", "/v1/users", {
      key: acme.key,
      body: { externalSub: randomUUID(), name: "Own", email },
    })
    const foreign = await createWorkspace(server.url)
    const theirs = await api("POST", "/v1/users", {
      key: foreign.key,
      body: { externalSub: randomUUID(), name: "Theirs", email: `${randomUUID()}@example.com` },
    })
    const stored = await put("room-f", [{ userId: mine.body.id }, { userId: theirs.body.id }])
    expect(stored.body.recipients.map(({ mailed }: { mailed: boolean }) => mailed)).toEqual([true, false])
    expect((await read(tokenIn(stored.body.recipients[0].url))).body.recipientName).toBe("Own")
    expect((await read(tokenIn(stored.body.recipients[1].url))).body.recipientName).toBeNull()
  })

  test("are refused when a part is missing or of the wrong kind, and for another workspace", async () => {
    for (const fields of [
      { summary: undefined },
      { stats: undefined },
      { people: "all" },
      { table: { number: 1.5, label: "x" } },
    ]) {
      expect((await put("room-g", [], fields)).status).toBe(400)
    }
    expect((await put("room-g", [{ userId: "" }])).status).toBe(400)
    const foreign = await createWorkspace(server.url)
    const path = `/v1/events/${event.id}/tables/room-g/summary`
    expect((await api("PUT", path, { key: foreign.key, body: { ...NOTES, recipients: [] } })).status).toBe(404)
    const host = await createPerson(server.url, acme.key, event.id, "host")
    expect((await api("PUT", path, { bearer: host.session, body: { ...NOTES, recipients: [] } })).status).toBe(403)
  })
})
