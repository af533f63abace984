/** Requests that reach an actor in the same process without its mailbox: the same outcomes, and the same care when it leaves. */
import { Cause, Effect } from "effect"
import { expect, test } from "vitest"
import type { Unreachable } from "../../src/actors/commands.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { Inbox } from "../../src/actors/runtime/inbox.ts"
import { type Resident, Residents } from "../../src/actors/runtime/residents.ts"
import { makeMetrics } from "../../src/telemetry/metrics.ts"
import { envelope, seedEvent, startActors } from "../support/live-events.ts"
import { sharedDatabase } from "../support/shared.ts"
import { holdLiveEvent, openStore, type TestSql } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

const database = sharedDatabase()

const TWO = [{ modality: "meeting" }, { modality: "meeting" }] as const
const ANNOUNCE = { type: "announce", d: { text: "hello" } } as const

const announce = (eventId: string) => Effect.flatMap(LiveEvents, (live) => live.execute(eventId, envelope(ANNOUNCE)))

const announcements = async (sql: TestSql, eventId: string): Promise<number> => {
  const rows = await sql`select 1 from publications where event_id = ${eventId} and frame like '%announcement%'`
  return rows.length
}

test("a full event answers unavailable, and what it took is done", async () => {
  const house = await startActors(database.url, { mailbox: 4, direct: true })
  try {
    const { eventId } = await seedEvent(house.sql, TWO)
    await house.execute(eventId, { type: "event.start", d: {} })
    const letGo = await holdLiveEvent(house.url, eventId)
    const pending = Array.from({ length: 10 }, () => house.exit(announce(eventId)))
    const full = await Promise.race(pending)
    expect(full._tag === "Failure" && Cause.squash(full.cause)).toMatchObject({ _tag: "Unavailable" })
    await letGo()
    const done = (await Promise.all(pending)).filter(({ _tag }) => _tag === "Success").length
    expect(done).toBeGreaterThanOrEqual(3)
    expect(await announcements(house.sql, eventId)).toBe(done)
  } finally {
    await house.stop()
  }
})

test("an event that leaves memory finishes the commit under way before it is gone", async () => {
  const house = await startActors(database.url, { direct: true })
  const { eventId } = await seedEvent(house.sql, TWO)
  await house.execute(eventId, { type: "event.start", d: {} })
  const letGo = await holdLiveEvent(house.url, eventId)
  const outcome = house.exit(announce(eventId))
  const watcher = openStore(database.url)
  try {
    await eventually(async () => {
      const rows = await watcher`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%commit_live_event%'`
      return rows.length === 1
    })
    let isStopped = false
    const stopped = house.stop().then(() => {
      isStopped = true
    })
    // The stop ends the caller at once, and waits for the commit.
    await outcome
    expect(isStopped).toBe(false)
    await letGo()
    await stopped
    expect(await announcements(watcher, eventId)).toBe(1)
  } finally {
    await watcher.end()
  }
})

test("commands that are sent one after the other keep their order when the event is taken away and comes back", async () => {
  let isAllowed = true
  const house = await startActors(database.url, { direct: true, holds: () => isAllowed })
  try {
    const { eventId } = await seedEvent(house.sql, TWO)
    await house.execute(eventId, { type: "event.start", d: {} })
    const texts: string[] = []
    const send = (count: number) =>
      Array.from({ length: count }, () => {
        const text = `No. ${texts.length}.`
        texts.push(text)
        return house.execute(eventId, { type: "announce", d: { text } })
      })
    const sent = send(5)
    isAllowed = false
    // The commands that wait and those that come are refused by the fence, and by an owner that may not be one.
    await house.sql`update live_events set epoch = epoch + 1 where event_id = ${eventId}`
    for (let n = 0; n < 20; n++) {
      sent.push(...send(2))
      if (n === 10) isAllowed = true
      // timed: commands come before, while and after the event is away.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await Promise.all(sent)
    const rows = await house.sql<{ frame: string }[]>`
      select frame from publications where event_id = ${eventId} and frame like '%announcement%' order by version, s`
    expect(rows.map(({ frame }) => /No\. \d+\./.exec(frame)?.[0])).toEqual(texts)
  } finally {
    await house.stop()
  }
})

test("an event without traffic leaves memory and comes back, and loses nothing in a storm of requests meanwhile", async () => {
  const house = await startActors(database.url, { idleMs: 300, direct: true })
  try {
    const { eventId } = await seedEvent(house.sql, TWO)
    const stored = async () => {
      const [row] = await house.sql<{ version: number; epoch: number }[]>`
        select version, epoch from live_events where event_id = ${eventId}`
      return row
    }
    let done = 0
    let isOver = false
    // The engine does not see direct requests: an event that waits to begin leaves memory in the middle of them.
    const lane = async (): Promise<void> => {
      while (!isOver) {
        await house.execute(eventId, { type: "event.patch", d: { title: `Title ${done}` } })
        done += 1
      }
    }
    const lanes = Promise.all([lane(), lane(), lane()])
    await eventually(async () => ((await stored())?.epoch ?? 0) > 1)
    isOver = true
    await lanes
    expect((await stored())?.version).toBe(done)
  } finally {
    await house.stop()
  }
})

const never = () => Effect.never

const residentOf = (isHere: () => boolean = () => true): Resident => ({
  inbox: new Inbox<Unreachable>({ most: 2, fork: Effect.runFork, metrics: makeMetrics() }, { perform: never }),
  Execute: never,
  ExecuteTogether: never,
  Rehearse: never,
  ReportPresence: never,
  ReportReactions: never,
  Read: never,
  ReadRoster: never,
  Inspect: never,
  Call: never,
  get isHere() {
    return isHere()
  },
})

test("an event of a shard that went to another process is not found, nor is one after a newer activation left", async () => {
  const residents = await Effect.runPromise(Effect.provide(Residents, Residents.layer))
  let isHere = true
  const [older, newer] = [residentOf(() => isHere), residentOf()]
  residents.enter("e", older)
  expect(residents.find("e")).toBe(older)
  isHere = false
  expect(residents.find("e")).toBeUndefined()
  residents.enter("e", newer)
  residents.leave("e", older)
  expect(residents.find("e")).toBe(newer)
  await Effect.runPromise(newer.inbox.leave)
  expect(residents.find("e")).toBeUndefined()
  residents.leave("e", newer)
  expect(residents.find("e")).toBeUndefined()
})

test("an event that went live by a direct request stays in memory, however little of its idle time was left", async () => {
  // Longer than a busy machine takes to bring all events into memory.
  const house = await startActors(database.url, { direct: true, idleMs: 8000 })
  try {
    const seeded = await Promise.all(Array.from({ length: 60 }, () => seedEvent(house.sql, TWO)))
    const [waiting = "", ...ids] = seeded.map(({ eventId }) => eventId)
    // A busy machine may take longer for sixty at once than the database's deadline.
    const patch = (id: string): Promise<unknown> =>
      house.execute(id, { type: "event.patch", d: { title: "Soon" } }).catch((failure) => {
        if (failure._tag !== "Unavailable") throw failure
        return patch(id)
      })
    const epochsOf = async (some: ReadonlyArray<string>) => {
      const rows = await house.sql<{ eventId: string; epoch: number }[]>`
        select event_id, epoch from live_events where event_id = any (${some}::uuid[])`
      return new Map(rows.map(({ eventId, epoch }) => [eventId, epoch]))
    }
    await Promise.all(ids.map(patch))
    // The engine sees these requests alone. It looks for idle events every five seconds, and lets the waiting one go within thirteen.
    await patch(waiting)
    const started: string[] = []
    const epochs = new Map<string, number | undefined>()
    for (const id of ids) {
      const startsAt = performance.now()
      await house.execute(id, { type: "event.start", d: {} })
      await patch(waiting)
      // The start of the last one may be later than the engine's look.
      const now = await epochsOf([waiting, id])
      if (now.get(waiting) !== 1) break
      started.push(id)
      epochs.set(id, now.get(id))
      // timed: the starts are spread over the time of an idle event.
      await eventually(() => performance.now() > startsAt + 350)
    }
    expect(started.length).toBeGreaterThan(3)
    expect(started.length).toBeLessThan(ids.length)
    // An event that was let go would have come back meanwhile: it is live.
    await Promise.all(started.map(patch))
    expect(await epochsOf(started)).toEqual(epochs)
  } finally {
    await house.stop()
  }
})
