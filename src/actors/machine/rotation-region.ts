/** The rotation region of a live event's chart. */

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

const PAUSING = {
  "rotation.pause": [STALE, { target: "#rotation.paused", actions: "pauseRotation" }],
  "rotation.resume": [STALE, { actions: "answerRotation" }],
} as const

const WARNING = { actions: "warnOfRound" } as const

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
      on: { ...GOING_ON, ...PAUSING, "timer.extend": { guard: "isOfRotation", actions: "extendRound" } },
      after: {
        "round.warning": WARNING,
        "round.end": [
          { guard: "isLastRound", target: "idle", actions: ["elapseRound", "finishRotation"] },
          { guard: "hasBreak", target: "break.running", actions: ["elapseRound", "restRotation"] },
          { actions: ["elapseRound", "pairAgain"] },
        ],
      },
    },
    break: {
      initial: "waiting",
      on: {
        ...GOING_ON,
        ...PAUSING,
        "timer.extend": [
          { guard: "isTimerOfRound", actions: "extendRound" },
          { guard: "isOfRotation", actions: "refuseNoRoundTimer" },
        ],
      },
      states: {
        waiting: { on: { "people.changed": { guard: "canPair", target: "running", actions: "gatherPeople" } } },
        running: {
          after: { "round.warning": WARNING, "round.end": { actions: ["elapseRound", "pairAgain"] } },
        },
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
