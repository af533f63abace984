/** The backlog of an operator: how many wait, and how late this server is. */
import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { readBacklog } from "../../src/store/webhooks/backlog.ts"
import { createTestDatabase } from "../support/database.ts"
import { openStore } from "../support/store.ts"

const openBacklog = async () => {
  const database = await createTestDatabase()
  const sql = openStore(database.url)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  const read = async () => (await readBacklog(sql)) ?? expect.fail("no row")
  return { sql, read }
}

const minutes = (seconds: number): number => Math.round(seconds / 60)

test("nothing waits in an empty database", async () => {
  const { read } = await openBacklog()
  expect(await read()).toEqual({
    deliveries: 0,
    deliveriesOverdue: 0,
    mails: 0,
    mailsOverdue: 0,
    media: 0,
    mediaOverdue: 0,
    failingEndpoints: 0,
  })
})

test("jobs on stored bytes are counted but for recordings of rooms that go on, and emails; what is due later is not overdue", async () => {
  const { sql, read } = await openBacklog()
  await sql`
    insert into media_jobs (kind, storage_key, due_at)
    values ('remove', 'a', now() - interval '1 hour'), ('remove', 'b', now() + interval '1 hour'), ('capture', 'c', now() - interval '2 hours')`
  await sql`
    insert into mails (id, recipient, subject, content_sealed, due_at) values (gen_random_uuid(), 'a@example.com', 'x', '', now() + interval '1 hour')`
  expect(await read()).toMatchObject({ media: 2, mails: 1, mailsOverdue: 0 })
  expect(minutes((await read()).mediaOverdue)).toBe(60)
})

test("a delivery is overdue by its first or next try, and none of an endpoint that fails", async () => {
  const { sql, read } = await openBacklog()
  const [workspace, event, healthy, failing] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await sql`insert into workspaces (id, name, slug) values (${workspace}, 'Acme', 'acme')`
  const endpoint = (id: string, since: string | null) => sql`
    insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed, failing_since)
    values (${id}, ${workspace}, 'https://example.com/', '{}', '', ${since}::timestamptz)`
  await endpoint(healthy, null)
  await endpoint(failing, "2020-01-01T00:00:00Z")
  const deliver = async (to: string, attempts: number, minutesAgo: number) => {
    const message = randomUUID()
    await sql`
      insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
      values (${message}, ${workspace}, ${event}, 'event.started', '{}', now())`
    await sql`
      insert into webhook_deliveries (id, message_id, endpoint_id, event_id, attempts, created_at, next_attempt_at)
      values (gen_random_uuid(), ${message}, ${to}, ${event}, ${attempts}, now() - interval '3 days',
              now() - make_interval(mins => ${minutesAgo}))`
  }
  await deliver(failing, 3, 600)
  await deliver(failing, 0, 600)
  await deliver(healthy, 1, -30)
  expect(await read()).toMatchObject({ deliveries: 3, deliveriesOverdue: 0, failingEndpoints: 1 })
  await deliver(healthy, 1, 20)
  expect(minutes((await read()).deliveriesOverdue)).toBe(20)
  await deliver(healthy, 0, -1440)
  expect(minutes((await read()).deliveriesOverdue)).toBe(3 * 1440)
})
