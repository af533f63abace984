/** What is stored about a partner's guest, and taking it away: the guest is known by issuer and subject alone. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Json,
} from "../support/api.ts"
import { addMember } from "../support/members.ts"
import { guestClaims, ISSUER, newPartnerKey, signToken } from "../support/partner.ts"
import { openPartnerHouse, type PartnerHouse } from "../support/partner-house.ts"
import { whileHolding } from "../support/race.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { tablesWith } from "../support/traces.ts"
import { eventually } from "../support/wait.ts"

const key = newPartnerKey()
const MEETING = { visibility: "private", phases: [{ modality: "meeting", featureSet: ["qa", "chat", "polls"] }] }

let house: PartnerHouse
let rows: Rows
let databaseUrl: string
beforeAll(async () => {
  house = await openPartnerHouse(key)
  databaseUrl = house.databaseUrl
  rows = rowsOf(databaseUrl)
})
afterAll(async () => {
  await rows.end()
  await house.stop()
})

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(house.url, method, path, { key: house.acme.key, ...options })

const queryOf = (guest: { readonly [name: string]: string }): string => new URLSearchParams(guest).toString()
const path = (subject: string, more = "", issuer = ISSUER, workspaceId = house.acme.id) =>
  `/v1/workspaces/${workspaceId}/guests${more}?${queryOf({ issuer, subject })}`
const erase = (subject: string, options: CallOptions = {}) => api("DELETE", path(subject), options)

const newGuest = () => {
  // As partners name people: with characters that an address has to escape.
  const sub = `crm|${randomUUID()}/ü&=`
  return { sub, name: `Zelda ${randomUUID()}` }
}
type NewGuest = ReturnType<typeof newGuest>

const exchange = async (eventId: string, guest: NewGuest) =>
  house.exchange(eventId, await signToken(key.privateKey, guestClaims(guest)))

const mint = (eventId: string, bearer: string) =>
  call(house.url, "POST", "/v1/auth/gateway-token", { bearer, body: { eventId } })

const enter = async (eventId: string, session: string): Promise<Client> => {
  const { url, token } = await gatewayToken(house.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

/** The guest at the event, on the gateway. */
const comes = async (eventId: string, guest: NewGuest) => {
  const { body } = await exchange(eventId, guest)
  return {
    session: body.sessionToken as string,
    id: body.participantId as string,
    client: await enter(eventId, body.sessionToken),
  }
}

const isPresent = async (eventId: string, participantId: string): Promise<boolean> =>
  (
    await rows.run("select 1 from present_participants where event_id = $1 and participant_id = $2", [
      eventId,
      participantId,
    ])
  ).length > 0
const toldOf = (eventId: string, participantId: string) =>
  eventually(() => isPresent(eventId, participantId), "the arrival is told")

/** The first passes are over: a request waits for them for a moment only. */
const passed = () =>
  eventually(async () => (await rows.run("select 1 from erasures where not is_last_pass")).length === 0, "a pass")
/** The last pass ends the erasure. Sessions that are made from now on are made later than the margin after it. */
const isOver = async (): Promise<void> => {
  await rows.run("delete from erasures")
  await rows.run("update erased_guests set erased_at = erased_at - interval '5 minutes'")
}

const all = async (subject: string, limit: number): Promise<ReadonlyArray<Json>> => {
  const items: Json[] = []
  let cursor: string | null = null
  do {
    const answer = await api(
      "GET",
      `${path(subject, "/export")}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
    )
    expect(answer.status).toBe(200)
    expect(answer.body.items.length).toBeLessThanOrEqual(limit)
    items.push(...answer.body.items)
    cursor = answer.body.nextCursor
  } while (cursor !== null)
  return items
}

const act = async (client: Client, name: string) => {
  const message = await client.command("chat.send", { to: "event", text: `From ${name}` })
  const question = await client.command("question.ask", { text: "Why?" })
  const hand = await client.command("hand.raise", { note: `I am ${name}` })
  expect([message.ok, question.ok, hand.ok]).toEqual([true, true, true])
  return { message: message.d.message, question: question.d.question }
}

describe("a guest who is erased", () => {
  test("is named nowhere: not at a live event, not at one that has ended, not in the lists", async () => {
    const guest = newGuest()
    const past = await createLiveEvent(house.url, house.acme.key, MEETING)
    const open = await createLiveEvent(house.url, house.acme.key, MEETING)
    const before = await comes(past.id, guest)
    await act(before.client, guest.name)
    await toldOf(past.id, before.id)
    await api("POST", `/v1/events/${past.id}/end`)
    expect(await before.client.closeCode()).toBe(4307)

    const host = await createPerson(house.url, house.acme.key, open.id, "host")
    const watching = await enter(open.id, host.session)
    const now = await comes(open.id, guest)
    const acts = await act(now.client, guest.name)
    await watching.dispatch("hand.queue")
    expect((await watching.command("question.vote", { id: acts.question.id, on: true })).ok).toBe(true)
    await toldOf(open.id, now.id)

    expect((await erase(guest.sub)).status).toBe(204)
    expect(await now.client.closeCode()).toBe(4203)
    expect((await watching.dispatch("chat.deleted")).d.ids).toEqual([acts.message.id])
    expect((await watching.dispatch("question.updated")).d.question).toMatchObject({
      anonymous: true,
      authorName: null,
      votes: 1,
    })
    await eventually(async () => !(await isPresent(open.id, now.id)), "the departure is told")
    await passed()
    for (const text of [guest.name, guest.sub]) expect(await tablesWith(rows, text)).toEqual([])
    for (const { id } of [past, open]) {
      expect((await api("GET", `/v1/events/${id}/attendance`)).body.attendees).toContainEqual(
        expect.objectContaining({ name: "Removed person", userId: null }),
      )
      expect((await api("GET", `/v1/events/${id}/questions`)).body.questions).toMatchObject([
        { text: "Why?", authorName: null, anonymous: true },
      ])
      expect((await api("GET", `/v1/events/${id}/chat`)).body.messages).toEqual([])
    }
    const later = await enter(open.id, (await createPerson(house.url, house.acme.key, open.id, "host", "Lea")).session)
    expect(JSON.stringify(later.received)).not.toContain(guest.name)
    const { entries } = (await api("GET", `/v1/workspaces/${house.acme.id}/audit`)).body
    const [own] = entries.filter(({ action }: Json) => action === "guest.erased")
    expect([own]).toMatchObject([{ actor: { kind: "key" }, targetId: expect.any(String) }])
    expect(JSON.stringify(entries)).not.toContain(guest.sub)
    for (const client of [watching, later]) client.socket.close()
    await isOver()
  })

  test("has no session any more, also at events that they have not been at, and a token that was minted opens nothing", async () => {
    const guest = newGuest()
    const [event, other, soon] = [
      await createLiveEvent(house.url, house.acme.key, MEETING),
      await createLiveEvent(house.url, house.acme.key, MEETING),
      await house.publish(MEETING),
    ]
    const { id, session, client } = await comes(event.id, guest)
    await toldOf(event.id, id)
    const elsewhere = [other.id, soon]
    const sessions = await Promise.all(
      elsewhere.map(async (at) => (await exchange(at, guest)).body.sessionToken as string),
    )
    const minted = await gatewayToken(house.url, event.id, session)
    // Another guest of the same partner stays.
    const friend = await comes(event.id, newGuest())

    expect((await erase(guest.sub)).status).toBe(204)
    expect(await client.closeCode()).toBe(4203)
    for (const [at, bearer] of [
      [event.id, session],
      [other.id, sessions[0]],
      [soon, sessions[1]],
    ] as const) {
      expect((await mint(at, bearer ?? "")).status).toBe(401)
    }
    const question = { bearer: session, body: { text: "Still here?" } }
    expect((await call(house.url, "POST", `/v1/public/events/${event.id}/questions`, question)).status).toBe(401)
    const late = new Client(minted.url)
    void late.identify(minted.token).catch(() => undefined)
    expect(await late.closeCode()).toBe(4203)
    expect(await friend.client.command("chat.send", { to: "event", text: "Hello?" })).toMatchObject({ ok: true })
    await friend.client.cut()
    await isOver()
  })

  test("comes back by a new token when the erasure is over, and the session of before stays invalid", async () => {
    const guest = newGuest()
    const event = await createLiveEvent(house.url, house.acme.key, MEETING)
    const { id, session, client } = await comes(event.id, guest)
    await toldOf(event.id, id)
    expect((await erase(guest.sub)).status).toBe(204)
    expect(await client.closeCode()).toBe(4203)
    const refused = await exchange(event.id, guest)
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"])
    expect(refused.body.detail).toContain("being erased")
    // An event that was published after the erasure holds nothing that it could take away.
    expect((await exchange(await house.publish(MEETING), guest)).status).toBe(200)
    await eventually(async () => !(await isPresent(event.id, id)), "the departure is told")
    await passed()
    await isOver()
    // The time of a session counts by the second.
    await eventually(async () => {
      const { status, body } = await exchange(event.id, guest)
      expect(status).toBe(200)
      return (await mint(event.id, body.sessionToken)).status === 200
    }, "a session of after the erasure")
    expect((await mint(event.id, session)).status).toBe(401)
    const back = await comes(event.id, guest)
    expect(back.id).toBe(id)
    expect(await back.client.command("chat.send", { to: "event", text: "I am back" })).toMatchObject({ ok: true })
    await toldOf(event.id, id)
    expect(await tablesWith(rows, guest.name)).toContain("chat_messages")
    // What is new is erased anew.
    expect((await erase(guest.sub)).status).toBe(204)
    expect(await back.client.closeCode()).toBe(4203)
    expect((await mint(event.id, back.session)).status).toBe(401)
    await isOver()
  })

  test("is there no more for a second erasure, and of two at once exactly one erases", async () => {
    const guest = newGuest()
    const event = await createLiveEvent(house.url, house.acme.key, MEETING)
    const { id, client } = await comes(event.id, guest)
    await toldOf(event.id, id)
    const both = await Promise.all([erase(guest.sub), erase(guest.sub)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404])
    expect(await client.closeCode()).toBe(4203)
    const again = await erase(guest.sub)
    expect([again.status, again.body.code]).toEqual([404, "not_found"])
    await eventually(async () => !(await isPresent(event.id, id)), "the departure is told")
    await passed()
    await isOver()
    expect((await erase(guest.sub)).status).toBe(404)
  })

  test("is another workspace's affair, and that of the issuer that named them", async () => {
    const guest = newGuest()
    const event = await createLiveEvent(house.url, house.acme.key, MEETING)
    const { id, client } = await comes(event.id, guest)
    await toldOf(event.id, id)
    const other = await createWorkspace(house.url)
    expect((await api("DELETE", path(guest.sub, "", ISSUER, other.id), { key: other.key })).status).toBe(404)
    expect((await api("GET", path(guest.sub, "/export", ISSUER, other.id), { key: other.key })).body.items).toEqual([])
    expect((await api("DELETE", path(guest.sub, "", "https://another.example"))).status).toBe(404)
    expect((await api("DELETE", path(guest.sub.toUpperCase()))).status).toBe(404)
    expect((await api("DELETE", path(guest.sub, "", ISSUER, randomUUID()))).status).toBe(404)
    expect(await client.command("chat.send", { to: "event", text: "Hello?" })).toMatchObject({ ok: true })
    await client.cut()
  })

  test("is erased by admins, and not by one who is removed meanwhile", async () => {
    const guest = newGuest()
    const event = await createLiveEvent(house.url, house.acme.key, MEETING)
    const { id, client } = await comes(event.id, guest)
    await toldOf(event.id, id)
    const as = (cookie: string) => ({ key: undefined, cookie })
    const admin = await addMember(house.url, rows, house.acme.id, "admin")
    const removed = await whileHolding(
      databaseUrl,
      [
        ["select 1 from workspaces where id = $1 for no key update", [house.acme.id]],
        ["delete from workspace_members where id = $1", [admin.memberId]],
      ],
      () => erase(guest.sub, as(admin.cookie)),
    )
    expect(removed.status).toBe(401)
    expect(await client.command("chat.send", { to: "event", text: "Hello?" })).toMatchObject({ ok: true })
    const second = await addMember(house.url, rows, house.acme.id, "admin")
    expect((await erase(guest.sub, as(second.cookie))).status).toBe(204)
    expect(await client.closeCode()).toBe(4203)
    await isOver()
  })

  test("needs an issuer and a subject of a length that tokens may have", async () => {
    const long = "x".repeat(1025)
    const event = await house.publish(MEETING)
    expect((await exchange(event, { sub: long, name: "Long" })).status).toBe(401)
    expect((await exchange(event, { sub: long.slice(1), name: "Long" })).status).toBe(200)
    expect((await erase(long.slice(1))).status).toBe(404)
    for (const given of [{ issuer: ISSUER }, { subject: "7" }]) {
      for (const [method, more] of [
        ["DELETE", ""],
        ["GET", "/export"],
      ] as const) {
        const answer = await api(method, `/v1/workspaces/${house.acme.id}/guests${more}?${queryOf(given)}`)
        expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
      }
    }
  })
})

test("a guest with the longest subject, whose query would be too long, is exported and erased by the body", async () => {
  const guest = { sub: "漢".repeat(1024), name: `Zelda ${randomUUID()}` }
  const event = await createLiveEvent(house.url, house.acme.key, MEETING)
  const { id, client } = await comes(event.id, guest)
  await toldOf(event.id, id)
  const body = { issuer: ISSUER, subject: guest.sub }
  const where = `/v1/workspaces/${house.acme.id}/guests`
  const headers = { "idempotency-key": randomUUID() }
  const first = await api("POST", `${where}/export?limit=1`, { body, headers })
  expect([first.status, first.body.items.length]).toEqual([200, 1])
  // The export is no act that is remembered: another page under the same key is another answer.
  expect((await api("POST", `${where}/export`, { body, headers })).headers.get("idempotency-replayed")).toBeNull()
  expect((await api("POST", `${where}/erase`, { body })).status).toBe(204)
  expect(await client.closeCode()).toBe(4203)
  expect((await api("POST", `${where}/erase`, { body })).status).toBe(404)
  await isOver()
})

test("the export of a guest has every kind of data, of every event, once, whatever the size of the pages", async () => {
  const guest = newGuest()
  const events = [
    await createLiveEvent(house.url, house.acme.key, MEETING),
    await createLiveEvent(house.url, house.acme.key, MEETING),
  ]
  await house.publish(MEETING)
  const [first, second] = [await comes(events[0]?.id ?? "", guest), await comes(events[1]?.id ?? "", guest)]
  await act(first.client, guest.name)
  const { question } = await act(second.client, guest.name)
  await second.client.command("question.vote", { id: question.id, on: true })
  await toldOf(events[0]?.id ?? "", first.id)
  await toldOf(events[1]?.id ?? "", second.id)
  const items = await all(guest.sub, 100)
  const kinds = items.map(({ kind, eventId }) => [kind, events.findIndex(({ id }) => id === eventId)])
  expect(kinds).toEqual([
    ["attendance", 1],
    ["chatMessage", 1],
    ["question", 1],
    ["questionVote", 1],
    ["record", 1],
    ["attendance", 0],
    ["chatMessage", 0],
    ["question", 0],
    ["record", 0],
  ])
  expect(items.filter(({ kind }) => kind === "chatMessage").map(({ data }) => data)).toMatchObject([
    { name: guest.name, text: `From ${guest.name}` },
    { name: guest.name, text: `From ${guest.name}` },
  ])
  for (const limit of [1, 4]) expect(await all(guest.sub, limit)).toEqual(items)
  const wrong = await api("GET", `${path(guest.sub, "/export")}&cursor=x`)
  expect([wrong.status, wrong.body.code]).toEqual([400, "bad_request"])
  expect((await all("nobody", 100)).length).toBe(0)
  await Promise.all([first.client.cut(), second.client.cut()])
})
