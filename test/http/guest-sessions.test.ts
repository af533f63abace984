/** The exchange of a partner's token for a guest session: who gets in, where, and what stays of it. */
import { randomUUID } from "node:crypto"
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createEvent, createLiveEvent, createWorkspace, gatewayToken, signup, tokenIn } from "../support/api.ts"
import { type Claims, guestClaims, inSeconds, newPartnerKey, signToken } from "../support/partner.ts"
import { openPartnerHouse, type PartnerHouse, REFUSED, summary } from "../support/partner-house.ts"

const other = newPartnerKey()

const key = newPartnerKey("k1")

let house: PartnerHouse
beforeAll(async () => {
  house = await openPartnerHouse(key)
})
afterAll(() => house.stop())

const sign = (more: Claims = {}) => signToken(key.privateKey, guestClaims(more))

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

test.each<[string, unknown]>([
  ["no token", {}],
  ["an empty token", { token: "" }],
  ["a token that is no text", { token: 7 }],
  ["a null token", { token: null }],
  ["a token that no text can hold", { token: "a\u0000b" }],
  ["a property too many", { token: "x", name: "Mallory" }],
  ["a list", ["token"]],
])("a body with %s is refused", async (_what, body) => {
  const answer = await house.exchange(await house.publish(), undefined, { body })
  expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
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
