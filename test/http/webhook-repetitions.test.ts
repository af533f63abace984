/** Endpoints of one event, examples of every type, and occurrences delivered again. */
import { expect, test } from "vitest"
import { type Answer, type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { type Receiver, startReceiver, status } from "../support/http-receiver.ts"
import { sharedRows, sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)

type Api = (method: string, path: string, options?: CallOptions) => Promise<Answer>

const openHouse = async () => {
  const { key, id } = await createWorkspace(server.url)
  const api: Api = (method, path, options = {}) => call(server.url, method, path, { key, ...options })
  return { api, key, workspaceId: id }
}

const publish = async (api: Api, { id }: Json) => {
  expect((await api("POST", `/v1/events/${id}/publish`)).status).toBe(200)
}

const bodies = ({ received }: Receiver): ReadonlyArray<Json> => received.map(({ body }) => JSON.parse(body))

test("an endpoint of one event receives what belongs to it alone", async () => {
  const { api, key } = await openHouse()
  const [own, all] = [await startReceiver(), await startReceiver()]
  const [mine, other] = [await createEvent(server.url, key), await createEvent(server.url, key)]
  const made = await api("POST", "/v1/webhooks", { body: { url: own.url, eventId: mine.id } })
  expect([made.status, made.body.eventId]).toEqual([201, mine.id])
  expect((await api("POST", "/v1/webhooks", { body: { url: all.url } })).body.eventId).toBeNull()
  await publish(api, other)
  await publish(api, mine)
  await eventually(() => bodies(all).length === 2 && bodies(own).length === 1, "the deliveries")
  expect(bodies(own).map(({ eventId }) => eventId)).toEqual([mine.id])
  expect((await api("GET", "/v1/webhooks")).body.webhooks.map(({ eventId }: Json) => eventId)).toEqual([null, mine.id])
})

test("an event of another workspace, or of none, has no endpoint", async () => {
  const [{ api }, stranger] = [await openHouse(), await openHouse()]
  const foreign = await createEvent(server.url, stranger.key)
  for (const eventId of [foreign.id, "01900000-0000-7000-8000-000000000000", "x"]) {
    const refused = await api("POST", "/v1/webhooks", { body: { url: "https://example.com/", eventId } })
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      400,
      "bad_request",
      expect.stringMatching(/^eventId: /),
    ])
  }
})

test("an endpoint receives an example of each type that it wants, signed as its deliveries", async () => {
  const { api, workspaceId } = await openHouse()
  const receiver = await startReceiver()
  const eventTypes = ["event.started", "poll.closed", "audit.created"]
  const { body: hook } = await api("POST", "/v1/webhooks", { body: { url: receiver.url, eventTypes } })
  const sent = await api("POST", `/v1/webhooks/${hook.id}/examples`)
  expect([sent.status, sent.body]).toEqual([200, { deliveries: 3 }])
  const examples = () => bodies(receiver).filter(({ isExample }) => isExample === true)
  await eventually(() => examples().length === 3, "the examples")
  expect(examples().map(({ type, workspaceId }) => [type, workspaceId])).toEqual(
    expect.arrayContaining(eventTypes.map((type) => [type, workspaceId])),
  )
  expect(new Set(examples().map(({ id }) => id)).size).toBe(3)
  for (const { headers } of receiver.received) expect(headers["x-gc-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
})

test("an endpoint of all types receives an example of each but the audit log", async () => {
  const { api } = await openHouse()
  const receiver = await startReceiver()
  const { body: hook } = await api("POST", "/v1/webhooks", { body: { url: receiver.url } })
  const { body: listed } = await call(server.url, "GET", "/v1/webhook-event-types")
  const types: ReadonlyArray<string> = listed.eventTypes.map(({ type }: Json) => type)
  const sent = await api("POST", `/v1/webhooks/${hook.id}/examples`)
  expect(sent.body).toEqual({ deliveries: types.length - 1 })
  await eventually(() => receiver.received.length === types.length - 1, "the examples")
  expect(new Set(bodies(receiver).map(({ type }) => type))).toEqual(
    new Set(types.filter((type) => type !== "audit.created")),
  )
})

test("occurrences since a time are delivered again under their ids, in their order", async () => {
  const { api, key } = await openHouse()
  const receiver = await startReceiver()
  const body = { url: receiver.url, eventTypes: ["event.published"] }
  const { body: hook } = await api("POST", "/v1/webhooks", { body })
  const published: Json[] = []
  for (const title of ["one", "two", "three"]) {
    const event = await createEvent(server.url, key, { title })
    await publish(api, event)
    await eventually(() => bodies(receiver).some(({ eventId }) => eventId === event.id), "the delivery")
    published.push(event)
  }
  await eventually(async () => {
    const { deliveries } = (await api("GET", `/v1/webhooks/${hook.id}/deliveries?status=delivered`)).body
    return deliveries.length === 3
  }, "the settlements")
  const { deliveries } = (await api("GET", `/v1/webhooks/${hook.id}/deliveries`)).body
  const since = deliveries.find(({ eventId }: Json) => eventId === published[1]?.id).createdAt
  const [, two, three] = receiver.received.slice()
  const again = await api("POST", `/v1/webhooks/${hook.id}/replay`, { body: { since } })
  expect([again.status, again.body]).toEqual([200, { deliveries: 2, nextSince: null }])
  await eventually(() => receiver.received.length === 5, "the repetitions")
  const repeated = receiver.received.slice(3).map(({ body }) => body)
  expect(repeated.toSorted()).toEqual([two?.body, three?.body].toSorted())
  const later = await api("POST", `/v1/webhooks/${hook.id}/replay`, { body: { since: "2090-01-01T00:00:00Z" } })
  expect(later.body).toEqual({ deliveries: 0, nextSince: null })
})

test("what an endpoint missed while it was disabled is delivered by a replay, which a disabled one refuses", async () => {
  const { api, key } = await openHouse()
  const receiver = await startReceiver()
  const { body: hook } = await api("POST", "/v1/webhooks", { body: { url: receiver.url } })
  const since = hook.createdAt
  await api("PATCH", `/v1/webhooks/${hook.id}`, { body: { status: "disabled" } })
  await publish(api, await createEvent(server.url, key, { title: "missed" }))
  for (const [verb, body] of [
    ["replay", { since }],
    ["examples", undefined],
  ] as const) {
    const refused = await api("POST", `/v1/webhooks/${hook.id}/${verb}`, body === undefined ? {} : { body })
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"])
  }
  await api("PATCH", `/v1/webhooks/${hook.id}`, { body: { status: "active" } })
  expect((await api("POST", `/v1/webhooks/${hook.id}/replay`, { body: { since } })).body.deliveries).toBe(1)
  await eventually(() => receiver.received.length === 1, "the missed delivery")
  expect(bodies(receiver)[0]?.["title"]).toBe("missed")
})

test("a delivery that is still to be sent is not repeated", async () => {
  const { api, key } = await openHouse()
  const receiver = await startReceiver(() => status(503))
  const { body: hook } = await api("POST", "/v1/webhooks", { body: { url: receiver.url } })
  await publish(api, await createEvent(server.url, key))
  await eventually(() => receiver.received.length > 0, "the first attempt")
  const again = await api("POST", `/v1/webhooks/${hook.id}/replay`, { body: { since: hook.createdAt } })
  expect(again.body.deliveries).toBe(0)
})

test("a replay of more than a thousand goes on where it ended, and takes no repetition for a delivery", async () => {
  const { api, workspaceId } = await openHouse()
  const { body: hook } = await api("POST", "/v1/webhooks", { body: { url: "https://hooks.invalid/in" } })
  // A thousand and ten were delivered, a second after the other.
  await rows.run(
    `with sent as (
       insert into outbox_messages (id, workspace_id, type, body, occurred_at)
       select gen_random_uuid(), $1::uuid, 'event.ended', '{}', now() from generate_series(1, 1010) returning id
     )
     insert into webhook_deliveries (id, message_id, endpoint_id, event_id, status, attempts, created_at)
     select gen_random_uuid(), id, $2::uuid, $2::uuid, 'delivered', 1,
            timestamptz '2026-01-01T00:00:00Z' + row_number() over () * interval '1 second' from sent`,
    [workspaceId, hook.id],
  )
  const replay = async (since: string): Promise<Json> => {
    const { body } = await api("POST", `/v1/webhooks/${hook.id}/replay`, { body: { since } })
    // What was sent again counts as delivered, so that nothing but its age keeps it from being taken once more.
    const settled = "status = 'delivered', attempts = 1, next_attempt_at = null"
    await rows.run(`update webhook_deliveries set ${settled} where endpoint_id = $1::uuid`, [hook.id])
    return body
  }
  const first = await replay("2026-01-01T00:00:00Z")
  expect(first).toEqual({ deliveries: 1000, nextSince: "2026-01-01T00:16:41.000Z" })
  expect(await replay(first["nextSince"])).toEqual({ deliveries: 10, nextSince: null })
})
