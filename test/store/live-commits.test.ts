/** Commits of many events, which share transactions. */
import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { commitFailure, type LiveCommit } from "../../src/store/live/live-commit.ts"
import { CommitGroups } from "../../src/store/live/live-commits.ts"
import { claimLiveEvent } from "../../src/store/live/live-events.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import { seedEvent } from "../support/live-events.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"
import { holdLiveEvent, openStore, runScript, type TestSql } from "../support/store.ts"

const database = sharedDatabase()
const sql = sharedStore(database)

interface Claimed {
  readonly eventId: string
  readonly fencingToken: number
}

const claim = async (): Promise<Claimed> => {
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  const claimed = await claimLiveEvent(sql, { eventId, node: "test", epoch: newId() })
  return { eventId, fencingToken: claimed?.fencingToken ?? 0 }
}

const claimMany = (count: number): Promise<ReadonlyArray<Claimed>> =>
  Promise.all(Array.from({ length: count }, () => claim()))

const at = toTimestamp(Date.now())

const commitOf = ({ eventId, fencingToken }: Claimed, from: number, commandId: string, frame = "{}"): LiveCommit => ({
  ...{ eventId, fencingToken, from, version: from + 1, at, chart: null, event: null, phases: [], occurrences: [] },
  publications: [{ stream: "event", s: from + 1, version: from + 1, frame, at }],
  commands: [{ scope: "test", commandId, bodyHash: commandId, reply: {}, at }],
  ...{
    changes: [],
    dropped: [],
    moved: [],
    removed: [],
    restored: [],
    silenced: [],
    presence: null,
    captured: null,
    deleted: false,
  },
})

const outcome = (commit: Promise<number>): Promise<string> =>
  commit.then(
    () => "done",
    (cause: unknown) => commitFailure(cause)._tag,
  )

interface Stored {
  readonly version: number
  readonly dispatches: number
}

const storedOf = async (events: ReadonlyArray<Claimed>): Promise<ReadonlyArray<Stored | undefined>> => {
  const rows = await sql<(Stored & { readonly eventId: string })[]>`
    select l.event_id, l.version,
           (select count(*)::integer from publications p where p.event_id = l.event_id) as dispatches
      from live_events l where l.event_id = any(${events.map(({ eventId }) => eventId)}::uuid[])`
  return events.map(({ eventId }) => rows.find((row) => row.eventId === eventId))
}

/** How many statements of the events' commits PostgreSQL was sent. */
const countStatements = () => {
  let count = 0
  const counted = Object.assign(
    (strings: TemplateStringsArray, ...values: Parameters<TestSql>[1][]) => {
      count++
      return sql(strings, ...values)
    },
    { json: sql.json },
  ) as typeof sql
  return { counted, count: () => count }
}

test("commits that come together share transactions, and each is there", async () => {
  const events = await claimMany(50)
  const { counted, count } = countStatements()
  const groups = new CommitGroups(counted, systemTimers)
  const outcomes = await Promise.all(events.map((event) => outcome(groups.run(commitOf(event, 0, "a")))))
  expect(outcomes).toEqual(events.map(() => "done"))
  expect(await storedOf(events)).toEqual(events.map(() => expect.objectContaining({ version: 1, dispatches: 1 })))
  // Three come alone, and the others in groups of at most 32.
  expect(count()).toBe(5)
})

test("a commit that is refused undoes none of those that came with it, and its caller hears why", async () => {
  const events = await claimMany(20)
  const groups = new CommitGroups(sql, systemTimers)
  await Promise.all(events.map((event) => groups.run(commitOf(event, 0, "first"))))
  const outcomes = await Promise.all(
    events.map((event, index) => {
      if (index % 5 === 3) return outcome(groups.run(commitOf({ ...event, fencingToken: 0 }, 1, "second")))
      if (index % 5 === 4) return outcome(groups.run(commitOf(event, 1, "first")))
      return outcome(groups.run(commitOf(event, 1, "second")))
    }),
  )
  expect(outcomes).toEqual(Array(4).fill(["done", "done", "done", "Fenced", "AnsweredBefore"]).flat())
  const versions = (await storedOf(events)).map((row) => row?.version)
  expect(versions).toEqual(Array(4).fill([2, 2, 2, 1, 1]).flat())
})

test("a commit whose row is locked waits alone, and is done when the row is free", async () => {
  const events = await claimMany(12)
  const locked = events[8]
  if (locked === undefined) throw new Error("no event")
  const release = await holdLiveEvent(database.url, locked.eventId)
  const groups = new CommitGroups(sql, systemTimers)
  const commits = events.map((event) => outcome(groups.run(commitOf(event, 0, "a"))))
  const [late] = commits.splice(8, 1)
  expect(await Promise.all(commits)).toEqual(Array(11).fill("done"))
  expect((await storedOf([locked]))[0]?.version).toBe(0)
  await release()
  expect(await late).toBe("done")
})

test("commits whose rows are locked hold up the others once, and not each for its own wait", async () => {
  const events = await claimMany(35)
  const pool = new Pool({ url: database.url, connections: 8, waiting: 100, deadlineMs: 4_000 })
  onTestFinished(() => pool.close(1_000))
  const groups = new CommitGroups(pool.sql, systemTimers)
  const locked = events.slice(3, 31)
  const commits = await sql.begin(async (tx) => {
    await tx`select 1 from live_events where event_id = any(${locked.map(({ eventId }) => eventId)}::uuid[]) for update`
    const sent = events.map((event) => outcome(groups.run(commitOf(event, 0, "a"))))
    expect(await Promise.all(sent.toSpliced(3, locked.length))).toEqual(Array(7).fill("done"))
    return { sent }
  })
  expect(await Promise.all(commits.sent)).toEqual(Array(35).fill("done"))
  const [setting] = await pool.sql<{ readonly lockTimeout: string }[]>`show lock_timeout`
  expect(setting?.lockTimeout).toBe("1920ms")
})

test("a transaction that does not end holds up those that came with it, and no others", async () => {
  const proxy = await startPostgresProxy(database.url)
  const store = openStore(proxy.url, 8)
  onTestFinished(async () => {
    await store.end()
    await proxy.close()
  })
  const events = await claimMany(40)
  const groups = new CommitGroups(store, systemTimers)
  // The three that come first, and take the places of all transactions.
  proxy.onStatement({ match: /commit_live_event\(/, action: { kind: "drop" }, times: 3 })
  const commits = events.map((event) => outcome(groups.run(commitOf(event, 0, "a"))))
  expect(await Promise.all(commits.slice(3))).toEqual(Array(37).fill("done"))
  proxy.reset()
  expect(await Promise.all(commits.slice(0, 3))).toEqual(Array(3).fill("CommitUnknown"))
})

test("a group whose transaction is lost is told so, each of it, and none of it is stored", async () => {
  const proxy = await startPostgresProxy(database.url)
  const store = openStore(proxy.url)
  onTestFinished(async () => {
    await store.end()
    await proxy.close()
  })
  const events = await claimMany(10)
  proxy.onStatement({ match: /commit_live_events/, action: { kind: "cutBefore" }, times: 1 })
  const groups = new CommitGroups(store, systemTimers)
  const outcomes = await Promise.all(events.map((event) => outcome(groups.run(commitOf(event, 0, "a")))))
  expect(outcomes).toEqual([...Array(3).fill("done"), ...Array(7).fill("CommitUnknown")])
  const versions = (await storedOf(events)).map((row) => row?.version)
  expect(versions).toEqual([...Array(3).fill(1), ...Array(7).fill(0)])
})

test("a large commit has a statement of its own", async () => {
  const events = await claimMany(8)
  const { counted, count } = countStatements()
  const groups = new CommitGroups(counted, systemTimers)
  const frame = JSON.stringify({ text: "x".repeat(20_000) })
  const outcomes = await Promise.all(
    events.map((event, index) => outcome(groups.run(commitOf(event, 0, "a", index === 6 ? frame : "{}")))),
  )
  expect(outcomes).toEqual(Array(8).fill("done"))
  // Three that come alone, the large one, and the four others together.
  expect(count()).toBe(5)
})

test("a commit that PostgreSQL cannot read fails none of those that came with it", async () => {
  const events = await claimMany(12)
  const groups = new CommitGroups(sql, systemTimers)
  const outcomes = await Promise.all(
    // No text of PostgreSQL may hold U+0000.
    events.map((event, index) => outcome(groups.run(commitOf(event, 0, "a", index === 6 ? "\0" : "{}")))),
  )
  expect(outcomes).toEqual(events.map((_, index) => (index === 6 ? "CommitUnknown" : "done")))
})

test("the deletion of an event, which may take long, holds up no other commit", async () => {
  const events = await claimMany(12)
  const slow = events[6]
  if (slow === undefined) throw new Error("no event")
  await runScript(
    database.url,
    `create function wait_long() returns trigger language plpgsql as $$ begin perform pg_sleep(5); return old; end $$;
     create trigger wait_long before delete on events for each row execute function wait_long()`,
  )
  const pool = new Pool({ url: database.url, connections: 8, waiting: 100, deadlineMs: 4_000 })
  onTestFinished(async () => {
    await pool.close(1_000)
    await runScript(database.url, "drop trigger wait_long on events; drop function wait_long()")
  })
  const groups = new CommitGroups(pool.sql, systemTimers)
  const commits = events.map((event) => {
    const commit = commitOf(event, 0, "a")
    return outcome(groups.run(event === slow ? { ...commit, deleted: true } : commit))
  })
  expect(await Promise.all(commits)).toEqual(events.map((event) => (event === slow ? "CommitUnknown" : "done")))
})

/** A step of one event: its owner's next commit, one of an earlier owner, or one that skips a version. */
const STEPS = ["next", "stale", "gap"] as const

test("in company every commit has the outcome that it has alone", async () => {
  const events = await claimMany(12)
  const versions = new Map(events.map(({ eventId }) => [eventId, 0]))
  const groups = new CommitGroups(sql, systemTimers)
  const round = fc.array(fc.constantFrom(...STEPS), { minLength: events.length, maxLength: events.length })
  await fc.assert(
    fc.asyncProperty(round, async (steps) => {
      const commits = events.map((event, index) => {
        const version = versions.get(event.eventId) ?? 0
        const step = steps[index]
        if (step === "stale") return outcome(groups.run(commitOf({ ...event, fencingToken: 0 }, version, newId())))
        if (step === "gap") return outcome(groups.run(commitOf(event, version + 1, newId())))
        versions.set(event.eventId, version + 1)
        return outcome(groups.run(commitOf(event, version, newId())))
      })
      expect(await Promise.all(commits)).toEqual(steps.map((step) => (step === "next" ? "done" : "Fenced")))
      expect((await storedOf(events)).map((row) => row?.version)).toEqual([...versions.values()])
    }),
    { numRuns: 30 },
  )
})
