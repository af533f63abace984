/** Deleting a user: what the database still has of them, who is told, and what goes on beside it. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  gatewayToken,
  type Json,
} from "../support/api.ts"
import { addMember } from "../support/members.ts"
import { whileHolding } from "../support/race.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { tablesWith } from "../support/traces.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })
const remove = (id: string, options: CallOptions = {}) => api("DELETE", `/v1/users/${id}`, options)
const newName = () => `Zelda ${randomUUID()}`
const MEETING = { visibility: "private", phases: [{ modality: "meeting", featureSet: ["qa", "chat", "polls"] }] }

const join = async (eventId: string, session: string): Promise<Client> => {
  const { url, token } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

/** Done with the first pass: the request waits for it for a moment only. */
const passed = () =>
  eventually(async () => (await rows.run("select 1 from erasures where not is_last_pass")).length === 0, "a pass")

describe("a user who is deleted", () => {
  test("is named nowhere: not at a live event, not at one that has ended, not in the lists", async () => {
    const name = newName()
    const email = `${randomUUID()}@example.com`
    const sub = `crm-${randomUUID()}`
    const picture = `https://example.com/${randomUUID()}.png`
    const { body: user } = await api("POST", "/v1/users", { body: { externalSub: sub, email, name, picture } })
    const session = async () => (await api("POST", `/v1/users/${user.id}/session`)).body.sessionToken

    const open = await createLiveEvent(server.url, acme.key, MEETING)
    const past = await createLiveEvent(server.url, acme.key, MEETING)
    const soon = await createEvent(server.url, acme.key, { visibility: "public" })
    await api("POST", `/v1/events/${soon.id}/publish`)
    for (const { id } of [open, past]) {
      await api("POST", `/v1/events/${id}/memberships`, { body: { userId: user.id, role: "participant" } })
    }
    await api("POST", `/v1/workspaces/${acme.id}/invites`, { body: { email, role: "member", kind: "workspace" } })
    await call(server.url, "POST", `/v1/public/events/${soon.id}/register`, { body: { name, email } })

    const host = await createPerson(server.url, acme.key, open.id, "host")
    const watching = await join(open.id, host.session)
    const act = async (eventId: string) => {
      const client = await join(eventId, await session())
      const message = await client.command("chat.send", { to: "event", text: `From ${name}` })
      const question = await client.command("question.ask", { text: "Why?" })
      const hand = await client.command("hand.raise", { note: `I am ${name}` })
      expect([message.ok, question.ok, hand.ok]).toEqual([true, true, true])
      return { client, message: message.d.message, question: question.d.question }
    }
    const before = await act(past.id)
    await api("POST", `/v1/events/${past.id}/end`)
    expect(await before.client.closeCode()).toBe(4307)
    await rows.run(
      `insert into table_summaries (event_id, room_id, content, generated_at)
       values ($1, 'r', jsonb_build_object('people', jsonb_build_array(
         jsonb_build_object('userId', $2::text, 'name', $3::text), jsonb_build_object('userId', 'other', 'name', 'Bob'))), now())`,
      [past.id, user.id, name],
    )
    await rows.run(
      `insert into table_note_tokens (token_hash, event_id, room_id, user_id, name, expires_at)
       values ('\\x01', $1, 'r', $2, $3, now() + interval '1 day')`,
      [past.id, user.id, name],
    )
    const now = await act(open.id)
    await watching.dispatch("hand.queue")
    // The host votes: the question keeps the vote.
    expect((await watching.command("question.vote", { id: now.question.id, on: true })).ok).toBe(true)
    const named = ["attendances", "chat_messages", "live_records", "questions", "registrations", "users"]
    await eventually(async () => {
      const tables = await tablesWith(rows, name)
      return named.every((table) => tables.includes(table))
    }, "the person is in every table that has names")

    expect((await remove(user.id)).status).toBe(204)
    expect(await now.client.closeCode()).toBe(4203)
    expect((await watching.dispatch("chat.deleted")).d.ids).toEqual([now.message.id])
    expect((await watching.dispatch("question.updated")).d.question).toMatchObject({
      id: now.question.id,
      authorId: null,
      authorName: null,
      anonymous: true,
      votes: 1,
    })
    await passed()

    for (const text of [name, sub, picture]) expect(await tablesWith(rows, text)).toEqual([])
    // An email that was sent before is kept for a week in development alone.
    expect(await tablesWith(rows, email)).toEqual(["mails"])
    const questions = (await api("GET", `/v1/events/${past.id}/questions`)).body.questions
    expect(questions).toMatchObject([{ text: "Why?", authorName: null, authorUserId: null, anonymous: true }])
    expect((await api("GET", `/v1/events/${past.id}/chat`)).body.messages).toEqual([])
    const people = (await api("GET", `/v1/events/${past.id}/attendance`)).body.attendees
    expect(people).toMatchObject([{ name: "Removed person", userId: null, email: null }])
    expect((await api("GET", `/v1/events/${soon.id}/registrations`)).body.registrations).toEqual([])
    const [notes] = await rows.run("select content->'people' as people from table_summaries where event_id = $1", [
      past.id,
    ])
    expect(notes?.["people"]).toEqual([
      { userId: user.id, name: null },
      { userId: "other", name: "Bob" },
    ])
    // Everybody who comes now finds the state without the person.
    const later = await join(open.id, (await createPerson(server.url, acme.key, open.id, "host", "Lea")).session)
    expect(JSON.stringify(later.received)).not.toContain(name)
    for (const client of [watching, later]) client.socket.close()
  })

  test("leaves the event under no name, also when the departure is told later", async () => {
    const name = newName()
    const event = await createLiveEvent(server.url, acme.key, MEETING)
    const { userId, session } = await createPerson(server.url, acme.key, event.id, "participant", name)
    const client = await join(event.id, session)
    const present = () =>
      rows.run("select present->>'name' as name from present_participants where event_id = $1", [event.id])
    await eventually(async () => (await present()).length === 1, "the arrival is told")
    expect((await remove(userId)).status).toBe(204)
    expect(await client.closeCode()).toBe(4203)
    await eventually(async () => (await present()).length === 0, "the departure is told")
    expect(await tablesWith(rows, name)).toEqual([])
    const { attendees } = (await api("GET", `/v1/events/${event.id}/attendance`)).body
    expect(attendees).toMatchObject([{ name: "Removed person", userId: null }])
  })

  test("has no session, no role and no way in any more", async () => {
    const event = await createLiveEvent(server.url, acme.key, MEETING)
    const { userId, session } = await createPerson(server.url, acme.key, event.id, "participant", newName())
    const { url, token } = await gatewayToken(server.url, event.id, session)
    expect((await remove(userId)).status).toBe(204)
    const late = new Client(url)
    void late.identify(token).catch(() => undefined)
    expect(await late.closeCode()).toBe(4203)
    const again = await call(server.url, "POST", "/v1/auth/gateway-token", {
      bearer: session,
      body: { eventId: event.id },
    })
    expect(again.status).toBe(401)
    expect((await api("POST", `/v1/users/${userId}/session`)).status).toBe(404)
    expect((await api("GET", `/v1/events/${event.id}/memberships`)).body.memberships).toEqual([])
  })

  test("is there no more for a second delete, and of two at once exactly one deletes", async () => {
    const { body: one } = await api("POST", "/v1/users", { body: { externalSub: randomUUID() } })
    expect((await remove(one.id)).status).toBe(204)
    const second = await remove(one.id)
    expect([second.status, second.body.code]).toEqual([404, "not_found"])
    const { body: two } = await api("POST", "/v1/users", { body: { externalSub: randomUUID() } })
    const both = await Promise.all([remove(two.id), remove(two.id)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404])
  })

  test("keeps the externalSub for a new person", async () => {
    const externalSub = randomUUID()
    const { body: one } = await api("POST", "/v1/users", { body: { externalSub, name: "Ada" } })
    await remove(one.id)
    const two = await api("POST", "/v1/users", { body: { externalSub } })
    expect([two.status, two.body.name, two.body.id === one.id]).toEqual([201, null, false])
  })

  test("is deleted by admins, and the log says so without a name", async () => {
    const name = newName()
    const { body: user } = await api("POST", "/v1/users", { body: { externalSub: randomUUID(), name } })
    const admin = await addMember(server.url, rows, acme.id, "admin")
    expect((await remove(user.id, { key: undefined, cookie: admin.cookie })).status).toBe(204)
    const { entries } = (await api("GET", `/v1/workspaces/${acme.id}/audit`)).body
    const entry = entries.find((one: Json) => one.action === "user.deleted" && one.targetId === user.id)
    expect(entry).toMatchObject({ actor: { kind: "account", id: admin.id } })
    expect(JSON.stringify(entries)).not.toContain(name)
  })

  test("stays when the deleting member is removed meanwhile", async () => {
    const { body: user } = await api("POST", "/v1/users", { body: { externalSub: randomUUID() } })
    const admin = await addMember(server.url, rows, acme.id, "admin")
    const answer = await whileHolding(
      server.databaseUrl,
      [
        ["select 1 from workspaces where id = $1 for no key update", [acme.id]],
        ["delete from workspace_members where id = $1", [admin.memberId]],
      ],
      () => remove(user.id, { key: undefined, cookie: admin.cookie }),
    )
    expect(answer.status).toBe(401)
    expect((await remove(user.id)).status).toBe(204)
  })

  test("with an account: an unproved address erases nobody's registration", async () => {
    const event = await createEvent(server.url, acme.key, { visibility: "public" })
    await api("POST", `/v1/events/${event.id}/publish`)
    const member = await addMember(server.url, rows, acme.id, "member")
    const register = { body: { name: "The true owner", email: member.email } }
    await call(server.url, "POST", `/v1/public/events/${event.id}/register`, register)
    const { participant } = (
      await api("POST", `/v1/workspaces/${acme.id}/session`, { key: undefined, cookie: member.cookie })
    ).body
    expect((await remove(participant.userId)).status).toBe(204)
    expect((await api("GET", `/v1/events/${event.id}/registrations`)).body.registrations).toHaveLength(1)
    // The member is one still, and gets a new participant with the next session.
    const again = await api("POST", `/v1/workspaces/${acme.id}/session`, { key: undefined, cookie: member.cookie })
    expect([again.status, again.body.participant.userId === participant.userId]).toEqual([200, false])
  })
})
