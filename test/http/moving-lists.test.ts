/** Lists whose order changes while they are read: each item comes once where the reference says so. */
import { expect, onTestFinished, test } from "vitest"
import { createEvent, createWorkspace, type Json } from "../support/api.ts"
import { openAudience } from "../support/audience.ts"
import { createTestDatabase } from "../support/database.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { rowsOf } from "../support/rows.ts"
import { startTestServer } from "../support/server.ts"

test("questions by the time they were asked come once, whatever becomes of their votes between two pages", async () => {
  const house = await openAudience()
  onTestFinished(() => house.stop())
  const event = await house.event()
  const ids: string[] = []
  for (const text of ["a", "b", "c", "d", "e"]) ids.push(await house.question(event.id, text))
  const read: string[] = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const page: Json = (
      await house.list(event.id, `?sort=createdAt&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
    ).body
    read.push(...page.questions.map(({ text }: Json) => text))
    cursor = page.nextCursor
    // The last question rises above those that were read, and in the order of votes it would be missed.
    await house.vote(ids.at(-1) ?? "")
  }
  expect(read).toEqual(["a", "b", "c", "d", "e"])
  expect((await house.list(event.id, "?sort=createdAt&status=hidden")).body.questions).toEqual([])
})

test("a sort of no list and a cursor of the other sort are refused", async () => {
  const house = await openAudience()
  onTestFinished(() => house.stop())
  const event = await house.event()
  for (const text of ["a", "b"]) await house.question(event.id, text)
  const { nextCursor: byVotes } = (await house.list(event.id, "?limit=1")).body
  const { nextCursor: byTime } = (await house.list(event.id, "?limit=1&sort=createdAt")).body
  for (const query of ["?sort=name", `?sort=createdAt&cursor=${byVotes}`, `?cursor=${byTime}`]) {
    const answer = await house.list(event.id, query)
    expect([query, answer.status, answer.body.code]).toEqual([query, 400, "bad_request"])
  }
})

test("a CSV has every question once, although votes move them while it is read", async () => {
  const database = await createTestDatabase()
  const rows = rowsOf(database.url)
  const proxy = await startPostgresProxy(database.url)
  const server = await startTestServer({ DATABASE_URL: proxy.url })
  onTestFinished(async () => {
    await server.stop()
    await proxy.close()
    await rows.end()
    await database.drop()
  })
  const { key } = await createWorkspace(server.url)
  const event = await createEvent(server.url, key)
  await rows.run(
    `insert into questions (id, event_id, text, status, anonymous, votes, created_at)
     select gen_random_uuid(), $1::uuid, n::text, 'approved', true, 5, now() from generate_series(1, 2500) n`,
    [event.id],
  )
  let release = (): void => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  const second = proxy.onStatement({
    match: /from questions q where/,
    action: { kind: "hold", until },
    skip: 1,
    times: 1,
  })
  const file = fetch(`${server.url}/v1/events/${event.id}/questions?format=csv`, { headers: { "x-api-key": key } })
  await second.reached(1)
  // Those that were read get fewer votes and would come again; the others get more and would be missed.
  await rows.run("update questions set votes = 1 + 8 * (text::integer % 2) where event_id = $1", [event.id])
  release()
  const lines = (await (await file).text()).trimEnd().split("\r\n").slice(1)
  expect(lines).toHaveLength(2500)
  expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(2500)
})
