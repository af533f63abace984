import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type ActorHouse, envelope, seedEvent, startActors } from "../support/live-events.ts"
import { holdLiveEvent, runScript } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

let database: TestDatabase
let actors: ActorHouse

beforeAll(async () => {
  database = await createTestDatabase()
  actors = await startActors(database.url)
})
afterAll(async () => {
  await actors.stop()
  await database.drop()
})

const THREE = [{ modality: "broadcast" }, { modality: "meeting" }, { modality: "meeting" }] as const
const TIMED = [{ modality: "breakout", config: { durationSeconds: 600 } }, { modality: "meeting" }] as const

const phaseStatuses = async (eventId: string): Promise<unknown[]> => {
  const rows = await actors.sql`select status from phases where event_id = ${eventId} order by position`
  return rows.map((row) => row["status"])
}

const listenForWebhooks = async (workspaceId: string): Promise<void> => {
  await actors.sql`
    insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed)
    values (gen_random_uuid(), ${workspaceId}, 'https://example.com/hook', '{}', '\\x00')`
}

const occurrences = async (eventId: string, type: string): Promise<number> => {
  const rows = await actors.sql`select id from outbox_messages where event_id = ${eventId} and type = ${type}`
  return rows.length
}

const live = async (phases: Parameters<typeof seedEvent>[1]) => {
  const seeded = await seedEvent(actors.sql, phases)
  await listenForWebhooks(seeded.workspaceId)
  await actors.execute(seeded.eventId, { type: "event.start", d: {} })
  return seeded
}

const advanceFrom = (eventId: string, phaseId = "") => actors.execute(eventId, { type: "phase.next", d: { phaseId } })

describe("advancing", () => {
  test("fifty guarded advances at once move the agenda one step and all succeed", async () => {
    const { eventId, phaseIds } = await live(THREE)
    const answers = await Promise.all(Array.from({ length: 50 }, () => advanceFrom(eventId, phaseIds[0])))
    expect(new Set(answers.map(({ event }) => event.activePhaseId))).toEqual(new Set([phaseIds[1]]))
    expect(await phaseStatuses(eventId)).toEqual(["ended", "active", "pending"])
  })

  test("two unguarded advances at once move it two steps", async () => {
    const { eventId } = await live(THREE)
    const advance = () => actors.execute(eventId, { type: "phase.next", d: {} })
    await Promise.all([advance(), advance()])
    expect(await phaseStatuses(eventId)).toEqual(["ended", "ended", "active"])
  })

  test("an end racing the last advance ends the event once", async () => {
    const { eventId, phaseIds } = await live([{ modality: "meeting" }])
    const outcomes = await Promise.allSettled([
      advanceFrom(eventId, phaseIds[0]),
      actors.execute(eventId, { type: "event.end", d: {} }),
      advanceFrom(eventId, phaseIds[0]),
    ])
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(2)
    expect(await occurrences(eventId, "event.ended")).toBe(1)
    expect(await phaseStatuses(eventId)).toEqual(["ended"])
  })

  test("the retry of the last guarded advance is answered with the ended event", async () => {
    const { eventId, phaseIds } = await live([{ modality: "meeting" }])
    const advance = () => advanceFrom(eventId, phaseIds[0])
    expect((await advance()).event.status).toBe("ended")
    expect((await advance()).event.status).toBe("ended")
    await expect(actors.execute(eventId, { type: "phase.next", d: {} })).rejects.toMatchObject({
      code: "conflict",
    })
  })
})

describe("states that do not allow a command", () => {
  test("an event that does not exist is not found", async () => {
    await expect(actors.execute(crypto.randomUUID(), { type: "event.start", d: {} })).rejects.toMatchObject({
      _tag: "NotFound",
    })
  })
})

describe("timers", () => {
  const deadline = async (eventId: string): Promise<number> => {
    const [row] = await actors.sql`select timer_ends_at, extended_seconds from phases
      where event_id = ${eventId} and status = 'active'`
    return Date.parse(String(row?.["timerEndsAt"]))
  }

  test("extensions at the same moment add up", async () => {
    const { eventId, phaseIds } = await live(TIMED)
    const before = await deadline(eventId)
    const extend = () =>
      actors.execute(eventId, { type: "timer.extend", d: { timerId: phaseIds[0] ?? "", seconds: 60 } })
    await Promise.all([extend(), extend()])
    expect((await deadline(eventId)) - before).toBe(120_000)
  })
})

describe("the commit", () => {
  test("that fails publishes nothing and changes nothing, and the next command works", async () => {
    const { eventId, phaseIds } = await live(THREE)
    const seen = await actors.watch(eventId)
    await runScript(
      actors.url,
      `
      create function refuse_poison() returns trigger language plpgsql as
      $$ begin raise exception 'poisoned'; end $$;
      create trigger poison before insert on publications for each row
        when (new.frame like '%phase.ended%' and new.event_id = '${eventId}') execute function refuse_poison()`,
    )
    const advance = () => advanceFrom(eventId, phaseIds[0])
    await expect(advance()).rejects.toMatchObject({ _tag: "Unavailable" })
    expect(seen.filter(({ kind }) => kind === "commit")).toEqual([])
    expect(await phaseStatuses(eventId)).toEqual(["active", "pending", "pending"])
    await actors.sql`drop trigger poison on publications`
    expect((await advance()).event.activePhaseId).toBe(phaseIds[1])
  })

  test("numbers every dispatch of a stream without a gap, and the store has all published ones", async () => {
    const { eventId } = await seedEvent(actors.sql, THREE)
    const seen = await actors.watch(eventId)
    await actors.execute(eventId, { type: "event.start", d: {} })
    await actors.execute(eventId, { type: "phase.next", d: {} })
    await actors.execute(eventId, { type: "event.end", d: {} })
    const published = seen.flatMap(({ publications }) => publications)
    expect(published.map(({ s }) => s)).toEqual(published.map((_, index) => index + 1))
    const stored = await actors.sql`select s, frame from publications where event_id = ${eventId} order by s`
    expect(stored.map((row) => row["frame"])).toEqual(published.map(({ frame }) => frame))
  })

  test("that the caller stopped waiting for is adopted and published all the same", async () => {
    const { eventId, phaseIds } = await live(THREE)
    const seen = await actors.watch(eventId)
    const letGo = await holdLiveEvent(actors.url, eventId)
    const command = envelope({ type: "phase.next", d: { phaseId: phaseIds[0] ?? "" } })
    const impatient = actors.exit(
      Effect.flatMap(LiveEvents, (events) => events.execute(eventId, command).pipe(Effect.timeout("200 millis"))),
    )
    expect((await impatient)._tag).toBe("Failure")
    await letGo()
    await eventually(() =>
      seen.some(({ publications }) => publications.some(({ frame }) => frame.includes("phase.started"))),
    )
    const again = await actors.run(Effect.flatMap(LiveEvents, (events) => events.execute(eventId, command)))
    expect([again.duplicate, again.event?.activePhaseId]).toEqual([true, phaseIds[1]])
  })

  test("under an id that the actor has forgotten is answered from the store, also where it would be refused now and among new ones that are done once, and refused with another body", async () => {
    const { eventId } = await live([{ modality: "meeting", featureSet: ["chat"] }])
    const announce = (text: string, commandId?: string, bodyHash = "a") =>
      actors.execute(
        eventId,
        { type: "announce", d: { text } },
        commandId === undefined ? {} : { commandId, scope: "p", bodyHash },
      )
    const by = { participantId: "p", name: "P", userId: "p", kind: "user", role: "participant", walkIn: false } as const
    const say = (commandId: string) =>
      actors.execute(
        eventId,
        { type: "chat.send", d: { to: "event", text: "once" } },
        { commandId, scope: "p", bodyHash: "a", by },
      )
    await actors.execute(eventId, { type: "chat.slow", d: { perMs: 3_600_000 } })
    const [first, said] = [await announce("once", "first"), await say("said")]
    // In portions: a thousand at once would wait longer for their turn than a caller does on a busy machine.
    for (let portion = 0; portion < 11; portion++) {
      await Promise.all(Array.from({ length: 91 }, () => announce("more")))
    }
    const again = await announce("once", "first")
    expect([again.duplicate, again.version]).toEqual([true, first.version])
    await expect(announce("once", "first", "b")).rejects.toMatchObject({ code: "conflict" })
    const saidAgain = await say("said")
    expect([saidAgain.duplicate, saidAgain.result]).toEqual([true, said.result])
    await expect(say("another")).rejects.toMatchObject({ code: "rate_limited" })

    const letGo = await holdLiveEvent(actors.url, eventId)
    const leader = announce("leader")
    await eventually(async () => {
      const waiting = await actors.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    const together = [
      announce("new"),
      announce("once", "first"),
      announce("newer", "second"),
      announce("newer", "second"),
    ]
    await new Promise(setImmediate)
    await letGo()
    const [fresh, repeat, second, secondAgain] = await Promise.all(together)
    expect([repeat?.duplicate, repeat?.version]).toEqual([true, first.version])
    expect([fresh?.duplicate, second?.duplicate, secondAgain?.duplicate]).toEqual([false, false, true])
    expect(secondAgain?.version).toBe(second?.version)
    const after = await leader
    expect([fresh?.version, second?.version]).toEqual([after.version + 1, after.version + 2])
  })

  test("that the store will not take spoils none of those that wait with it", async () => {
    const { eventId } = await live(THREE)
    await runScript(
      actors.url,
      `
      create function refuse_bad() returns trigger language plpgsql as
      $$ begin raise exception 'a bad one'; end $$;
      create trigger bad before insert on publications for each row
        when (new.frame like '%the bad one%' and new.event_id = '${eventId}') execute function refuse_bad()`,
    )
    const letGo = await holdLiveEvent(actors.url, eventId)
    const announce = (text: string) => actors.execute(eventId, { type: "announce", d: { text } })
    // The first waits for the row; the others wait for the first, and go together after it.
    const first = announce("first")
    await eventually(async () => {
      const waiting = await actors.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    const others = ["good", "the bad one", "better"].map(announce)
    await new Promise(setImmediate)
    await letGo()
    const outcomes = await Promise.allSettled([first, ...others])
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"])
    expect(outcomes[2]).toMatchObject({ reason: { _tag: "Unavailable" } })
    const stored = await actors.sql<{ frame: string }[]>`
      select frame from publications where event_id = ${eventId} and frame like '%"announcement"%' order by s`
    const texts = stored.map(({ frame }) => JSON.parse(frame).d.text)
    expect(texts).toEqual(["first", "good", "better"])
    await actors.sql`drop trigger bad on publications`
  })

  test("of an event taken under another fencing token is refused once and then made under a new one", async () => {
    const { eventId, phaseIds } = await live(THREE)
    await actors.sql`update live_events set epoch = epoch + 1 where event_id = ${eventId}`
    const answer = await advanceFrom(eventId, phaseIds[0])
    expect(answer.event.activePhaseId).toBe(phaseIds[1])
    const [row] = await actors.sql`select epoch from live_events where event_id = ${eventId}`
    expect(row?.["epoch"]).toBe(3)
  })
})

describe("deleting", () => {
  test("a live event publishes its last message before it is removed", async () => {
    const { eventId } = await live(THREE)
    const seen = await actors.watch(eventId)
    await actors.execute(eventId, { type: "event.delete", d: {} })
    expect(await occurrences(eventId, "event.ended")).toBe(1)
    expect(await actors.sql`select id from events where id = ${eventId}`).toHaveLength(0)
    expect(seen.flatMap(({ ejections }) => ejections)).toEqual([{ who: "everyone", reason: "ended" }])
    expect(seen.flatMap(({ publications }) => publications.map(({ frame }) => JSON.parse(frame).t))).toEqual([
      "phase.ended",
      "event.ended",
    ])
    await expect(actors.execute(eventId, { type: "event.end", d: {} })).rejects.toMatchObject({ _tag: "NotFound" })
  })
})

test("an event with a record of a newer release is refused at once and left as it is, until that release is back", async () => {
  const { eventId } = await live(THREE)
  await actors.execute(eventId, { type: "chat.slow", d: { perMs: 1000 } })
  await actors.sql`update live_records set version = 99 where event_id = ${eventId} and kind = 'settings'`
  const older = await startActors(database.url)
  const advance = { type: "phase.next", d: {} } as const
  try {
    const refused = await older.exit(Effect.flatMap(LiveEvents, (events) => events.execute(eventId, envelope(advance))))
    expect(refused).toMatchObject({ _tag: "Failure", cause: { reasons: [{ error: { _tag: "Unavailable" } }] } })
  } finally {
    await older.stop()
  }
  await actors.sql`update live_records set version = 1 where event_id = ${eventId}`
  const newer = await startActors(database.url)
  try {
    expect((await newer.execute(eventId, advance)).event.status).toBe("live")
    const [settings] = await actors.sql`select body from live_records where event_id = ${eventId} and kind = 'settings'`
    expect(settings).toMatchObject({ body: { chatSlowMs: 1000 } })
  } finally {
    await newer.stop()
  }
})
