import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { type Received, startReceiver, status } from "../support/http-receiver.ts"
import { sharedServer } from "../support/shared.ts"

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

  test("of another workspace, and an absent one look the same, and what is no id is 404", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    const foreign = await openHouse(receiver.url)
    await foreign.publish()
    const { id } = await newest(foreign, "delivered")
    const told = receiver.received.length
    for (const [method, verb] of [
      ["GET", ""],
      ["POST", "/redeliver"],
    ] as const) {
      const ask = (one: string) => house.api(method, `/v1/webhook-deliveries/${one}${verb}`)
      const answers = await Promise.all([id, randomUUID()].map(ask))
      for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, answers[0]?.body])
      expect((await ask("nonsense")).body.detail).toBe("No such delivery: the id is not a UUID.")
    }
    expect((await foreign.list()).body.deliveries).toHaveLength(1)
    expect(receiver.received).toHaveLength(told)
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

  test.each(["?status=lost", "?status=", "?limit=0", "?limit=101", "?limit=x", "?cursor=x"])(
    "refuses %s",
    async (query) => {
      const answer = await (await openHouse("https://example.com/")).list(query)
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    },
  )
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

  test("under one Idempotency-Key, however often it is asked for, is one", async () => {
    const receiver = await startReceiver()
    const house = await openHouse(receiver.url)
    await house.publish()
    const first = await newest(house, "delivered")
    const headers = { "idempotency-key": randomUUID() }
    const one = await house.redeliver(first.id, headers)
    const two = await house.redeliver(first.id, headers)
    expect([two.body, two.headers.get("idempotency-replayed")]).toEqual([one.body, "true"])
    expect((await house.list()).body.deliveries).toHaveLength(2)
  })

  test("while its endpoint is being deleted it is stored or not found, and never a fault of ours", async () => {
    const receiver = await startReceiver()
    for (let round = 0; round < 5; round++) {
      const house = await openHouse(receiver.url)
      await house.publish()
      const { id } = await newest(house, "delivered")
      const [gone, ...answers] = await Promise.all([
        house.api("DELETE", `/v1/webhooks/${house.id}`),
        ...Array.from({ length: 6 }, () => house.redeliver(id)),
      ])
      expect(gone.status).toBe(204)
      for (const answer of answers) expect([201, 404]).toContain(answer.status)
      expect((await house.redeliver(id)).status).toBe(404)
    }
  })
})
