/** Deliveries of webhooks: their attempts and lists, repetitions, examples, and endpoints of one event. */

import { describe, expect, test } from "vitest"
import { type Answer, type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { type Received, type Receiver, startReceiver, status } from "../support/http-receiver.ts"
import { sharedRows, sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()

/** A workspace with one endpoint, and what its owner asks about it. */
const openHouse = async (url: string) => {
  const { key } = await createWorkspace(server.url)
  const api = (method: string, path: string, headers: { readonly [name: string]: string } = {}) =>
    call(server.url, method, path, { key, headers })
  const { id } = (await call(server.url, "POST", "/v1/webhooks", { key, body: { url } })).body
  return {
    id,
    key,
    api,
    list: (query = "") => api("GET", `/v1/webhooks/${id}/deliveries${query}`),
    read: async (deliveryId: string): Promise<Json> => (await api("GET", `/v1/webhook-deliveries/${deliveryId}`)).body,
    redeliver: (deliveryId: string, headers = {}) =>
      api("POST", `/v1/webhook-deliveries/${deliveryId}/redeliver`, headers),
    /** One occurrence; resolves to the event's id. */
    publish: async (): Promise<string> => {
      const event = await createEvent(server.url, key)
      await api("POST", `/v1/events/${event.id}/publish`)
      return event.id
    },
  }
}
type House = Awaited<ReturnType<typeof openHouse>>

/** The newest delivery once it has come to this. */
const newest = async ({ list }: House, wanted: string): Promise<Json> => {
  const first = async () => (await list("?limit=1")).body.deliveries[0]
  await expect.poll(async () => (await first())?.status, { interval: 20 }).toBe(wanted)
  return await first()
}

const sent = ({ headers, body }: Received) => [headers["x-gc-event-id"], headers["x-gc-event-type"], body]

describe("a delivery", () => {
  test("lists each attempt: its time, duration and result, and the time of the next one", async () => {
    const receiver = await startReceiver((response, _request, nth) => {
      response.writeHead(nth === 1 ? 503 : 200).end("a word that nobody should keep")
    })
    const house = await openHouse(receiver.url)
    const began = Date.now()
    const eventId = await house.publish()
    const { id } = await newest(house, "delivered")
    const delivery = await house.read(id)
    expect(delivery).toEqual({
      id,
      webhookId: house.id,
      occurrenceId: JSON.parse(receiver.received[0]?.body ?? "").id,
      type: "event.published",
      eventId,
      status: "delivered",
      attemptCount: 2,
      lastStatusCode: 200,
      lastError: null,
      nextAttemptAt: null,
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
      body: JSON.parse(receiver.received[0]?.body ?? ""),
      attempts: [
        {
          number: 1,
          startedAt: expect.any(String),
          durationMs: expect.any(Number),
          outcome: "failed",
          statusCode: 503,
          error: "status",
          nextAttemptAt: delivery.attempts[1].startedAt,
        },
        {
          number: 2,
          startedAt: expect.any(String),
          durationMs: expect.any(Number),
          outcome: "delivered",
          statusCode: 200,
          error: null,
          nextAttemptAt: null,
        },
      ],
    })
    const [first, second] = delivery.attempts
    expect(Date.parse(first.startedAt)).toBeGreaterThanOrEqual(began)
    expect(Date.parse(second.startedAt)).toBeGreaterThanOrEqual(Date.parse(first.startedAt) + 50)
    expect(JSON.stringify(delivery)).not.toContain("a word")
  })

  test("that got no answer names the kind of failure, ends exhausted, and a refusal ends it at once", async () => {
    const house = await openHouse("http://127.0.0.1:9/")
    await house.publish()
    const exhausted = await house.read((await newest(house, "exhausted")).id)
    expect(exhausted.attempts).toMatchObject(Array(3).fill({ outcome: "failed", statusCode: null, error: "connect" }))
    expect(exhausted).toMatchObject({ attemptCount: 3, lastStatusCode: null, lastError: "connect" })
    const receiver = await startReceiver(status(404))
    await call(server.url, "PATCH", `/v1/webhooks/${house.id}`, { key: house.key, body: { url: receiver.url } })
    await house.publish()
    const rejected = await house.read((await newest(house, "rejected")).id)
    expect(rejected.attempts).toMatchObject([{ outcome: "rejected", statusCode: 404, error: "status" }])
  })
})

describe("the list of an endpoint's deliveries", () => {
  test("comes in pages, newest first, each delivery once", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    const events: string[] = []
    for (let n = 0; n < 7; n++) events.unshift(await house.publish())
    await receiver.count(7)
    const told: Json[] = []
    let path: string | undefined = `/v1/webhooks/${house.id}/deliveries?limit=3`
    const sizes: number[] = []
    while (path !== undefined) {
      const page = await house.api("GET", path)
      expect(page.status).toBe(200)
      told.push(...page.body.deliveries)
      sizes.push(page.body.deliveries.length)
      path = /^<(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1]
      expect(path === undefined).toBe(page.body.nextCursor === null)
    }
    expect(sizes).toEqual([3, 3, 1])
    expect(told.map(({ eventId }) => eventId)).toEqual(events)
    expect(told[0]).not.toHaveProperty("attempts")
  })

  test("may be of one status alone, on every page", async () => {
    const receiver = await startReceiver(status(400))
    const house = await openHouse(receiver.url)
    for (let n = 0; n < 3; n++) await house.publish()
    await expect.poll(async () => (await house.list("?status=rejected")).body.deliveries.length).toBe(3)
    receiver.answer = status(200)
    await house.publish()
    await newest(house, "delivered")
    const first = await house.list("?status=rejected&limit=2")
    const next = /^<(.+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? ""
    const second = await house.api("GET", next)
    const statuses = [...first.body.deliveries, ...second.body.deliveries].map((one: Json) => one.status)
    expect(statuses).toEqual(["rejected", "rejected", "rejected"])
    expect((await house.list("?status=pending")).body).toEqual({ deliveries: [], nextCursor: null })
    expect((await house.list()).body.deliveries).toHaveLength(4)
  })
})

describe("delivering again", () => {
  test("sends the same id, type and bytes as a delivery of its own", async () => {
    const receiver = await startReceiver(status(400))
    const house = await openHouse(receiver.url)
    await house.publish()
    const first = await newest(house, "rejected")
    receiver.answer = status(200)
    const answer = await house.redeliver(first.id)
    expect(answer.status).toBe(201)
    expect(answer.headers.get("location")).toBe(`/v1/webhook-deliveries/${answer.body.id}`)
    expect(answer.body).toMatchObject({ status: "pending", attemptCount: 0, occurrenceId: first.occurrenceId })
    expect(answer.body.id).not.toBe(first.id)
    await receiver.count(2)
    const [original, repeated] = receiver.received.map(sent)
    expect(repeated).toEqual(original)
    expect(await newest(house, "delivered")).toMatchObject({ id: answer.body.id, attemptCount: 1 })
    expect(await house.read(first.id)).toMatchObject({ status: "rejected", attemptCount: 1 })
  })

  test("many at once are as many deliveries of the same occurrence, and each is sent once", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    await house.publish()
    const first = await newest(house, "delivered")
    const answers = await Promise.all(Array.from({ length: 10 }, () => house.redeliver(first.id)))
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(201))
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(10)
    await receiver.count(11)
    expect(new Set(receiver.received.map((one) => JSON.stringify(sent(one)))).size).toBe(1)
    await expect.poll(async () => (await house.list("?status=delivered")).body.deliveries.length).toBe(11)
    expect(receiver.received).toHaveLength(11)
  })
})

describe("repetitions", () => {
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
    expect((await api("GET", "/v1/webhooks")).body.webhooks.map(({ eventId }: Json) => eventId)).toEqual([
      null,
      mine.id,
    ])
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
      // The dispatcher takes the same rows at that time: where the two wait for each other, PostgreSQL ends one of them.
      await eventually(async () => {
        const statement = `update webhook_deliveries set ${settled} where endpoint_id = $1::uuid`
        const [ended] = await Promise.allSettled([rows.run(statement, [hook.id])])
        if (ended.status === "fulfilled") return true
        expect(ended.reason).toMatchObject({ code: "40P01" })
        return false
      }, "deliveries that count as sent")
      return body
    }
    const first = await replay("2026-01-01T00:00:00Z")
    expect(first).toEqual({ deliveries: 1000, nextSince: "2026-01-01T00:16:41.000Z" })
    expect(await replay(first["nextSince"])).toEqual({ deliveries: 10, nextSince: null })
  })
})
