import { expect, onTestFinished, test } from "vitest"
import { readBacklog } from "../../src/store/webhooks/backlog.ts"
import { createTestDatabase } from "../support/database.ts"
import { openStore } from "../support/store.ts"

test("the backlog has the jobs on stored bytes, but for recordings of rooms that go on, and the age of the oldest one", async () => {
  const database = await createTestDatabase()
  const sql = openStore(database.url)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  expect(await readBacklog(sql)).toEqual({
    deliveries: 0,
    deliveriesAge: 0,
    mails: 0,
    mailsAge: 0,
    media: 0,
    mediaAge: 0,
  })
  await sql`
    insert into media_jobs (kind, storage_key, created_at)
    values ('remove', 'a', now() - interval '1 hour'), ('remove', 'b', now()), ('capture', 'c', now() - interval '2 hours')`
  const { media, mediaAge } = (await readBacklog(sql)) ?? expect.fail("no row")
  expect(media).toBe(2)
  expect(Math.round(mediaAge / 60)).toBe(60)
})
