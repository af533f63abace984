/** Notes of tables, the live transcript, and captions of rooms. */
import { randomUUID } from "node:crypto"
import { describe, expect, onTestFinished, test } from "vitest"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { Client, type Frame } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Json,
  tokenIn,
} from "../support/api.ts"

import { shared, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const rows = sharedRows(server)
const event: Json = shared(() => createEvent(server.url, acme.key))

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
})

const segment = (text: string, final = true) => ({
  segment: "1",
  final,
  speaker: "Hedy",
  lang: "en",
  t0: 0,
  t1: 1,
  text,
})

const push = (eventId: string, segments: ReadonlyArray<unknown>) =>
  call(server.url, "POST", `/v1/events/${eventId}/transcript-segments`, { key: acme.key, body: { segments } })

const phases = [{ modality: "broadcast", featureSet: ["transcript"] }, { modality: "broadcast" }]

test("shows the final words and the interim ones, in their order", async () => {
  const event = await createLiveEvent(server.url, acme.key, { type: "webinar", phases })
  const { session } = await createPerson(server.url, acme.key, event.id, "viewer")
  const viewer = new GatewayClient({ token: () => gatewayToken(server.url, event.id, session) })
  onTestFinished(() => viewer.close())
  const received: string[] = []
  viewer.on("transcript.segment", ({ text }) => received.push(`final ${text}`))
  viewer.on("transcript.interim", ({ text }) => received.push(`interim ${text}`))
  await viewer.connect()
  expect(await push(event.id, [segment("Let us", false)])).toMatchObject({ status: 200, body: { accepted: 1 } })
  await eventually(() => received.includes("interim Let us"))
  expect((await push(event.id, [segment("Let us begin."), segment("Now.")])).body).toEqual({ accepted: 2 })
  await eventually(() => received.length === 3)
  expect(received).toEqual(["interim Let us", "final Let us begin.", "final Now."])
})

test("is refused where there is no transcript, and for a segment without words", async () => {
  const event: Json = await createLiveEvent(server.url, acme.key, { type: "webinar", phases })
  expect((await push(event.id, [segment(" \n\u200b")])).status).toBe(400)
  await call(server.url, "POST", `/v1/events/${event.id}/advance`, { key: acme.key, body: {} })
  expect(await push(event.id, [segment("x")])).toMatchObject({ status: 409, body: { code: "conflict" } })
})

const said = (segment: string, text: string, more: object = {}) => ({
  segment,
  final: true,
  speaker: "Ada",
  lang: "en",
  t0: 0,
  t1: 1000,
  text,
  ...more,
})

/** An event that takes captions. */
const openEvent = async (modality: "breakout" | "rotation") => {
  const phases = [{ modality, featureSet: ["transcript"] }]
  const event = await createLiveEvent(server.url, acme.key, { visibility: "public", phases })
  const api = (method: string, path: string, body?: object): Promise<Json> =>
    call(server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })
  const enter = async (role: string, name = role): Promise<Client> => {
    const { session } = await createPerson(server.url, acme.key, event.id, role, name)
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const client = new Client(url)
    await client.identify(token)
    return client
  }
  const push = async (...segments: ReadonlyArray<object>): Promise<void> => {
    expect((await api("POST", `/v1/events/${event.id}/transcript-segments`, { segments })).status).toBe(200)
  }
  return { event, api, enter, push }
}

/** Two rooms with a participant in each, a host, and a viewer. */
const openRooms = async () => {
  const { event, api, enter, push } = await openEvent("breakout")
  const [host, viewer, ann, bob] = [
    await enter("host"),
    await enter("viewer"),
    await enter("participant", "Ann"),
    await enter("participant", "Bob"),
  ]
  const planned = await host.command("breakout.plan", { strategy: "self", rooms: ["Red", "Blue"] })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  const [red, blue] = d.rooms.map(({ id }: Frame) => id)
  await ann.command("room.choose", { roomId: red })
  await bob.command("room.choose", { roomId: blue })
  return { event, api, push, host, viewer, ann, bob, red, blue }
}

const heard = ({ received }: Client): ReadonlyArray<string> =>
  received.filter(({ t }) => t === "transcript.segment" || t === "transcript.interim").map(({ d }) => d.text)

test("what is said in a room reaches the people there alone, and who comes later does not hear what was before", async () => {
  const { push, host, viewer, ann, bob, red } = await openRooms()
  await push(said("i", "half a sentence", { roomId: red, final: false }))
  await push(said("a", "in red", { roomId: red }))
  await push(said("b", "to all"))
  for (const client of [host, viewer, ann, bob]) {
    await client.next(({ t, d }) => t === "transcript.segment" && d.text === "to all", "the caption to all")
  }
  await eventually(() => heard(ann).length === 3, "the captions of the room")
  for (const client of [host, viewer, bob]) expect(heard(client)).toEqual(["to all"])
  await bob.command("room.choose", { roomId: red })
  await push(said("c", "in red again", { roomId: red }))
  await eventually(() => heard(bob).includes("in red again"), "the caption of the new room")
  expect(heard(bob)).toEqual(["to all", "in red again"])
  for (const client of [host, viewer, ann, bob]) await client.cut()
})

test("recognisers of two rooms and of the event that number their segments alike keep each other's", async () => {
  const { event, api, push, host, viewer, ann, bob, red, blue } = await openRooms()
  await push(said("1", "to all of you"))
  // At once, and one after the other.
  await push(said("1", "in red", { roomId: red }), said("1", "in blue now", { roomId: blue }))
  await push(said("1", "and corrected in red", { roomId: red }))
  const wordsOf = async (room: string) =>
    (await api("GET", `/v1/events/${event.id}/tables/${room}/summary/draft`)).body.stats.totalWords
  expect([await wordsOf(red), await wordsOf(blue)]).toEqual([4, 3])
  await host.command("event.end", {})
  let texts: ReadonlyArray<string> = []
  await eventually(async () => {
    const { body } = await api("GET", `/v1/events/${event.id}/transcript`)
    texts = (body.segments ?? []).map(({ text }: Json) => text)
    return texts.length > 0
  }, "the event's transcript")
  expect(texts).toEqual(["to all of you"])
  for (const client of [host, viewer, ann, bob]) await client.cut()
})

test("captions of a pair of a rotation reach the two of them, for as long as their round lasts", async () => {
  const { event, api, enter, push } = await openEvent("rotation")
  const host = await enter("host")
  const pair = [await enter("participant", "Ann"), await enter("participant", "Bob")]
  await host.command("rotation.start", { roundSeconds: 600, rounds: 2 })
  const rooms = await Promise.all(pair.map((client) => client.next(({ t }) => t === "rotation.round", "the round")))
  const [roomId, other] = rooms.map(({ d }) => d.roomId)
  expect(other).toBe(roomId)
  await push(said("a", "between the two", { roomId }))
  await push(said("b", "to all"))
  for (const client of [host, ...pair]) await client.next(({ d }) => d?.text === "to all", "the caption to all")
  for (const client of pair) expect(heard(client)).toEqual(["between the two", "to all"])
  expect(heard(host)).toEqual(["to all"])
  await host.command("rotation.stop")
  const segments = [said("c", "too late", { roomId })]
  expect((await api("POST", `/v1/events/${event.id}/transcript-segments`, { segments })).status).toBe(404)
  for (const client of [host, ...pair]) await client.cut()
})
