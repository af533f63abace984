/** The dispatcher's life: claims, outages and stops, and what it keeps. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { Redacted } from "effect"
import { pino } from "pino"
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { appendOccurrences, appendRedelivery } from "../../src/store/webhooks/outbox.ts"
import { claimFirstTries } from "../../src/store/webhooks/webhook-deliveries.ts"
import { updateWebhookEndpoint } from "../../src/store/webhooks/webhook-endpoints.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { openOutbox, startDispatcher } from "../support/webhooks.ts"

const settled = async (outbox: Awaited<ReturnType<typeof openOutbox>>, wanted: ReadonlyArray<string>) => {
  await expect.poll(outbox.statuses, { interval: 10 }).toEqual(wanted)
}

const claimLike = (node: string, leaseMs: number) => ({
  claim: `${node} 1`,
  leaseMs,
  limit: 64,
  perEndpoint: 8,
  busy: new Map<string, number>(),
  runLength: 16,
  runLengths: new Map<string, number>(),
})

/** A way to the database that can be cut and mended. */
const breakable = async (url: string) => {
  const target = new URL(url)
  const port = Number(target.port)
  const sockets = new Set<Socket>()
  let cut = false
  const server = createServer((near) => {
    if (cut) {
      near.destroy()
      return
    }
    const far = connect(port, target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on("error", () => {})
      from.once("close", () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const sever = () => {
    cut = true
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    sever()
    server.close()
  })
  target.host = `127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    url: target.href,
    sever,
    mend: () => {
      cut = false
    },
  }
}

test("the claims of a dead dispatcher are sent at once by the one that starts after it", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver()
  await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  expect(await claimFirstTries(outbox.sql, claimLike("dead", 3_600_000))).toHaveLength(1)
  await startDispatcher(outbox)
  await receiver.count(1)
  await settled(outbox, ["delivered"])
})

test("beside others a dead dispatcher's claims are taken over when their lease lapses, and not before", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver()
  await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  const claimedAt = performance.now()
  expect(await claimFirstTries(outbox.sql, claimLike("dead", 700))).toHaveLength(1)
  await startDispatcher(outbox, { alone: false })
  await receiver.count(1)
  expect((receiver.received[0]?.at ?? 0) - claimedAt).toBeGreaterThanOrEqual(700)
})

test("a request begins only while its claim outlasts the time for an answer, also at the end of a long lane", async () => {
  const outbox = await openOutbox()
  const timeoutMs = 1000
  const left: Promise<number>[] = []
  const leftOf = async (messageId: string): Promise<number> => {
    const [row] = await outbox.sql<{ ms: number }[]>`
      select (extract(epoch from claimed_until - now()) * 1000)::float8 as ms
        from webhook_deliveries where message_id = ${messageId}`
    return row?.ms ?? 0
  }
  const receiver = await startReceiver((response, request, nth) => {
    left.push(leftOf(String(request.headers["webhook-id"])))
    // timed: the receiver answers late on purpose.
    setTimeout(() => status(200)(response, request, nth), 500)
  })
  await outbox.addEndpoint(receiver.url)
  const eventId = newId()
  for (let index = 0; index < 7; index++) await outbox.emit(eventId)
  await startDispatcher(outbox, { timeoutMs, leaseMs: 3_050 })
  await settled(outbox, Array(7).fill("delivered"))
  expect(Math.min(...(await Promise.all(left)))).toBeGreaterThanOrEqual(timeoutMs)
})

test("a result that still waits to be recorded when the dispatcher stops is not given back to be sent again", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver(status(400))
  const { id } = await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  let stopped: Promise<void> | undefined
  await outbox.sql.begin(async (tx) => {
    await tx`select 1 from webhook_endpoints where id = ${id} for no key update`
    const dispatcher = await startDispatcher(outbox)
    const waiting = async () =>
      (await outbox.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length
    await expect.poll(waiting, { interval: 10 }).toBe(1)
    stopped = dispatcher.stop()
    // Time for anything that it would do before its result is recorded.
    // timed: what must not happen has no signal; a slow machine waits for longer.
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
  await stopped
  const rows = await outbox.sql`select status, attempts, claimed_by from webhook_deliveries`
  expect(rows).toEqual([{ status: "rejected", attempts: 1, claimedBy: null }])
})

test("an outage of the database is logged once, survived, and loses nothing", async () => {
  const outbox = await openOutbox()
  const lines: Array<{ level: number; msg: string }> = []
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const road = await breakable(Redacted.value(outbox.url))
  const receiver = await startReceiver((response, request, nth) => {
    // timed: the receiver answers late on purpose.
    setTimeout(() => status(200)(response, request, nth), 10)
  })
  await outbox.addEndpoint(receiver.url)
  const eventId = newId()
  for (let index = 0; index < 40; index++) await outbox.emit(eventId)
  const dispatcher = await startDispatcher(outbox, { log, url: road.url })
  await receiver.count(5)
  road.sever()
  await expect.poll(() => lines.length).toBe(1)
  await outbox.emit(eventId)
  dispatcher.ring()
  road.mend()
  await settled(outbox, Array(41).fill("delivered"))
  await expect.poll(() => lines.map(({ level }) => level)).toEqual([50, 40])
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(41)
})

test("a long run whose claim lost its answer is sent at once, also when its endpoint is not known to be fast any more", async () => {
  const outbox = await openOutbox()
  const proxy = await startPostgresProxy(Redacted.value(outbox.url))
  onTestFinished(() => proxy.close())
  let end = (): void => {}
  const receiver = await startReceiver((response, request, nth) => {
    if (nth === 9) end = () => status(200)(response, request, nth)
    else status(200)(response, request, nth)
  })
  await outbox.addEndpoint(receiver.url)
  const [one, other] = ["1", "2"].map((lane) => newId().slice(0, -1) + lane) as [string, string]
  for (let n = 0; n < 9; n++) await outbox.emit(one)
  const dispatcher = await startDispatcher(outbox, { url: proxy.url })
  await receiver.count(9)
  await settled(outbox, [...Array(8).fill("delivered"), "pending"])
  const extra = { questionId: newId(), text: "When?", anonymous: true }
  const occurrence = { type: "question.created" as const, workspaceId: outbox.workspaceId, eventId: other, extra }
  const lost = proxy.onStatement({ match: /as on_their_way/, action: { kind: "cutReply" }, times: 1 })
  await appendOccurrences(
    outbox.sql,
    Array.from({ length: 40 }, () => ({ ...occurrence, id: newId(), occurredAt: toTimestamp(Date.now()) })),
  )
  dispatcher.ring()
  await lost.reached(1)
  // The endpoint uses no slot when the claim is repeated.
  end()
  // A lease takes thirty seconds to lapse.
  await receiver.count(49)
})

test("stopping lets requests in flight end and gives the rest back untried", async () => {
  const outbox = await openOutbox()
  let finish = () => {}
  const receiver = await startReceiver((response, request, nth) => {
    finish = () => status(200)(response, request, nth)
  })
  await outbox.addEndpoint(receiver.url)
  const eventId = newId()
  for (let index = 0; index < 10; index++) await outbox.emit(eventId)
  const dispatcher = await startDispatcher(outbox)
  await receiver.count(1)
  const stopped = dispatcher.stop()
  finish()
  await stopped
  await dispatcher.stop()
  expect(receiver.received).toHaveLength(1)
  const rows = await outbox.sql`select status, attempts, claimed_by from webhook_deliveries order by seq`
  expect(rows[0]).toMatchObject({ status: "delivered", attempts: 1, claimedBy: null })
  expect(rows.slice(1)).toEqual(Array(9).fill({ status: "pending", attempts: 0, claimedBy: null }))
})

test("a request that does not end is cut off when stopping, and its delivery is due again", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver(() => {})
  await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  const dispatcher = await startDispatcher(outbox, { drainMs: 100, timeoutMs: 60_000, leaseMs: 90_000 })
  await receiver.count(1)
  // The request would hang for a minute; the stop does not wait for it.
  await dispatcher.stop()
  expect(receiver.open()).toBe(0)
  const [row] = await outbox.sql`select status, attempts, claimed_by from webhook_deliveries`
  expect(row).toEqual({ status: "pending", attempts: 0, claimedBy: null })
  receiver.answer = status(200)
  await startDispatcher(outbox, { alone: false })
  await settled(outbox, ["delivered"])
})

test("stopping while the database is away ends in time", async () => {
  const outbox = await openOutbox()
  const road = await breakable(Redacted.value(outbox.url))
  const receiver = await startReceiver(() => {})
  await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  const dispatcher = await startDispatcher(outbox, { url: road.url, drainMs: 200 })
  await receiver.count(1)
  road.sever()
  await dispatcher.stop()
})

test("started and stopped again and again, each occurrence is delivered at least once and no claim is left", async () => {
  const outbox = await openOutbox()
  const receiver = await startReceiver()
  await outbox.addEndpoint(receiver.url)
  for (let round = 0; round < 8; round++) {
    for (let index = 0; index < 5; index++) await outbox.emit(newId())
    const dispatcher = await startDispatcher(outbox, { alone: false })
    await receiver.count(round + 1)
    await dispatcher.stop()
  }
  const [claims] = await outbox.sql`select count(*)::int as n from webhook_deliveries where claimed_by is not null`
  expect(claims).toEqual({ n: 0 })
  await startDispatcher(outbox, { alone: false })
  await settled(outbox, Array(40).fill("delivered"))
})

test("an endpoint that failed for five days is disabled with a log line; waiting deliveries are skipped and can be replayed", async () => {
  const outbox = await openOutbox()
  const { sql } = outbox
  const receiver = await startReceiver(status(503))
  const { id } = await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  const before = await startDispatcher(outbox, { retryDelaysMs: [3_600_000] })
  await expect.poll(async () => sql`select 1 from webhook_endpoints where failing_since is not null`).toHaveLength(1)
  await before.stop()
  await sql`update webhook_endpoints set failing_since = failing_since - interval '5 days'`

  const lines: Array<{ id: string; msg: string }> = []
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const after = await startDispatcher(outbox, { log })
  await settled(outbox, ["skipped"])
  expect(lines).toMatchObject([{ id, workspaceId: outbox.workspaceId, msg: expect.stringContaining("disabled") }])
  await outbox.emit(newId())
  await settled(outbox, ["skipped", "skipped"])
  expect(receiver.received).toHaveLength(1)

  receiver.answer = status(200)
  await updateWebhookEndpoint(sql, id, { status: "active" })
  for (const { id: delivery } of await sql<{ id: string }[]>`select id from webhook_deliveries`) {
    expect((await appendRedelivery(sql, delivery))?.deliveryId).toEqual(expect.any(String))
  }
  after.ring()
  await settled(outbox, ["skipped", "skipped", "delivered", "delivered"])
  const [first, ...repeated] = receiver.received.map(({ headers, body }) => [headers["x-gc-event-id"], body])
  expect(repeated).toHaveLength(2)
  expect(repeated).toContainEqual(first)
})

test("a message older than thirty days goes with its attempts, and one that was delivered again stays", async () => {
  const outbox = await openOutbox()
  const { sql } = outbox
  const receiver = await startReceiver()
  await outbox.addEndpoint(receiver.url)
  await outbox.emit(newId())
  const kept = await outbox.emit(newId())
  const recent = await outbox.emit(newId())
  const dispatcher = await startDispatcher(outbox)
  await settled(outbox, ["delivered", "delivered", "delivered"])
  await dispatcher.stop()
  await sql`update outbox_messages set occurred_at = occurred_at - interval '31 days' where id <> ${recent}`
  await sql`update webhook_deliveries set finished_at = finished_at - interval '31 days' where message_id <> ${recent}`
  const [old] = await sql<{ id: string }[]>`select id from webhook_deliveries where message_id = ${kept}`
  await appendRedelivery(sql, old?.id ?? "")
  await startDispatcher(outbox)
  await expect
    .poll(async () => (await sql<{ id: string }[]>`select id from outbox_messages`).map(({ id }) => id).sort())
    .toEqual([kept, recent].sort())
  await settled(outbox, ["delivered", "delivered", "delivered"])
})
