import { pino } from "pino"
import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { appendRedelivery } from "../../src/store/webhooks/outbox.ts"
import { updateWebhookEndpoint } from "../../src/store/webhooks/webhook-endpoints.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { openOutbox, startDispatcher } from "../support/webhooks.ts"

const settled = async (outbox: Awaited<ReturnType<typeof openOutbox>>, wanted: ReadonlyArray<string>) => {
  await expect.poll(outbox.statuses, { interval: 10 }).toEqual(wanted)
}

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
