/** Laws of the statechart, on random sequences of commands. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { type Command, type Received, Refused } from "../../src/actors/commands.ts"
import { Turn } from "../../src/actors/domain/turn.ts"
import { nextDeadline } from "../../src/actors/machine/clock.ts"
import { decide } from "../../src/actors/machine/decide.ts"
import { chartInRows } from "../../src/actors/machine/recovery.ts"
import { RecordStore } from "../../src/actors/state/record-store.ts"
import { activePhaseOf, type LiveState } from "../../src/actors/state/state.ts"
import type { PhaseState } from "../../src/model/phase.ts"
import { toMillis } from "../../src/model/timestamp.ts"
import { eventOf, phaseOf } from "./machine/event-in-memory.ts"

const EPOCH = Date.parse("2027-01-01T00:00:00.000Z")

const phase = (index: number, durationSeconds?: number): PhaseState =>
  phaseOf(
    {
      modality: "breakout",
      config:
        durationSeconds === undefined ? {} : { durationSeconds, onTimerEnd: index % 2 === 0 ? "hold" : "advance" },
      featureSet: [],
    },
    index,
  )

const withChart = (rows: Pick<LiveState, "event" | "phases">): LiveState => ({
  ...rows,
  chart: chartInRows(rows, new RecordStore()),
  removed: [],
})

const draft = (phases: ReadonlyArray<PhaseState>): LiveState => withChart({ event: eventOf({}), phases })

const phaseId = fc.integer({ min: 0, max: 5 }).map((index) => `phase-${index}`)
const rev = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined })
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Command>({ type: "event.publish", d: {} }, { type: "event.start", d: {} }) },
  { weight: 1, arbitrary: fc.constantFrom<Command>({ type: "event.end", d: {} }) },
  {
    weight: 6,
    arbitrary: fc.record({ d: fc.record({ phaseId }, { requiredKeys: [] }), rev }).map(({ rev: given, d }) => ({
      type: "phase.next" as const,
      d,
      ...(given === undefined ? {} : { rev: given }),
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ d: fc.record({ timerId: phaseId, seconds: fc.integer({ min: 10, max: 3600 }) }), rev })
      .map(({ rev: given, d }) => ({
        type: "timer.extend" as const,
        d,
        ...(given === undefined ? {} : { rev: given }),
      })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 6, max: 99 }).map((index) => ({
      type: "phase.append" as const,
      d: { phaseId: `phase-${index}`, modality: "meeting" as const, config: {}, featureSet: [] },
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .shuffledSubarray(["phase-0", "phase-1", "phase-2", "phase-3", "phase-4"], { minLength: 2 })
      .map((phaseIds) => ({ type: "phases.order" as const, d: { phaseIds } })),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("phase.remove" as const), d: fc.record({ phaseId }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("phase.update" as const),
      d: fc.record({ phaseId, config: fc.constant({ a: 1 }) }),
    }),
  },
)

const envelope = (at: number, given: Command): Received => ({
  commandId: "c",
  scope: "s",
  bodyHash: "",
  by: null,
  at,
  freshId: "f",
  command: given,
})

const NOBODY = {
  size: 0,
  find: () => undefined,
  all: () => [].values(),
  storedAs: () => [],
  waiting: () => [].values(),
  absent: () => [].values(),
}

const context = (state: LiveState) => ({ records: new RecordStore(), state, people: NOBODY, now: EPOCH })

/** The decision and what its turn came to. */
const decideOn = (state: LiveState, given: Received) => {
  const turn = new Turn({
    records: new RecordStore(),
    state,
    people: NOBODY,
    by: null,
    now: given.at,
    freshId: given.freshId,
    deployment: { playbackUrlOf: () => null, recorder: null, hasStageBroadcasts: false },
  })
  const result = decide(turn, given)
  return { result, next: turn.state, isIdle: turn.isIdle, dispatches: turn.dispatches }
}

const ORDER = { draft: 0, scheduled: 1, live: 2, ended: 3 }
const RANK = { pending: 0, active: 1, ended: 2, skipped: 2 }

const expectLawful = (before: LiveState, after: LiveState): void => {
  expect(after.phases.filter(({ status }) => status === "active").length).toBeLessThanOrEqual(1)
  expect(ORDER[after.event.status]).toBeGreaterThanOrEqual(ORDER[before.event.status])
  expect(after.phases.map(({ position }) => position)).toEqual(after.phases.map((_, index) => index))
  for (const old of before.phases) {
    const next = after.phases.find(({ id }) => id === old.id)
    if (next === undefined) {
      expect(["draft", "scheduled"]).toContain(before.event.status)
      continue
    }
    // Once an event has begun its phases keep their places.
    if (before.event.status === "live") expect(next.position).toBe(old.position)
    expect(RANK[next.status]).toBeGreaterThanOrEqual(RANK[old.status])
    // A changed phase has a new revision, or clients would keep the old one; an unchanged one keeps its.
    expect(next === old || next.rev > old.rev).toBe(true)
  }
  const [was, is] = [activePhaseOf(before), activePhaseOf(after)]
  // A command with a revision of the active phase applies to that phase alone.
  if (is !== undefined && is.id !== was?.id) {
    for (const { rev: known } of before.phases) expect(is.rev).toBeGreaterThan(known)
  }
  const open = after.phases.filter(({ status }) => status === "pending" || status === "active")
  if (after.event.status === "ended") expect(open).toEqual([])
  if (after.event.status !== "live") expect(activePhaseOf(after)).toBeUndefined()
}

test("at most one phase is active, nothing ever goes back, and a refusal changes nothing", () => {
  const phases = fc.array(fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }), { maxLength: 5 })
  fc.assert(
    fc.property(phases, fc.array(command, { maxLength: 40 }), (durations, commands) => {
      let state = draft(durations.map((duration, index) => phase(index, duration)))
      let now = EPOCH
      for (const given of commands) {
        now += 1000
        // Ids of new phases are fresh UUIDs: one never comes twice.
        if (given.type === "phase.append" && state.phases.some(({ id }) => id === given.d.phaseId)) continue
        const { result, next, isIdle } = decideOn(state, envelope(now, given))
        if (result instanceof Refused) {
          expect(next).toBe(state)
          continue
        }
        expectLawful(state, next)
        if (isIdle) expect(next.phases).toEqual(state.phases)
        state = next
      }
    }),
    { numRuns: 500 },
  )
})

test("the same command on the same state decides the same", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
      const run = () => {
        let state = draft([phase(0, 30), phase(1, 30), phase(2)])
        return commands.map((given, index) => {
          const decision = decideOn(state, envelope(EPOCH + index, given))
          state = decision.next
          return decision
        })
      }
      expect(run()).toEqual(run())
    }),
  )
})

test("deadlines come in order, warn one minute and ten seconds before, and an end that was missed is still due", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), (duration) => {
      let state = draft([phase(0, duration)])
      for (const given of [
        { type: "event.publish", d: {} },
        { type: "event.start", d: {} },
      ] as const) {
        const { result, next } = decideOn(state, envelope(EPOCH, given))
        if (result instanceof Refused) throw result
        state = next
      }
      const end = EPOCH + duration * 1000
      const seen: number[] = []
      let since = EPOCH
      const next = () => {
        const deadline = nextDeadline(context(state), since)
        return deadline !== undefined && deadline.at < end ? deadline : undefined
      }
      for (let deadline = next(); deadline !== undefined; ) {
        seen.push(end - deadline.at)
        expect(deadline.at).toBeGreaterThan(since)
        since = deadline.at
        deadline = next()
      }
      expect(seen).toEqual([60_000, 10_000].filter((before) => before < duration * 1000))
      expect(nextDeadline(context(state), end + 3_600_000)?.at).toBe(end)
      expect(toMillis(activePhaseOf(state)?.timerEndsAt ?? "")).toBe(end)
    }),
  )
})
