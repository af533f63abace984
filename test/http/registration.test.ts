/** Taking a place at an event, coming in with the link from the email, and giving the place free. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"

import { Client } from "../gateway/client.ts"
import {
  call,
  createEvent,
  createPerson,
  gatewayToken,
  type Json,
  newEmail,
  tokenIn,
  untilTaken,
} from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const rows = sharedRows(server)

const api = apiOf(server)
const drive = (id: string, verb: string) => api("POST", `/v1/events/${id}/${verb}`, { key: acme.key })
const published = async (fields: object = {}): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { ...fields })
  await drive(event.id, "publish")
  return event
}
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

  test("refuses names and addresses that are none", async () => {
    const event = await published()
    for (const [what, body] of [
      ["a name of two lines", { name: "Bob\r\n\r\nGo to https://evil.example", email: "a@example.com" }],
      ["a blank name", { name: "   ", email: "a@example.com" }],
      ["markup in the address", { name: "Ada", email: "<script>@example.com" }],
      ["an address with a character that is not seen", { name: "Ada", email: "admin\u200b@example.com" }],
      ["an address with two dots in a row", { name: "Ada", email: "a@b..c" }],
      ["no e-mail format", { name: "Ada", email: "nobody" }],
    ] as const) {
      const answer = await register(event.id, body)
      expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
    }
  })

  test("takes the longest name, and the shortest and the longest address", async () => {
    const event = await published()
    for (const [what, fields] of [
      ["a name of 200 characters", { name: "x".repeat(200) }],
      ["an address of 3 characters", { email: "a@b" }],
      ["an address of 320 characters", { email: `${"x".repeat(308)}@example.com` }],
    ] as const) {
      expect((await register(event.id, { name: "Ada", email: newEmail(), ...fields })).status, what).toBe(200)
    }
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

  test("with another event's token or an unknown one is refused", async () => {
    const [event, other] = [await published(), await published()]
    const token = await entryToken(other.id)
    expect((await enter(event.id, token)).status).toBe(401)
    expect((await enter(event.id, "nonsense")).status).toBe(401)
    expect((await enter(event.id, "x".repeat(1000))).status).toBe(401)
    await api("DELETE", `/v1/events/${other.id}`, { key: acme.key })
    expect((await enter(other.id, token)).status).toBe(404)
  })
})

describe("leaving", () => {
  const published = async (fields: object = {}): Promise<Json> => {
    const event = await createEvent(server.url, acme.key, { title: "Talks & <more>", ...fields })
    await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    return event
  }
  const register = (id: string, email: string) =>
    call(server.url, "POST", `/v1/public/events/${id}/register`, { body: { name: "Ada <b>", email } })
  const lettersTo = async (email: string): Promise<ReadonlyArray<Json>> =>
    (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails
  const seats = async (id: string): Promise<number> =>
    (await call(server.url, "GET", `/v1/public/events/${id}`)).body.capacity.remaining

  const page = async (path: string, form?: { readonly [field: string]: string }) => {
    const answer = await fetch(`${server.url}${path}`, {
      ...(form === undefined
        ? {}
        : {
            method: "POST",
            body: new URLSearchParams(form),
            headers: { "content-type": "application/x-www-form-urlencoded", origin: server.url },
          }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  /** A place that was taken, and the path and token of the link that gives it free. */
  const taken = async (fields: object = {}) => {
    const event = await published({ capacity: 2, ...fields })
    const email = newEmail()
    await register(event.id, email)
    const [letter] = await lettersTo(email)
    const link = new URL(String(letter?.links[1]))
    expect(letter?.text).toContain(`I cannot come:\n${link}`)
    expect(letter?.html ?? letter?.text).toContain(link.pathname)
    return { event, email, path: link.pathname, token: tokenIn(String(link)) }
  }

  describe("the link of an email", () => {
    test("shows a page with a button, and changes nothing", async () => {
      const { event, path, token } = await taken()
      for (let look = 0; look < 3; look++) {
        expect((await page(path)).status).toBe(200)
        const opened = await page(`${path}/open`, { token })
        expect(opened.status).toBe(200)
        expect(opened.text).toContain("Ada &lt;b&gt;, you have a place at <strong>Talks &amp; &lt;more&gt;</strong>")
        expect(opened.text).toContain(`<form method="post" action="/leave/${event.id}">`)
      }
      expect(await seats(event.id)).toBe(1)
    })

    test("gives the place free with its button, once, and ends the links of all emails", async () => {
      const receiver = await startReceiver()
      const body = { url: receiver.url, eventTypes: ["registration.cancelled"] }
      const hook = await call(server.url, "POST", "/v1/webhooks", { key: acme.key, body })
      const { event, email, path, token } = await taken()
      await register(event.id, email)
      const other = tokenIn((await lettersTo(email))[0].links[0])
      expect(other).not.toBe(token)
      const answers = await Promise.all([1, 2, 3].map(() => page(path, { token })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.find(({ status }) => status === 200)?.text).toContain("Your place is free")
      for (const { status } of answers) expect([200, 401, 404]).toContain(status)
      expect(await seats(event.id)).toBe(2)
      await receiver.count(1)
      await call(server.url, "DELETE", `/v1/webhooks/${hook.body.id}`, { key: acme.key })
      expect(receiver.received.map(({ body: sent }) => JSON.parse(sent))).toMatchObject([
        { type: "registration.cancelled", eventId: event.id, email },
      ])
      for (const one of [token, other]) {
        const enter = await call(server.url, "POST", `/v1/public/events/${event.id}/enter`, { body: { token: one } })
        expect(enter.status).toBe(401)
        expect((await page(`${path}/open`, { token: one })).status).toBe(401)
      }
      expect((await register(event.id, email)).body).toEqual({ registered: true, alreadyRegistered: false })
    })

    test("makes a seat free for somebody else", async () => {
      const { event, path, token } = await taken({ capacity: 1 })
      expect((await register(event.id, newEmail())).body.code).toBe("event_full")
      await page(path, { token })
      expect((await register(event.id, newEmail())).status).toBe(200)
    })

    test("works while the event is cancelled or live, and no more once it has ended", async () => {
      const drive = (id: string, verb: string) =>
        call(server.url, "POST", `/v1/events/${id}/${verb}`, { key: acme.key })
      const cancelled = await taken()
      await drive(cancelled.event.id, "cancel")
      expect((await page(cancelled.path, { token: cancelled.token })).status).toBe(200)
      const [live, ended] = [await taken(), await taken()]
      await drive(live.event.id, "start")
      expect((await page(live.path, { token: live.token })).status).toBe(200)
      for (const verb of ["start", "end"]) await drive(ended.event.id, verb)
      const late = await page(ended.path, { token: ended.token })
      expect([late.status, late.text.includes("The event has ended.")]).toEqual([409, true])
    })

    test("is for its own event, and refuses what is no token", async () => {
      const [one, two] = [await taken(), await taken()]
      expect((await page(one.path, { token: two.token })).status).toBe(401)
      for (const token of ["", "x", "\u0000", "x".repeat(5000)]) {
        expect((await page(one.path, { token })).status).toBe(401)
      }
      expect((await page("/leave/nothing", { token: one.token })).status).toBe(401)
      expect((await page(`/leave/${randomUUID()}`, { token: one.token })).status).toBe(401)
      expect((await page(`/leave/${encodeURIComponent('"><script>')}`)).text).not.toContain("<script>alert")
      expect([await seats(one.event.id), await seats(two.event.id)]).toEqual([1, 1])
    })
  })
})
