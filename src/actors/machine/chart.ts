/**
 * The live event as a statechart: its lifecycle, and in a live event the state of everything that hosts control. The chart decides which
 * commands are possible in a state and what follows from them. It has no context: people, votes, seats and messages are records, which its
 * guards read through the turn.
 *
 * An event takes the first transition whose guard holds; the last ones refuse. Delays are absolute deadlines (`clock.ts`).
 */
import { setup } from "xstate"
import type { ExpectNone } from "../../protocol/expect-none.ts"
import type { Command } from "../commands.ts"
import type { PlainCommand } from "../domain/activities/registry.ts"
import type { ActionName } from "./actions.ts"
import { DELAY_NAMES, type DelayName } from "./delays.ts"
import { type ChartEvent, GUARDS, type GuardName } from "./guards.ts"
import { ROOMS } from "./rooms-region.ts"
import { ROTATION } from "./rotation-region.ts"

const APPENDING = {
  "phase.append": [{ guard: "canAppend", actions: "appendPhase" }, { actions: "refuseTooManyPhases" }],
} as const

/** Changes of an agenda that has not begun. */
const ARRANGING = {
  ...APPENDING,
  "phases.order": [
    { guard: "isPresentOrder", actions: "answerEvent" },
    { guard: "canOrder", actions: "orderPhases" },
    { actions: "refuseOrder" },
  ],
  "phase.remove": [{ guard: "hasPhase", actions: "removePhase" }, { actions: "refuseNoPhase" }],
} as const

/** An event is cancelled beside its state, and only before it is live. */
const CANCELLING = {
  "event.cancel": [{ guard: "isCancelled", actions: "refuseSecondCancellation" }, { actions: "cancel" }],
  "event.reinstate": [{ guard: "isCancelled", actions: "reinstate" }, { actions: "refuseReinstatement" }],
} as const

/** The active phase and its timer. The other phases are agenda rows: pending, ended or skipped. */
const PHASE = {
  initial: "none",
  on: {
    "phase.next": [
      { guard: "isStaleAdvance", actions: "refuseAdvancedMeanwhile" },
      { guard: "isLateAdvance", actions: "answerNext" },
      { guard: "hasNextPhase", target: ".begun", actions: "advance" },
      { guard: "hasActivePhase", actions: "endByAdvance" },
      { actions: "refuseNoPhaseLeft" },
    ],
    "timer.extend": [
      { guard: "isExtendablePhase", target: ".running", actions: "extendPhase" },
      { guard: "isTimerOfPhase", actions: "refusePhaseTimer" },
    ],
  },
  states: {
    none: {},
    begun: { always: [{ guard: "isNextTimed", target: "running" }, { target: "untimed" }] },
    untimed: {},
    running: {
      after: {
        "phase.warning": { actions: "warnOfPhase" },
        "phase.end": [
          { guard: "advances", target: "begun", actions: ["elapsePhase", "advance"] },
          { guard: "endsByTimer", actions: ["elapsePhase", "endByAdvance"] },
          { target: "elapsed", actions: ["elapsePhase", "outlastTimer"] },
        ],
      },
    },
    elapsed: {},
  },
} as const

const NO_DOOR = { guard: "isBroadcast", target: "#door.none", actions: "admitHeld" } as const
const TO_OPEN = { guard: "isDoorOpen", target: "#door.open" } as const
const TO_ASK = { guard: "isDoorAsking", target: "#door.ask" } as const
const TO_SHUT = { guard: "isDoorShut", target: "#door.shut" } as const
const MOVED = [TO_OPEN, TO_ASK, { target: "#door.shut" }] as const

const CLOSING = [
  { ...TO_ASK, actions: "admitInside" },
  { ...TO_SHUT, actions: "admitInside" },
] as const

const BEGINNING_CLOSED = [
  { ...TO_ASK, actions: "admitChosen" },
  { ...TO_SHUT, actions: "admitChosen" },
] as const

/** The waiting room of a call. A broadcast has none. */
const DOOR = {
  id: "door",
  initial: "none",
  on: { "phase.began": [NO_DOOR, ...MOVED], "phase.changed": MOVED, "door.moved": MOVED },
  states: {
    none: { on: { "phase.began": BEGINNING_CLOSED, "phase.changed": {}, "door.moved": {} } },
    open: { on: { "phase.began": CLOSING, "phase.changed": CLOSING, "door.moved": CLOSING } },
    ask: {},
    shut: {},
  },
} as const

/** How clients receive presence: as a list of names, or as counts. */
const PRESENCE = {
  initial: "list",
  states: {
    list: { on: { "audience.grew": "summary" } },
    summary: { on: { "audience.shrank": "list" } },
  },
} as const

/** Transitions of a command on the active phase's broadcast: refusals first, then the effect. */
const steered = <const Then extends object>(then: Then) =>
  [
    { guard: "namesOtherPhase", actions: "refuseBroadcastPhase" },
    { guard: "hasBadPlaybackUrl", actions: "refusePlaybackUrl" },
    then,
  ] as const

const TO_LIVE = steered({ target: "#broadcast.live", actions: "showBroadcast" })
const TO_ENDED = steered({ target: "#broadcast.ended", actions: "showBroadcast" })
const NO_BROADCAST = { actions: "refuseBroadcastPhase" } as const

const ON_AIR = {
  "phase.over": { target: "#broadcast.off", actions: "endBroadcast" },
  "broadcast.start": TO_LIVE,
  "broadcast.pause": steered({ target: "#broadcast.paused", actions: "showBroadcast" }),
  "broadcast.resume": TO_LIVE,
  "broadcast.stop": TO_ENDED,
} as const

/** The broadcast of a broadcast phase. A command that asks for the current state answers with it. */
const BROADCAST = {
  id: "broadcast",
  initial: "off",
  on: {
    "phase.over": ".off",
    "broadcast.pause": steered({ actions: "refusePause" }),
    "broadcast.resume": steered({ actions: "refuseResume" }),
  },
  states: {
    off: {
      on: {
        "phase.began": { guard: "isBroadcast", target: "idle" },
        "broadcast.start": NO_BROADCAST,
        "broadcast.pause": NO_BROADCAST,
        "broadcast.resume": NO_BROADCAST,
        "broadcast.stop": NO_BROADCAST,
      },
    },
    idle: { on: { "broadcast.start": TO_LIVE, "broadcast.stop": steered({ actions: "refuseStop" }) } },
    live: { on: ON_AIR },
    paused: { on: ON_AIR },
    ended: { on: { "broadcast.start": steered({ actions: "refuseStart" }), "broadcast.stop": TO_ENDED } },
  },
} as const

const CAPTURING = [
  { guard: "lacksTranscript", actions: "refuseTranscript" },
  { guard: "lacksRecorder", actions: "refuseRecorder" },
  { target: "on", actions: "capture" },
] as const

/** The recording and the transcript, shown to everybody. */
const CAPTURE = {
  initial: "off",
  states: {
    off: {
      on: {
        // A node of the previous release has begun the capture while the event was scheduled.
        "phase.began": { guard: "isCaptured", target: "on" },
        "capture.start": CAPTURING,
        "capture.stop": { actions: "answerNoCapture" },
      },
    },
    on: {
      on: {
        "capture.start": CAPTURING,
        "capture.stop": { target: "off", actions: "stopCapture" },
        "phase.over": { target: "off", actions: "stopCapture" },
        "recording.over": [
          { guard: "recordsAlone", target: "off", actions: "stopCapture" },
          { guard: "records", actions: "dropRecording" },
        ],
      },
    },
  },
} as const

const LEFT = { guard: "lacksHosts", target: "away", actions: "noteAbsence" } as const
const BACK = { guard: "hasHosts", target: "here", actions: "endAbsence" } as const

/** The measure taken while no host is present. */
const HOSTS = {
  initial: "here",
  states: {
    here: { on: { "phase.began": LEFT, "people.changed": LEFT, "event.changed": LEFT } },
    away: {
      on: { "phase.began": BACK, "people.changed": BACK, "event.changed": BACK },
      after: { "hosts.measure": [BACK, { target: "unattended", actions: "takeMeasure" }] },
    },
    unattended: {
      on: {
        "phase.began": BACK,
        "people.changed": BACK,
        "event.changed": [BACK, { guard: "hasOtherMeasure", target: "away", actions: "changeMeasure" }],
      },
    },
  },
} as const

const CHART = {
  id: "liveEvent",
  initial: "draft",
  on: {
    "event.patch": [
      { guard: "isEmptyPatch", actions: "answerEvent" },
      { guard: "canPatch", actions: "patchEvent" },
      { actions: "refusePatch" },
    ],
    "phase.update": [{ guard: "canUpdatePhase", actions: "updatePhase" }, { actions: "refusePhaseUpdate" }],
    "event.delete": { target: ".deleted", actions: "remove" },
    "poll.open": { actions: "askPoll" },
    "poll.close": { actions: "askPoll" },
    "lobby.policy": { actions: "setDoor" },
    "capture.start": [{ guard: "lacksTranscript", actions: "refuseTranscript" }, { actions: "refuseNotLive" }],
    "capture.stop": [{ guard: "isCaptured", actions: "stopCapture" }, { actions: "answerNoCapture" }],
    "*": [
      { guard: "isOfAgenda", actions: "refuseState" },
      { guard: "isSteering", actions: "refuseNotLive" },
    ],
  },
  states: {
    draft: {
      on: {
        ...ARRANGING,
        ...CANCELLING,
        "event.publish": [
          { guard: "isCancelled", actions: "refuseCancelled" },
          { target: "scheduled", actions: "publish" },
        ],
      },
    },
    scheduled: {
      on: {
        ...ARRANGING,
        ...CANCELLING,
        "event.start": [
          { guard: "isCancelled", actions: "refuseCancelled" },
          { guard: "hasNextPhase", target: "live.phase.begun", actions: "start" },
          { target: "live", actions: "start" },
        ],
      },
    },
    live: {
      type: "parallel",
      on: {
        ...APPENDING,
        "event.end": { actions: "endByHost" },
        "event.delete": { actions: "endForDeletion" },
        "event.over": { target: "ended", actions: "closePolls" },
        "timer.extend": [{ guard: "isTimerOfPoll", actions: "askPoll" }, { actions: "refuseTimer" }],
      },
      states: {
        phase: PHASE,
        door: DOOR,
        presence: PRESENCE,
        rooms: ROOMS,
        rotation: ROTATION,
        broadcast: BROADCAST,
        capture: CAPTURE,
        hosts: HOSTS,
      },
      exit: "endAbsence",
    },
    ended: {
      on: {
        // A retry of the last guarded advance gets the state that the first attempt produced.
        "phase.next": [
          { guard: "isStaleAdvance", actions: "refuseState" },
          { guard: "isGuarded", actions: "answerNext" },
          { actions: "refuseState" },
        ],
        "event.gone": "deleted",
      },
    },
    deleted: {},
  },
} as const

type On<Node> = Node extends { readonly on: infer Transitions } ? keyof Transitions : never
type States<Node> = Node extends { readonly states: infer Inner } ? Inner[keyof Inner] : never
/** Events for which the chart has a transition, three levels deep. */
type Handled =
  | On<typeof CHART>
  | On<States<typeof CHART>>
  | On<States<States<typeof CHART>>>
  | On<States<States<States<typeof CHART>>>>
type Unhandled = Exclude<Command["type"], Handled | PlainCommand>

const none = (): void => {}

export const chart = setup({
  types: { events: {} as ChartEvent },
  guards: GUARDS satisfies Record<GuardName, unknown>,
  // Actions are read from the transition and performed by the turn (`step.ts`).
  actions: {} as Record<ActionName, typeof none>,
  delays: Object.fromEntries(DELAY_NAMES.map((name) => [name, 0])) as Record<DelayName, number>,
}).createMachine(CHART satisfies ExpectNone<"command without a transition", Unhandled>)

export type Chart = typeof chart
