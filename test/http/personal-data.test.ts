/** Everything that is stored about a person, and people who are known by an address alone. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  entryLink,
  gatewayToken,
  type Json,
  newEmail,
  tokenIn,
} from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { tablesWith } from "../support/traces.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })
const MEETING = { visibility: "public", phases: [{ modality: "meeting", featureSet: ["qa", "chat", "polls"] }] }

const enter = async (eventId: string, session: string): Promise<Client> => {
  const { url, token } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

/** Every item, and the number of pages. */
const all = async (path: string, limit: number): Promise<{ items: Json[]; pages: number }> => {
  const items: Json[] = []
  let pages = 0
  let cursor: string | null = null
  do {
    const joint = path.includes("?") ? "&" : "?"
    const answer = await api("GET", `${path}${joint}limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`)
    expect(answer.status).toBe(200)
    expect(answer.body.items.length).toBeLessThanOrEqual(limit)
    items.push(...answer.body.items)
    cursor = answer.body.nextCursor
    pages++
  } while (cursor !== null)
  return { items, pages }
}

const newUser = async (fields: object = {}): Promise<Json> =>
  (await api("POST", "/v1/users", { body: { externalSub: randomUUID(), ...fields } })).body

/** Registers, and enters by the email's link. */
const register = async (eventId: string, name: string, email: string): Promise<string> => {
  await call(server.url, "POST", `/v1/public/events/${eventId}/register`, { body: { name, email } })
  const token = tokenIn(await entryLink(server.url, email, eventId))
  return (await call(server.url, "POST", `/v1/public/events/${eventId}/enter`, { body: { token } })).body.sessionToken
}

describe("the export of a user", () => {
  test("has every kind of data, of every event, once, whatever the size of the pages", async () => {
    const email = newEmail()
    const user = await newUser({ name: "Ada", email })
    const [first, second] = [
      await createLiveEvent(server.url, acme.key, MEETING),
      await createLiveEvent(server.url, acme.key, MEETING),
    ]
    await createEvent(server.url, acme.key)
    await api("POST", `/v1/workspaces/${acme.id}/invites`, { body: { email, role: "member", kind: "workspace" } })
    for (const { id } of [first, second]) {
      await api("POST", `/v1/events/${id}/memberships`, { body: { userId: user.id, role: "host" } })
    }
    await register(second.id, "Ada", email)
    const { sessionToken } = (await api("POST", `/v1/users/${user.id}/session`)).body
    const ada = await enter(first.id, sessionToken)
    for (const text of ["one", "two", "three"]) await ada.command("chat.send", { to: "event", text })
    const asked = await ada.command("question.ask", { text: "Why?" })
    await ada.command("question.vote", { id: asked.d.question.id, on: true })
    await ada.command("hand.raise", { note: "Me" })
    const poll = await ada.command("poll.create", { question: "Tea?", kind: "single", options: ["Yes", "No"] })
    const { id: pollId, options } = poll.d.poll
    const written = (await ada.command("poll.create", { question: "Why?", kind: "text", options: [] })).d.poll.id
    await ada.command("poll.open", { id: written })
    await ada.command("poll.vote", { id: written, optionIds: [], texts: ["Because"] })
    await ada.command("poll.open", { id: pollId })
    const voted = await ada.command("poll.vote", { id: pollId, optionIds: [options[0].id] })
    expect(voted).toMatchObject({ ok: true })
    const present = () => rows.run("select 1 from present_participants where event_id = $1", [first.id])
    await eventually(async () => (await present()).length === 1, "the arrival is told")

    const { items } = await all(`/v1/users/${user.id}/export`, 100)
    const kinds = items.map(({ kind, eventId }: Json) => [kind, [null, first.id, second.id].indexOf(eventId)])
    expect(kinds).toEqual([
      ["user", 0],
      ["invite", 0],
      ["membership", 2],
      ["registration", 2],
      ["attendance", 1],
      ["chatMessage", 1],
      ["chatMessage", 1],
      ["chatMessage", 1],
      ["membership", 1],
      ["pollVote", 1],
      ["pollVote", 1],
      ["question", 1],
      ["questionVote", 1],
      ["record", 1],
    ])
    const of = (kind: string) => items.filter((item: Json) => item.kind === kind).map(({ data }: Json) => data)
    expect(of("user")).toMatchObject([{ name: "Ada", email, externalSub: user.externalSub }])
    expect(of("chatMessage").map(({ text }: Json) => text)).toEqual(["one", "two", "three"])
    expect(of("question")).toMatchObject([{ text: "Why?", authorName: "Ada", votes: 1 }])
    expect(of("pollVote")).toContainEqual({ pollId, optionIds: [options[0].id] })
    expect(of("pollVote")).toContainEqual(expect.objectContaining({ pollId: written, texts: ["Because"] }))
    expect(of("record")).toMatchObject([{ record: "hand", body: { note: "Me" } }])
    expect(of("registration")).toEqual([
      { name: "Ada", email, state: "approved", offerEndsAt: null, declineReason: null },
    ])
    // Times in the data are as elsewhere, in UTC.
    expect(JSON.stringify(items)).not.toMatch(/\d{2}:\d{2}[^"]*[+-]\d{2}:\d{2}"/)
    for (const limit of [1, 2, 5]) {
      const paged = await all(`/v1/users/${user.id}/export`, limit)
      expect(paged.items).toEqual(items)
    }
    ada.socket.close()
  })

  test("goes on behind hundreds of events that the person was not at", async () => {
    const house = await createWorkspace(server.url)
    const { body: user } = await api("POST", "/v1/users", { key: house.key, body: { externalSub: "one" } })
    const event = await createEvent(server.url, house.key)
    await api("POST", `/v1/events/${event.id}/memberships`, { key: house.key, body: { userId: user.id, role: "host" } })
    await rows.run(
      `insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
       select gen_random_uuid(), $1, 'x', 'x', 'draft', 'public', false, false, '{}' from generate_series(1, 450)`,
      [house.id],
    )
    const first = await api("GET", `/v1/users/${user.id}/export`, { key: house.key })
    expect(first.body.items.map(({ kind }: Json) => kind)).toEqual(["user"])
    const second = await api("GET", `/v1/users/${user.id}/export?cursor=${first.body.nextCursor}`, { key: house.key })
    expect([second.body.items, second.body.nextCursor === null]).toEqual([[], false])
    const third = await api("GET", `/v1/users/${user.id}/export?cursor=${second.body.nextCursor}`, { key: house.key })
    expect([third.body.items.map(({ kind }: Json) => kind), third.body.nextCursor]).toEqual([["membership"], null])
  })

  test("refuses cursors that no page gave", async () => {
    const user = await newUser()
    const path = `/v1/users/${user.id}/export`
    for (const cursor of ["x", Buffer.from("a\nb\nc").toString("base64url"), "AAAA"]) {
      const answer = await api("GET", `${path}?cursor=${cursor}`)
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    }
  })
})

describe("whoever registered under an address", () => {
  const registrants = `/registrants`
  const path = (email: string, more = "") =>
    `/v1/workspaces/${acme.id}${registrants}${more}?email=${encodeURIComponent(email)}`

  test("is exported, and then erased: out of the live event, out of every table", async () => {
    const name = `Zoe ${randomUUID()}`
    const email = newEmail()
    const hook = await startReceiver()
    await api("POST", "/v1/webhooks", { body: { url: hook.url, eventTypes: ["registration.created"] } })
    const event = await createLiveEvent(server.url, acme.key, MEETING)
    const zoe = await enter(event.id, await register(event.id, name, email))
    await hook.count(1)
    await zoe.command("chat.send", { to: "event", text: `It is ${name}` })
    await zoe.command("question.ask", { text: "When?" })
    const command = (t: string, d: object) => api("POST", `/v1/events/${event.id}/commands`, { body: { t, d } })
    const quiz = { question: "Which?", kind: "quiz", options: ["a", "b"], correct: [1] }
    const { id } = (await command("poll.create", quiz)).body.d.poll
    await command("poll.open", { id })
    await zoe.command("poll.vote", { id, optionIds: ["1"] })
    await command("poll.close", { id })
    const board = async () => {
      const client = await enter(
        event.id,
        (await createPerson(server.url, acme.key, event.id, "viewer", "Max")).session,
      )
      const { polls } = client.received.find(({ t }) => t === "ready").d
      client.socket.close()
      return polls[0].board
    }
    expect(await board()).toMatchObject([{ name, points: 1000 }])
    const { items } = await all(path(email.toUpperCase(), "/export"), 100)
    expect(items.map(({ kind }: Json) => kind)).toEqual(
      expect.arrayContaining(["chatMessage", "question", "registration"]),
    )

    expect((await api("DELETE", path(email.toUpperCase()))).status).toBe(204)
    expect(await zoe.closeCode()).toBe(4304)
    await eventually(async () => {
      const present = await rows.run("select 1 from present_participants where event_id = $1", [event.id])
      return present.length === 0
    }, "the departure is told")
    expect(await tablesWith(rows, name)).toEqual([])
    expect(await tablesWith(rows, email)).toEqual(["mails"])
    expect(await board()).toMatchObject([{ name: null, points: 1000 }])
    expect((await api("GET", `/v1/events/${event.id}/questions`)).body.questions).toMatchObject([
      { text: "When?", authorName: null, anonymous: true },
    ])
    const { entries } = (await api("GET", `/v1/workspaces/${acme.id}/audit`)).body
    expect(entries[0]).toMatchObject({ action: "registrant.erased" })
    const again = await api("DELETE", path(email))
    expect([again.status, again.body.code]).toEqual([404, "not_found"])
    // The place is free again for the same address.
    const back = await call(server.url, "POST", `/v1/public/events/${event.id}/register`, { body: { name, email } })
    expect(back.body).toMatchObject({ registered: true, alreadyRegistered: false })
  })

  test("in another workspace stays, and is not told of", async () => {
    const email = newEmail()
    const other = await createWorkspace(server.url)
    const theirs = await createLiveEvent(server.url, other.key, MEETING)
    await register(theirs.id, "Zoe", email)
    expect((await api("DELETE", path(email))).status).toBe(404)
    expect((await all(path(email, "/export"), 100)).items).toEqual([])
    expect((await api("DELETE", path(email), { key: other.key })).status).toBe(404)
    const list = await call(server.url, "GET", `/v1/events/${theirs.id}/registrations`, { key: other.key })
    expect(list.body.registrations).toHaveLength(1)
  })

  test("of two erasures at once exactly one erases", async () => {
    const email = newEmail()
    const event = await createLiveEvent(server.url, acme.key, MEETING)
    await register(event.id, "Zoe", email)
    const both = await Promise.all([api("DELETE", path(email)), api("DELETE", path(email))])
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404])
  })

  test("needs an address", async () => {
    for (const email of ["", "nobody"]) expect((await api("DELETE", path(email))).status).toBe(400)
    expect((await api("DELETE", `/v1/workspaces/${acme.id}${registrants}`)).status).toBe(400)
  })
})
