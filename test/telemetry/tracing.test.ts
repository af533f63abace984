/** Traces as a collector receives them from a running server. */
import { expect, test } from "vitest"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { sampler } from "../../src/telemetry/tracing.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { type Receiver, startReceiver, status } from "../support/http-receiver.ts"
import { startTestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly [type: string]: unknown } }>
  readonly links: ReadonlyArray<{ readonly spanId: string }>
  readonly status: { readonly code: number; readonly message?: string }
}

const [OK, ERROR] = [1, 2]
const [SERVER, CLIENT] = [2, 3]

const spansOf = ({ received }: Receiver): ReadonlyArray<Span> =>
  received.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap((one: { scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<Span> }> }) =>
      one.scopeSpans.flatMap(({ spans }) => spans),
    ),
  )

const attribute = (span: Span | undefined, key: string): unknown =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0]

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const PARENT = "00f067aa0ba902b7"

test("a collector gets the requests, commands, database work and webhook attempts, and nothing of the people", async () => {
  const collector = await startReceiver()
  const hook = await startReceiver()
  const server = await startTestServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=events%20live",
    OTEL_SERVICE_NAME: "events",
  })
  const { key } = await createWorkspace(server.url)
  await call(server.url, "POST", "/v1/webhooks", { key, body: { url: hook.url, eventTypes: ["event.started"] } })
  const event = await createLiveEvent(server.url, key)
  await call(server.url, "GET", `/v1/events/${event.id}`, {
    key,
    headers: { traceparent: `00-${TRACE}-${PARENT}-01`, "x-request-id": "asked" },
  })
  await call(server.url, "GET", "/v1/events?limit=zero", { key, headers: { "x-request-id": "refused" } })
  const { session } = await createPerson(server.url, key, event.id, "host")
  const host = new GatewayClient({ token: () => gatewayToken(server.url, event.id, session) })
  await host.connect()
  await host.command("announce", { text: "Doors close soon" })
  await expect(host.command("breakout.close", {})).rejects.toThrow()
  await hook.count(1)
  host.close()
  await server.stop()

  const spans = spansOf(collector)
  const byRequest = (id: string) => spans.find((span) => attribute(span, "gathercue.request_id") === id)
  const asked = byRequest("asked")
  expect(asked).toMatchObject({
    traceId: TRACE,
    parentSpanId: PARENT,
    name: "GET /v1/events/{id}",
    kind: SERVER,
    status: { code: OK },
  })
  expect(attribute(asked, "http.response.status_code")).toBe(200)
  expect(attribute(asked, "gathercue.caller")).toBe("key")
  expect(attribute(byRequest("refused"), "http.response.status_code")).toBe(400)
  expect(byRequest("refused")?.status.code).toBe(OK)

  const started = spans.find(({ name }) => name === "POST /v1/events/{id}/start")
  const command = spans.find(
    ({ name, parentSpanId }) => name === "live event event.start" && parentSpanId === started?.spanId,
  )
  expect(attribute(command, "gathercue.event_id")).toBe(event.id)
  expect(spans.find(({ links }) => links.some(({ spanId }) => spanId === command?.spanId))?.name).toBe(
    "live event batch",
  )

  const announced = spans.find(({ name }) => name === "gateway announce")
  expect(announced).toMatchObject({ kind: SERVER, status: { code: OK } })
  expect(spans.find(({ parentSpanId }) => parentSpanId === announced?.spanId)?.name).toBe("live event announce")
  expect(
    attribute(
      spans.find(({ name }) => name === "gateway breakout.close"),
      "gathercue.refusal",
    ),
  ).toBe("wrong_phase")

  const posted = spans.find(({ name }) => name === "POST /v1/webhooks")
  const transaction = spans.find(({ parentSpanId }) => parentSpanId === posted?.spanId)
  expect(transaction?.name).toMatch(/^database (?:run|transaction)$/)
  const webhook = spans.find(({ name }) => name === "webhook event.started")
  expect(webhook).toMatchObject({ kind: CLIENT, status: { code: OK } })
  expect(attribute(webhook, "gathercue.outcome")).toBe("delivered")

  // Spans of libraries are not sent.
  const ours = /^(?:(?:GET|POST) \/|(?:live event|gateway|database|webhook) )/
  expect(spans.map(({ name }) => name).filter((name) => !ours.test(name))).toEqual([])
  const { headers } = collector.received[0] ?? {}
  expect(headers?.["x-team"]).toBe("events live")
  const text = collector.received.map(({ body }) => body).join("\n")
  expect(text).toContain('"stringValue":"events"')
  for (const secret of [key, session, "Doors close soon", "@example.com", hook.url]) expect(text).not.toContain(secret)
})

test("a webhook that fails is a span that failed", async () => {
  const collector = await startReceiver()
  const hook = await startReceiver(status(500))
  const server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WEBHOOK_RETRY_SCHEDULE: "60" })
  const { key } = await createWorkspace(server.url)
  await call(server.url, "POST", "/v1/webhooks", { key, body: { url: hook.url } })
  await createLiveEvent(server.url, key)
  const failed = () => spansOf(collector).find(({ name }) => name === "webhook event.started")
  await eventually(() => failed() !== undefined, "the span of the attempt")
  expect(failed()?.status).toEqual({ code: ERROR, message: "retry" })
  await server.stop()
})

test("a collector that never answers holds up neither requests nor the end of the server", async () => {
  const collector = await startReceiver(() => {})
  const server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const { key } = await createWorkspace(server.url)
  await collector.count(1)
  expect((await call(server.url, "GET", "/v1/events", { key })).status).toBe(200)
  const before = performance.now()
  await server.stop()
  // Its own stop may take nine seconds, and its last words one.
  // timed: a stop takes a second, and one that waited for the collector would take ten more.
  expect(performance.now() - before).toBeLessThan(9_000)
})

test("with a share of 0 nothing is sent, and a caller that is not sampled is not either", async () => {
  const collector = await startReceiver()
  const server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: "0" })
  const { key } = await createWorkspace(server.url)
  await createLiveEvent(server.url, key)
  await server.stop()
  expect(collector.received).toEqual([])

  const all = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const headers = { traceparent: `00-${TRACE}-${PARENT}-00` }
  await call(all.url, "POST", "/v1/accounts/login", {
    body: { email: "a@example.com", password: "nobody knows" },
    headers,
  })
  await call(all.url, "GET", "/v1/workspaces", { headers: { "x-request-id": "last" } })
  await all.stop()
  const names = spansOf(collector).map(({ name }) => name)
  expect(names).toContain("GET /v1/workspaces")
  expect(names).not.toContain("POST /v1/accounts/login")
})

test("no more than 500 roots a second are sampled, whatever the share", () => {
  let now = 1_000_000
  const isSampled = sampler(
    1,
    () => now,
    () => 0,
  )
  const taken = (count: number): number => Array.from({ length: count }, isSampled).filter(Boolean).length
  expect(taken(2_000)).toBe(500)
  now += 1_000
  expect(taken(10)).toBe(10)
  const half = sampler(
    0.5,
    () => now,
    () => 0.5,
  )
  expect(half()).toBe(false)
})
