/** The scenarios of rotations. */
import type { EventInMemory } from "./event-in-memory.ts"
import type { Scenario, Step } from "./play.ts"
import { next, pass, send, start } from "./steps.ts"

const FOUR = ["a", "b", "c", "d"]
const SPEED = { modality: "rotation" } as const
const ROUNDS = { roundSeconds: 120, rounds: 2 }
const extendRound =
  (seconds = 60, rev?: number) =>
  (event: EventInMemory) =>
    event.do("timer.extend", { timerId: event.records.get("rotation", "-")?.id ?? "", seconds }, rev)

export const ROTATIONS: ReadonlyArray<Scenario> = [
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
