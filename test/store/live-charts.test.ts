/** The stored value of an event's chart: kept by commits that do not move it, and emptied by a node of the release before. */
import { expect, test } from "vitest"
import { chartInRows, storedChart } from "../../src/actors/machine/recovery.ts"
import { RecordStore } from "../../src/actors/state/record-store.ts"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import type { Queryable } from "../../src/store/database.ts"
import { findStoredEvent, listPhaseStates } from "../../src/store/events/events.ts"
import { type LiveCommit, runCommit, writtenCommit } from "../../src/store/live/live-commit.ts"
import { claimLiveEvent } from "../../src/store/live/live-events.ts"
import { seedEvent } from "../support/live-events.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"

const database = sharedDatabase()
const sql = sharedStore(database)

const claim = (eventId: string) => claimLiveEvent(sql, { eventId, node: "test", epoch: newId() })

/** An empty commit with this chart. */
const commitOf = (eventId: string, fencingToken: number, from: number, chart: unknown): LiveCommit => ({
  ...{ eventId, fencingToken, from, version: from + 1, at: toTimestamp(Date.now()), chart, event: null, phases: [] },
  ...{
    dropped: [],
    moved: [],
    publications: [],
    occurrences: [],
    commands: [],
    changes: [],
    removed: [],
    restored: [],
  },
  ...{ silenced: [], presence: null, captured: null, deleted: false },
})

const storedAt = async (store: Queryable, eventId: string): Promise<unknown> => {
  const [row] = await store<{ chart: unknown }[]>`select chart from live_events where event_id = ${eventId}`
  return row?.chart
}

test("a chart is stored with its commit, kept by those that do not move it, and emptied by a node that knows none", async () => {
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  const { fencingToken = 0 } = (await claim(eventId)) ?? {}
  const seen: unknown[] = [await storedAt(sql, eventId)]
  for (const [from, chart] of ["draft", null, "scheduled"].entries()) {
    await runCommit(sql, writtenCommit(commitOf(eventId, fencingToken, from, chart)))
    seen.push(await storedAt(sql, eventId))
  }
  const { written, ...rest } = writtenCommit(commitOf(eventId, fencingToken, 3, null))
  const { chart: _unknown, ...before } = JSON.parse(written) as { readonly chart: unknown }
  await runCommit(sql, { ...rest, written: JSON.stringify(before) })
  seen.push(await storedAt(sql, eventId))
  expect(seen).toEqual([null, "draft", "draft", "scheduled", null])
  expect((await claim(eventId))?.chart).toBe(null)
})

test("a stored value counts if it is one of this chart, and of the status that the event has", async () => {
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  const [event, phases] = await Promise.all([findStoredEvent(sql, eventId), listPhaseStates(sql, eventId)])
  if (event === undefined) throw new Error("the event was made")
  const live = { event: { ...event, status: "live" as const }, phases }
  const { value } = chartInRows(live, new RecordStore())
  const { phase: _phase, ...fewer } = (value as { readonly live: { readonly phase: unknown } }).live
  const values = [
    value,
    { live: { ...fewer, phase: "unknown" } },
    { live: fewer },
    "live",
    "ended",
    { other: "x" },
    null,
  ]
  expect(values.map((stored) => storedChart(live, stored)?.value)).toEqual([
    value,
    ...Array.from({ length: values.length - 1 }, () => undefined),
  ])
})
