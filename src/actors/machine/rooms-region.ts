/** The breakout-rooms region of a live event's chart. */

const NO_PLAN = { guard: "namesNoPlan", actions: "refuseNoPlan" } as const
const NO_TIMER = { guard: "isOfRooms", actions: "refuseNoRoomTimer" } as const

/** Transitions of rooms that are open or closing. */
const OPENED = {
  "phase.over": { target: "#rooms.closed", actions: "removeRooms" },
  "breakout.open": [NO_PLAN, { actions: "refuseOpenBreakout" }],
  "breakout.close": [
    { guard: "isStaleBreakout", actions: "refuseStaleBreakout" },
    { guard: "closesLater", actions: "answerBreakout" },
    { guard: "closesAtOnce", target: "#rooms.closed", actions: "closeRoomsNow" },
    { target: "#rooms.closing", actions: "closeRoomsSoon" },
  ],
} as const

/** Breakout rooms. Rooms without a timer of their own end with the phase's timer. */
export const ROOMS = {
  id: "rooms",
  initial: "closed",
  on: { "breakout.plan": { actions: "planRooms" } },
  states: {
    closed: {
      on: {
        "phase.began": { guard: "hasRoomSize", target: "open", actions: "openPlannedRooms" },
        "breakout.open": [NO_PLAN, { target: "open", actions: "openRooms" }],
        "breakout.close": { actions: "refuseNoBreakout" },
      },
    },
    open: {
      on: {
        ...OPENED,
        "phase.timeUp": { guard: "endsWithPhase", target: "closing", actions: "closeRoomsInTime" },
        "phase.changed": { guard: "movesRooms", actions: "prolongRooms" },
        "timer.extend": [{ guard: "isTimerOfRooms", actions: "extendRooms" }, NO_TIMER],
      },
      after: {
        "room.warning": { actions: "warnOfRooms" },
        "room.end": { target: "closing", actions: "closeRoomsInTime" },
      },
    },
    closing: {
      on: {
        ...OPENED,
        "phase.changed": [
          { guard: "reopensRooms", target: "open", actions: "prolongRooms" },
          { guard: "movesRooms", actions: "prolongRooms" },
        ],
        "timer.extend": [{ guard: "isElapsedOfRooms", target: "open", actions: "extendRooms" }, NO_TIMER],
      },
      after: { "room.close": { target: "closed", actions: "removeRooms" } },
    },
  },
} as const
