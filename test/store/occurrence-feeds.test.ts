/** Places in a feed: a reader sees every occurrence once, in whichever order transactions commit. */
import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import {
  hasUnplaced,
  keepOccurrences,
  placeOccurrences,
  readOccurrences,
  sweepFeeds,
} from "../../src/store/webhooks/occurrence-feeds.ts"
import { appendOccurrences, isWanted } from "../../src/store/webhooks/outbox.ts"
import { openOutbox } from "../support/webhooks.ts"

type Outbox = Awaited<ReturnType<typeof openOutbox>>

const occurrence = ({ workspaceId }: Outbox, title: string, id = newId()) => ({
  id,
  type: "event.published" as const,
  workspaceId,
  eventId: newId(),
  occurredAt: toTimestamp(Date.now()),
  extra: { title, scheduledAt: null },
})

const readAll = async ({ sql, workspaceId }: Outbox, after = 0) => {
  if (await hasUnplaced(sql, workspaceId)) await sql.begin((inside) => placeOccurrences(inside, workspaceId))
  const rows = await readOccurrences(sql, workspaceId, after, 100)
  return { titles: rows.map(({ body }) => JSON.parse(body).title), last: rows.at(-1)?.place ?? after }
}

test("an occurrence that is committed late comes after those that were read before", async () => {
  const outbox = await openOutbox()
  const { sql, workspaceId } = outbox
  await keepOccurrences(sql, workspaceId)
  let read: Awaited<ReturnType<typeof readAll>> | undefined
  await sql.begin(async (early) => {
    await appendOccurrences(early, [occurrence(outbox, "early")])
    await appendOccurrences(sql, [occurrence(outbox, "late")])
    read = await readAll(outbox)
  })
  expect(read?.titles).toEqual(["late"])
  expect((await readAll(outbox, read?.last)).titles).toEqual(["early"])
})

test("occurrences of one commit keep their order, and a repeated commit adds none", async () => {
  const outbox = await openOutbox()
  const { sql, workspaceId } = outbox
  await keepOccurrences(sql, workspaceId)
  const titles = Array.from({ length: 20 }, (_, n) => `${n}`)
  // The ids descend, so that the order is not that of the ids.
  const ids = titles.map(() => newId()).toReversed()
  const commit = titles.map((title, n) => occurrence(outbox, title, ids[n]))
  await appendOccurrences(sql, commit)
  await appendOccurrences(sql, commit)
  expect((await readAll(outbox)).titles).toEqual(titles)
})

test("readers at once give each occurrence one place", async () => {
  const outbox = await openOutbox()
  const { sql, workspaceId } = outbox
  await keepOccurrences(sql, workspaceId)
  await appendOccurrences(
    sql,
    Array.from({ length: 50 }, (_, n) => occurrence(outbox, `${n}`)),
  )
  const all = await Promise.all(Array.from({ length: 5 }, () => readAll(outbox)))
  for (const { titles } of all) expect(titles).toHaveLength(50)
  expect(new Set(all.map(({ last }) => last)).size).toBe(1)
})

test("without a feed or an endpoint nothing is stored, and a feed that nobody reads ends", async () => {
  const outbox = await openOutbox()
  const { sql, workspaceId } = outbox
  const stored = async () => (await sql<{ n: number }[]>`select count(*)::int as n from outbox_messages`)[0]?.n
  await appendOccurrences(sql, [occurrence(outbox, "none")])
  expect([await stored(), await isWanted(sql, workspaceId, ["event.published"])]).toEqual([0, false])
  const since = await keepOccurrences(sql, workspaceId)
  expect(await keepOccurrences(sql, workspaceId)).toBe(since)
  await appendOccurrences(sql, [occurrence(outbox, "kept")])
  expect([await stored(), await isWanted(sql, workspaceId, ["event.published"])]).toEqual([1, true])
  await sweepFeeds(sql, toTimestamp(Date.now() - 1_000))
  expect(await isWanted(sql, workspaceId, ["event.published"])).toBe(true)
  await sweepFeeds(sql, toTimestamp(Date.now() + 1_000))
  expect(await isWanted(sql, workspaceId, ["event.published"])).toBe(false)
})
