/** Taking a place at an event, and coming in with the link from the email. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { createEvent, createPerson, gatewayToken, type Json, tokenIn, untilTaken } from "../support/api.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = apiOf(server)
const drive = (id: string, verb: string) => api("POST", `/v1/events/${id}/${verb}`, { key: acme.key })
const published = async (fields: object = {}): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { ...fields })
  await drive(event.id, "publish")
  return event
}
const newEmail = () => `${randomUUID()}@example.com`
const register = (eventId: string, body: object) => api("POST", `/v1/public/events/${eventId}/register`, { body })
const enter = (eventId: string, token: unknown) =>
  api("POST", `/v1/public/events/${eventId}/enter`, { body: { token } })
const emailTo = async (email: string) => (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails
const entryToken = async (eventId: string, name = "Ada"): Promise<string> => {
  const email = newEmail()
  await register(eventId, { name, email })
  return tokenIn((await emailTo(email))[0].links[0])
}

describe("registering", () => {
  test("takes a place once, and mails the entry link each time", async () => {
    const event = await published({ capacity: 5 })
    const email = newEmail()
    const first = await register(event.id, { name: "Ada", email: ` ${email.toUpperCase()} ` })
    const again = await register(event.id, { name: "Ada L.", email })
    const mails = await emailTo(email)
    expect(mails).toHaveLength(2)
    expect(mails[0].links[0]).toMatch(new RegExp(`/enter/${event.id}#token=\\w{43}$`))
    // The link is in the email alone, also outside production: the answer to a repeat is for anybody who knows the address.
    expect([first.status, first.body]).toEqual([200, { registered: true, alreadyRegistered: false }])
    expect([again.status, again.body]).toEqual([200, { registered: true, alreadyRegistered: true }])
    const seen = await api("GET", `/v1/public/events/${event.id}`)
    expect(seen.body.capacity).toEqual({ total: 5, remaining: 4 })
  })

  test("gives out exactly as many seats as there are, however many come at once", async () => {
    const event = await published({ capacity: 7 })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => {
        const body = { name: "Ada", email: newEmail() }
        return untilTaken(() => register(event.id, body))
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(["409 event_full"]))
  })

  test("counts one address once, however often it is sent at once, and still knows it when all seats are gone", async () => {
    const event = await published({ capacity: 1 })
    const email = newEmail()
    const answers = await Promise.all([1, 2, 3, 4].map(() => register(event.id, { name: "Ada", email })))
    expect(answers.map(({ body }) => body.alreadyRegistered).toSorted()).toEqual([false, true, true, true])
    expect((await register(event.id, { name: "B", email: newEmail() })).body.code).toBe("event_full")
    expect((await register(event.id, { name: "Ada", email })).body).toMatchObject({
      registered: true,
      alreadyRegistered: true,
    })
  })

  test("is open for public and unlisted events, also live ones; not for private ones and drafts; closed for ended ones", async () => {
    const body = () => ({ name: "Ada", email: newEmail() })
    const hidden = await published({ visibility: "private" })
    const unlisted = await published({ visibility: "unlisted" })
    const draft = await createEvent(server.url, acme.key)
    expect((await register(hidden.id, body())).status).toBe(404)
    expect((await register(draft.id, body())).status).toBe(404)
    expect((await register(randomUUID(), body())).status).toBe(404)
    expect((await register(unlisted.id, body())).status).toBe(200)
    await drive(unlisted.id, "start")
    expect((await register(unlisted.id, body())).status).toBe(200)
    await drive(unlisted.id, "end")
    const late = await register(unlisted.id, body())
    expect([late.status, late.body.code]).toEqual([409, "conflict"])
  })

  test.each([
    ["no name", { email: "a@example.com" }],
    ["an empty name", { name: "", email: "a@example.com" }],
    ["a name of two lines", { name: "Bob\r\n\r\nGo to https://evil.example", email: "a@example.com" }],
    ["a blank name", { name: "   ", email: "a@example.com" }],
    ["a name of 201 characters", { name: "x".repeat(201), email: "a@example.com" }],
    ["no address", { name: "Ada" }],
    ["an address of 2 characters", { name: "Ada", email: "a@" }],
    ["an address of 321 characters", { name: "Ada", email: `${"x".repeat(309)}@example.com` }],
    ["markup in the address", { name: "Ada", email: "<script>@example.com" }],
    ["an address with a character that is not seen", { name: "Ada", email: "admin\u200b@example.com" }],
    ["an address with two dots in a row", { name: "Ada", email: "a@b..c" }],
    ["no e-mail format", { name: "Ada", email: "nobody" }],
    ["a property more", { name: "Ada", email: "a@example.com", role: "host" }],
  ])("refuses %s", async (_name, body) => {
    const event = await published()
    const answer = await register(event.id, body)
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
  })

  test.each([
    ["a name of 200 characters", { name: "x".repeat(200) }],
    ["an address of 3 characters", { email: "a@b" }],
    ["an address of 320 characters", { email: `${"x".repeat(308)}@example.com` }],
  ])("takes %s", async (_name, fields) => {
    const event = await published()
    expect((await register(event.id, { name: "Ada", email: newEmail(), ...fields })).status).toBe(200)
  })
})

describe("the capacity of an event", () => {
  test("cannot fall below the number of registrations", async () => {
    const event = await published({ capacity: 5 })
    await register(event.id, { name: "A", email: newEmail() })
    await register(event.id, { name: "B", email: newEmail() })
    const change = (capacity: number | null) =>
      api("PATCH", `/v1/events/${event.id}`, { key: acme.key, body: { capacity } })
    const low = await change(1)
    expect([low.status, low.body.code]).toEqual([409, "conflict"])
    expect((await change(2)).status).toBe(200)
    expect((await register(event.id, { name: "C", email: newEmail() })).body.code).toBe("event_full")
    expect((await change(null)).status).toBe(200)
    expect((await register(event.id, { name: "C", email: newEmail() })).status).toBe(200)
    expect((await api("GET", `/v1/public/events/${event.id}`)).body.capacity).toBeNull()
  })
})

describe("the capacity of an event that people register for meanwhile", () => {
  test("never ends below them, whichever came first", async () => {
    for (let round = 0; round < 5; round++) {
      const event = await published({ capacity: 50 })
      await register(event.id, { name: "A", email: newEmail() })
      const change = api("PATCH", `/v1/events/${event.id}`, { key: acme.key, body: { capacity: 2 } })
      const others = Array.from({ length: 5 }, () => register(event.id, { name: "B", email: newEmail() }))
      const [changed] = await Promise.all([change, ...others])
      const read = await api("GET", `/v1/events/${event.id}`, { key: acme.key })
      const [row] = await rows.run("select count(*)::int as n from registrations where event_id = $1", [event.id])
      expect([200, 409]).toContain(changed.status)
      expect(row?.["n"]).toBeLessThanOrEqual(read.body.capacity)
      // The event goes on as if nothing had been tried.
      expect((await api("PATCH", `/v1/events/${event.id}`, { key: acme.key, body: { title: "Next" } })).status).toBe(
        200,
      )
    }
  })
})

describe("entering", () => {
  test("exchanges the link's token for a session, as often as it is opened", async () => {
    const event = await published()
    const token = await entryToken(event.id, "  Ada  ")
    for (let time = 0; time < 2; time++) {
      const answer = await enter(event.id, token)
      expect([answer.status, answer.body]).toEqual([
        200,
        { sessionToken: expect.any(String), eventId: event.id, name: "Ada" },
      ])
    }
  })

  test("the session joins the gateway as a registrant and manages nothing", async () => {
    const event = await published({ visibility: "unlisted", phases: [{ modality: "meeting" }] })
    const bearer = (await enter(event.id, await entryToken(event.id))).body.sessionToken
    const grant = await api("POST", "/v1/auth/gateway-token", { bearer, body: { eventId: event.id } })
    expect([grant.status, grant.body]).toMatchObject([
      200,
      { role: "participant", anonymous: false, participantId: expect.stringMatching(/^reg:[0-9a-f-]{36}$/) },
    ])
    const other = await published()
    const elsewhere = await api("POST", "/v1/auth/gateway-token", { bearer, body: { eventId: other.id } })
    expect(elsewhere.status).toBe(404)
    expect((await api("GET", "/v1/events", { bearer })).status).toBe(403)
    expect((await api("GET", `/v1/events/${event.id}`, { bearer })).status).toBe(403)
  })

  test("works until a day after the end, and no longer", async () => {
    const event = await published()
    const token = await entryToken(event.id)
    await drive(event.id, "start")
    await drive(event.id, "end")
    expect((await enter(event.id, token)).status).toBe(200)
    await rows.run("update events set ended_at = now() - interval '24 hours 1 second' where id = $1", [event.id])
    expect((await enter(event.id, token)).status).toBe(401)
  })

  test("ends for somebody whom a host has blocked, and not for one who may come back", async () => {
    const event = await published({ visibility: "unlisted", phases: [{ modality: "meeting" }] })
    await drive(event.id, "start")
    const connect = async (session: string) => {
      const { token, url } = await gatewayToken(server.url, event.id, session)
      const client = new Client(url)
      return { client, ready: await client.identify(token) }
    }
    const { client: host } = await connect((await createPerson(server.url, acme.key, event.id, "host")).session)
    for (const block of [false, true]) {
      const token = await entryToken(event.id)
      const { client, ready } = await connect((await enter(event.id, token)).body.sessionToken)
      const removal = await host.command("participant.remove", { id: ready.d.me.participantId, block })
      expect(removal).toMatchObject({ ok: true })
      expect((await enter(event.id, token)).status).toBe(block ? 401 : 200)
      await client.cut()
    }
    await host.cut()
  })

  test("with another event's token, an unknown one or none is refused", async () => {
    const [event, other] = [await published(), await published()]
    const token = await entryToken(other.id)
    expect((await enter(event.id, token)).status).toBe(401)
    expect((await enter(event.id, "nonsense")).status).toBe(401)
    expect((await enter(event.id, "x".repeat(1000))).status).toBe(401)
    for (const bad of ["", 7, undefined]) expect((await enter(event.id, bad)).status).toBe(400)
    const more = await api("POST", `/v1/public/events/${other.id}/enter`, { body: { token, name: "x" } })
    expect(more.status).toBe(400)
    await api("DELETE", `/v1/events/${other.id}`, { key: acme.key })
    expect((await enter(other.id, token)).status).toBe(404)
  })
})
