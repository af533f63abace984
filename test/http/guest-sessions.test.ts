/** Guest sessions: who gets one by a partner's token, and what it opens on the gateway. */
import { randomUUID } from "node:crypto"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EndpointAccess, ignoresCookies, isPublicRead, takesNoCredentials } from "../../src/http/contract/access.ts"
import { Api } from "../../src/http/contract/api.ts"
import { Client } from "../gateway/client.ts"
import {
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  signup,
  tokenIn,
} from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { type Claims, guestClaims, inSeconds, newPartnerKey, signToken } from "../support/partner.ts"
import { openPartnerHouse, type PartnerHouse, REFUSED, summary } from "../support/partner-house.ts"
import { eventually } from "../support/wait.ts"

const key = newPartnerKey("k1")
let house: PartnerHouse
beforeAll(async () => {
  house = await openPartnerHouse(key)
})
afterAll(() => house.stop())
const sign = (more: Claims = {}) => signToken(key.privateKey, guestClaims(more))

const other = newPartnerKey()

describe("a valid token", () => {
  test("gives a session of two hours for a guest who is the same person every time", async () => {
    const eventId = await house.publish({ phases: [{ modality: "broadcast" }, { modality: "meeting" }] })
    const answer = await house.exchange(eventId, await sign({ name: "Grace Hopper", email: "grace@example.com" }))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      sessionToken: expect.any(String),
      expiresAt: expect.any(String),
      eventId,
      participantId: expect.stringMatching(
        /^guest:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      name: "Grace Hopper",
      role: "participant",
    })
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const { exp = 0 } = decodeJwt(answer.body.sessionToken)
    expect(Date.parse(answer.body.expiresAt)).toBe(exp * 1000)
    expect(Math.abs(exp - inSeconds(7200))).toBeLessThan(60)
    const participantId = async (event: string, more: Claims) =>
      (await house.exchange(event, await sign(more))).body.participantId
    expect(await participantId(eventId, { name: "Another name" })).toBe(answer.body.participantId)
    expect(await participantId(eventId, { sub: "guest-2" })).not.toBe(answer.body.participantId)
    expect(await participantId(await house.publish(), {})).not.toBe(answer.body.participantId)
  })

  test("makes a viewer where there is only a broadcast", async () => {
    const eventId = await house.publish({ phases: [{ modality: "broadcast" }] })
    expect((await house.exchange(eventId, await sign())).body.role).toBe("viewer")
  })

  test("needs no name, and an odd one becomes one clean line", async () => {
    const eventId = await house.publish()
    for (const [name, shown] of [
      [undefined, "Guest"],
      [null, "Guest"],
      ["  \n", "Guest"],
      ["Grace\n\u202eHopper", "Grace Hopper"],
      ["x".repeat(1000), "x".repeat(200)],
    ]) {
      const answer = await house.exchange(eventId, await sign({ name }))
      expect([answer.status, answer.body.name]).toEqual([200, shown])
    }
  })

  test("opens private and unlisted events like public ones, from any site and beside any credential", async () => {
    for (const visibility of ["public", "unlisted", "private"]) {
      const options = { key: "gck_wrong", cookie: "gc_session=wrong", headers: { origin: "https://partner.example" } }
      const answer = await house.exchange(await house.publish({ visibility }), await sign(), options)
      expect(answer.status, visibility).toBe(200)
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    }
  })

  test("leaves no account, workspace, user or membership behind", async () => {
    const event = await createLiveEvent(house.url, house.acme.key, { phases: [{ modality: "meeting" }] })
    const count = () =>
      house.sql`select (select count(*) from accounts) as a, (select count(*) from workspaces) as w,
                 (select count(*) from users) as u, (select count(*) from memberships) as m`
    const before = await count()
    const { body } = await house.exchange(
      event.id,
      await sign({ name: "Nobody", email: `${randomUUID()}@example.com` }),
    )
    const client = new Client((await gatewayToken(house.url, event.id, body.sessionToken)).url)
    await client.identify((await gatewayToken(house.url, event.id, body.sessionToken)).token)
    await client.cut()
    expect([...(await count())]).toEqual([...before])
  })
})

describe("an event", () => {
  test("that is a draft, unknown or no id is not found, before the body is looked at", async () => {
    const draft = await createEvent(house.url, house.acme.key)
    for (const id of [draft.id, randomUUID(), "nonsense"]) {
      for (const body of [{ token: await sign() }, { token: 7 }, []]) {
        const answer = await house.exchange(id, undefined, { body })
        expect([answer.status, answer.body.code]).toEqual([404, "not_found"])
      }
    }
  })

  test("that has ended is a conflict for a good token, and a bad token stays a bad token", async () => {
    const event = await createLiveEvent(house.url, house.acme.key)
    await call(house.url, "POST", `/v1/events/${event.id}/end`, { key: house.acme.key })
    const answer = await house.exchange(event.id, await sign())
    expect([answer.status, answer.body.code]).toEqual([409, "conflict"])
    expect(summary(await house.exchange(event.id, "nonsense"))).toEqual(REFUSED)
  })

  test("of another workspace does not know the issuer", async () => {
    const stranger = await createWorkspace(house.url)
    expect(summary(await house.exchange(await house.publish({}, stranger), await sign()))).toEqual(REFUSED)
    await house.register(stranger, { publicKeyPem: other.pem })
    expect(summary(await house.exchange(await house.publish({}, stranger), await sign()))).toEqual(REFUSED)
  })
})

describe("an address that an account has proved", () => {
  test("is refused, however it is written; one that somebody only signed up with is not", async () => {
    const account = await signup(house.url)
    const eventId = await house.publish()
    expect((await house.exchange(eventId, await sign({ email: account.email }))).status).toBe(200)
    const { verifyUrl } = (await call(house.url, "POST", "/v1/accounts/resend-verification", account)).body
    const token = tokenIn(verifyUrl)
    await call(house.url, "POST", "/v1/accounts/verify", { body: { token } })
    for (const email of [account.email, ` ${account.email.toUpperCase()}\n`]) {
      const answer = await house.exchange(eventId, await sign({ email }))
      expect([answer.status, answer.body.code]).toEqual([409, "account_exists"])
    }
    expect((await house.exchange(eventId, await sign({ email: `x${account.email}` }))).status).toBe(200)
    expect((await house.exchange(eventId, await sign({ email: null }))).status).toBe(200)
  })

  test("is in no answer without a valid token", async () => {
    const { email } = await signup(house.url)
    const forged = await signToken(other.privateKey, guestClaims({ email }))
    expect(summary(await house.exchange(await house.publish(), forged))).toEqual(REFUSED)
  })
})

test("clocks may differ by half a minute", async () => {
  const eventId = await house.publish()
  expect((await house.exchange(eventId, await sign({ exp: inSeconds(-5) }))).status).toBe(200)
  expect((await house.exchange(eventId, await sign({ nbf: inSeconds(15) }))).status).toBe(200)
})

test("a token of up to 16 KiB is taken, with an issuer as odd as it was registered", async () => {
  const workspace = await createWorkspace(house.url)
  const issuer = ` ${"ü€😀".repeat(400)} `
  await house.register(workspace, { publicKeyPem: key.pem }, issuer)
  const token = await sign({ iss: issuer, padding: "x".repeat(7000) })
  expect((await house.exchange(await house.publish({}, workspace), token)).status).toBe(200)
})

describe("how it went", () => {
  test("is noted once a minute for tokens that are good, and takes the last fault back", async () => {
    const workspace = await createWorkspace(house.url)
    const id = await house.register(workspace, { publicKeyPem: key.pem })
    const eventId = await house.publish({}, workspace)
    await house.exchange(eventId, await sign({ exp: inSeconds(-300) }))
    expect((await house.standing(id)).error).toBe("expired")
    await house.exchange(eventId, await sign())
    const first = await house.standing(id)
    expect([first.error, first.verifiedAt]).toEqual([null, expect.any(Date)])
    await Promise.all(Array.from({ length: 5 }, async () => house.exchange(eventId, await sign())))
    expect(await house.standing(id)).toEqual(first)
    await house.sql`update guest_integrations set last_verified_at = last_verified_at - interval '61 seconds' where id = ${id}`
    await house.exchange(eventId, await sign())
    expect(Number((await house.standing(id)).verifiedAt) >= Number(first.verifiedAt)).toBe(true)
  })
})

describe("a guest session", () => {
  const guestOf = async (eventId: string, more: Claims = {}) => (await house.exchange(eventId, await sign(more))).body
  const askGateway = (eventId: string, bearer: string) =>
    call(house.url, "POST", "/v1/auth/gateway-token", { body: { eventId }, bearer })

  test("gives a gateway token for its event, with the role that the event has for guests by then", async () => {
    const eventId = await house.publish({ visibility: "private", phases: [{ modality: "broadcast" }] })
    const guest = await guestOf(eventId)
    const watching = await askGateway(eventId, guest.sessionToken)
    expect(watching.status).toBe(200)
    expect(watching.body).toMatchObject({
      role: "viewer",
      participantId: guest.participantId,
      anonymous: false,
      eventId,
    })
    await call(house.url, "POST", `/v1/events/${eventId}/phases`, {
      key: house.acme.key,
      body: { modality: "meeting" },
    })
    expect((await askGateway(eventId, guest.sessionToken)).body.role).toBe("participant")
  })

  test("opens no other event, none that has ended, and nothing once it is altered", async () => {
    const event = await createLiveEvent(house.url, house.acme.key)
    const { sessionToken } = await guestOf(event.id)
    expect((await askGateway(await house.publish(), sessionToken)).status).toBe(404)
    expect((await askGateway(event.id, `${sessionToken}x`)).status).toBe(401)
    await call(house.url, "POST", `/v1/events/${event.id}/end`, { key: house.acme.key })
    expect((await askGateway(event.id, sessionToken)).status).toBe(409)
  })

  test("outlives the integration that let the guest in, while new ones are refused at once", async () => {
    const workspace = await createWorkspace(house.url)
    const id = await house.register(workspace, { publicKeyPem: key.pem })
    const eventId = await house.publish({}, workspace)
    const { sessionToken } = await guestOf(eventId)
    const path = `/v1/workspaces/${workspace.id}/guest-integrations/${id}`
    expect((await call(house.url, "DELETE", path, { key: workspace.key })).status).toBe(204)
    expect(summary(await house.exchange(eventId, await sign()))).toEqual(REFUSED)
    expect((await askGateway(eventId, sessionToken)).status).toBe(200)
    await house.register(workspace, { publicKeyPem: key.pem })
    expect((await house.exchange(eventId, await sign())).status).toBe(200)
  })

  test("joins as a guest by name, has its role by the phase, and causes webhooks", async () => {
    const workspace = await createWorkspace(house.url)
    await house.register(workspace, { publicKeyPem: key.pem })
    const hook = await startReceiver()
    const eventTypes = ["participant.joined"]
    await call(house.url, "POST", "/v1/webhooks", { key: workspace.key, body: { url: hook.url, eventTypes } })
    const phases = [{ modality: "broadcast" }, { modality: "meeting" }]
    const event = await createLiveEvent(house.url, workspace.key, { phases })
    const guest = await guestOf(event.id, { name: "Grace" })
    const grant = await gatewayToken(house.url, event.id, guest.sessionToken)
    const client = new Client(grant.url)
    const ready = await client.identify(grant.token)
    expect(ready.d.me).toMatchObject({ participantId: guest.participantId, role: "viewer", name: "Grace" })
    expect(ready.d.tokenExpiresAt).toBe(guest.expiresAt)
    const host = await createPerson(house.url, workspace.key, event.id, "host")
    const watcher = new Client(grant.url)
    const seen = await watcher.identify((await gatewayToken(house.url, event.id, host.session)).token)
    const guests = () => [
      ...seen.d.presence.list,
      ...watcher.received.flatMap(({ t, d }) => (t === "presence.diff" ? d.join : [])),
    ]
    await eventually(() => guests().some(({ kind }) => kind === "guest"), "the guest's presence")
    expect(guests()).toContainEqual(
      expect.objectContaining({ participantId: guest.participantId, name: "Grace", kind: "guest", role: "viewer" }),
    )
    await call(house.url, "POST", `/v1/events/${event.id}/advance`, { key: workspace.key, body: {} })
    expect((await client.dispatch("me.updated")).d.role).toBe("participant")
    await hook.count(2)
    const told = hook.received
      .map(({ body }) => JSON.parse(body))
      .find(({ participantId }) => participantId === guest.participantId)
    expect(told).toMatchObject({ type: "participant.joined", anonymous: false, role: "viewer" })
    expect(told).not.toHaveProperty("userId")
    await Promise.all([client.cut(), watcher.cut()])
  })

  test("of a guest whom a host removed does not let them back in, nor does a new one", async () => {
    const event = await createLiveEvent(house.url, house.acme.key, { phases: [{ modality: "meeting" }] })
    const guest = await guestOf(event.id, { sub: "unruly" })
    const host = await createPerson(house.url, house.acme.key, event.id, "host")
    const grant = await gatewayToken(house.url, event.id, host.session)
    const staff = new Client(grant.url)
    await staff.identify(grant.token)
    const enter = async (session: string) => {
      const client = new Client(grant.url)
      await client.hello()
      client.send({ op: 2, d: { token: (await gatewayToken(house.url, event.id, session)).token } })
      return client
    }
    const client = await enter(guest.sessionToken)
    await client.dispatch("ready")
    const removed = await staff.command("participant.remove", { id: guest.participantId, block: true })
    expect(removed.ok, JSON.stringify(removed)).toBe(true)
    expect(await client.closeCode()).toBe(4304)
    expect(await (await enter((await guestOf(event.id, { sub: "unruly" })).sessionToken)).closeCode()).toBe(4304)
    await staff.cut()
  })

  test("is renewed in band by a new one of the same guest, and by nobody else's", async () => {
    const event = await createLiveEvent(house.url, house.acme.key, { phases: [{ modality: "meeting" }] })
    const tokenFor = async (sub: string) =>
      (await gatewayToken(house.url, event.id, (await guestOf(event.id, { sub })).sessionToken)).token
    const { url } = await gatewayToken(house.url, event.id, (await guestOf(event.id)).sessionToken)
    const client = new Client(url)
    await client.identify(await tokenFor("renewing"))
    client.send({ op: 12, id: "r1", d: { token: await tokenFor("renewing") } })
    expect(await client.next(({ op, id }) => op === 4 && id === "r1", "the renewal")).toMatchObject({ ok: true })
    client.send({ op: 12, d: { token: await tokenFor("another") } })
    expect((await client.next(({ op }) => op === 13, "the refusal")).d.code).toBe("forbidden")
    await client.cut()
  })

  test("is no credential for anything but viewer surfaces and commands to live events", async () => {
    const eventId = await house.publish()
    const { sessionToken } = await guestOf(eventId)
    const answers: string[] = []
    const routes: Array<{ readonly method: string; readonly path: string }> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const access = Context.getUnsafe(endpoint.annotations, EndpointAccess)
        if (takesNoCredentials(access) || isPublicRead(access) || ignoresCookies(access)) return
        routes.push({ method: endpoint.method, path: endpoint.path })
      },
    })
    for (const { method, path } of routes) {
      const answer = await call(house.url, method, path.replaceAll(/:\w+/g, eventId), { bearer: sessionToken })
      if (answer.status !== 403) answers.push(`${method} ${path}: ${answer.status}`)
    }
    expect(routes.length).toBeGreaterThan(20)
    expect(answers).toEqual([])
    for (const options of [{ key: sessionToken }, { cookie: `gc_session=${sessionToken}` }]) {
      expect((await call(house.url, "GET", "/v1/workspaces", options)).status).toBe(401)
    }
  })
})
