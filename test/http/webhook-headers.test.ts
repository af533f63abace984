/** Headers that an endpoint's owner adds to its deliveries. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

const VALUE = "Bearer of-the-receiver"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

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
