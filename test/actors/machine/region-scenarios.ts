/** The scenarios of the door, of presence, of broadcasts and of captures. */
import type { Scenario, Step } from "./play.ts"
import { admitted, next, send, start } from "./steps.ts"

const CALL = { modality: "meeting" } as const
const ASKING = { modality: "meeting", config: { lobby: "ask" } } as const
const SHUT = { modality: "meeting", config: { lobby: "closed" } } as const
const STREAM = { modality: "broadcast" } as const

const door: ReadonlyArray<Scenario> = [
  ["open", CALL, "ask", ASKING],
  ["open", CALL, "shut", SHUT],
  ["ask", ASKING, "open", CALL],
  ["ask", ASKING, "shut", SHUT],
  ["ask", ASKING, "ask", ASKING],
  ["shut", SHUT, "open", CALL],
  ["shut", SHUT, "ask", ASKING],
  ["shut", SHUT, "shut", SHUT],
].map(([was, first, is, second]) => ({
  name: `the door of a call that is ${String(was)} is ${String(is)} in the next one`,
  given: { phases: [first as object, second as object], people: ["a"] },
  steps: [
    start,
    [() => {}, { in: { door: String(was) } }],
    [next[0], { in: { door: String(is) } }],
    [admitted(...(was === "open" ? ["a"] : [])), {}],
  ],
}))

const doors: ReadonlyArray<Scenario> = [
  ...door,
  ...(
    [
      ["open", CALL],
      ["ask", ASKING],
      ["shut", SHUT],
    ] as const
  ).map(
    ([state, phase]): Scenario => ({
      name: `a broadcast has no door, and the call after it is ${state}`,
      given: { phases: [phase, STREAM, phase], people: ["a"] },
      steps: [
        start,
        [
          (event) => {
            event.records.write("admission", "held", { state: "held" })
            event.records.write("role", "chosen", { role: "speaker" })
            event.do("phase.next")
          },
          { in: { door: "none" } },
        ],
        [admitted("held"), {}],
        [next[0], { in: { door: state } }],
        [admitted(...(state === "open" ? ["held"] : ["chosen", "held"])), {}],
      ],
    }),
  ),
  {
    name: "the first phase admits whom a host held, when it is a broadcast",
    given: { phases: [STREAM], people: ["a"] },
    steps: [
      [
        (event) => {
          event.records.write("admission", "held", { state: "held" })
          event.start()
        },
        { in: { door: "none" } },
      ],
      [admitted("held"), {}],
    ],
  },
  {
    name: "a host opens and closes the door",
    given: { phases: [CALL, STREAM], people: ["a"] },
    steps: [
      start,
      [send("lobby.policy", { mode: "ask" }), { in: { door: "ask" }, tells: ["lobby.settings"] }],
      [admitted("a"), {}],
      [send("lobby.policy", { mode: "ask" }), { hides: ["lobby.settings"] }],
      [send("lobby.policy", { mode: "closed" }), { in: { door: "shut" } }],
      [send("lobby.policy", { mode: "ask" }), { in: { door: "ask" } }],
      [send("lobby.policy", { mode: "open" }), { in: { door: "open" } }],
      [send("lobby.policy", { mode: "closed" }), { in: { door: "shut" } }],
      [send("lobby.policy", { mode: "open" }), { in: { door: "open" } }],
      next,
      [send("lobby.policy", { mode: "closed" }), { in: { door: "none" } }],
    ],
  },
  {
    name: "another configuration of the phase moves the door",
    given: { phases: [CALL], people: ["a"] },
    steps: [
      start,
      ...(
        [
          ["ask", "ask"],
          ["closed", "shut"],
          ["ask", "ask"],
          ["open", "open"],
          ["closed", "shut"],
          ["open", "open"],
        ] as const
      ).map(
        ([lobby, door]): Step => [send("phase.update", { phaseId: "phase-0", config: { lobby } }), { in: { door } }],
      ),
      [admitted("a"), {}],
    ],
  },
]

const presence: ReadonlyArray<Scenario> = [
  {
    name: "presence is a list up to 250 people, and again from 200 on",
    given: { phases: [CALL] },
    steps: [
      start,
      [(event) => event.audience(250), { in: { presence: "list" } }],
      [(event) => event.audience(251), { in: { presence: "summary" } }],
      [(event) => event.audience(201), { in: { presence: "summary" } }],
      [(event) => event.audience(200), { in: { presence: "list" } }],
    ],
  },
]

type Verb = "start" | "pause" | "resume" | "stop"

/** By hand: what each verb makes of a broadcast, and what it tells. */
const BROADCASTS: ReadonlyArray<readonly [state: string, path: ReadonlyArray<Verb>, ...outcomes: string[]]> = [
  //  state     path                start       pause       resume      stop
  ["idle", [], "live", "conflict", "conflict", "conflict"],
  ["live", ["start"], "live", "paused", "live", "ended"],
  ["paused", ["start", "pause"], "live", "paused", "live", "ended"],
  ["ended", ["start", "stop"], "conflict", "conflict", "conflict", "ended"],
]

const SAYS: { readonly [V in Verb]: string } = {
  start: "The broadcast has ended",
  pause: "Only a live broadcast",
  resume: "Only a paused broadcast",
  stop: "The broadcast has not started",
}

const broadcast = BROADCASTS.flatMap(([state, path, ...outcomes]) =>
  (["start", "pause", "resume", "stop"] as const).map((verb, index): Scenario => {
    const outcome = outcomes[index] ?? ""
    const isChange = outcome !== "conflict" && outcome !== state
    return {
      name: `a broadcast that is ${state}: ${verb}`,
      given: { phases: [STREAM, CALL] },
      steps: [
        start,
        ...path.map((step): Step => [send(`broadcast.${step}`), {}]),
        [() => {}, { in: { broadcast: state } }],
        [send(`broadcast.${verb}`, { phaseId: "phase-1" }), { refused: "conflict", in: { broadcast: state } }],
        [send(`broadcast.${verb}`, { phaseId: "phase-9" }), { refused: "not_found" }],
        [send(`broadcast.${verb}`, { playbackUrl: "ftp://a" }), { refused: "bad_request" }],
        [
          send(`broadcast.${verb}`, { phaseId: "phase-0" }),
          outcome === "conflict"
            ? { refused: `conflict: ${SAYS[verb]}`, in: { broadcast: state } }
            : {
                in: { broadcast: outcome },
                replies: ["broadcast"],
                [isChange ? "tells" : "hides"]: [`broadcast.${outcome}`],
              },
        ],
        [
          next[0],
          {
            in: { broadcast: "off" },
            [["live", "paused"].includes(outcome === "conflict" ? state : outcome) ? "tells" : "hides"]: [
              "broadcast.ended",
            ],
          },
        ],
        [send(`broadcast.${verb}`), { refused: "conflict" }],
        [send(`broadcast.${verb}`, { phaseId: "phase-9" }), { refused: "not_found" }],
      ],
    }
  }),
)

const others: ReadonlyArray<Scenario> = [
  {
    name: "a broadcast that gets another address tells it",
    given: { phases: [STREAM] },
    steps: [
      start,
      [send("broadcast.start", { playbackUrl: "https://a.example/1" }), { tells: ["broadcast.live"] }],
      [send("broadcast.start", { playbackUrl: "https://a.example/1" }), { hides: ["broadcast.live"] }],
      [send("broadcast.resume", { playbackUrl: "https://a.example/2" }), { tells: ["broadcast.live"] }],
      [send("broadcast.pause"), { tells: ["broadcast.paused", "webhook broadcast.paused"] }],
      [send("broadcast.pause", { playbackUrl: "https://a.example/3" }), { tells: ["broadcast.paused"] }],
      [send("broadcast.stop"), { tells: ["broadcast.ended"] }],
      [send("broadcast.stop", { playbackUrl: "https://a.example/4" }), { tells: ["broadcast.ended"] }],
    ],
  },
  {
    name: "a recording is announced and ends with its phase",
    given: { phases: [CALL, CALL], recorder: "events" },
    steps: [
      start,
      [send("capture.stop"), { in: { capture: "off" }, hides: ["capture.state"], replies: ["kinds"] }],
      [send("capture.start", { kinds: ["recording"] }), { in: { capture: "on" }, tells: ["capture.state"] }],
      [send("capture.start", { kinds: ["recording"] }), { in: { capture: "on" }, hides: ["capture.state"] }],
      [send("capture.start", { kinds: ["recording", "transcript"] }), { tells: ["capture.state"] }],
      [send("capture.stop"), { in: { capture: "off" }, tells: ["capture.state"] }],
      [send("capture.start", { kinds: ["transcript"] }), { in: { capture: "on" } }],
      [next[0], { in: { capture: "off" }, tells: ["capture.state"] }],
    ],
  },
  {
    name: "what is captured already changes to nothing that cannot be captured",
    given: { phases: [STREAM, { ...STREAM, featureSet: [] }], recorder: "broadcasts" },
    steps: [
      start,
      [send("capture.start", { kinds: ["transcript"] }), { in: { capture: "on" } }],
      [send("capture.start", { kinds: ["recording"] }), { refused: "conflict: Nothing records here" }],
      [send("phase.update", { phaseId: "phase-0", featureSet: [] }), {}],
      [send("capture.start", { kinds: ["transcript"] }), { refused: "feature_disabled" }],
    ],
  },
  {
    name: "a capture from before the start goes on in the event, and ends with its phase",
    given: { phases: [CALL, CALL], recorder: "events" },
    steps: [
      [
        (event) => {
          event.records.write("capture", "-", { on: true, kinds: ["recording"], since: null })
          event.start()
        },
        { in: { capture: "on" } },
      ],
      [next[0], { in: { capture: "off" }, tells: ["capture.state"] }],
    ],
  },
  {
    name: "a capture from before the start can be stopped before it",
    given: { phases: [CALL], recorder: "events" },
    steps: [
      [(event) => event.records.write("capture", "-", { on: true, kinds: ["recording"], since: null }), {}],
      [send("capture.stop"), { tells: ["capture.state"] }],
      [send("capture.stop"), { hides: ["capture.state"], replies: ["kinds"] }],
      [send("capture.start", { kinds: ["recording"] }), { refused: "conflict: The event is draft, and not live" }],
      [send("capture.start", { kinds: ["transcript"] }), { refused: "feature_disabled" }],
    ],
  },
  {
    name: "nothing is announced that nothing captures",
    given: { phases: [{ ...CALL, featureSet: [] }] },
    steps: [
      start,
      [send("capture.start", { kinds: ["recording"] }), { refused: "conflict", in: { capture: "off" } }],
      [send("capture.start", { kinds: ["transcript"] }), { refused: "feature_disabled", in: { capture: "off" } }],
    ],
  },
  {
    name: "the recording of a broadcast that was pushed here ends with it, and its transcript goes on",
    given: { phases: [STREAM], recorder: "broadcasts" },
    steps: [
      start,
      [send("capture.start", { kinds: ["recording"] }), { refused: "conflict" }],
      [send("broadcast.start"), {}],
      [send("capture.start", { kinds: ["recording", "transcript"] }), { in: { capture: "on" } }],
      [send("capture.start", { kinds: ["recording", "transcript"] }), { hides: ["capture.state"] }],
      [send("broadcast.stop"), { in: { capture: "on" }, tells: ["capture.state"] }],
    ],
  },
  {
    name: "a broadcast that ends without a recording leaves the transcript alone",
    given: { phases: [STREAM], recorder: "broadcasts" },
    steps: [
      start,
      [send("broadcast.start"), {}],
      [send("capture.start", { kinds: ["transcript"] }), { in: { capture: "on" } }],
      [send("broadcast.stop"), { in: { capture: "on" }, hides: ["capture.state"] }],
    ],
  },
  {
    name: "a recording alone ends with the broadcast that was pushed here",
    given: { phases: [STREAM], recorder: "broadcasts" },
    steps: [
      start,
      [send("broadcast.start"), {}],
      [send("capture.start", { kinds: ["recording"] }), { in: { capture: "on" } }],
      [send("broadcast.stop"), { in: { capture: "off" }, tells: ["capture.state"] }],
    ],
  },
]

export const REGIONS: ReadonlyArray<Scenario> = [...doors, ...presence, ...broadcast, ...others]
