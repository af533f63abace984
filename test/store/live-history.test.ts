import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { keyedScope } from "../../src/model/live/command-scopes.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { findHeads, findSharedHeads, forgetPublications, listPublications } from "../../src/store/live/live-history.ts"
import { sweepHistory } from "../../src/store/sweeps/history-sweep.ts"
import { SWEEP_BATCH } from "../../src/store/sweeps.ts"
import { createTestDatabase } from "../support/database.ts"
import { seedEvent } from "../support/live-events.ts"
import { openStore, type TestSql } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

const MINUTE = 60_000
const NOW = Date.now()
const ago = (minutes: number) => toTimestamp(NOW - minutes * MINUTE)

const open = async (): Promise<{ readonly sql: TestSql; readonly eventId: string }> => {
  const database = await createTestDatabase()
  const sql = openStore(database.url, 4)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return { sql, eventId: (await seedEvent(sql, [{ modality: "meeting" }])).eventId }
}

/** Numbers `from` to `to` of a stream, one a second, the last of them so many minutes ago. */
const say = (
  sql: TestSql,
  eventId: string,
  stream: string,
  given: { from?: number; to: number; minutesAgo: number },
) => sql`
  insert into publications (event_id, stream, s, version, frame, at)
  select ${eventId}, ${stream}, s, s, 'f' || s, ${ago(given.minutesAgo)}::timestamptz - (${given.to}::integer - s) * interval '1 s'
    from generate_series(${given.from ?? 1}::integer, ${given.to}::integer) as g(s)`

const headsOf = async (sql: TestSql, eventId: string, streams: ReadonlyArray<string>) =>
  Object.fromEntries((await findHeads(sql, eventId, streams)).map(({ stream, s }) => [stream, s]))

test("forgetting keeps how far each stream had come, and never more rows than it may take", async () => {
  const { sql, eventId } = await open()
  await say(sql, eventId, "event", { to: 30, minutesAgo: 10 })
  await say(sql, eventId, "me:p", { to: 5, minutesAgo: 10 })
  await say(sql, eventId, "me:q", { to: 4, minutesAgo: 0 })
  expect(await forgetPublications(sql, ago(5), 20)).toBe(20)
  expect(await forgetPublications(sql, ago(5), 20)).toBe(15)
  expect(await forgetPublications(sql, ago(5), 20)).toBe(0)
  const left = await sql`select stream, s from publications order by s`
  expect(left).toEqual([1, 2, 3, 4].map((s) => ({ stream: "me:q", s })))
  const heads = await headsOf(sql, eventId, ["event", "me:p", "me:q", "me:nobody"])
  expect(heads).toEqual({ event: 30, "me:p": 5, "me:q": 4, "me:nobody": 0 })
  await say(sql, eventId, "me:p", { from: 6, to: 7, minutesAgo: 0 })
  expect(await headsOf(sql, eventId, ["me:p"])).toEqual({ "me:p": 7 })
})

test("a head never goes back, whatever order the rows are forgotten in", async () => {
  const { sql, eventId } = await open()
  // The clock was put back between the two.
  await say(sql, eventId, "event", { to: 3, minutesAgo: 10 })
  await say(sql, eventId, "event", { from: 4, to: 6, minutesAgo: 20 })
  expect(await forgetPublications(sql, ago(15), 100)).toBe(3)
  expect(await headsOf(sql, eventId, ["event"])).toEqual({ event: 6 })
  expect(await forgetPublications(sql, ago(5), 100)).toBe(3)
  expect(await headsOf(sql, eventId, ["event"])).toEqual({ event: 6 })
})

test("whether a room or a participant had a publication is known before and after it is deleted", async () => {
  const { sql, eventId } = await open()
  await say(sql, eventId, "event", { to: 3, minutesAgo: 10 })
  await say(sql, eventId, "staff", { to: 3, minutesAgo: 10 })
  expect((await findSharedHeads(sql, eventId)).hasOtherStreams).toBe(false)
  await say(sql, eventId, "room:red", { to: 1, minutesAgo: 10 })
  expect((await findSharedHeads(sql, eventId)).hasOtherStreams).toBe(true)
  await forgetPublications(sql, ago(5), 100)
  expect((await findSharedHeads(sql, eventId)).hasOtherStreams).toBe(true)
})

test("history is the newest of each stream that was asked for, by number and by age", async () => {
  const { sql, eventId } = await open()
  await say(sql, eventId, "event", { to: 30, minutesAgo: 0 })
  await say(sql, eventId, "me:p", { to: 3, minutesAgo: 10 })
  await say(sql, eventId, "me:p", { from: 4, to: 5, minutesAgo: 0 })
  await say(sql, eventId, "me:q", { to: 3, minutesAgo: 0 })
  const found = await listPublications(sql, eventId, ["me:p", "event"], { since: ago(2), perStream: 4 })
  expect(found.map(({ stream, s, frame }) => [stream, s, frame])).toEqual([
    ...[27, 28, 29, 30].map((s) => ["event", s, `f${s}`]),
    ...[4, 5].map((s) => ["me:p", s, `f${s}`]),
  ])
})

test("the sweep forgets all that is due, batch by batch, and nothing else", async () => {
  const { sql, eventId } = await open()
  await say(sql, eventId, "event", { to: 2 * SWEEP_BATCH + 10, minutesAgo: 10 })
  await say(sql, eventId, "staff", { to: 3, minutesAgo: 0 })
  await sql`
    insert into live_commands (event_id, scope, command_id, body_hash, reply, at)
    select ${eventId}, 'p', n::text, '', '{}', now() - case when n > 5 then interval '12 minutes' else interval '0' end
      from generate_series(1, ${SWEEP_BATCH + 100}::integer) as g(n)`
  await Effect.runPromise(sweepHistory(sql.database, NOW, 2 * MINUTE, 90))
  expect(await sql`select stream from publications`).toEqual(Array.from({ length: 3 }, () => ({ stream: "staff" })))
  expect(await sql`select 1 from live_commands`).toHaveLength(5)
  expect(await headsOf(sql, eventId, ["event"])).toEqual({ event: 2 * SWEEP_BATCH + 10 })
})

test("answers under an Idempotency-Key are kept for a day and an hour, and others for minutes", async () => {
  const { sql, eventId } = await open()
  const hours = 25 * 60
  for (const [scope, id, minutes] of [
    ["p", "kept", 10],
    ["p", "forgotten", 12],
    [keyedScope("k"), "kept", hours - 1],
    [keyedScope("k"), "forgotten", hours + 1],
  ] as const) {
    await sql`
      insert into live_commands (event_id, scope, command_id, body_hash, reply, at)
      values (${eventId}, ${scope}, ${id}, '', '{}', ${ago(minutes)})`
  }
  await Effect.runPromise(sweepHistory(sql.database, NOW, 2 * MINUTE, 90))
  expect(await sql`select scope, command_id from live_commands order by scope`).toEqual([
    { scope: keyedScope("k"), commandId: "kept" },
    { scope: "p", commandId: "kept" },
  ])
})

test("an event that is being deleted is left alone, and takes its heads along", async () => {
  const { sql, eventId } = await open()
  const other = (await seedEvent(sql, [{ modality: "meeting" }])).eventId
  await say(sql, eventId, "event", { to: 3, minutesAgo: 10 })
  await say(sql, other, "event", { to: 4, minutesAgo: 10 })
  await sql.begin(async (tx) => {
    await tx`delete from events where id = ${eventId}`
    expect(await forgetPublications(sql, ago(5), 100)).toBe(4)
  })
  expect(await forgetPublications(sql, ago(5), 100)).toBe(0)
  await sql`delete from events where id = ${other}`
  expect(await sql`select 1 from stream_heads`).toHaveLength(0)
})

test("a deletion waits for the sweep that was first, and both come to an end", async () => {
  const { sql, eventId } = await open()
  await say(sql, eventId, "event", { to: 3, minutesAgo: 10 })
  const waiting = () =>
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  let deletion: Promise<unknown> | undefined
  await sql.begin(async (tx) => {
    await forgetPublications(tx, ago(5), 100)
    deletion = Promise.resolve(sql`delete from events where id = ${eventId}`)
    await eventually(async () => (await waiting()).length === 1, "the deletion waits")
  })
  await deletion
  expect(await sql`select 1 from stream_heads`).toHaveLength(0)
})
