import { describe, expect, test } from "vitest"
import { Backoff } from "../../packages/client/src/connection/backoff.ts"
import { ServerClock } from "../../packages/client/src/connection/server-clock.ts"
import { StreamPositions } from "../../packages/client/src/connection/stream-positions.ts"
import { applyDispatch, stateOf } from "../../packages/client/src/state/event-state.ts"
import type { Dispatch } from "../../packages/client/src/wire.ts"
import { QUIET } from "../../packages/conformance/src/scripted-server.ts"

const person = (participantId: string) =>
  ({
    participantId,
    name: participantId,
    role: "viewer",
    roomId: null,
    hand: false,
    muted: false,
    joinedAt: "2027-01-01T00:00:00.000Z",
    kind: "user",
  }) as const

const phase = (id: string, rev: number, status: "pending" | "active" | "ended" = "pending") => ({
  id,
  eventId: "e",
  position: 0,
  modality: "meeting" as const,
  config: {},
  featureSet: [],
  status,
  startedAt: null,
  endedAt: null,
  timerEndsAt: null,
  extendedSeconds: 0,
  rev,
})

const state = stateOf({
  ...QUIET,
  resumed: false,
  reason: "new",
  epoch: "epoch",
  v: 1,
  cursors: {},
  serverTime: 0,
  tokenExpiresAt: "2027-01-01T00:00:00.000Z",
  me: { participantId: "p", name: "P", role: "viewer", can: [], chatTo: [], roomId: null },
  event: { id: "e", title: "E", status: "live", visibility: "public", startedAt: null, endedAt: null },
  phase: phase("a", 2, "active"),
  phases: [phase("a", 2, "active"), phase("b", 1)],
  timers: [],
  presence: { mode: "list", total: 1, list: [person("p")] },
})

const dispatch = (t: string, d: unknown): Dispatch => ({ t, d, v: 1, ts: 1_800_000_000_000 }) as Dispatch

describe("the client's state", () => {
  test("has the seat of the last dispatch: another, none any more, or the same when the dispatch has none", () => {
    const seat = { provider: "livekit", url: "wss://media.example.com", token: "t" }
    const me = { role: "speaker", can: [], chatTo: [], reason: "stage" }
    const seated = applyDispatch(state, dispatch("me.updated", { ...me, media: seat }))
    expect([state.media, seated.media]).toEqual([null, seat])
    expect(applyDispatch(seated, dispatch("me.updated", me)).media).toEqual(seat)
    expect(applyDispatch(seated, dispatch("me.updated", { ...me, media: null })).media).toBeNull()
  })

  test("stays the same after a dispatch of a newer server, whatever its name", () => {
    for (const t of ["chat.newer", "constructor", "__proto__"])
      expect(applyDispatch(state, dispatch(t, {}))).toBe(state)
  })

  test("keeps the newer of two revisions, whichever comes last", () => {
    const newer = applyDispatch(state, dispatch("phase.updated", { phase: { ...phase("b", 3), config: { x: 1 } } }))
    const older = applyDispatch(newer, dispatch("phase.updated", { phase: phase("b", 2) }))
    expect(older.phases).toEqual(newer.phases)
    expect(newer.phases.find(({ id }) => id === "b")?.rev).toBe(3)
  })

  test("takes over the agenda of an event that has not started", () => {
    const [first, second] = state.phases
    const ordered = applyDispatch(state, dispatch("agenda.updated", { phases: [second, first] }))
    expect(ordered.phases.map(({ id }) => id)).toEqual(["b", "a"])
    const shorter = applyDispatch(ordered, dispatch("agenda.updated", { phases: [first] }))
    expect(shorter.phases.map(({ id }) => id)).toEqual(["a"])
  })

  test("moves through a phase change and an end as the server does", () => {
    const ended = applyDispatch(
      state,
      dispatch("phase.ended", { phaseId: "a", reason: "advance", phase: phase("a", 3, "ended") }),
    )
    expect(ended.phases[0]).toMatchObject({ status: "ended", rev: 3 })
    const skipped = { ...phase("b", 2), status: "skipped" }
    const over = applyDispatch(
      ended,
      dispatch("event.ended", { event: { ...state.event, status: "ended" }, phases: [skipped] }),
    )
    expect(over.phases.map(({ status }) => status)).toEqual(["ended", "skipped"])
  })

  test("follows the list of people, replaces it on a reset, and counts in summary mode", () => {
    const joined = applyDispatch(state, dispatch("presence.diff", { join: [person("q")], left: ["p"], update: [] }))
    expect(joined.presence).toMatchObject({ total: 1, list: [{ participantId: "q" }] })
    const reset = applyDispatch(
      joined,
      dispatch("presence.diff", { reset: true, join: [person("r")], left: [], update: [] }),
    )
    expect(reset.presence).toMatchObject({ total: 1, list: [{ participantId: "r" }] })
    const summary = applyDispatch(reset, dispatch("presence.mode", { mode: "summary", total: 300 }))
    const counted = applyDispatch(summary, dispatch("presence.count", { total: 301, byRole: { viewer: 301 } }))
    expect(counted.presence).toMatchObject({ mode: "summary", total: 301, byRole: { viewer: 301 } })
    const host = { ...person("host"), role: "host" as const }
    const staged = applyDispatch(counted, dispatch("presence.diff", { join: [host], left: [], update: [] }))
    expect(staged.presence).toMatchObject({ mode: "summary", total: 301, staff: [host] })
    const empty = applyDispatch(staged, dispatch("presence.diff", { join: [], left: ["host"], update: [] }))
    expect(empty.presence).toMatchObject({ mode: "summary", total: 301, staff: [] })
  })

  test("does not change for a dispatch it does not know", () => {
    expect(applyDispatch(state, dispatch("confetti", {}))).toBe(state)
  })
})

test("a position distinguishes the next dispatch from an old one and from a gap", () => {
  const positions = new StreamPositions("epoch", { event: 5, staff: 0 })
  expect([positions.place("event", 5), positions.place("event", 7), positions.place("event", 6)]).toEqual([
    "old",
    "gap",
    "next",
  ])
  expect(positions.place("staff", 1)).toBe("next")
  expect(positions.resume).toEqual({ epoch: "epoch", cursors: { event: 6, staff: 1 } })
  expect([positions.behind({ event: 6 }), positions.behind({ event: 7 })]).toEqual([false, true])
})

test("a room's stream is followed from its cursor on, and no more once the room is left", () => {
  const positions = new StreamPositions("epoch", { event: 5, "room:a": 7 })
  positions.follow({ "room:b": 2 }, ["room:a"])
  expect([positions.place("room:a", 8), positions.place("room:b", 2), positions.place("room:b", 3)]).toEqual([
    "old",
    "old",
    "next",
  ])
  expect(positions.resume).toEqual({ epoch: "epoch", cursors: { event: 5, "room:b": 3 } })
  expect([positions.behind({ event: 5, "room:b": 3 }), positions.behind({ "room:c": 1 })]).toEqual([false, true])
})

test("a timer has its remaining time by the server's clock, and that of its pause while it is paused", () => {
  const clock = new ServerClock()
  const endsAt = new Date(Date.now() + 3_600_000).toISOString()
  clock.add(0, 1_800_000, 1_800_000, 0)
  const timer = { id: "t", scope: "phase", ref: "a", startedAt: endsAt, endsAt, extendedMs: 0, rev: 1 } as const
  const left = clock.remaining({ ...timer, state: "running" })
  expect([left <= 1_800_000, left > 1_700_000]).toEqual([true, true])
  expect(clock.remaining({ ...timer, state: "paused", remainingMs: 1234 })).toBe(1234)
  expect(clock.remaining({ ...timer, state: "elapsed" })).toBe(0)
})

test("the clock trusts the sample with the shortest round trip", () => {
  const clock = new ServerClock()
  clock.add(0, 1500, 1500, 1000)
  clock.add(2000, 3110, 3110, 2020)
  expect(clock.offset).toBe(1100)
  for (let n = 0; n < 8; n++) clock.add(0, 200, 200, 300)
  expect(clock.offset).toBe(50)
})

test("tries again within two seconds first, then with full jitter up to thirty", () => {
  const backoff = new Backoff()
  const waits = Array.from({ length: 7 }, () => backoff.next(false, () => 1))
  expect(waits).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  backoff.reset()
  expect(backoff.next(true, () => 1)).toBe(4000)
  // What a page shows as the wait is a whole number.
  expect(backoff.next(false, () => 1 / 3)).toBe(1333)
})
