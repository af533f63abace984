/** The scenarios of breakout rooms, rotations and polls. */

import type { Command } from "../../../src/actors/commands.ts"
import { toTimestamp } from "../../../src/model/timestamp.ts"
import type { EventInMemory } from "./event-in-memory.ts"
import type { Scenario, Step } from "./play.ts"

const start: Step = [(event) => void event.start(), { life: "live" }]
const next: Step = [(event) => event.do("phase.next"), {}]
const send =
  (type: Command["type"], d: object = {}, rev?: number) =>
  (event: EventInMemory) =>
    event.do(type, d, rev)
const pass = (seconds: number) => (event: EventInMemory) => void event.pass(seconds)

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

const breakouts: ReadonlyArray<Scenario> = [
  {
    name: "rooms are planned, opened and closed by hand",
    given: { phases: [ROOMS, ROOMS], people: FOUR },
    steps: [
      start,
      [() => {}, { in: { rooms: "none" } }],
      [open(), { refused: "not_found: No such plan", in: { rooms: "none" } }],
      [send("breakout.close"), { refused: "conflict: No breakout" }],
      [send("breakout.plan", { strategy: "manual" }), { refused: "bad_request", in: { rooms: "none" } }],
      [send("breakout.plan", PLAN), { in: { rooms: "planned" }, replies: ["plan"] }],
      [send("breakout.plan", PLAN), { in: { rooms: "planned" }, replies: ["plan"] }],
      [send("breakout.close"), { refused: "conflict: No breakout" }],
      [send("breakout.open", { planId: "other" }), { refused: "not_found", in: { rooms: "planned" } }],
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
      [pass(1), { in: { rooms: "planned" }, tells: ["breakout.closed"] }],
      [open(), { in: { rooms: "open" } }],
      [
        send("breakout.close", { graceMs: 0 }),
        { in: { rooms: "planned" }, tells: ["breakout.closing", "breakout.closed"] },
      ],
      [open(), { in: { rooms: "open" } }],
      [send("breakout.close", { graceMs: 60_000 }), { in: { rooms: "closing" } }],
      [send("breakout.close", { graceMs: 0 }), { in: { rooms: "planned" }, tells: ["breakout.closed"] }],
      [open(), { in: { rooms: "open" } }],
      [next[0], { in: { rooms: "planned" }, tells: ["breakout.closing", "breakout.closed"] }],
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
      [next[0], { in: { rooms: "planned" }, tells: ["breakout.closed"] }],
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
      [pass(10), { in: { rooms: "planned" }, tells: ["breakout.closed"] }],
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
      [pass(10), { in: { rooms: "planned" } }],
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
      [pass(60), { in: { rooms: "planned" }, once: ["breakout.closing", "breakout.closed"] }],
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
      [pass(10), { in: { rooms: "planned" } }],
      [pass(140), { in: { rooms: "planned", phase: "elapsed" }, hides: ["breakout.closing"] }],
    ],
  },
  {
    name: "rooms with a timer of their own do not end with the phase's",
    given: { phases: [{ modality: "breakout", config: { durationSeconds: 60 } }], people: FOUR },
    steps: [
      start,
      [() => {}, { in: { rooms: "none" } }],
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
    steps: [start, [() => {}, { in: { rooms: "none" } }]],
  },
  {
    name: "rooms that a phase plans are opened over an older plan, too",
    given: { phases: [ROOMS, { modality: "breakout", config: { roomSize: 2 } }], people: FOUR },
    steps: [start, [send("breakout.plan", PLAN), {}], [next[0], { in: { rooms: "open" } }]],
  },
]

const SPEED = { modality: "rotation" } as const
const ROUNDS = { roundSeconds: 120, rounds: 2 }
const extendRound =
  (seconds = 60, rev?: number) =>
  (event: EventInMemory) =>
    event.do("timer.extend", { timerId: event.records.get("rotation", "-")?.id ?? "", seconds }, rev)

const rotations: ReadonlyArray<Scenario> = [
  {
    name: "rounds follow each other and end",
    given: { phases: [SPEED], people: FOUR },
    steps: [
      start,
      ...(["stop", "skip", "pause", "resume"] as const).map(
        (verb): Step => [send(`rotation.${verb}`), { refused: "conflict: No rotation", in: { rotation: "idle" } }],
      ),
      [
        send("rotation.start", ROUNDS),
        { in: { rotation: "round" }, tells: ["rotation.state", "rotation.round"], replies: ["rotation"] },
      ],
      [send("rotation.start", ROUNDS), { refused: "conflict: A rotation is going on", in: { rotation: "round" } }],
      [send("rotation.resume"), { in: { rotation: "round" }, hides: ["rotation.state"], replies: ["rotation"] }],
      [pass(60), { tells: ["timer.warning"], in: { rotation: "round" } }],
      [pass(60), { tells: ["timer.elapsed", "timer.warning", "rotation.round"], in: { rotation: "round" } }],
      [extendRound(60, 99), { refused: "conflict" }],
      [extendRound(), { in: { rotation: "round" }, tells: ["timer.updated"] }],
      [pass(180), { in: { rotation: "idle" }, tells: ["timer.elapsed", "rotation.state"] }],
      [extendRound(), { refused: "conflict: The rotation has no running timer" }],
      [pass(600), { hides: ["rotation.state"] }],
    ],
  },
  {
    name: "short rounds and breaks follow each other without a warning",
    given: { phases: [SPEED], people: FOUR },
    steps: [
      start,
      [send("rotation.start", { roundSeconds: 5, rounds: 3, breakSeconds: 8 }), {}],
      [pass(8), { in: { rotation: "break" }, tells: ["timer.elapsed"], hides: ["timer.warning"] }],
      [send("rotation.start", ROUNDS), { refused: "conflict: A rotation is going on" }],
      [extendRound(1), { in: { rotation: "break" } }],
      [pass(6), { in: { rotation: "round" }, tells: ["timer.elapsed", "rotation.round"], hides: ["timer.warning"] }],
      [extendRound(1), { in: { rotation: "round" }, tells: ["timer.updated"] }],
      [pass(9), { in: { rotation: "break" } }],
      [pass(5), { in: { rotation: "round" } }],
      [pass(8), { in: { rotation: "idle" }, tells: ["timer.elapsed", "rotation.state"] }],
    ],
  },
  {
    name: "a phase that ends with a round ends the rotation, and pairs nobody anew",
    given: {
      phases: [{ modality: "rotation", config: { durationSeconds: 60, onTimerEnd: "advance" } }, {}],
      people: FOUR,
    },
    steps: [
      start,
      [send("rotation.start", { roundSeconds: 10, rounds: 99 }), {}],
      [pass(59), { in: { rotation: "round" } }],
      [pass(1), { in: { rotation: "idle" }, hides: ["rotation.round"] }],
    ],
  },
  {
    name: "short rounds without breaks follow each other",
    given: { phases: [SPEED], people: FOUR },
    steps: [
      start,
      [send("rotation.start", { roundSeconds: 5, rounds: 2 }), {}],
      [pass(5), { in: { rotation: "round" }, tells: ["timer.elapsed", "rotation.round"] }],
      [pass(5), { in: { rotation: "idle" }, tells: ["timer.elapsed"] }],
    ],
  },
  {
    name: "warned rounds are followed by breaks",
    given: { phases: [SPEED], people: FOUR },
    steps: [
      start,
      [send("rotation.start", { roundSeconds: 70, rounds: 2, breakSeconds: 8 }), {}],
      [pass(73), { in: { rotation: "break" }, tells: ["timer.warning", "timer.elapsed"] }],
      [pass(5), { in: { rotation: "round" } }],
      [pass(73), { in: { rotation: "idle" } }],
    ],
  },
  {
    name: "a break is between rounds, warns and can be extended",
    given: { phases: [SPEED], people: FOUR },
    steps: [
      start,
      [send("rotation.start", { ...ROUNDS, breakSeconds: 93 }), { in: { rotation: "round" } }],
      [pass(123), { in: { rotation: "break" }, tells: ["timer.elapsed", "rotation.state"] }],
      [send("rotation.start", ROUNDS), { refused: "conflict: A rotation is going on", in: { rotation: "break" } }],
      [send("rotation.resume"), { in: { rotation: "break" }, hides: ["rotation.state"], replies: ["rotation"] }],
      [pass(30), { tells: ["timer.warning"], in: { rotation: "break" } }],
      [pass(50), { tells: ["timer.warning"], in: { rotation: "break" } }],
      [extendRound(), { tells: ["timer.updated"], in: { rotation: "break" } }],
      [pass(69), { in: { rotation: "break" }, tells: ["timer.warning"] }],
      [pass(1), { in: { rotation: "round" }, tells: ["timer.elapsed", "rotation.round"] }],
      [send("rotation.skip"), { in: { rotation: "idle" }, tells: ["rotation.state"] }],
    ],
  },
  {
    name: "a rotation is paused in a round and in a break, and goes on there",
    given: { phases: [SPEED], people: FOUR },
    steps: [
      start,
      [send("rotation.start", { ...ROUNDS, breakSeconds: 93 }), {}],
      [send("rotation.pause", {}, 99), { refused: "conflict", in: { rotation: "round" } }],
      [send("rotation.pause"), { in: { rotation: "paused" }, tells: ["rotation.state"] }],
      [send("rotation.pause", {}, 99), { refused: "conflict" }],
      [send("rotation.pause"), { in: { rotation: "paused" }, hides: ["rotation.state"], replies: ["rotation"] }],
      [send("rotation.start", ROUNDS), { refused: "conflict: A rotation is going on", in: { rotation: "paused" } }],
      [extendRound(), { refused: "conflict: The rotation is paused" }],
      [pass(600), { in: { rotation: "paused" }, hides: ["timer.elapsed", "timer.warning"] }],
      [send("rotation.resume", {}, 99), { refused: "conflict", in: { rotation: "paused" } }],
      [send("rotation.resume"), { in: { rotation: "round" } }],
      [pass(123), { in: { rotation: "break" } }],
      [send("rotation.pause", {}, 99), { refused: "conflict", in: { rotation: "break" } }],
      [send("rotation.pause"), { in: { rotation: "paused" } }],
      [send("rotation.resume"), { in: { rotation: "break" } }],
      [send("rotation.resume", {}, 99), { refused: "conflict", in: { rotation: "break" } }],
      [pass(90), { in: { rotation: "round" } }],
      [send("rotation.resume", {}, 99), { refused: "conflict" }],
    ],
  },
  {
    name: "a rotation waits for people, and begins soon after there are two",
    given: { phases: [SPEED], people: ["a"] },
    steps: [
      start,
      [send("rotation.start", ROUNDS), { in: { rotation: "break" }, tells: ["rotation.state"] }],
      [extendRound(), { refused: "conflict: The rotation has no running timer" }],
      [pass(600), { in: { rotation: "break" }, hides: ["rotation.state"] }],
      [(event) => void event.people("b"), { in: { rotation: "break" }, hides: ["rotation.state"] }],
      [(event) => void event.people("a", "c"), { in: { rotation: "break" }, tells: ["rotation.state"] }],
      [(event) => void event.people("a", "c", "d"), { hides: ["rotation.state"] }],
      [pass(5), { in: { rotation: "round" }, tells: ["rotation.round"] }],
      [(event) => void event.people("a"), { in: { rotation: "round" } }],
      [send("rotation.skip"), { in: { rotation: "break" } }],
      [send("rotation.pause"), { in: { rotation: "paused" } }],
      [(event) => void event.people("a", "b"), { in: { rotation: "paused" } }],
      [send("rotation.resume"), { in: { rotation: "round" } }],
    ],
  },
  {
    name: "a rotation ends when all have met",
    given: { phases: [SPEED], people: ["a", "b"] },
    steps: [
      start,
      [send("rotation.start", { roundSeconds: 60, rounds: "exhaust" }), { in: { rotation: "round" } }],
      [send("rotation.skip"), { in: { rotation: "idle" }, tells: ["rotation.state"] }],
      [send("rotation.start", { roundSeconds: 60, rounds: "exhaust" }), { in: { rotation: "idle" } }],
    ],
  },
  ...(["round", "break", "paused"] as const).flatMap((state): ReadonlyArray<Scenario> => {
    const path: ReadonlyArray<Step> = [
      start,
      [send("rotation.start", { roundSeconds: 60, rounds: 3, breakSeconds: 30 }), {}],
      ...(state === "break" ? [[pass(63), {}] as const] : []),
      ...(state === "paused" ? [[send("rotation.pause"), {}] as const] : []),
      [() => {}, { in: { rotation: state } }],
    ]
    const given = { phases: [SPEED, { modality: "meeting" as const }], people: FOUR }
    const over = { in: { rotation: "idle" }, tells: ["rotation.state"] }
    return [
      {
        name: `a rotation in its ${state} is stopped`,
        given,
        steps: [
          ...path,
          [send("rotation.stop", {}, 99), { refused: "conflict", in: { rotation: state } }],
          [send("rotation.stop"), over],
        ],
      },
      { name: `a rotation in its ${state} ends with its phase`, given, steps: [...path, [next[0], over]] },
      {
        name: `a rotation in its ${state} skips to the next round`,
        given,
        steps: [
          ...path,
          [send("rotation.skip", {}, 99), { refused: "conflict", in: { rotation: state } }],
          [send("rotation.skip"), { in: { rotation: "round" }, tells: ["rotation.round"] }],
        ],
      },
      {
        name: `the last round of a rotation is skipped from its ${state}`,
        given,
        steps: [
          start,
          [send("rotation.start", { roundSeconds: 60, rounds: 1, breakSeconds: 30 }), {}],
          ...(state === "paused" ? [[send("rotation.pause"), {}] as const] : []),
          [send("rotation.skip"), { in: { rotation: "idle" }, replies: ["rotation"] }],
        ],
      },
    ]
  }),
  {
    name: "a phase begins its rounds",
    given: {
      phases: [
        { modality: "rotation", config: { rounds: 2, roundSeconds: 60 } },
        { modality: "meeting", config: { rounds: 2, roundSeconds: 60 } },
      ],
      people: FOUR,
    },
    steps: [start, [() => {}, { in: { rotation: "round" } }], [next[0], { in: { rotation: "idle" } }]],
  },
  {
    name: "a phase that gives no rounds begins none",
    given: { phases: [SPEED], people: FOUR },
    steps: [start, [() => {}, { in: { rotation: "idle" } }]],
  },
]

const POLL = { question: "Q", kind: "single", options: ["x", "y"] }
const pollOf = (event: EventInMemory) => [...event.records.all("poll").values()][0]
const poll =
  (verb: "open" | "close", d: object = {}, rev?: number) =>
  (event: EventInMemory) =>
    event.do(`poll.${verb}`, { id: pollOf(event)?.id ?? "", ...d }, rev)
const extendPoll =
  (seconds = 60, rev?: number) =>
  (event: EventInMemory) =>
    event.do("timer.extend", { timerId: pollOf(event)?.id ?? "", seconds }, rev)
const isPoll = (status: string) => (event: EventInMemory) => {
  if (pollOf(event)?.status !== status) throw new Error(`the poll is ${pollOf(event)?.status}`)
}

const polls: ReadonlyArray<Scenario> = [
  {
    name: "a poll is opened, closed and opened again",
    given: { phases: [{ featureSet: ["polls"] }] },
    steps: [
      start,
      [send("poll.open", { id: "other" }), { refused: "not_found" }],
      [send("poll.create", POLL), { tells: ["poll.created"] }],
      [poll("close"), { refused: "conflict: The poll is not open" }],
      [poll("close", {}, 99), { refused: "conflict: The poll was changed meanwhile" }],
      [poll("open", {}, 99), { refused: "conflict: The poll was changed meanwhile" }],
      [extendPoll(), { refused: "conflict: The poll has no running timer" }],
      [isPoll("draft"), {}],
      [poll("open"), { tells: ["poll.opened", "webhook poll.opened"], hides: ["timer.updated"] }],
      [isPoll("open"), {}],
      [poll("open"), { hides: ["poll.opened"], replies: ["poll"] }],
      [poll("open", {}, 99), { refused: "conflict" }],
      [poll("open", { durationMs: 1000 }), { refused: "conflict" }],
      [extendPoll(), { refused: "conflict" }],
      [pass(600), { hides: ["poll.closed"] }],
      [poll("close", {}, 99), { refused: "conflict" }],
      [poll("close"), { tells: ["poll.closed", "webhook poll.closed"] }],
      [isPoll("closed"), {}],
      [poll("close"), { hides: ["poll.closed"], replies: ["poll"] }],
      [poll("close", {}, 99), { refused: "conflict" }],
      [poll("open", {}, 99), { refused: "conflict: The poll was changed meanwhile" }],
      [poll("open"), { tells: ["poll.opened"], hides: ["timer.updated"], replies: ["poll"] }],
      [isPoll("open"), {}],
      [extendPoll(), { refused: "conflict" }],
      [poll("close"), { tells: ["poll.closed"] }],
      [extendPoll(), { refused: "conflict" }],
      [poll("open", { durationMs: 120_000 }), { tells: ["poll.opened", "timer.updated"] }],
      [pass(60), { tells: ["timer.warning"] }],
      [extendPoll(60, 99), { refused: "conflict" }],
      [extendPoll(), { tells: ["poll.updated", "timer.updated"] }],
      [extendPoll(86_400), { refused: "conflict" }],
      [pass(119), { tells: ["timer.warning"], hides: ["poll.closed"] }],
      [pass(1), { tells: ["poll.closed", "timer.elapsed"] }],
      [isPoll("closed"), {}],
    ],
  },
  {
    name: "a poll is opened for a time at first",
    given: { phases: [{ featureSet: ["polls"] }] },
    steps: [
      start,
      [send("poll.create", POLL), {}],
      [poll("open", { durationMs: 30_000 }), { tells: ["poll.opened", "timer.updated"] }],
      [extendPoll(), { tells: ["timer.updated"] }],
      [poll("close"), { tells: ["poll.closed", "timer.updated"] }],
      [poll("open", { durationMs: 30_000 }), { tells: ["poll.opened"] }],
      [pass(30), { tells: ["timer.warning", "poll.closed", "timer.elapsed"] }],
    ],
  },
  {
    name: "polls end with the event, with a timer or without",
    given: { phases: [{ featureSet: ["polls"] }] },
    steps: [
      start,
      [send("poll.create", POLL), {}],
      [poll("open", { durationMs: 120_000 }), {}],
      [send("event.end"), { tells: ["poll.closed", "timer.updated"], life: "ended" }],
      [isPoll("closed"), {}],
    ],
  },
]

export const ACTIVITIES: ReadonlyArray<Scenario> = [...breakouts, ...rotations, ...polls]
