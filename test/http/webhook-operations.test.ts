/** Operations on a registered endpoint: changes, a new secret, a ping. */
import { randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { describe, expect, test } from "vitest"
import { verifySignature } from "../../src/webhooks/signature.ts"
import { type Answer, type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { type Received, startReceiver, status } from "../support/http-receiver.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer()

type Api = (method: string, path: string, options?: CallOptions) => Promise<Answer>

interface House {
  readonly api: Api
  readonly key: string
  readonly workspaceId: string
  readonly hook: Json
}

/** A workspace with one endpoint. */
const openHouse = async (url: string, eventTypes: ReadonlyArray<string> = []): Promise<House> => {
  const { key, id } = await createWorkspace(server.url)
  const api: Api = (method, path, options = {}) => call(server.url, method, path, { key, ...options })
  const made = await api("POST", "/v1/webhooks", { body: { url, eventTypes } })
  return { api, key, workspaceId: id, hook: made.body }
}

const publish = async ({ api, key }: House): Promise<void> => {
  const event = await createEvent(server.url, key)
  expect((await api("POST", `/v1/events/${event.id}/publish`)).status).toBe(200)
}

const deliveries = async ({ api, hook }: House): Promise<ReadonlyArray<Json>> =>
  (await api("GET", `/v1/webhooks/${hook.id}/deliveries`)).body.deliveries

const listed = async ({ api, hook }: House): Promise<Json> =>
  (await api("GET", "/v1/webhooks")).body.webhooks.find(({ id }: Json) => id === hook.id)

/** The verdict of a receiver with the Standard Webhooks library and this secret about a request. */
const accepts = (request: Received | undefined, secret: string): boolean => {
  try {
    new Webhook(secret).verify(request?.body ?? "", request?.headers as Record<string, string>)
  } catch {
    return false
  }
  return verifySignature(String(request?.headers["x-gc-signature"]), request?.body ?? "", secret, Date.now() / 1000)
}

/** Straight to the database: what only time does. */
const database = async (statement: string): Promise<void> => {
  const { default: postgres } = await import("postgres")
  const sql = postgres(server.databaseUrl, { max: 1 })
  await sql.unsafe(statement)
  await sql.end()
}

const path = ({ hook }: House, verb = "") => `/v1/webhooks/${hook.id}${verb}`

describe("changing an endpoint", () => {
  test("each field alone, and nothing at all, leaves the others as they are", async () => {
    const house = await openHouse("https://example.com/one")
    const { secret: _, ...before } = house.hook
    expect((await house.api("PATCH", path(house), { body: {} })).body).toEqual(before)
    const moved = await house.api("PATCH", path(house), { body: { url: "https://example.com/two" } })
    expect([moved.status, moved.body]).toEqual([200, { ...before, url: "https://example.com/two" }])
    const eventTypes = ["event.ended", "event.started"]
    const narrowed = await house.api("PATCH", path(house), { body: { eventTypes } })
    expect(narrowed.body).toEqual({ ...moved.body, eventTypes })
    expect((await house.api("PATCH", path(house), { body: { eventTypes: [] } })).body).toEqual(moved.body)
    expect(await listed(house)).toEqual(moved.body)
  })

  test("the next deliveries go to the new address, and only of the types now wanted", async () => {
    const old = await startReceiver()
    const next = await startReceiver()
    const house = await openHouse(old.url)
    await publish(house)
    await old.count(1)
    await house.api("PATCH", path(house), { body: { url: next.url, eventTypes: ["event.started"] } })
    const event = await createEvent(server.url, house.key)
    await house.api("POST", `/v1/events/${event.id}/publish`)
    await house.api("POST", `/v1/events/${event.id}/start`)
    await next.count(1)
    expect(next.received.map(({ headers }) => headers["x-gc-event-type"])).toEqual(["event.started"])
    expect(old.received).toHaveLength(1)
  })

  test("refuses a target and types that are none, and changes nothing", async () => {
    const house = await openHouse("https://example.com/")
    const before = await listed(house)
    for (const body of [
      { url: "https://10.0.0.1/hook" },
      { eventTypes: ["ping"] },
      { eventTypes: ["event.ended", "event.ended"] },
    ]) {
      const answer = await house.api("PATCH", path(house), { body })
      expect([answer.status, answer.body.code], JSON.stringify(body)).toEqual([400, "bad_request"])
      expect(await listed(house), JSON.stringify(body)).toEqual(before)
    }
  })

  test("an id, a workspace or a secret in the body has no effect", async () => {
    const house = await openHouse("https://example.com/")
    const body = { id: randomUUID(), workspaceId: randomUUID(), secret: "whsec_AAAA", disabledReason: "failing" }
    const answer = await house.api("PATCH", path(house), { body })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(await listed(house))
    expect(answer.body).toMatchObject({ id: house.hook.id, disabledReason: null })
  })
})

describe("disabling an endpoint", () => {
  test("skips waiting and new deliveries, until it is active again; then they can be replayed", async () => {
    const receiver = await startReceiver(status(503))
    const house = await openHouse(receiver.url)
    await publish(house)
    await receiver.count(1)
    const off = await house.api("PATCH", path(house), { body: { status: "disabled" } })
    expect(off.body).toMatchObject({ status: "disabled", disabledReason: "manual" })
    // The first try's failure may be noted meanwhile; nothing else changes.
    const again = await house.api("PATCH", path(house), { body: { status: "disabled" } })
    expect({ ...again.body, lastFailureAt: null }).toEqual({ ...off.body, lastFailureAt: null })
    await publish(house)
    const [late] = await deliveries(house)
    expect(late).toMatchObject({ status: "skipped", attemptCount: 0, lastError: null, finishedAt: expect.any(String) })
    const refused = await house.api("POST", `/v1/webhook-deliveries/${late.id}/redeliver`)
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"])

    receiver.answer = status(200)
    const told = receiver.received.length
    const on = await house.api("PATCH", path(house), { body: { status: "active" } })
    expect(on.body).toMatchObject({ status: "active", disabledReason: null })
    expect((await house.api("POST", `/v1/webhook-deliveries/${late.id}/redeliver`)).status).toBe(201)
    await receiver.count(told + 1)
    expect(receiver.received.at(-1)?.headers["x-gc-event-id"]).toBe(late.occurrenceId)
    await expect.poll(async () => (await deliveries(house))[0].status).toBe("delivered")
    expect(await listed(house)).toMatchObject({ lastSuccessAt: expect.any(String), lastFailureAt: expect.any(String) })
  })
})

describe("replacing the secret", () => {
  test("for a day receivers with either secret verify, and afterwards only those with the new one", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    const rotated = await house.api("POST", path(house, "/rotate-secret"))
    expect(rotated.status).toBe(200)
    const { secret: next, previousSecretExpiresAt, ...shown } = rotated.body
    expect(shown).toEqual(await listed(house))
    expect(next).toMatch(/^whsec_/)
    const lifetimeMs = Date.parse(previousSecretExpiresAt) - Date.now()
    expect(lifetimeMs).toBeGreaterThan(23.9 * 3_600_000)
    expect(lifetimeMs).toBeLessThanOrEqual(24 * 3_600_000 + 1_000)

    await house.api("POST", path(house, "/ping"))
    await receiver.count(1)
    const [both] = receiver.received
    expect(String(both?.headers["x-gc-signature"]).match(/v1=/g)).toHaveLength(2)
    expect(String(both?.headers["webhook-signature"]).split(" ")).toHaveLength(2)
    expect([accepts(both, house.hook.secret), accepts(both, next)]).toEqual([true, true])
    expect(accepts(both, `whsec_${Buffer.from(randomUUID()).toString("base64")}`)).toBe(false)

    await database(
      `update webhook_endpoints set previous_secret_until = now() - interval '1 second' where id = '${house.hook.id}'`,
    )
    await house.api("POST", path(house, "/ping"))
    await receiver.count(2)
    const alone = receiver.received[1]
    expect(String(alone?.headers["x-gc-signature"]).match(/v1=/g)).toHaveLength(1)
    expect([accepts(alone, house.hook.secret), accepts(alone, next)]).toEqual([false, true])
  })

  test("replaced again within the day, the last two sign", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    const second = (await house.api("POST", path(house, "/rotate-secret"))).body.secret
    const third = (await house.api("POST", path(house, "/rotate-secret"))).body.secret
    await house.api("POST", path(house, "/ping"))
    await receiver.count(1)
    const verdicts = [house.hook.secret, second, third].map((secret) => accepts(receiver.received[0], secret))
    expect(verdicts).toEqual([false, true, true])
  })

  test("replaced twice at once, both secrets that were shown sign", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    const rotate = async () => (await house.api("POST", path(house, "/rotate-secret"))).body.secret
    const secrets = await Promise.all([rotate(), rotate()])
    await house.api("POST", path(house, "/ping"))
    await receiver.count(1)
    expect(secrets.map((secret) => accepts(receiver.received[0], secret))).toEqual([true, true])
  })

  test("a repeat under the same Idempotency-Key shows the same secret and replaces nothing", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    const headers = { "idempotency-key": randomUUID() }
    const rotate = async () => (await house.api("POST", path(house, "/rotate-secret"), { headers })).body.secret
    const [first, again] = [await rotate(), await rotate()]
    expect(again).toBe(first)
    await house.api("POST", path(house, "/ping"))
    await receiver.count(1)
    expect(accepts(receiver.received[0], house.hook.secret)).toBe(true)
  })

  test("secrets stand sealed in the database and in no list", async () => {
    const house = await openHouse("https://example.com/")
    const { secret } = (await house.api("POST", path(house, "/rotate-secret"))).body
    const { default: postgres } = await import("postgres")
    const sql = postgres(server.databaseUrl, { max: 1 })
    const [row] = await sql`select to_jsonb(e)::text as text, secret_sealed, previous_secret_sealed
                              from webhook_endpoints e where id = ${house.hook.id}`
    await sql.end()
    for (const one of [secret, house.hook.secret]) {
      expect(row?.["text"]).not.toContain(one)
      for (const sealed of [row?.["secret_sealed"], row?.["previous_secret_sealed"]]) {
        expect(Buffer.from(sealed).includes(one)).toBe(false)
      }
    }
    expect(JSON.stringify((await house.api("GET", "/v1/webhooks")).body)).not.toContain("whsec_")
  })
})

describe("a ping", () => {
  test("reaches this endpoint alone, signed, whatever types it wants", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(`${receiver.url}/mine`, ["event.ended"])
    await house.api("POST", "/v1/webhooks", { body: { url: `${receiver.url}/other` } })
    const answer = await house.api("POST", path(house, "/ping"))
    expect(answer.status).toBe(201)
    expect(answer.headers.get("location")).toBe(`/v1/webhook-deliveries/${answer.body.id}`)
    expect(answer.body).toMatchObject({ webhookId: house.hook.id, type: "ping", eventId: null, status: "pending" })
    await receiver.count(1)
    const [request] = receiver.received
    expect(request?.path).toBe("/mine")
    expect(request?.headers).toMatchObject({ "x-gc-event-type": "ping", "x-gc-event-id": answer.body.occurrenceId })
    expect(accepts(request, house.hook.secret)).toBe(true)
    expect(JSON.parse(request?.body ?? "")).toEqual({
      id: answer.body.occurrenceId,
      type: "ping",
      workspaceId: house.workspaceId,
      eventId: null,
      occurredAt: expect.any(String),
      webhookId: house.hook.id,
    })
    const delivered = async () => (await house.api("GET", `/v1/webhook-deliveries/${answer.body.id}`)).body.status
    await expect.poll(delivered).toBe("delivered")
    expect(receiver.received).toHaveLength(1)
  })

  test("to a disabled endpoint is a conflict and stores nothing", async () => {
    const house = await openHouse("https://example.com/")
    await house.api("PATCH", path(house), { body: { status: "disabled" } })
    const answer = await house.api("POST", path(house, "/ping"))
    expect([answer.status, answer.body.code]).toEqual([409, "conflict"])
    expect(await deliveries(house)).toEqual([])
  })
})
