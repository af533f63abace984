/** Turns of workspaces in the queue of work on stored bytes. */
import { beforeEach, expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import {
  claimMediaJob,
  countJobTime,
  deleteIdleTurns,
  endMediaLeases,
  type JobGroup,
  lanesWithJobs,
  type MediaJob,
  nextMediaJobInMs,
} from "../../src/store/media/media-jobs.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"

const FILES: JobGroup = { name: "files", kinds: ["inspect", "cut"] }
const QUICK: JobGroup = { name: "quick", kinds: ["remove", "record"] }
const NONE = "00000000-0000-0000-0000-000000000000"
const LEASE_MS = 600_000

const database = sharedDatabase()
const sql = sharedStore(database)
beforeEach(async () => {
  await sql`delete from media_jobs`
  await sql`delete from media_turns`
})

/** A workspace with an event, to which recordings belong. */
const workspaceOf = async (slug: string) => {
  const [id, eventId] = [newId(), newId()]
  await sql`insert into workspaces (id, name, slug) values (${id}, ${slug}, ${`${slug}-${id}`})`
  await sql`
    insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
    values (${eventId}, ${id}, 'webinar', ${slug}, 'ended', 'public', true, true, '{}')`
  return { id, eventId }
}
type Owner = Awaited<ReturnType<typeof workspaceOf>>

/** Work on `count` recordings of a workspace, the first of them due `agoSeconds` before now. */
const enqueue = async ({ id, eventId }: Owner, count: number, agoSeconds: number, kind = "inspect"): Promise<void> => {
  await sql`
    with added as (
      insert into recordings (id, event_id, workspace_id, kind, status)
      select gen_random_uuid(), ${eventId}, ${id}, 'video', 'processing' from generate_series(1, ${count}::int) returning id)
    insert into media_jobs (kind, recording_id, due_at)
    select ${kind}, id, now() - ${agoSeconds}::float8 * interval '1 second' from added`
}

const claim = (lane: JobGroup) => claimMediaJob(sql, lane, LEASE_MS)
const done = async (lane: JobGroup, job: MediaJob, ms: number): Promise<void> => {
  await countJobTime(sql, lane, job, ms)
  await sql`delete from media_jobs where id = ${job.id}`
}
/** Claims and ends jobs one after the other, each after `ms` of its workspace; resolves to whose they were. */
const work = async (lane: JobGroup, times: number, ms: (workspaceId: string) => number): Promise<string[]> => {
  const served: string[] = []
  for (let n = 0; n < times; n++) {
    const job = await claim(lane)
    if (job === undefined) break
    served.push(job.workspaceId)
    await done(lane, job, ms(job.workspaceId))
  }
  return served
}

test("the recording of a workspace that comes behind forty of another is the next", async () => {
  const [many, one] = [await workspaceOf("many"), await workspaceOf("one")]
  await enqueue(many, 40, 100)
  const first = (await claim(FILES)) ?? expect.fail("no job")
  expect(first.workspaceId).toBe(many.id)
  await enqueue(one, 1, 0)
  await done(FILES, first, 3500)
  expect(await work(FILES, 3, () => 3500)).toEqual([one.id, many.id, many.id])
})

test("two that wait have half of the time each, whatever the time of one job is", async () => {
  const [slow, fast] = [await workspaceOf("slow"), await workspaceOf("fast")]
  await enqueue(slow, 10, 100)
  await enqueue(fast, 50, 50)
  const served = await work(FILES, 33, (id) => (id === slow.id ? 3000 : 300))
  // Three of three seconds, and thirty of 0.3 seconds.
  expect(served.filter((id) => id === slow.id)).toHaveLength(3)
})

test("what a workspace used while it was alone does not count against it", async () => {
  const [old, newcomer] = [await workspaceOf("old"), await workspaceOf("newcomer")]
  await enqueue(old, 20, 100)
  await work(FILES, 10, () => 60_000)
  await enqueue(newcomer, 20, 0)
  // The newcomer first catches up with the last job of the other, and no more.
  expect(await work(FILES, 4, () => 60_000)).toEqual([newcomer.id, old.id, newcomer.id, old.id])
})

test("while a job of one workspace goes on, another node takes that of the other", async () => {
  const [many, one] = [await workspaceOf("many"), await workspaceOf("one")]
  await enqueue(many, 5, 100)
  await enqueue(one, 5, 0)
  const jobs = await Promise.all([claim(FILES), claim(FILES)])
  const more = await claim(FILES)
  const claimed = [...jobs, more].map((job) => job?.id ?? expect.fail("no job"))
  expect(new Set(claimed).size).toBe(3)
  expect((await claim(FILES))?.workspaceId).toBe(one.id)
})

test("nodes that claim at once take each job once", async () => {
  const owners = await Promise.all(["a", "b", "c"].map(workspaceOf))
  for (const owner of owners) await enqueue(owner, 4, 10)
  const claimed: number[] = []
  for (let left = 12; left > 0; ) {
    const jobs = await Promise.all(Array.from({ length: 4 }, () => claim(FILES)))
    const found = jobs.filter((job) => job !== undefined).map(({ id }) => id)
    claimed.push(...found)
    left -= found.length
  }
  expect(new Set(claimed).size).toBe(12)
  expect(await claim(FILES)).toBeUndefined()
})

test("the lane of cheap jobs does not wait for files, and removals have one turn of many", async () => {
  const owner = await workspaceOf("owner")
  await enqueue(owner, 3, 100)
  await sql`insert into media_jobs (kind, storage_key) select 'remove', n::text from generate_series(1, 50) n`
  await enqueue(owner, 1, 0, "record")
  const first = (await claim(QUICK)) ?? expect.fail("no job")
  expect(first).toMatchObject({ kind: "remove", workspaceId: NONE })
  await done(QUICK, first, 20)
  expect(await claim(QUICK)).toMatchObject({ kind: "record", workspaceId: owner.id })
  expect(await lanesWithJobs(sql, [FILES, QUICK])).toEqual([FILES, QUICK])
  expect(await lanesWithJobs(sql, [{ name: "move", kinds: ["move"] }])).toEqual([])
})

test("a lane's next job is due when its lease ends, or by its time", async () => {
  const owner = await workspaceOf("owner")
  expect(await nextMediaJobInMs(sql, [FILES])).toBeUndefined()
  await enqueue(owner, 1, -3600)
  expect(await nextMediaJobInMs(sql, [QUICK])).toBeUndefined()
  expect(Math.round(((await nextMediaJobInMs(sql, [FILES])) ?? 0) / 60_000)).toBe(60)
  expect(await claim(FILES)).toBeUndefined()
  await sql`update media_jobs set due_at = now() - interval '1 second'`
  expect(await claim(FILES)).toMatchObject({ attempts: 1 })
  expect(await claim(FILES)).toBeUndefined()
  await endMediaLeases(sql)
  expect(await claim(FILES)).toMatchObject({ attempts: 2 })
})

test("rows that say nothing any more go, and the time of a lane stays", async () => {
  const [idle, last] = [await workspaceOf("idle"), await workspaceOf("last")]
  await enqueue(idle, 1, 10)
  await work(FILES, 1, () => 500)
  await enqueue(last, 3, 10)
  await work(FILES, 3, () => 500)
  expect(await deleteIdleTurns(sql, 100)).toBe(0)
  await sql`update media_turns set spent_at = now() - interval '25 hours'`
  expect(await deleteIdleTurns(sql, 100)).toBe(1)
  expect(await sql`select workspace_id from media_turns`).toEqual([{ workspaceId: last.id }])
})
