/** Commands to a live event over HTTP: who may send them, how often they are executed, and what a batch does. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  gatewayToken,
  type Json,
  problemOf,
} from "../support/api.ts"
import { guestClaims, ISSUER, newPartnerKey, signToken } from "../support/partner.ts"
import { openPartnerHouse, type PartnerHouse } from "../support/partner-house.ts"

const partner = newPartnerKey("k1")

let house: PartnerHouse
let key: string
beforeAll(async () => {
  house = await openPartnerHouse(partner)
  key = house.acme.key
})
afterAll(() => house.stop())

const FEATURES = ["chat", "polls", "qa", "reactions"]
const PHASES = [
  { modality: "meeting", featureSet: FEATURES },
  { modality: "meeting", featureSet: FEATURES },
]
const live = (): Promise<Json> => createLiveEvent(house.url, key, { phases: PHASES })

const send = (eventId: string, body: object, options: CallOptions = { key }) =>
  call(house.url, "POST", `/v1/events/${eventId}/commands`, { body, ...options })
const sendAll = (eventId: string, body: object, options: CallOptions = { key }) =>
  call(house.url, "POST", `/v1/events/${eventId}/commands/batch`, { body, ...options })
const under = (name: string, options: CallOptions = { key }): CallOptions => ({
  ...options,
  headers: { "idempotency-key": name },
})
const get = (eventId: string, part: string) => call(house.url, "GET", `/v1/events/${eventId}/${part}`, { key })
const stateOf = async (eventId: string): Promise<Json> => (await get(eventId, "state")).body

const person = async (eventId: string, role: string, name = role) => {
  const { session, userId } = await createPerson(house.url, key, eventId, role, name)
  return { userId, options: { bearer: session } as CallOptions, session }
}
const guest = async (eventId: string) => {
  const subject = randomUUID()
  const token = await signToken(partner.privateKey, guestClaims({ sub: subject, name: "Grace" }))
  const { body } = await house.exchange(eventId, token)
  return { subject, id: body.participantId as string, session: body.sessionToken as string }
}
const connect = async (eventId: string, session: string): Promise<Client> => {
  const { token, url } = await gatewayToken(house.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

describe("a command", () => {
  test("is executed once under its Idempotency-Key; the key is the command's id on sockets too", async () => {
    const { id } = await live()
    const host = await person(id, "host")
    const client = await connect(id, host.session)
    const name = randomUUID()
    const first = await send(id, { t: "phase.next" }, under(name, host.options))
    expect(first.body).toMatchObject({ v: expect.any(Number), d: { phase: { position: 1 } } })
    const again = await send(id, { t: "phase.next" }, under(name, host.options))
    expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([first.body, "true"])
    expect(await client.command("phase.next", {}, { id: name })).toMatchObject({ ok: true, dup: true, v: first.body.v })
    const bySocket = await client.command("chat.slow", { perMs: 1000 }, { id: "socket" })
    const { body } = await send(id, { t: "chat.slow", d: { perMs: 1000 } }, under("socket", host.options))
    expect(body).toEqual({ v: bySocket.v, d: bySocket.d, dup: true })
    expect(problemOf(await send(id, { t: "chat.slow", d: { perMs: 0 } }, under(name, host.options)))).toEqual([
      422,
      "idempotency_key_reused",
    ])
    expect(problemOf(await send(id, { t: "announce", d: { text: "x" } }, under("socket", host.options)))).toEqual([
      422,
      "idempotency_key_reused",
    ])
    await client.cut()
  })

  test("that many send at once under one revision is executed for one of them, and the others get the current phase", async () => {
    const { id } = await live()
    const { rev } = (await stateOf(id)).phase
    const other = (await call(house.url, "POST", "/v1/api-keys", { key, body: {} })).body.secret
    const answers = await Promise.all([key, other].map((one) => send(id, { t: "phase.next", rev }, { key: one })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const late = answers.find(({ status }) => status === 409)
    expect(late?.body).toMatchObject({ code: "conflict", current: { phase: { position: 1 } } })
    expect((await stateOf(id)).phase.position).toBe(1)
  })

  test("names the faulty fields of its data", async () => {
    const { id } = await live()
    const { status, body } = await send(id, { t: "chat.slow", d: { perMs: "soon" } })
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, "bad_request", "#/d/perMs"])
  })

  test("is refused to a guest of another event, and for an event that has ended", async () => {
    const { id } = await live()
    const elsewhere = await guest(await house.publish())
    expect(problemOf(await send(id, { t: "roster.list" }, { bearer: elsewhere.session }))).toEqual([404, "not_found"])
    await send(id, { t: "event.end" })
    expect(problemOf(await send(id, { t: "announce", d: { text: "x" } }))).toEqual([409, "event_ended"])
  })

  test("is refused from the first request after a right has ended", async () => {
    const { id } = await live()
    const made = (await call(house.url, "POST", "/v1/api-keys", { key, body: {} })).body
    expect((await send(id, { t: "chat.slow", d: { perMs: 0 } }, { key: made.secret })).status).toBe(200)
    const path = `/v1/workspaces/${house.acme.id}/api-keys/${made.id}`
    await call(house.url, "DELETE", path, { cookie: house.acme.owner.cookie })
    expect((await send(id, { t: "chat.slow", d: { perMs: 0 } }, { key: made.secret })).status).toBe(401)
    const reader = (await call(house.url, "POST", "/v1/api-keys", { key, body: { scopes: ["read"] } })).body.secret
    expect(problemOf(await send(id, { t: "phase.next" }, { key: reader }))).toEqual([403, "forbidden"])
    const host = await person(id, "host")
    expect((await send(id, { t: "chat.slow", d: { perMs: 0 } }, host.options)).status).toBe(200)
    const body = { userId: host.userId, role: "participant" }
    await call(house.url, "POST", `/v1/events/${id}/memberships`, { key, body })
    expect(problemOf(await send(id, { t: "chat.slow", d: { perMs: 0 } }, host.options))).toEqual([403, "forbidden"])
  })

  test("draws on one budget with those of the participant's sockets", async () => {
    const { id } = await live()
    const { session, options } = await person(id, "participant")
    const client = await connect(id, session)
    const say = (n: number) => ({ to: "event", text: `${n}` })
    for (let n = 0; n < 3; n++) expect((await client.command("chat.send", say(n))).ok).toBe(true)
    const answers = await Promise.all([3, 4, 5, 6, 7, 8].map((n) => send(id, { t: "chat.send", d: say(n) }, options)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.body.code).toBe("rate_limited")
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0)
    await client.cut()
  })
})

describe("somebody without a connection", () => {
  test("takes part as a guest, and has no hand to raise", async () => {
    const { id } = await live()
    const grace = await guest(id)
    const options = { bearer: grace.session }
    const { body } = await send(id, { t: "chat.send", d: { to: "event", text: "Hello" } }, options)
    expect(body.d.message).toMatchObject({ participantId: grace.id, name: "Grace", text: "Hello" })
    expect(problemOf(await send(id, { t: "hand.raise" }, options))).toEqual([409, "conflict"])
    const client = await connect(id, grace.session)
    expect((await send(id, { t: "hand.raise" }, options)).status).toBe(200)
    expect((await stateOf(id)).handQueue.items).toMatchObject([{ participantId: grace.id }])
    await client.cut()
  })

  test("sends reactions and reads the people, whether or not a socket is open", async () => {
    const { id } = await live()
    const grace = await guest(id)
    const options = { bearer: grace.session }
    expect((await send(id, { t: "reaction.send", d: { kind: "clap" } }, options)).body.d).toEqual({})
    expect((await send(id, { t: "roster.list" }, options)).body.d.participants).toEqual([])
    const host = await person(id, "host")
    const client = await connect(id, host.session)
    expect((await send(id, { t: "reaction.send", d: { kind: "clap", n: 3 } }, options)).status).toBe(200)
    const tally = await client.next(({ t, d }) => t === "reaction.tally" && d.counts.clap >= 3, "the claps")
    expect(tally.d.counts.clap).toBeGreaterThanOrEqual(3)
    expect((await send(id, { t: "roster.list" }, options)).body.d.participants).toMatchObject([{ name: "host" }])
    await client.cut()
  })

  test("may do nothing while they wait to be admitted", async () => {
    const { id } = await live()
    await send(id, { t: "lobby.policy", d: { mode: "ask" } })
    const grace = await guest(id)
    const options = { bearer: grace.session }
    const said = { t: "chat.send", d: { to: "event", text: "Hello" } }
    const tried = async () =>
      (await Promise.all([send(id, said, options), send(id, { t: "roster.list" }, options)])).map(
        ({ status, body }) => [status, body.detail],
      )
    const waits = [403, "You wait in the lobby."]
    expect(await tried()).toEqual([waits, waits])
    const host = await person(id, "host")
    const client = await connect(id, host.session)
    expect(await tried()).toEqual([waits, waits])
    await client.cut()
  })

  test("may do nothing once muted, removed for good, or erased", async () => {
    const { id } = await live()
    const [grace, other] = [await guest(id), await guest(id)]
    const options = { bearer: grace.session }
    const said = { t: "chat.send", d: { to: "event", text: "Hello" } }
    const client = await connect(id, grace.session)
    await send(id, { t: "participant.mute", d: { id: grace.id } })
    expect(problemOf(await send(id, said, options))).toEqual([403, "muted"])
    expect((await send(id, { t: "participant.remove", d: { id: grace.id, block: true } })).status).toBe(200)
    expect(await client.closeCode()).toBe(4304)
    for (const t of [said, { t: "roster.list" }])
      expect(problemOf(await send(id, t, options))).toEqual([403, "forbidden"])
    expect((await send(id, said, { bearer: other.session })).status).toBe(200)
    const person = { issuer: ISSUER, subject: other.subject }
    const erased = await call(house.url, "POST", `/v1/workspaces/${house.acme.id}/guests/erase`, { key, body: person })
    expect(erased.status).toBe(204)
    expect((await send(id, said, { bearer: other.session })).status).toBe(401)
  })
})

describe("an API key", () => {
  test("acts under its name, is never present, and cannot be acted on by a host", async () => {
    const { id } = await live()
    const bot = (await call(house.url, "POST", "/v1/api-keys", { key, body: { name: "Robot" } })).body
    const asked = await send(id, { t: "question.ask", d: { text: "Why?" } }, { key: bot.secret })
    expect(asked.body.d.question).toMatchObject({ authorName: "Robot" })
    const { message } = (await send(id, { t: "chat.send", d: { to: "event", text: "Hi" } }, { key: bot.secret })).body.d
    expect(message).toMatchObject({ participantId: `apikey:${bot.id}`, name: "Robot", role: "workspace_admin" })
    expect((await stateOf(id)).presence.total).toBe(0)
    expect((await get(id, "attendance")).body.attendees).toEqual([])
    expect(problemOf(await send(id, { t: "hand.raise" }, { key: bot.secret }))).toEqual([403, "forbidden"])
    const host = await person(id, "host")
    const remove = { t: "participant.remove", d: { id: message.participantId, block: true } }
    expect(problemOf(await send(id, remove, host.options))).toEqual([403, "forbidden"])
  })

  test("leaves one entry in the audit log for what only staff may do, and participants leave none", async () => {
    const { id } = await live()
    await send(id, { t: "announce", d: { text: "Welcome" } })
    await sendAll(id, {
      commands: [
        { t: "chat.slow", d: { perMs: 0 } },
        { t: "announce", d: { text: "x" } },
      ],
    })
    const { options } = await person(id, "participant")
    await send(id, { t: "chat.send", d: { to: "event", text: "Hello" } }, options)
    const path = `/v1/workspaces/${house.acme.id}/audit?action=event.commanded&targetId=${id}`
    expect((await call(house.url, "GET", path, { key })).body.entries).toHaveLength(2)
  })

  test("prepares polls in a draft, and opens them when the event is live", async () => {
    const { id } = await createEvent(house.url, key, { phases: PHASES })
    const poll = { question: "Which?", kind: "single", options: ["a", "b"] }
    const created = (await send(id, { t: "poll.create", d: poll })).body.d.poll
    expect(created).toMatchObject({ status: "draft", question: "Which?" })
    expect(problemOf(await send(id, { t: "question.ask", d: { text: "Why?" } }))).toEqual([409, "feature_disabled"])
    await call(house.url, "POST", `/v1/events/${id}/publish`, { key })
    expect(problemOf(await send(id, { t: "poll.open", d: { id: created.id } }))).toEqual([409, "wrong_phase"])
    await call(house.url, "POST", `/v1/events/${id}/start`, { key })
    expect((await send(id, { t: "poll.open", d: { id: created.id }, rev: created.rev })).status).toBe(200)
    expect((await stateOf(id)).polls).toMatchObject([{ id: created.id, status: "open" }])
  })
})

describe("a batch", () => {
  const SLOW = { t: "chat.slow", d: { perMs: 7000 } }
  const WRONG = { t: "poll.open", d: { id: randomUUID() } }
  const say = (text: string) => ({ t: "announce", d: { text } })

  test("has an outcome for each command, in order, and a refusal stops none", async () => {
    const { id } = await live()
    const name = randomUUID()
    const commands = [SLOW, WRONG, { t: "roster.list" }, { id: "mine", ...say("x") }, { t: "dance" }, { t: "sync" }]
    const { status, body } = await sendAll(id, { commands }, under(name))
    expect(status).toBe(200)
    const shown = body.outcomes.map(({ ok, d, e }: Json) => (ok ? Object.keys(d) : e.code))
    const codes = [["slowMs"], "not_found", ["participants", "nextCursor"], ["announcement"], "unknown_command"]
    expect(shown).toEqual([...codes, "bad_request"])
    expect(body.outcomes[3].id).toBe("mine")
    expect((await sendAll(id, { commands }, under(name))).body).toEqual(body)
    const again = await sendAll(id, { commands: [{ ...say("x"), id: "mine" }] })
    expect(again.body.outcomes).toMatchObject([{ ok: true, dup: true, v: body.outcomes[3].v }])
  })

  test("that is atomic is committed whole", async () => {
    const { id } = await live()
    const host = await person(id, "host")
    const client = await connect(id, host.session)
    const before = (await stateOf(id)).v
    const name = randomUUID()
    const body = { atomic: true, commands: [SLOW, say("one"), { t: "phase.next" }] }
    const { outcomes } = (await sendAll(id, body, under(name))).body
    expect(outcomes.map(({ v }: Json) => v - before)).toEqual([1, 2, 3])
    await client.dispatch("announcement")
    expect(await stateOf(id)).toMatchObject({ phase: { position: 1 }, chat: { slowMs: 7000 } })
    expect((await sendAll(id, body, under(name))).body.outcomes).toEqual(outcomes)
    await client.cut()
  })

  test("that is atomic leaves nothing after a refusal, and names the refused command", async () => {
    const { id } = await live()
    const poll = { t: "poll.create", d: { question: "Which?", kind: "single", options: ["a", "b"] } }
    const before = await stateOf(id)
    const commands = [SLOW, poll, { t: "phase.next" }, WRONG]
    const refused = await sendAll(id, { atomic: true, commands })
    expect([...problemOf(refused), refused.body.errors[0].pointer]).toEqual([404, "not_found", "#/commands/3"])
    const bad = await sendAll(id, { atomic: true, commands: [SLOW, { t: "chat.slow", d: { perMs: "x" } }] })
    expect([...problemOf(bad), bad.body.errors[0].pointer]).toEqual([400, "bad_request", "#/commands/1/d/perMs"])
    const local = await sendAll(id, { atomic: true, commands: [SLOW, { t: "roster.list" }] })
    expect(problemOf(local)).toEqual([400, "bad_request"])
    const { serverTime: _, ...after } = await stateOf(id)
    expect({ serverTime: before.serverTime, ...after }).toEqual(before)
    expect((await send(id, poll)).body).toMatchObject({ v: before.v + 1, d: { poll: { rev: 1 } } })
  })

  test("takes 1 to 50 commands, each under an id of its own", async () => {
    const { id } = await live()
    const many = Array.from({ length: 51 }, () => say("x"))
    expect(problemOf(await sendAll(id, { commands: many }))).toEqual([400, "bad_request"])
    expect(problemOf(await sendAll(id, { commands: [] }))).toEqual([400, "bad_request"])
    const twice = [
      { ...say("x"), id: "a" },
      { ...say("y"), id: "a" },
    ]
    expect((await sendAll(id, { commands: twice })).body.errors[0].pointer).toBe("#/commands/1/id")
    const { outcomes } = (await sendAll(id, { commands: many.slice(0, 50) })).body
    expect(outcomes.filter(({ ok }: Json) => ok)).toHaveLength(50)
  })
})

test("the people who are there, and the rooms, come in pages", async () => {
  const { id } = await createLiveEvent(house.url, key, { phases: [{ modality: "breakout", featureSet: ["chat"] }] })
  const clients: Client[] = []
  for (const name of ["Ada", "Bob", "Cyd"])
    clients.push(await connect(id, (await person(id, "participant", name)).session))
  const plan = { t: "breakout.plan", d: { rooms: ["North", "South", "West"], strategy: "balanced" } }
  const { planId } = { planId: (await send(id, plan)).body.d.plan.id }
  expect((await send(id, { t: "breakout.open", d: { planId } })).status).toBe(200)
  const pages = async (part: string, list: string): Promise<ReadonlyArray<string>> => {
    const names: string[] = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const { body } = await get(id, `${part}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
      names.push(...body[list].map(({ name }: Json) => name))
      cursor = body.nextCursor
    }
    return names
  }
  expect((await pages("participants", "participants")).toSorted()).toEqual(["Ada", "Bob", "Cyd"])
  expect(await pages("rooms", "rooms")).toEqual(["North", "South", "West"])
  expect((await get(id, "participants?q=bo")).body.participants).toMatchObject([{ name: "Bob" }])
  expect((await get(id, "participants?cursor=x")).status).toBe(400)
  expect((await get(id, "rooms?cursor=x")).status).toBe(400)
  for (const client of clients) await client.cut()
})
