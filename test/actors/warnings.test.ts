/** The moments at which a timer wakes its event: its warnings, and its end; and a deadline that was moved meanwhile. */
import { expect, test } from "vitest"
import { mutes } from "../../src/actors/domain/activities/mutes.ts"
import { Turn } from "../../src/actors/domain/turn.ts"
import { nextDeadline } from "../../src/actors/machine/clock.ts"
import { chartInRows } from "../../src/actors/machine/recovery.ts"
import { NOBODY } from "../../src/actors/presence/presence.ts"
import { RecordStore } from "../../src/actors/state/record-store.ts"
import type { LiveState } from "../../src/actors/state/state.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"

const BEGIN = Date.parse("2027-01-01T00:00:00.000Z")

/** A live event whose active phase began at `BEGIN` and lasts so long. */
const during = (seconds: number): LiveState => {
  const rows = {
    event: { status: "live" },
    phases: [
      {
        id: "phase",
        modality: "meeting",
        config: {},
        status: "active",
        startedAt: toTimestamp(BEGIN),
        timerEndsAt: toTimestamp(BEGIN + seconds * 1000),
        timerElapsed: false,
        extendedSeconds: 0,
        timerRev: 1,
      },
    ],
  } as unknown as Pick<LiveState, "event" | "phases">
  return { ...rows, chart: chartInRows(rows, new RecordStore()), removed: [] }
}
/** Seconds from the timer's start. */
const wakings = (seconds: number): ReadonlyArray<number> => {
  const context = { state: during(seconds), records: new RecordStore(), people: NOBODY, now: BEGIN }
  const moments: number[] = []
  // The event was in memory before its timer began.
  for (let since = BEGIN - 1; since < BEGIN + seconds * 1000; ) {
    since = nextDeadline(context, since)?.at ?? Number.POSITIVE_INFINITY
    moments.push((since - BEGIN) / 1000)
  }
  return moments
}

test.each([
  [120, [60, 110, 120]],
  [61, [1, 51, 61]],
  [60, [50, 60]],
  [11, [1, 11]],
  [10, [10]],
  [5, [5]],
])("a timer of %i seconds warns after it has begun and before it ends", (seconds, moments) => {
  expect(wakings(seconds)).toEqual(moments)
})

test("a mute that is prolonged while its end waits for its turn goes on to its new end", () => {
  const records = new RecordStore()
  const state = during(600)
  const mute = (ms: number) => records.write("mute", "loud", { until: toTimestamp(BEGIN + ms) })
  mute(1000)
  const [end] = mutes.deadlines({ state, records, people: NOBODY, now: BEGIN })
  const endAt = (now: number): Turn => {
    const given = { records, state, people: NOBODY, by: null, now: BEGIN + now, freshId: "id" }
    const turn = new Turn({
      ...given,
      deployment: { playbackUrlOf: () => null, recorder: null, hasStageBroadcasts: false },
    })
    end?.due(turn)
    return turn
  }
  mute(5000)
  expect([endAt(1000).isIdle, endAt(4999).isIdle, records.get("mute", "loud") === undefined]).toEqual([
    true,
    true,
    false,
  ])
  expect([endAt(5000).isIdle, records.get("mute", "loud")]).toEqual([false, undefined])
})
