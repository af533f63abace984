/** The scenarios of breakout rooms. */
import { toTimestamp } from "../../../src/model/timestamp.ts"
import type { EventInMemory } from "./event-in-memory.ts"
import type { Scenario } from "./play.ts"
import { next, pass, send, start } from "./steps.ts"

const FOUR = ["a", "b", "c", "d"]
const ROOMS = { modality: "breakout" } as const
const PLAN = { strategy: "balanced", size: 2 }

const planOf = (event: EventInMemory): string => [...event.records.all("plan").keys()].at(-1) ?? ""
const open =
  (d: object = {}) =>
  (event: EventInMemory) =>
    event.do("breakout.open", { planId: planOf(event), ...d })
const extendRooms =
  (seconds = 60, rev?: number) =>
  (event: EventInMemory) =>
    event.do("timer.extend", { timerId: event.records.get("breakout", "-")?.id ?? "", seconds }, rev)

export const BREAKOUTS: ReadonlyArray<Scenario> = [
  {
    name: "rooms are planned, opened and closed by hand",
    given: { phases: [ROOMS, ROOMS], people: FOUR },
    steps: [
      start,
      [() => {}, { in: { rooms: "closed" } }],
      [open(), { refused: "not_found: No such plan", in: { rooms: "closed" } }],
      [send("breakout.close"), { refused: "conflict: No breakout" }],
      [send("breakout.plan", { strategy: "manual" }), { refused: "bad_request", in: { rooms: "closed" } }],
      [send("breakout.plan", PLAN), { in: { rooms: "closed" }, replies: ["plan"] }],
      [send("breakout.plan", PLAN), { in: { rooms: "closed" }, replies: ["plan"] }],
      [send("breakout.close"), { refused: "conflict: No breakout" }],
      [send("breakout.open", { planId: "other" }), { refused: "not_found", in: { rooms: "closed" } }],
      [open(), { in: { rooms: "open" }, tells: ["breakout.opened"], hides: ["timer.updated"], replies: ["breakout"] }],
      [send("breakout.open", { planId: "other" }), { refused: "not_found" }],
      [open(), { refused: "conflict: A breakout is open already", in: { rooms: "open" } }],
      [send("breakout.plan", PLAN), { in: { rooms: "open" }, replies: ["plan"] }],
      [extendRooms(), { refused: "conflict: The breakout has no running timer" }],
      [
        send("breakout.close", {}, 99),
        { refused: "conflict: The breakout was changed meanwhile", in: { rooms: "open" } },
      ],
      [send("breakout.close"), { in: { rooms: "closing" }, tells: ["breakout.closing"], replies: ["breakout"] }],
      [open(), { refused: "conflict: A breakout is open already", in: { rooms: "closing" } }],
      [send("breakout.open", { planId: "other" }), { refused: "not_found" }],
      [send("breakout.plan", PLAN), { in: { rooms: "closing" }, replies: ["plan"] }],
      [send("breakout.close", {}, 99), { refused: "conflict: The breakout was changed meanwhile" }],
      [
        send("breakout.close", { graceMs: 60_000 }),
        { in: { rooms: "closing" }, hides: ["breakout.closing"], replies: ["breakout"] },
      ],
      [send("breakout.close", { graceMs: 5000 }), { in: { rooms: "closing" }, tells: ["breakout.closing"] }],
      [extendRooms(), { refused: "conflict" }],
      [pass(4), { in: { rooms: "closing" } }],
      [pass(1), { in: { rooms: "closed" }, tells: ["breakout.closed"] }],
      [open(), { in: { rooms: "open" } }],
      [
        send("breakout.close", { graceMs: 0 }),
        { in: { rooms: "closed" }, tells: ["breakout.closing", "breakout.closed"] },
      ],
      [open(), { in: { rooms: "open" } }],
      [send("breakout.close", { graceMs: 60_000 }), { in: { rooms: "closing" } }],
      [send("breakout.close", { graceMs: 0 }), { in: { rooms: "closed" }, tells: ["breakout.closed"] }],
      [open(), { in: { rooms: "open" } }],
      [next[0], { in: { rooms: "closed" }, tells: ["breakout.closing", "breakout.closed"] }],
      [open(), { in: { rooms: "open" } }],
      [send("breakout.close"), {}],
      [send("event.end"), { tells: ["breakout.closed"], life: "ended" }],
    ],
  },
  {
    name: "a phase changes while rooms close",
    given: { phases: [ROOMS, { modality: "meeting" }], people: FOUR },
    steps: [
      start,
      [send("breakout.plan", PLAN), {}],
      [open(), {}],
      [send("breakout.close"), { in: { rooms: "closing" } }],
      [next[0], { in: { rooms: "closed" }, tells: ["breakout.closed"] }],
      [pass(60), { hides: ["breakout.closed"] }],
    ],
  },
  {
    name: "rooms that are open for a time warn, close and go on when they get more",
    given: { phases: [ROOMS], people: FOUR },
    steps: [
      start,
      [send("breakout.plan", PLAN), {}],
      [open({ durationMs: 120_000 }), { in: { rooms: "open" }, tells: ["timer.updated"] }],
      [pass(60), { tells: ["timer.warning"] }],
      [pass(50), { tells: ["timer.warning"] }],
      [extendRooms(60, 99), { refused: "conflict" }],
      [extendRooms(110), { in: { rooms: "open" }, tells: ["timer.updated", "breakout.updated"] }],
      [pass(60), { tells: ["timer.warning"] }],
      [pass(60), { in: { rooms: "closing" }, tells: ["timer.warning", "timer.elapsed", "breakout.closing"] }],
      [extendRooms(30), { in: { rooms: "open" }, tells: ["breakout.updated"] }],
      [pass(30), { in: { rooms: "closing" }, tells: ["timer.warning", "timer.elapsed"] }],
      [pass(10), { in: { rooms: "closed" }, tells: ["breakout.closed"] }],
      [send("timer.extend", { timerId: "gone", seconds: 60 }), { refused: "not_found" }],
      [open({ durationMs: 120_000 }), {}],
      [send("breakout.close"), { in: { rooms: "closing" } }],
      [extendRooms(60), { refused: "conflict", in: { rooms: "closing" } }],
      [extendRooms(86_400), { refused: "conflict" }],
    ],
  },
  {
    name: "rooms of a phase end with its timer, and go on when the phase gets more time",
    given: { phases: [{ modality: "breakout", config: { roomSize: 2, durationSeconds: 120 } }], people: FOUR },
    steps: [
      start,
      [() => {}, { in: { rooms: "open", phase: "running" } }],
      [
        send("timer.extend", { timerId: "phase-0", seconds: 30 }),
        { tells: ["breakout.updated"], in: { rooms: "open" } },
      ],
      [send("phase.update", { phaseId: "phase-0", featureSet: [] }), { hides: ["breakout.updated"] }],
      [pass(150), { in: { rooms: "closing", phase: "elapsed" }, tells: ["breakout.closing"] }],
      [
        send("timer.extend", { timerId: "phase-0", seconds: 30 }),
        { in: { rooms: "open" }, tells: ["breakout.updated"] },
      ],
      [pass(30), { in: { rooms: "closing" } }],
      [pass(10), { in: { rooms: "closed" } }],
    ],
  },
  {
    name: "rooms of a short phase close with its timer",
    given: { phases: [{ modality: "breakout", config: { roomSize: 2, durationSeconds: 5 } }], people: FOUR },
    steps: [start, [pass(5), { in: { rooms: "closing", phase: "elapsed" }, tells: ["breakout.closing"] }]],
  },
  {
    name: "rooms of a phase that its timer ends are closed at once",
    given: {
      phases: [{ modality: "breakout", config: { roomSize: 2, durationSeconds: 60, onTimerEnd: "advance" } }, {}],
      people: FOUR,
    },
    steps: [
      start,
      [pass(60), { in: { rooms: "closed" }, once: ["breakout.closing", "breakout.closed"] }],
      [
        (event) => {
          const closing = event.dispatches.find(({ t }) => t === "breakout.closing")
          const at = JSON.stringify(closing?.d)
          if (!at.includes(`"closesAt":"${toTimestamp(event.now)}"`)) throw new Error(`the rooms close by ${at}`)
        },
        {},
      ],
    ],
  },
  {
    name: "rooms that a host closes do not open again with the phase's timer",
    given: { phases: [{ modality: "breakout", config: { roomSize: 2, durationSeconds: 120 } }], people: FOUR },
    steps: [
      start,
      [send("breakout.close"), { in: { rooms: "closing" } }],
      [
        send("timer.extend", { timerId: "phase-0", seconds: 30 }),
        { in: { rooms: "closing" }, tells: ["breakout.updated"] },
      ],
      [pass(10), { in: { rooms: "closed" } }],
      [pass(140), { in: { rooms: "closed", phase: "elapsed" }, hides: ["breakout.closing"] }],
    ],
  },
  {
    name: "rooms with a timer of their own do not end with the phase's",
    given: { phases: [{ modality: "breakout", config: { durationSeconds: 60 } }], people: FOUR },
    steps: [
      start,
      [() => {}, { in: { rooms: "closed" } }],
      [send("breakout.plan", PLAN), {}],
      [open({ durationMs: 120_000 }), {}],
      [pass(60), { in: { rooms: "open", phase: "elapsed" }, hides: ["breakout.closing"] }],
      [send("timer.extend", { timerId: "phase-0", seconds: 30 }), { hides: ["breakout.updated"] }],
      [pass(60), { in: { rooms: "closing" } }],
    ],
  },
  {
    name: "rooms that are open for a moment close without a warning",
    given: { phases: [ROOMS], people: FOUR },
    steps: [
      start,
      [send("breakout.plan", PLAN), {}],
      [open({ durationMs: 5000 }), {}],
      [pass(5), { in: { rooms: "closing" }, tells: ["breakout.closing", "timer.elapsed"], hides: ["timer.warning"] }],
    ],
  },
  {
    name: "a phase that is no breakout opens no rooms",
    given: { phases: [{ modality: "meeting", config: { roomSize: 2 } }], people: FOUR },
    steps: [start, [() => {}, { in: { rooms: "closed" } }]],
  },
  {
    name: "rooms that a phase plans are opened over an older plan, too",
    given: { phases: [ROOMS, { modality: "breakout", config: { roomSize: 2 } }], people: FOUR },
    steps: [start, [send("breakout.plan", PLAN), {}], [next[0], { in: { rooms: "open" } }]],
  },
]
