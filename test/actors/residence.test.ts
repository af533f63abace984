/** Being in memory, being the owner, and coming back: the actor's life around its commands. */
import { Cause, Effect } from "effect"
import { expect, test } from "vitest"
import type { Answer } from "../../src/actors/commands.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { newId } from "../../src/model/ids.ts"
import { keyedScope } from "../../src/model/live/command-scopes.ts"
import { envelope, seedEvent, startActors } from "../support/live-events.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { sharedDatabase } from "../support/shared.ts"
import { holdLiveEvent } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

const database = sharedDatabase()

const THREE = [{ modality: "broadcast" }, { modality: "meeting" }, { modality: "meeting" }] as const

test("a mailbox that is full answers unavailable, and queued commands are done", async () => {
  const small = await startActors(database.url, { mailbox: 4 })
  try {
    const { eventId } = await seedEvent(small.sql, THREE)
    await small.execute(eventId, { type: "event.start", d: {} })
    // Another session holds the owner's row: the first commit waits, the rest queue behind it.
    const letGo = await holdLiveEvent(small.url, eventId)
    const announce = (_id: number) =>
      small.exit(
        Effect.flatMap(LiveEvents, (events) =>
          events.execute(
            eventId,
            envelope({
              type: "announce",
              d: { text: "hello" },
            }),
          ),
        ),
      )
    const pending = Array.from({ length: 10 }, (_, id) => announce(id))
    const full = await Promise.race(pending)
    expect(full._tag === "Failure" && Cause.squash(full.cause)).toMatchObject({ _tag: "Unavailable" })
    await letGo()
    const outcomes = await Promise.all(pending)
    const done = outcomes.filter(({ _tag }) => _tag === "Success").length
    expect(done).toBeGreaterThanOrEqual(3)
    const stored =
      await small.sql`select s from publications where event_id = ${eventId} and frame like '%announcement%'`
    expect(stored).toHaveLength(done)
  } finally {
    await small.stop()
  }
})

test("a live event stays in memory without traffic and its timer fires; one that waits is let go and comes back", async () => {
  const brief = await startActors(database.url, { idleMs: 1500 })
  try {
    const live = await seedEvent(brief.sql, [{ modality: "breakout", config: { durationSeconds: 8 } }])
    const waiting = await seedEvent(brief.sql, THREE)
    const seen = await brief.watch(live.eventId)
    const epochOf = async ({ eventId }: { readonly eventId: string }): Promise<number> => {
      const [row] = await brief.sql`select epoch from live_events where event_id = ${eventId}`
      return Number(row?.["epoch"])
    }
    await brief.execute(live.eventId, { type: "event.start", d: {} })
    await brief.execute(waiting.eventId, { type: "event.patch", d: { title: "Waiting" } })
    // On a busy machine an event may have been let go before its first command.
    const before = { live: await epochOf(live), waiting: await epochOf(waiting) }
    await eventually(() =>
      seen.some(({ publications }) => publications.some(({ frame }) => frame.includes("timer.elapsed"))),
    )
    await brief.execute(waiting.eventId, { type: "event.patch", d: { title: "Back" } })
    expect(await epochOf(live)).toBe(before.live)
    expect(await epochOf(waiting)).toBe(before.waiting + 1)
  } finally {
    await brief.stop()
  }
})

test("of two processes on one database only the owner writes; the other answers that the event moved", async () => {
  let allowed = true
  // The caller gives up soon: an event that moves is asked for again until then.
  const answers = { attemptMs: DATABASE_DEADLINE_MS, reachMs: 2000 }
  const first = await startActors(database.url, { node: "first", holds: () => allowed, answers })
  const second = await startActors(database.url, { node: "second" })
  try {
    const { eventId, phaseIds } = await seedEvent(first.sql, THREE)
    await first.execute(eventId, { type: "event.start", d: {} })
    allowed = false
    const taken: Answer = await second.execute(eventId, { type: "phase.next", d: { phaseId: phaseIds[0] ?? "" } })
    expect(taken.event?.activePhaseId).toBe(phaseIds[1])
    const late = await first.exit(
      Effect.flatMap(LiveEvents, (events) => events.execute(eventId, envelope({ type: "phase.next", d: {} }))),
    )
    expect(late._tag === "Failure" && Cause.squash(late.cause)).toMatchObject({
      _tag: "Unavailable",
      detail: "The event is being moved; try again.",
    })
    const [row] = await first.sql`select node, version from live_events where event_id = ${eventId}`
    expect([row?.["node"], row?.["version"]]).toEqual(["second", taken.version])
  } finally {
    await first.stop()
    await second.stop()
  }
})

test("after a restart the timer fires on time, answered commands are remembered and numbering goes on", async () => {
  const before = await startActors(database.url)
  const { eventId, phaseIds } = await seedEvent(before.sql, [
    { modality: "breakout", config: { durationSeconds: 2 } },
    { modality: "meeting" },
  ])
  await before.execute(eventId, { type: "event.start", d: {} })
  const given = { commandId: "kept", scope: "p", bodyHash: "x" }
  const command = { type: "phase.update", d: { phaseId: phaseIds[1] ?? "", config: { roomSize: 4 } } } as const
  const first = await before.execute(eventId, command, given)
  await before.stop()
  const after = await startActors(database.url)
  try {
    const seen = await after.watch(eventId)
    const again = await after.execute(eventId, command, given)
    expect([again.duplicate, again.result]).toEqual([true, first.result])
    const elapsed = () =>
      seen.flatMap(({ publications }) => publications).find(({ frame }) => frame.includes("timer.elapsed"))
    await eventually(() => elapsed() !== undefined)
    const [head] = await after.sql`select max(s) as s, count(*)::int as n from publications where event_id = ${eventId}`
    expect(elapsed()?.s).toBe(head?.["s"])
    expect(head?.["n"]).toBe(head?.["s"])
  } finally {
    await after.stop()
  }
})

test("a repeated command is not answered by an activation that a newer one has overtaken", async () => {
  const first = await startActors(database.url, { node: "first" })
  const second = await startActors(database.url, { node: "second" })
  try {
    const { eventId } = await seedEvent(first.sql, THREE)
    await first.read(eventId)
    // The scope of a request with an `Idempotency-Key`, whose answer the store has for a day.
    const given = { scope: keyedScope("caller"), commandId: "append", bodyHash: "body" }
    const append = {
      type: "phase.append",
      d: { phaseId: newId(), modality: "meeting", config: {}, featureSet: [] },
    } as const
    await second.execute(eventId, append, given)
    const { event } = await first.execute(eventId, { ...append, d: { ...append.d, phaseId: newId() } }, given)
    expect(event.phases.map(({ id }) => id)).toContain(append.d.phaseId)
  } finally {
    await first.stop()
    await second.stop()
  }
})
