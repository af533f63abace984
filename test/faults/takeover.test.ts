/** Two processes that both take themselves for the owner of an event, as after a failed takeover. */
import { expect, onTestFinished, test } from "vitest"
import { createTestDatabase } from "../support/database.ts"
import { seedEvent, startActors } from "../support/live-events.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"

test("a commit that was lost is not taken for the one that another owner made in its place", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  const [one, other] = [
    await startActors(proxy.url, { node: "one" }),
    await startActors(database.url, { node: "other" }),
  ]
  onTestFinished(async () => {
    await one.stop()
    await other.stop()
  })
  const { eventId } = await seedEvent(other.sql, [{ modality: "meeting" }])
  const { version } = await one.execute(eventId, { type: "event.start", d: {} })

  // Its commit never arrives, and it asks what became of it: while the answer is on its way, the other one takes the event.
  proxy.onStatement({ match: /commit_live_event/, action: { kind: "cutBefore" }, times: 1 })
  proxy.onStatement({ match: /insert into live_events/, action: { kind: "delay", ms: 1500 }, times: 1 })
  const asked = proxy.answered(/insert into live_events/)
  const lost = one.execute(eventId, { type: "event.patch", d: { title: "One" } })
  await asked
  const taken = await other.execute(eventId, { type: "event.patch", d: { title: "Other" } })
  expect(taken.version).toBe(version + 1)

  expect((await lost).version).toBe(version + 2)
  expect(await other.sql`select title from events where id = ${eventId}`).toEqual([{ title: "One" }])
})
