/** The region of the rotation in the chart of a live event. */

const STALE = { guard: "isStaleRotation", actions: "refuseStaleRotation" } as const

const GOING_ON = {
  "phase.over": { target: "#rotation.idle", actions: "finishRotation" },
  "rotation.start": { actions: "refuseRotationGoing" },
  "rotation.stop": [STALE, { target: "#rotation.idle", actions: "finishRotation" }],
  "rotation.skip": [
    STALE,
    { guard: "isLastRound", target: "#rotation.idle", actions: "finishRotation" },
    { actions: "pairAgain" },
  ],
} as const

const PAUSING = [STALE, { target: "#rotation.paused", actions: "pauseRotation" }] as const

const ROUND_TIMER = {
  "round.warning": { target: "warned", actions: "warnOfRound", reenter: true },
  "round.end": [
    { guard: "isLastRound", target: "#rotation.idle", actions: ["elapseRound", "finishRotation"] },
    { guard: "hasBreak", target: "#rotation.break.running", actions: ["elapseRound", "restRotation"] },
    { actions: ["elapseRound", "pairAgain"] },
  ],
} as const

const BREAK_TIMER = {
  "round.warning": { target: "warned", actions: "warnOfRound", reenter: true },
  "round.end": { actions: ["elapseRound", "pairAgain"] },
} as const

const EXTENDING = [
  { guard: "isTimerOfRound", target: ".running", actions: "extendRound" },
  { guard: "isOfRotation", actions: "refuseNoRoundTimer" },
] as const

/** Speed networking: rounds, and breaks between them. A break without participants to pair waits for them. */
export const ROTATION = {
  id: "rotation",
  initial: "idle",
  on: {
    "pairing.found": { target: ".round", actions: "beginRound" },
    "pairing.lacks": { target: ".break", actions: "waitForPeople" },
    "pairing.done": { target: ".idle", actions: "finishPaired" },
  },
  states: {
    idle: {
      on: {
        "phase.began": { guard: "hasRounds", actions: "startPlannedRotation" },
        "rotation.start": { actions: "startRotation" },
        "rotation.stop": { actions: "refuseNoRotation" },
        "rotation.skip": { actions: "refuseNoRotation" },
        "rotation.pause": { actions: "refuseNoRotation" },
        "rotation.resume": { actions: "refuseNoRotation" },
        "timer.extend": { guard: "isOfRotation", actions: "refuseNoRoundTimer" },
      },
    },
    round: {
      initial: "running",
      on: {
        ...GOING_ON,
        "rotation.pause": PAUSING,
        "rotation.resume": [STALE, { actions: "answerRotation" }],
        "timer.extend": { guard: "isOfRotation", target: ".running", actions: "extendRound" },
      },
      states: { running: { after: ROUND_TIMER }, warned: { after: ROUND_TIMER } },
    },
    break: {
      initial: "waiting",
      on: {
        ...GOING_ON,
        "rotation.pause": PAUSING,
        "rotation.resume": [STALE, { actions: "answerRotation" }],
        "timer.extend": EXTENDING,
      },
      states: {
        waiting: { on: { "people.changed": { guard: "canPair", target: "running", actions: "gatherPeople" } } },
        running: { after: BREAK_TIMER },
        warned: { after: BREAK_TIMER },
      },
    },
    paused: {
      on: {
        ...GOING_ON,
        "rotation.pause": [STALE, { actions: "answerRotation" }],
        "rotation.resume": [
          STALE,
          { guard: "waitedForPeople", actions: "pairAgain" },
          { guard: "pausedRound", target: "round", actions: "resumeRotation" },
          { target: "break.running", actions: "resumeRotation" },
        ],
        "timer.extend": { guard: "isOfRotation", actions: "refusePausedTimer" },
      },
    },
  },
} as const
