/** Faults that no schema finds name their field as those of a schema do, and other mistakes say what to do. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { call, createEvent, createWorkspace, type Workspace } from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
let acme: Workspace
let eventId: string
beforeAll(async () => {
  server = await startTestServer()
  acme = await createWorkspace(server.url)
  eventId = (await createEvent(server.url, acme.key)).id
})
afterAll(() => server.stop())

const START = "2030-01-02T00:00:00Z"
const EARLIER = "2030-01-01T00:00:00Z"
const event = { type: "t", title: "T" }

const FIELDS: ReadonlyArray<readonly [pointer: string, method: string, path: () => string, body: unknown]> = [
  ["#/scheduledEndAt", "POST", () => "/v1/events", { ...event, scheduledAt: START, scheduledEndAt: EARLIER }],
  ["#/scheduledEndAt", "PATCH", () => `/v1/events/${eventId}`, { scheduledAt: START, scheduledEndAt: EARLIER }],
  ["#/phaseIds", "PUT", () => `/v1/events/${eventId}/phases/order`, { phaseIds: [randomUUID()] }],
  ["#/expiresAt", "POST", () => "/v1/api-keys", { expiresAt: "1970-01-01T00:00:00Z" }],
  ["#/eventIds", "POST", () => "/v1/api-keys", { eventIds: [randomUUID()] }],
  ["#/eventId", "POST", () => `/v1/workspaces/${acme.id}/invites`, { kind: "event" }],
  ["#/role", "POST", () => `/v1/workspaces/${acme.id}/invites`, { role: "host" }],
  ["#/url", "POST", () => "/v1/webhooks", { url: "https://10.0.0.1/" }],
  ["#/jwksUrl", "POST", () => `/v1/workspaces/${acme.id}/guest-integrations`, { issuer: "i", jwksUrl: "http://x/" }],
  ["#/publicKeyPem", "POST", () => `/v1/workspaces/${acme.id}/guest-integrations`, { issuer: "i", publicKeyPem: "x" }],
  ["#/title", "POST", () => "/v1/events", { ...event, title: "a\0" }],
  ["#/metadata/a~1b/0", "POST", () => "/v1/events", { ...event, metadata: { "a/b": ["\ud800"] } }],
]

test.each(FIELDS)("%s is named by %s", async (pointer, method, path, body) => {
  const answer = await call(server.url, method, path(), { key: acme.key, body })
  expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
  expect(answer.body.errors).toEqual([{ pointer, detail: expect.stringMatching(/[^.]$/) }])
  expect(answer.body.detail).toMatch(/^[^:]+: .*[^.]\.$/)
})

test("fields that do not go together are both named", async () => {
  const path = `/v1/workspaces/${acme.id}/guest-integrations`
  const { body } = await call(server.url, "POST", path, { key: acme.key, body: { issuer: "i" } })
  const detail = "give exactly one of them"
  expect(body).toMatchObject({ detail: `jwksUrl, publicKeyPem: ${detail}.` })
  expect(body.errors).toEqual(["jwksUrl", "publicKeyPem"].map((field) => ({ pointer: `#/${field}`, detail })))
})

test("a header at fault is named, also where a key was used for another body", async () => {
  const create = (key: string, title: string) =>
    call(server.url, "POST", "/v1/events", {
      key: acme.key,
      body: { type: "t", title },
      headers: { "idempotency-key": key },
    })
  const errors = [{ header: "idempotency-key", detail: expect.any(String) }]
  expect((await create("\u00e9", "T")).body).toMatchObject({ code: "bad_request", errors })
  expect((await create("same", "T")).status).toBe(201)
  expect((await create("same", "U")).body).toMatchObject({ code: "idempotency_key_reused", errors })
})

test("a role that the event has no place for is a fault of the field", async () => {
  const { id: userId } = (await call(server.url, "POST", "/v1/users", { key: acme.key, body: { externalSub: "u" } }))
    .body
  const path = `/v1/events/${eventId}/memberships`
  const { body } = await call(server.url, "POST", path, { key: acme.key, body: { userId, role: "participant" } })
  expect(body).toMatchObject({ code: "role_not_on_event", errors: [{ pointer: "#/role" }] })
})

test.each(["cursor=x", "cursor=%00"])("the parameter of ?%s is named", async (query) => {
  const answer = await call(server.url, "GET", `/v1/events?${query}`, { key: acme.key })
  expect([answer.status, answer.body.errors]).toEqual([400, [{ parameter: "cursor", detail: expect.any(String) }]])
})

test("a word that is none of those taken is answered with all of them", async () => {
  const hostAbsence = { measure: "close", afterSeconds: 1 }
  const { body } = await call(server.url, "POST", "/v1/events", { key: acme.key, body: { ...event, hostAbsence } })
  const detail = 'Expected "nothing" | "slowChat" | "locked" | "lobbyClosed"'
  expect(body.errors).toEqual([{ pointer: "#/hostAbsence/measure", detail }])
})

describe("mistakes that say what to do", () => {
  test("an id that is none", async () => {
    const answer = await call(server.url, "GET", "/v1/events/123", { key: acme.key })
    expect([answer.status, answer.body.detail]).toEqual([404, "No such event: the id is not a UUID."])
  })

  test("JSON that cannot be read, by its place where the engine tells it", async () => {
    const answer = await call(server.url, "POST", "/v1/events", { key: acme.key, raw: '{"type":"t" "title":"T"}' })
    expect(answer.body.detail).toBe("body: not valid JSON at position 12.")
  })

  test.each(["2016-12-31T23:59:60Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z"])("the time %s", async (time) => {
    const answer = await call(server.url, "POST", "/v1/events", {
      key: acme.key,
      body: { ...event, scheduledAt: time },
    })
    expect(answer.body.detail).toBe(
      "scheduledAt: must be an RFC 3339 time with an offset, of a day that exists, and no leap second.",
    )
  })
})
