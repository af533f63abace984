import { expect, test } from "vitest"
import { newId, parseId } from "../../src/model/ids.ts"
import { appendOccurrences, appendPing, appendRedelivery } from "../../src/store/webhooks/outbox.ts"
import { findWebhookDelivery } from "../../src/store/webhooks/webhook-delivery-log.ts"
import { deleteWebhookEndpoint } from "../../src/store/webhooks/webhook-endpoints.ts"
import { openOutbox } from "../support/webhooks.ts"

const occurrenceOf = (workspaceId: string) => ({
  id: newId(),
  type: "question.created" as const,
  workspaceId,
  eventId: newId(),
  occurredAt: "2026-11-20T18:00:00.000Z",
  extra: {},
})

/** Deletes the endpoint in a transaction of its own, which commits only when `meanwhile` waits for it. */
const deletedMeanwhile = async <A>(
  { sql }: Awaited<ReturnType<typeof openOutbox>>,
  endpointId: string,
  meanwhile: () => Promise<A>,
): Promise<A> => {
  const waiting = async () => {
    const rows =
      await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return rows.length
  }
  let running: Promise<A> | undefined
  await sql.begin(async (tx) => {
    await deleteWebhookEndpoint(tx, endpointId)
    running = meanwhile()
    running.catch(() => {})
    await expect.poll(waiting, { interval: 10 }).toBe(1)
  })
  if (running === undefined) throw new Error("not begun")
  return await running
}

test("an occurrence during the deletion of an endpoint is committed, and goes to the others", async () => {
  const outbox = await openOutbox()
  const { id: doomed } = await outbox.addEndpoint("https://doomed.example/")
  const { id: other } = await outbox.addEndpoint("https://other.example/")
  const deliveries = await deletedMeanwhile(outbox, doomed, () =>
    appendOccurrences(outbox.sql, [occurrenceOf(outbox.workspaceId)]),
  )
  expect(deliveries).toBe(1)
  expect(await outbox.sql`select endpoint_id from webhook_deliveries`).toEqual([{ endpointId: other }])
})

test("a ping or a repetition for an endpoint that is being deleted finds it gone", async () => {
  const outbox = await openOutbox()
  const first = await outbox.addEndpoint("https://doomed.example/")
  const ping = () =>
    appendPing(outbox.sql, { workspaceId: outbox.workspaceId, webhookId: first.id }, "2026-01-01T00:00:00.000Z")
  expect(await deletedMeanwhile(outbox, first.id, ping)).toBeUndefined()
  const second = await outbox.addEndpoint("https://doomed.example/")
  await outbox.emit(newId())
  const [delivery] = await outbox.sql<{ id: string }[]>`select id from webhook_deliveries`
  const repeat = () => appendRedelivery(outbox.sql, delivery?.id ?? "")
  expect(await deletedMeanwhile(outbox, second.id, repeat)).toBeUndefined()
  expect(await outbox.sql`select id from webhook_deliveries`).toHaveLength(0)
})

test("a delivery for a disabled endpoint is stored as skipped and is not counted", async () => {
  const outbox = await openOutbox()
  await outbox.addEndpoint("https://disabled.example/")
  await outbox.sql`update webhook_endpoints set status = 'disabled'`
  expect(await appendOccurrences(outbox.sql, [occurrenceOf(outbox.workspaceId)])).toBe(0)
  const [row] = await outbox.sql<{ id: string }[]>`select id from webhook_deliveries`
  expect(await findWebhookDelivery(outbox.sql, row?.id ?? "")).toMatchObject({
    status: "skipped",
    attempts: [],
    nextAttemptAt: null,
    finishedAt: expect.any(String),
  })
  expect(await appendRedelivery(outbox.sql, row?.id ?? "")).toEqual({ deliveryId: null })
})

test("ids of deliveries are version 7 and carry the time of their making", async () => {
  const { sql } = await openOutbox()
  const before = Date.now()
  const rows = await sql<{ id: string }[]>`select new_id() as id from generate_series(1, 200)`
  const after = Date.now()
  expect(new Set(rows.map(({ id }) => parseId(id))).size).toBe(200)
  for (const { id } of rows) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const millis = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)
    // The conversion rounds to the nearest millisecond, and the database's clock is this machine's.
    expect(millis).toBeGreaterThanOrEqual(before - 1)
    expect(millis).toBeLessThanOrEqual(after + 1)
  }
})
