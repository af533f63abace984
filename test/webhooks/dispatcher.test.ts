import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { sealText } from "../../src/store/sealing/sealed-text.ts"
import { replaceSecret, updateWebhookEndpoint } from "../../src/store/webhooks/webhook-endpoints.ts"
import { newSigningSecret } from "../../src/store/webhooks/webhook-registration.ts"

import { startReceiver, status } from "../support/http-receiver.ts"
import { openOutbox, SEALING_KEYS, startDispatcher } from "../support/webhooks.ts"

const settled = async (outbox: Awaited<ReturnType<typeof openOutbox>>, wanted: ReadonlyArray<string>) => {
  await expect.poll(outbox.statuses, { interval: 10 }).toEqual(wanted)
}

test("each endpoint gets its subscribed types, under the same id", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver()
  await outbox.addEndpoint(`${receiver.url}/all`)
  await outbox.addEndpoint(`${receiver.url}/questions`, ["question.created"])
  await outbox.addEndpoint(`${receiver.url}/starts`, ["event.started"])
  const dispatcher = await startDispatcher(outbox)
  const id = await outbox.emit(newId())
  dispatcher.ring()
  await settled(outbox, ["delivered", "delivered"])
  expect(receiver.received.map(({ path }) => path).sort()).toEqual(["/all", "/questions"])
  expect(receiver.received.map(({ headers }) => headers["x-gc-event-id"])).toEqual([id, id])
})

test("a delivery that was committed without a signal is found all the same", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver()
  await outbox.addEndpoint(receiver.url)
  await startDispatcher(outbox)
  await settled(outbox, [])
  await outbox.emit(newId())
  await receiver.count(1)
})

test("5xx is tried again on schedule with the same id and body, until it is answered well", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver((response, request, nth) => status(nth < 4 ? 503 : 200)(response, request, nth))
  await outbox.addEndpoint(receiver.url)
  const dispatcher = await startDispatcher(outbox, { retryDelaysMs: [100, 200, 50] })
  await outbox.emit(newId())
  dispatcher.ring()
  await receiver.count(4)
  await settled(outbox, ["delivered"])
  const [first = 0, second = 0, third = 0, fourth = 0] = receiver.received.map(({ at }) => at)
  for (const [gap, delay] of [
    [second - first, 100],
    [third - second, 200],
    [fourth - third, 50],
  ] as const) {
    expect(gap).toBeGreaterThanOrEqual(delay)
    expect(gap).toBeLessThan(delay * 1.2 + 500)
  }
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  expect(new Set(receiver.received.map(({ headers }) => headers["x-gc-event-id"])).size).toBe(1)
  const [row] = await outbox.sql`select attempts, last_status, finished_at from webhook_deliveries`
  expect(row).toMatchObject({ attempts: 4, lastStatus: 200, finishedAt: expect.any(String) })
})

test.each([408, 425, 429, 503])("%i is tried again, and not before the time that the receiver names", async (code) => {
  const outbox = await openOutbox()
  const receiver = await startReceiver((response, _request, nth) => {
    if (nth === 1) response.writeHead(code, { "retry-after": "1" }).end()
    else response.writeHead(200).end()
  })
  await outbox.addEndpoint(receiver.url)
  const dispatcher = await startDispatcher(outbox, { retryDelaysMs: [1] })
  await outbox.emit(newId())
  dispatcher.ring()
  await settled(outbox, ["delivered"])
  const [first = 0, second = 0] = receiver.received.map(({ at }) => at)
  expect(second - first).toBeGreaterThanOrEqual(1_000)
  expect(receiver.received).toHaveLength(2)
})

test("a receiver that does not answer in time is tried again", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver((response, request, nth) => {
    if (nth > 1) status(200)(response, request, nth)
  })
  await outbox.addEndpoint(receiver.url)
  const dispatcher = await startDispatcher(outbox, { timeoutMs: 100, retryDelaysMs: [1] })
  await outbox.emit(newId())
  dispatcher.ring()
  await settled(outbox, ["delivered"])
  expect(receiver.received).toHaveLength(2)
})

test("a target that has become forbidden is rejected without a request", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver()
  await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  await startDispatcher(outbox, { allowLoopback: false })
  await settled(outbox, ["rejected"])
  expect(receiver.received).toHaveLength(0)
})

test("a secret that no longer opens is a fault of ours: nothing goes out unsigned and it is tried again", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver()
  await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  await startDispatcher(outbox, { sealingKeys: [new Uint8Array(32)], retryDelaysMs: [1] })
  await settled(outbox, ["exhausted"])
  expect(receiver.received).toHaveLength(0)
})

test("first tries of one event come in order, one at a time, also when some fail", async () => {
  const outbox = await openOutbox()
  const seen = new Set<string>()
  const order: Array<number> = []
  const receiver = await startReceiver((response, request, nth) => {
    const { n } = JSON.parse(request.body) as { n: number }
    const first = !seen.has(request.body)
    seen.add(request.body)
    if (first) order.push(n)
    // timed: the receiver answers late on purpose.
    setTimeout(() => status(first && n % 7 === 3 ? 500 : 200)(response, request, nth), n % 3)
  })
  await outbox.addEndpoint(receiver.url)
  const eventId = newId()
  for (let n = 0; n < 30; n++) await outbox.emit(eventId, { n })
  const dispatcher = await startDispatcher(outbox)
  for (let n = 30; n < 60; n++) {
    await outbox.emit(eventId, { n })
    dispatcher.ring()
  }
  await settled(outbox, Array(60).fill("delivered"))
  expect(order).toEqual(Array.from({ length: 60 }, (_, n) => n))
})

test("an endpoint gets no more than its share at once", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver((response, request, nth) => {
    // timed: the receiver answers late on purpose.
    setTimeout(() => status(200)(response, request, nth), 5)
  })
  await outbox.addEndpoint(receiver.url)
  for (let index = 0; index < 60; index++) await outbox.emit(newId())
  await startDispatcher(outbox, { concurrency: 32 })
  await settled(outbox, Array(60).fill("delivered"))
  expect(receiver.mostOpen()).toBeLessThanOrEqual(4)
  expect(receiver.mostOpen()).toBeGreaterThan(1)
})

test("endpoints that hang do not delay another, however much waits for them", async () => {
  const outbox = await openOutbox()
  const hanging = await startReceiver(() => {})
  const healthy = await startReceiver()
  for (let index = 0; index < 6; index++) await outbox.addEndpoint(`${hanging.url}/${index}`)
  const dispatcher = await startDispatcher(outbox, { timeoutMs: 60_000, leaseMs: 90_000, drainMs: 100 })
  for (let index = 0; index < 200; index++) await outbox.emit(newId())
  dispatcher.ring()
  await hanging.count(6 * 8)
  await outbox.addEndpoint(healthy.url)
  for (let index = 0; index < 20; index++) await outbox.emit(newId())
  dispatcher.ring()
  await healthy.count(20)
  // All that while nobody else's request has ended.
  expect(hanging.open()).toBe(hanging.mostOpen())
  expect(hanging.mostOpen()).toBeLessThanOrEqual(6 * 8)
})

test("an address and a secret that change while a run of deliveries is under way hold for the rest of it", async () => {
  const outbox = await openOutbox()
  let finish = () => {}
  const old = await startReceiver((response, request, nth) => {
    finish = () => status(200)(response, request, nth)
  })
  const next = await startReceiver()
  const { id, secret } = await outbox.addEndpoint(old.url)
  const eventId = newId()
  for (let n = 0; n < 2; n++) await outbox.emit(eventId, { n })
  await startDispatcher(outbox)
  await old.count(1)
  const replacement = newSigningSecret()
  await replaceSecret(outbox.sql, id, sealText(SEALING_KEYS, id, replacement))
  await updateWebhookEndpoint(outbox.sql, id, { url: next.url })
  // The endpoint's state in a claim is used for a moment.
  // timed: the receiver answers late on purpose.
  setTimeout(finish, 100)
  await next.count(1)
  const [request] = next.received
  for (const key of [secret, replacement]) {
    expect(new Webhook(key).verify(request?.body ?? "", request?.headers as Record<string, string>)).toMatchObject({
      n: 1,
    })
  }
  expect(old.received).toHaveLength(1)
})

test("two dispatchers on one database share the work, never send a try twice, and keep the order", async () => {
  const outbox = await openOutbox()
  const order = new Map<string, Array<number>>()
  const ids: Array<string> = []
  const receiver = await startReceiver((response, request, nth) => {
    const { eventId, n, id } = JSON.parse(request.body) as { eventId: string; n: number; id: string }
    order.set(eventId, [...(order.get(eventId) ?? []), n])
    ids.push(id)
    // timed: the receiver answers late on purpose.
    setTimeout(() => status(200)(response, request, nth), n % 3)
  })
  await outbox.addEndpoint(receiver.url)
  const dispatchers = [await startDispatcher(outbox, { alone: false }), await startDispatcher(outbox, { alone: false })]
  const events = Array.from({ length: 5 }, newId)
  for (let n = 0; n < 60; n++) {
    for (const eventId of events) await outbox.emit(eventId, { n })
    for (const { ring } of dispatchers) ring()
  }
  await settled(outbox, Array(300).fill("delivered"))
  expect(ids).toHaveLength(300)
  expect(new Set(ids).size).toBe(300)
  for (const eventId of events) expect(order.get(eventId)).toEqual(Array.from({ length: 60 }, (_, n) => n))
})

test("overdue retries that wait for a place do not make the dispatcher ask the database again and again", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver(status(500))
  await outbox.addEndpoint(receiver.url)
  for (let index = 0; index < 20; index++) await outbox.emit(newId())
  const dispatcher = await startDispatcher(outbox, { concurrency: 8, retryDelaysMs: [1, 60_000], drainMs: 50 })
  receiver.answer = () => {}
  await outbox.sql`update webhook_deliveries set attempts = 1, next_attempt_at = now() where claimed_by is null`
  dispatcher.ring()
  await receiver.count(1)
  const statements = async () => {
    const [row] = await outbox.sql<{ n: number }[]>`
      select xact_commit::int as n from pg_stat_database where datname = current_database()`
    return row?.n ?? 0
  }
  const before = await statements()
  // The statistics of a busy session come about once a second; two poll intervals pass between the two looks.
  const began = performance.now()
  // timed: statements that are not made have no signal; a slow machine waits for longer.
  await expect.poll(() => performance.now() - began, { interval: 500 }).toBeGreaterThan(2_500)
  expect((await statements()) - before).toBeLessThan(200)
})
