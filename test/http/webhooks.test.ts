import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { verifySignature } from "../../src/webhooks/signature.ts"
import { type CallOptions, call, createEvent, createWorkspace } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

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

  test.each([
    "http://example.com/hook",
    "https://10.0.0.1/hook",
    "https://169.254.169.254/latest",
    "https://user:pass@example.com/",
    "https://[::ffff:10.0.0.1]/",
    "ftp://example.com/",
    "not a url",
    `https://example.com/${"x".repeat(2048)}`,
    "",
  ])("refuses the target %j", async (url) => {
    const answer = await api("POST", "/v1/webhooks", { body: { url } })
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
  })

  test("refuses an unknown event type and one named twice", async () => {
    for (const eventTypes of [["event.exploded"], ["event.ended", "event.ended"], "event.ended"]) {
      const answer = await api("POST", "/v1/webhooks", { body: { url: "https://example.com/", eventTypes } })
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    }
  })

  test("the twenty-first of a workspace is a conflict, however many are made at once", async () => {
    const { key } = await createWorkspace(server.url)
    const make = () => api("POST", "/v1/webhooks", { key, body: { url: "https://example.com/" } })
    const made = await Promise.all(Array.from({ length: 25 }, make))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(made.find(({ status }) => status !== 201)?.body.code).toBe("conflict")
  })

  test("another workspace's is not found and lives on", async () => {
    const other = await createWorkspace(server.url)
    const created = await api("POST", "/v1/webhooks", { key: other.key, body: { url: "https://example.com/" } })
    expect((await api("DELETE", `/v1/webhooks/${created.body.id}`)).status).toBe(404)
    expect((await api("DELETE", `/v1/webhooks/${randomUUID()}`)).status).toBe(404)
    expect((await api("DELETE", `/v1/webhooks/${created.body.id}`, { key: other.key })).status).toBe(204)
    expect((await api("DELETE", `/v1/webhooks/${created.body.id}`, { key: other.key })).status).toBe(404)
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
