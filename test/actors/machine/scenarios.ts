/** The scenarios of the event's life and agenda. */
import type { EventInMemory } from "./event-in-memory.ts"
import type { Scenario, Step } from "./play.ts"

const UNTIMED = { config: {} }
const TIMED = { config: { durationSeconds: 120 } }
const TWO = { phases: [UNTIMED, UNTIMED] }

const start: Step = [(event) => void event.start(), { life: "live", tells: ["event.started", "phase.started"] }]

/** Each command in each life: the code of its refusal, or the life that follows. */
const LIVES: ReadonlyArray<readonly [type: Parameters<EventInMemory["do"]>[0], d: object, ...lives: string[]]> = [
  ["event.publish", {}, "scheduled", "conflict", "conflict", "conflict"],
  ["event.start", {}, "conflict", "live", "conflict", "conflict"],
  ["event.end", {}, "conflict", "conflict", "ended", "conflict"],
  ["event.cancel", { reason: "Ill" }, "draft", "scheduled", "conflict", "conflict"],
  ["event.reinstate", {}, "conflict", "conflict", "conflict", "conflict"],
  ["event.patch", { title: "U" }, "draft", "scheduled", "live", "ended"],
  ["event.delete", {}, "deleted", "deleted", "deleted", "deleted"],
  ["phase.next", {}, "conflict", "conflict", "live", "conflict"],
  ["phase.update", { phaseId: "phase-1", config: { a: 1 } }, "draft", "scheduled", "live", "conflict"],
  [
    "phase.append",
    { phaseId: "new", modality: "meeting", config: {}, featureSet: [] },
    "draft",
    "scheduled",
    "live",
    "conflict",
  ],
  ["phases.order", { phaseIds: ["phase-1", "phase-0"] }, "draft", "scheduled", "conflict", "conflict"],
  ["phase.remove", { phaseId: "phase-1" }, "draft", "scheduled", "conflict", "conflict"],
  ["timer.extend", { timerId: "phase-0", seconds: 60 }, "conflict", "conflict", "conflict", "conflict"],
  ["rotation.start", { roundSeconds: 60, rounds: 1 }, "conflict", "conflict", "live", "conflict"],
  ["breakout.close", {}, "conflict", "conflict", "conflict", "conflict"],
  ["broadcast.start", {}, "conflict", "conflict", "conflict", "conflict"],
  ["capture.start", { kinds: ["recording"] }, "conflict", "conflict", "live", "conflict"],
  ["capture.stop", {}, "draft", "scheduled", "live", "ended"],
  ["lobby.policy", { mode: "open" }, "draft", "scheduled", "live", "ended"],
]

/** The refusals that say something else than the life of the event. */
const REFUSED: { readonly [type: string]: { readonly [life: string]: string } } = {
  "event.reinstate": { draft: "The event is not cancelled", scheduled: "The event is not cancelled" },
  "timer.extend": { live: "The active phase has no timer" },
  "phase.update": { ended: "The phase is skipped" },
  "breakout.close": { live: "No breakout is open" },
  "broadcast.start": { live: "Only the active phase" },
}

const TO: { readonly [life: string]: ReadonlyArray<Parameters<EventInMemory["do"]>[0]> } = {
  draft: [],
  scheduled: ["event.publish"],
  live: ["event.publish", "event.start"],
  ended: ["event.publish", "event.start", "event.end"],
}

const lives = LIVES.flatMap(([type, d, ...outcomes]) =>
  Object.entries(TO).map(([life, path], index): Scenario => {
    const outcome = outcomes[index] ?? ""
    const says = REFUSED[type]?.[life] ?? `The event is ${life}`
    const expected = outcome === "conflict" ? { refused: `conflict: ${says}`, life } : { life: outcome }
    return {
      name: `${type} in an event that is ${life}: ${outcome}`,
      given: { ...TWO, recorder: "events" },
      steps: [...path.map((step): Step => [(event) => event.do(step), {}]), [(event) => event.do(type, d), expected]],
    }
  }),
)

const next =
  (d: object = {}, rev?: number) =>
  (event: EventInMemory) =>
    event.do("phase.next", d, rev)
const extend =
  (timerId: string, seconds = 60, rev?: number) =>
  (event: EventInMemory) =>
    event.do("timer.extend", { timerId, seconds }, rev)
const pass = (seconds: number) => (event: EventInMemory) => void event.pass(seconds)

const appended = { phaseId: "new", modality: "meeting", config: {}, featureSet: [] }

const agenda: ReadonlyArray<Scenario> = [
  ...(["draft", "scheduled"] as const).map(
    (life): Scenario => ({
      name: `an agenda is arranged while the event is ${life}`,
      given: TWO,
      steps: [
        ...(TO[life] ?? []).map((type): Step => [(event) => event.do(type), { replies: ["event"] }]),
        [
          (event) => event.do("phases.order", { phaseIds: ["phase-0", "phase-1"] }),
          { hides: ["agenda.updated"], replies: ["event"] },
        ],
        [
          (event) => event.do("phases.order", { phaseIds: ["phase-1", "phase-0"] }),
          { tells: ["agenda.updated"], replies: ["event"] },
        ],
        [
          (event) => event.do("phases.order", { phaseIds: ["phase-1"] }),
          { refused: "bad_request: phaseIds: phase-0 is" },
        ],
        [(event) => event.do("phase.remove", { phaseId: "other" }), { refused: "not_found: No such phase" }],
        [
          (event) => event.do("phase.remove", { phaseId: "phase-1" }),
          { tells: ["agenda.updated"], replies: ["event"] },
        ],
        [(event) => event.do("phase.append", appended), { tells: ["phase.appended"], replies: ["phase"] }],
        [(event) => event.do("event.patch"), { hides: ["event.updated"], replies: ["event"] }],
        [(event) => event.do("event.patch", { title: "U" }), { tells: ["event.updated"], replies: ["event"] }],
        [(event) => event.do("event.delete"), { life: "deleted", replies: ["event"] }],
      ],
    }),
  ),
  {
    name: "a cancelled event is neither published nor started until it is reinstated",
    given: TWO,
    steps: [
      [
        (event) => event.do("event.cancel"),
        { tells: ["event.updated", "webhook event.cancelled"], hides: ["event.ended"], replies: ["event"] },
      ],
      [(event) => event.do("event.publish"), { refused: "conflict: The event is cancelled", life: "draft" }],
      [
        (event) => event.do("event.reinstate"),
        { tells: ["event.updated", "webhook event.reinstated"], replies: ["event"] },
      ],
      [(event) => event.do("event.publish"), { life: "scheduled" }],
      [(event) => event.do("event.cancel", { reason: "Ill" }), { life: "scheduled" }],
      [(event) => event.do("event.cancel"), { refused: "conflict: The event is cancelled already" }],
      [(event) => event.do("event.start"), { refused: "conflict: The event is cancelled", life: "scheduled" }],
      [(event) => event.do("event.patch", { title: "U" }), { life: "scheduled" }],
      [(event) => event.do("event.reinstate"), { life: "scheduled" }],
      [(event) => event.do("event.start"), { life: "live" }],
    ],
  },
  {
    name: "a new date of a published event is told to webhooks, and another change is not",
    given: TWO,
    steps: [
      [(event) => event.do("event.patch", { title: "U" }), { hides: ["webhook event.rescheduled"] }],
      [(event) => event.do("event.publish"), { life: "scheduled" }],
      [(event) => event.do("event.patch", { capacity: 5 }), { hides: ["webhook event.rescheduled"] }],
      [(event) => event.do("event.patch", { title: "V" }), { tells: ["webhook event.rescheduled"] }],
      [
        (event) => event.do("event.patch", { scheduledAt: "2030-01-01T10:00:00.000Z" }),
        { tells: ["webhook event.rescheduled"] },
      ],
      [(event) => event.do("event.start"), { life: "live" }],
      [(event) => event.do("event.patch", { title: "W" }), { hides: ["webhook event.rescheduled"] }],
    ],
  },
  {
    name: "an event is published and started",
    given: TWO,
    steps: [
      [
        (event) => event.do("event.publish"),
        { tells: ["event.updated", "webhook event.published"], replies: ["event"] },
      ],
      [(event) => event.do("event.start"), { tells: ["event.started", "webhook event.started"], replies: ["event"] }],
    ],
  },
  {
    name: "an agenda goes from phase to phase to the end",
    given: { phases: [TIMED, UNTIMED, TIMED] },
    steps: [
      start,
      [pass(0), { in: { phase: "running" } }],
      [
        next(),
        { in: { phase: "untimed" }, tells: ["phase.ended", "timer.updated", "phase.started", "webhook phase.ended"] },
      ],
      [next(), { in: { phase: "running" } }],
      [next(), { life: "ended", tells: ["phase.ended", "event.ended", "webhook event.ended"] }],
    ],
  },
  {
    name: "an event without a phase waits for one",
    given: { phases: [] },
    steps: [
      [(event) => void event.start(), { life: "live", in: { phase: "none" }, tells: ["event.started"] }],
      [next(), { refused: "conflict: The event has no phase" }],
      [extend("phase-0"), { refused: "not_found" }],
      [(event) => event.do("phase.append", { phaseId: "a", modality: "meeting", config: {}, featureSet: [] }), {}],
      [next({}, 1), { refused: "conflict" }],
      [next({ phaseId: "a" }), { in: { phase: "none" }, hides: ["phase.started"] }],
      [next(), { in: { phase: "untimed" }, tells: ["phase.started"] }],
    ],
  },
  {
    name: "a late or stale advance changes nothing",
    given: { phases: [TIMED, TIMED] },
    steps: [
      start,
      [next({}, 99), { refused: "conflict" }],
      [next({ phaseId: "phase-1" }), { in: { phase: "running" }, hides: ["phase.ended"], replies: ["event", "phase"] }],
      [next({ phaseId: "phase-0" }), { tells: ["phase.ended"] }],
      [next({ phaseId: "phase-0" }), { hides: ["phase.ended"], life: "live" }],
      [next({ phaseId: "phase-1" }), { life: "ended" }],
      [next({ phaseId: "phase-1" }), { life: "ended", hides: ["event.ended"], replies: ["event"] }],
      [next({ phaseId: "phase-1" }, 3), { refused: "conflict" }],
      [next(), { refused: "conflict" }],
    ],
  },
  {
    name: "a timer warns twice, runs out and can be extended",
    given: { phases: [TIMED] },
    steps: [
      start,
      [pass(59), { in: { phase: "running" }, hides: ["timer.warning"] }],
      [pass(1), { in: { phase: "running" }, tells: ["timer.warning"] }],
      [extend("phase-0", 60, 99), { refused: "conflict" }],
      [extend("phase-0"), { in: { phase: "running" }, tells: ["timer.updated"] }],
      [pass(60), { in: { phase: "running" }, tells: ["timer.warning"] }],
      [pass(50), { in: { phase: "running" }, tells: ["timer.warning"] }],
      [pass(9), { hides: ["timer.elapsed"] }],
      [pass(1), { in: { phase: "elapsed" }, tells: ["timer.elapsed"] }],
      [pass(1000), { hides: ["timer.elapsed", "timer.warning"] }],
      [extend("phase-0", 30), { in: { phase: "running" }, tells: ["timer.updated"] }],
      [pass(30), { in: { phase: "elapsed" }, tells: ["timer.warning", "timer.elapsed"] }],
      [extend("phase-0", 86_400), { refused: "conflict" }],
      [extend("nothing"), { refused: "not_found" }],
    ],
  },
  {
    name: "a timer that cannot be extended, and one of another phase",
    given: { phases: [UNTIMED, { config: { durationSeconds: 60, extendable: false } }] },
    steps: [
      start,
      [extend("phase-0"), { refused: "conflict: The active phase has no timer" }],
      [extend("phase-1"), { refused: "conflict: The phase is pending" }],
      [next(), {}],
      [extend("phase-1"), { refused: "conflict: The phase is configured", in: { phase: "running" } }],
      [extend("phase-0"), { refused: "conflict: The phase is ended" }],
    ],
  },
  {
    name: "a timer advances to a timed phase, to one without a timer, and to the end",
    given: {
      phases: [
        { config: { durationSeconds: 30, onTimerEnd: "advance" } },
        { config: { durationSeconds: 90, onTimerEnd: "advance" } },
        UNTIMED,
        { config: { durationSeconds: 90, onTimerEnd: "advance" } },
        { config: { durationSeconds: 5, onTimerEnd: "advance" } },
        { config: { durationSeconds: 5, onTimerEnd: "advance" } },
      ],
    },
    steps: [
      start,
      [pass(30), { in: { phase: "running" }, tells: ["timer.elapsed", "phase.ended", "phase.started"] }],
      [pass(90), { in: { phase: "untimed" }, tells: ["timer.elapsed", "phase.ended", "phase.started"] }],
      [next(), { in: { phase: "running" } }],
      [pass(90), { in: { phase: "running" }, tells: ["timer.elapsed", "phase.ended"] }],
      [pass(5), { in: { phase: "running" }, tells: ["timer.elapsed", "phase.ended"] }],
      [pass(5), { life: "ended", tells: ["timer.elapsed", "phase.ended", "event.ended"] }],
    ],
  },
  {
    name: "a warned timer ends the event, too",
    given: { phases: [{ config: { durationSeconds: 70, onTimerEnd: "advance" } }] },
    steps: [start, [pass(10), { in: { phase: "running" } }], [pass(60), { life: "ended", tells: ["event.ended"] }]],
  },
  {
    name: "a warned timer advances to a phase without a timer",
    given: { phases: [{ config: { durationSeconds: 5, onTimerEnd: "advance" } }, UNTIMED] },
    steps: [start, [pass(5), { in: { phase: "untimed" }, tells: ["timer.elapsed"] }]],
  },
  {
    name: "a timer that was never warned of runs out",
    given: { phases: [{ config: { durationSeconds: 5 } }] },
    steps: [start, [pass(5), { in: { phase: "elapsed" }, tells: ["timer.elapsed"] }], [next(), { life: "ended" }]],
  },
  {
    name: "a timer that was never warned of ends the event",
    given: { phases: [{ config: { durationSeconds: 5, onTimerEnd: "advance" } }] },
    steps: [start, [pass(5), { life: "ended", tells: ["timer.elapsed", "event.ended"] }]],
  },
  {
    name: "a warned timer advances to its end, once",
    given: { phases: [{ config: { durationSeconds: 65, onTimerEnd: "advance" } }, UNTIMED, TIMED] },
    steps: [
      start,
      [pass(65), { in: { phase: "untimed" }, tells: ["timer.elapsed", "phase.ended", "phase.started"] }],
      [next(), {}],
      [extend("phase-2", 3600), { tells: ["timer.updated"] }],
    ],
  },
  {
    name: "an elapsed timer that gets ten seconds more warns once",
    given: { phases: [{ config: { durationSeconds: 30 } }] },
    steps: [
      start,
      [pass(200), { tells: ["timer.warning", "timer.elapsed"] }],
      [extend("phase-0", 10), {}],
      [pass(5), { tells: ["timer.warning"], once: ["timer.warning"] }],
    ],
  },
  {
    name: "a warned timer advances",
    given: {
      phases: [
        { config: { durationSeconds: 65, onTimerEnd: "advance" } },
        { config: { durationSeconds: 65, onTimerEnd: "advance" } },
        UNTIMED,
      ],
    },
    steps: [
      start,
      [pass(65), { in: { phase: "running" }, tells: ["timer.elapsed", "phase.started"] }],
      [pass(65), { in: { phase: "untimed" }, tells: ["timer.elapsed", "phase.started"] }],
    ],
  },
  {
    name: "what an agenda refuses",
    given: TWO,
    steps: [
      [(event) => event.do("event.patch"), { hides: ["event.updated"] }],
      [
        (event) =>
          event.do("event.patch", {
            scheduledAt: "2027-01-02T00:00:00.000Z",
            scheduledEndAt: "2027-01-01T00:00:00.000Z",
          }),
        { refused: "bad_request" },
      ],
      [(event) => event.do("phases.order", { phaseIds: ["phase-0", "phase-1"] }), { hides: ["agenda.updated"] }],
      [(event) => event.do("phases.order", { phaseIds: ["phase-0"] }), { refused: "bad_request" }],
      [(event) => event.do("phase.remove", { phaseId: "other" }), { refused: "not_found" }],
      [(event) => event.do("phase.update", { phaseId: "other" }), { refused: "not_found" }],
      [(event) => event.do("phase.update", { phaseId: "phase-0", config: {} }, 7), { refused: "conflict" }],
    ],
  },
  {
    name: "an agenda of a hundred phases is full",
    given: { phases: Array.from({ length: 100 }, () => UNTIMED) },
    steps: (["event.publish", "event.start", "phase.next"] as const).flatMap(
      (type): ReadonlyArray<Step> => [
        [
          (event) => event.do("phase.append", { phaseId: "a", modality: "meeting", config: {}, featureSet: [] }),
          { refused: "conflict: An event has at most" },
        ],
        [(event) => event.do(type), {}],
      ],
    ),
  },
  {
    name: "a live event ends before it is deleted",
    given: TWO,
    steps: [start, [(event) => event.do("event.delete"), { life: "deleted", tells: ["phase.ended", "event.ended"] }]],
  },
]

export const AGENDA: ReadonlyArray<Scenario> = [...lives, ...agenda]
