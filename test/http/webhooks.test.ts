/** Webhooks: their registration, headers and targets, what is told of registrations, and endpoints that are gone. */

import { randomUUID } from "node:crypto"
import { Ajv2020 } from "ajv/dist/2020.js"
import { default as addFormats } from "ajv-formats"
import { describe, expect, test } from "vitest"
import { WEBHOOK_EXAMPLES } from "../../src/model/integrations/webhook-types.ts"
import { verifySignature } from "../../src/webhooks/signature.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createWorkspace,
  type Json,
  newEmail,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { rowsOf } from "../support/rows.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()

const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

describe("registering an endpoint", () => {
  test("shows its signing secret once and never again", async () => {
    const created = await api("POST", "/v1/webhooks", { body: { url: "https://example.com/hook" } })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ url: "https://example.com/hook", eventTypes: [], status: "active" })
    expect(created.body.secret).toMatch(/^whsec_/)
    const listed = await api("GET", "/v1/webhooks")
    expect(listed.body.webhooks.some((one: { id: string }) => one.id === created.body.id)).toBe(true)
    expect(JSON.stringify(listed.body)).not.toContain("whsec_")
  })

  test("refuses targets that may not be called", async () => {
    for (const url of [
      "http://example.com/hook",
      "https://10.0.0.1/hook",
      "https://169.254.169.254/latest",
      "https://user:pass@example.com/",
      "https://[::ffff:10.0.0.1]/",
      "ftp://example.com/",
      "not a url",
    ]) {
      const answer = await api("POST", "/v1/webhooks", { body: { url } })
      expect([answer.status, answer.body.code], url).toEqual([400, "bad_request"])
    }
  })
})

test("a lifecycle is delivered in order, signed, with the same id and body on a retry", async () => {
  const { key, id: workspaceId } = await createWorkspace(server.url)
  const receiver = await startReceiver(
    (response, _request, nth) => void response.writeHead(nth === 1 ? 503 : 200).end(),
  )
  const created = await api("POST", "/v1/webhooks", { key, body: { url: `${receiver.url}/hook` } })
  const event = await createEvent(server.url, key, { scheduledAt: "2027-01-01T10:00:00Z" })
  for (const verb of ["publish", "start", "end"]) await api("POST", `/v1/events/${event.id}/${verb}`, { key })
  await receiver.count(6)
  const told = receiver.received.map(({ headers, body }) => {
    const signature = String(headers["x-gc-signature"])
    expect(verifySignature(signature, body, created.body.secret, Date.now() / 1000)).toBe(true)
    expect(verifySignature(signature, `${body} `, created.body.secret, Date.now() / 1000)).toBe(false)
    const parsed = JSON.parse(body)
    expect([headers["x-gc-event-id"], headers["x-gc-event-type"]]).toEqual([parsed.id, parsed.type])
    return parsed
  })
  const [first] = told
  expect(first).toEqual({
    id: expect.any(String),
    type: "event.published",
    workspaceId,
    eventId: event.id,
    occurredAt: expect.any(String),
    title: "Launch",
    scheduledAt: "2027-01-01T10:00:00.000Z",
  })
  const retried = receiver.received.filter(({ headers }) => headers["x-gc-event-id"] === first.id)
  expect(retried.map(({ body }) => body)).toEqual([receiver.received[0]?.body, receiver.received[0]?.body])
  expect(told.find(({ type }) => type === "event.started")).toMatchObject({ phaseId: expect.any(String) })
  expect(told.find(({ type }) => type === "event.ended")).toMatchObject({ reason: "end" })
})

test("an endpoint gets only the types it asked for, and nothing after it was deleted", async () => {
  const { key } = await createWorkspace(server.url)
  const receiver = await startReceiver()
  const body = { url: receiver.url, eventTypes: ["event.ended"] }
  const created = await api("POST", "/v1/webhooks", { key, body })
  const drive = async () => {
    const event = await createEvent(server.url, key)
    for (const verb of ["publish", "start", "end"]) await api("POST", `/v1/events/${event.id}/${verb}`, { key })
  }
  await drive()
  await receiver.count(1)
  expect(receiver.received.map(({ headers }) => headers["x-gc-event-type"])).toEqual(["event.ended"])
  await api("DELETE", `/v1/webhooks/${created.body.id}`, { key })
  const witness = await startReceiver()
  await api("POST", "/v1/webhooks", { key, body: { url: witness.url } })
  await drive()
  await witness.count(3)
  expect(receiver.received).toHaveLength(1)
})

describe("headers of an endpoint", () => {
  const VALUE = "Bearer of-the-receiver"

  const publish = async (key: string) => {
    const event = await createEvent(server.url, key)
    expect((await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key })).status).toBe(200)
  }

  test("they are sent with each delivery beside the server's own, and no answer or row shows their values", async () => {
    const receiver = await startReceiver()
    const { key } = await createWorkspace(server.url)
    const headers = [
      { name: "Authorization", value: VALUE },
      { name: "X-Tenant", value: "acme" },
    ]
    const body = { url: receiver.url, eventTypes: ["event.published"], headers }
    const made = await call(server.url, "POST", "/v1/webhooks", { key, body })
    expect([made.status, made.body.headerNames]).toEqual([201, ["authorization", "x-tenant"]])
    const listed = await call(server.url, "GET", "/v1/webhooks", { key })
    const changed = await call(server.url, "PATCH", `/v1/webhooks/${made.body.id}`, { key, body: {} })
    for (const answer of [made, listed, changed]) expect(JSON.stringify(answer.body)).not.toContain("of-the-receiver")
    await publish(key)
    await eventually(() => receiver.received.length === 1, "the delivery")
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: VALUE,
      "x-tenant": "acme",
      "content-type": "application/json",
      "x-gc-event-type": "event.published",
      "x-gc-signature": expect.stringMatching(/^t=/),
    })
    const rows = rowsOf(server.databaseUrl)
    try {
      const [row] = await rows.run(
        `select to_jsonb(e)::text as text from webhook_endpoints e where id = '${made.body.id}'`,
      )
      const sealed = await rows.run(`select headers_sealed from webhook_endpoints where id = '${made.body.id}'`)
      expect(String((row as Json)["text"])).not.toContain("of-the-receiver")
      expect(Buffer.from((sealed[0] as Json)["headers_sealed"]).toString("latin1")).not.toContain("of-the-receiver")
    } finally {
      await rows.end()
    }
  })

  test("a change replaces or removes them, and another address does not get those of the first one", async () => {
    const { key } = await createWorkspace(server.url)
    const headers = [{ name: "authorization", value: VALUE }]
    const made = await call(server.url, "POST", "/v1/webhooks", { key, body: { url: "https://example.com/", headers } })
    const patch = async (body: Json) =>
      (await call(server.url, "PATCH", `/v1/webhooks/${made.body.id}`, { key, body })).body.headerNames
    expect(await patch({ headers: [{ name: "x-tenant", value: "acme" }] })).toEqual(["x-tenant"])
    expect(await patch({ eventTypes: ["event.ended"] })).toEqual(["x-tenant"])
    expect(await patch({ url: "https://example.com/", status: "disabled" })).toEqual(["x-tenant"])
    expect(await patch({ url: "https://example.org/" })).toEqual([])
    expect(await patch({ url: "https://example.net/", headers })).toEqual(["authorization"])
    expect(await patch({ headers: [] })).toEqual([])
  })

  test("headers of the connection and of the delivery, and what is no header, are refused", async () => {
    const { key } = await createWorkspace(server.url)
    const refused: ReadonlyArray<ReadonlyArray<Json>> = [
      ...[
        "Host",
        "content-length",
        "Content-Type",
        "Transfer-Encoding",
        "x-gc-signature",
        "Webhook-Id",
        "User-Agent",
      ].map((name) => [{ name, value: "x" }]),
      ...["", "a b", "a:b", "ä", "-a", "a".repeat(65)].map((name) => [{ name, value: "x" }]),
      ...["", " x", "x ", "a\r\nb: c", "ä", "x".repeat(1001)].map((value) => [{ name: "a", value }]),
      [
        { name: "a", value: "1" },
        { name: "A", value: "2" },
      ],
      Array.from({ length: 11 }, (_, n) => ({ name: `a${n}`, value: "1" })),
    ]
    for (const headers of refused) {
      const body = { url: "https://example.com/", headers }
      const answer = await call(server.url, "POST", "/v1/webhooks", { key, body })
      expect([JSON.stringify(headers).slice(0, 80), answer.status, answer.body.code]).toEqual([
        JSON.stringify(headers).slice(0, 80),
        400,
        "bad_request",
      ])
    }
  })
})

const rows = sharedRows(server)

/** A workspace with a published event, and a receiver of what is told of its registrations. */
const openHouse = async (fields: { readonly capacity?: number } = {}) => {
  const workspace = await createWorkspace(server.url)
  const api = (method: string, path: string, options: CallOptions = {}) =>
    call(server.url, method, path, { key: workspace.key, ...options })
  const receiver = await startReceiver()
  const eventTypes = ["registration.created", "registration.cancelled"]
  await api("POST", "/v1/webhooks", { body: { url: receiver.url, eventTypes } })
  const event = await createEvent(server.url, workspace.key, fields)
  await api("POST", `/v1/events/${event.id}/publish`)
  const register = (email: string, name = "Ada") =>
    call(server.url, "POST", `/v1/public/events/${event.id}/register`, { body: { name, email } })
  const told = async (): Promise<ReadonlyArray<Json>> =>
    (await rows.run("select body from outbox_messages where event_id = $1 order by occurred_at, id", [event.id])).map(
      ({ ["body"]: body }) => JSON.parse(String(body)),
    )
  const listed = async (): Promise<ReadonlyArray<Json>> =>
    (await api("GET", `/v1/events/${event.id}/registrations`)).body.registrations
  return { workspace, api, receiver, event, register, told, listed }
}

describe("registrations", () => {
  test("are told when a place is taken and when it is given free, each once", async () => {
    const { workspace, api, receiver, event, register, listed } = await openHouse()
    const email = newEmail()
    await Promise.all([1, 2, 3].map(() => register(email)))
    const [{ id }] = (await listed()) as [Json]
    await receiver.count(1)
    const path = `/v1/events/${event.id}/registrations/${id}`
    await Promise.all([1, 2, 3].map(() => api("DELETE", path)))
    await receiver.count(2)
    const [created, cancelled] = receiver.received.map(({ body }) => JSON.parse(body))
    const who = { registrationId: id, participantId: `reg:${id}`, name: "Ada", email }
    const base = { workspaceId: workspace.id, eventId: event.id }
    expect(created).toMatchObject({ type: "registration.created", ...base, ...who })
    expect(cancelled).toMatchObject({ type: "registration.cancelled", ...base, ...who })
    await register(email)
    await receiver.count(3)
    const types = receiver.received.map(({ headers }) => headers["x-gc-event-type"])
    expect(types).toEqual(["registration.created", "registration.cancelled", "registration.created"])
    expect(new Set(receiver.received.map(({ headers }) => headers["x-gc-event-id"])).size).toBe(3)
  })

  test("that are refused or come again are not told, and neither is another workspace", async () => {
    const { api, event, register, told } = await openHouse({ capacity: 1 })
    const { receiver: stranger, register: theirs } = await openHouse()
    const email = newEmail()
    await register(email)
    await register(email)
    expect((await register(newEmail())).body.code).toBe("event_full")
    expect((await api("DELETE", `/v1/events/${event.id}/registrations/${randomUUID()}`)).status).toBe(404)
    expect((await told()).map(({ type }) => type)).toEqual(["registration.created"])
    await theirs(newEmail())
    await stranger.count(1)
    expect(stranger.received.map(({ body }) => JSON.parse(body).eventId)).not.toContain(event.id)
  })

  test("of a deleted event are not told as cancelled", async () => {
    const { api, event, register, told } = await openHouse()
    await register(newEmail())
    expect((await api("DELETE", `/v1/events/${event.id}`)).status).toBe(204)
    expect((await told()).map(({ type }) => type)).toEqual(["registration.created"])
  })
})

describe("the list of types", () => {
  test("is public, and is what `eventTypes` takes", async () => {
    const answer = await call(server.url, "GET", "/v1/webhook-event-types", {})
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "public, no-cache"])
    const types: ReadonlyArray<string> = answer.body.eventTypes.map(({ type }: Json) => type)
    expect(types).toEqual(Object.keys(WEBHOOK_EXAMPLES).filter((type) => type !== "ping"))
    const { key } = await createWorkspace(server.url)
    const body = { url: "https://example.com/hook", eventTypes: types }
    const made = await call(server.url, "POST", "/v1/webhooks", { key, body })
    expect([made.status, made.body.eventTypes]).toEqual([201, types])
  })

  test("has for each a schema that stands alone, and takes the body of its type and no other", async () => {
    const { body } = await call(server.url, "GET", "/v1/webhook-event-types", {})
    const ajv = addFormats.default(new Ajv2020({ strict: false }))
    for (const { type, description, schema } of body.eventTypes) {
      expect(description, type).toMatch(/^[A-Z].*\.$/)
      const accepts = ajv.compile(schema)
      expect(accepts(WEBHOOK_EXAMPLES[type]), `${type}: ${JSON.stringify(accepts.errors)}`).toBe(true)
      expect(accepts(WEBHOOK_EXAMPLES["ping"]), type).toBe(false)
    }
  })
})

describe("an endpoint that is gone", () => {
  const api = apiOf(server)
  const verify = async ({ owner: { cookie } }: Workspace) => {
    const { verifyUrl } = (await api("POST", "/v1/accounts/resend-verification", { cookie })).body
    expect((await api("POST", "/v1/accounts/verify", { body: { token: tokenIn(verifyUrl) } })).status).toBe(200)
  }
  const hook = async ({ key }: Workspace, url: string, eventTypes: ReadonlyArray<string>): Promise<string> =>
    (await api("POST", "/v1/webhooks", { key, body: { url, eventTypes } })).body.id
  const publish = async ({ key }: Workspace) => {
    const event = await createEvent(server.url, key)
    await api("POST", `/v1/events/${event.id}/publish`, { key })
  }
  const emailsTo = async ({ owner: { email } }: Workspace) =>
    (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails.filter(
      ({ subject }: { subject: string }) => subject === "A webhook endpoint was disabled",
    )

  test("its owners get an email, and the other endpoints a webhook.disabled, once each", async () => {
    const acme = await createWorkspace(server.url)
    await verify(acme)
    const [gone, other, unconcerned] = [await startReceiver(status(410)), await startReceiver(), await startReceiver()]
    const id = await hook(acme, `${gone.url}/secret-path?token=secret`, ["event.published"])
    await hook(acme, other.url, ["webhook.disabled"])
    await hook(acme, unconcerned.url, ["event.ended"])
    const state = async () =>
      (await api("GET", "/v1/webhooks", { key: acme.key })).body.webhooks.find((one: { id: string }) => one.id === id)
    await publish(acme)
    await other.count(1)
    expect(JSON.parse(other.received[0]?.body ?? "")).toEqual({
      id: expect.any(String),
      type: "webhook.disabled",
      workspaceId: acme.id,
      eventId: null,
      occurredAt: expect.any(String),
      webhookId: id,
      reason: "gone",
    })
    expect(await state()).toMatchObject({ status: "disabled", disabledReason: "gone" })
    const [letter] = await emailsTo(acme)
    expect(letter.text).toContain("410")
    expect(letter.text).not.toContain("secret")
    expect(letter.links).toEqual([`${server.publicUrl}/host`])

    // Enabled, and gone again: the other endpoints hear of it, and the owners have had their email of the hour.
    await api("PATCH", `/v1/webhooks/${id}`, { key: acme.key, body: { status: "active" } })
    await publish(acme)
    await other.count(2)
    expect(await emailsTo(acme)).toHaveLength(1)
    expect([gone.received.length, unconcerned.received.length]).toEqual([2, 0])
  })

  test("an owner who has proved no address gets no email", async () => {
    const acme = await createWorkspace(server.url)
    const [gone, other] = [await startReceiver(status(410)), await startReceiver()]
    await hook(acme, gone.url, ["event.published"])
    await hook(acme, other.url, [])
    await publish(acme)
    await eventually(
      () => other.received.some(({ body }) => JSON.parse(body).type === "webhook.disabled"),
      "the other endpoint to hear of it",
    )
    expect(await emailsTo(acme)).toEqual([])
  })
})
