/** The region of breakout rooms in the chart of a live event. */

const ROOM_TIMER = {
  "room.warning": { target: "warned", actions: "warnOfRooms", reenter: true },
  "room.end": { target: "#rooms.closing", actions: "closeRoomsInTime" },
} as const

const OPENING = [
  { guard: "namesNoPlan", actions: "refuseNoPlan" },
  { guard: "opensForATime", target: "#rooms.open.running", actions: "openRooms" },
  { target: "#rooms.open", actions: "openRooms" },
] as const

const CLOSED = {
  "phase.began": { guard: "hasRoomSize", target: "open", actions: "openPlannedRooms" },
  "breakout.close": { actions: "refuseNoBreakout" },
} as const

const CLOSING_ROOMS = [
  { guard: "isStaleBreakout", actions: "refuseStaleBreakout" },
  { guard: "closesLater", actions: "answerBreakout" },
  { guard: "closesAtOnce", target: "#rooms.planned", actions: "closeRoomsNow" },
  { target: "#rooms.closing", actions: "closeRoomsSoon" },
] as const

/** Rooms that are open, or close already. */
const OPENED = {
  "phase.over": { target: "#rooms.planned", actions: "removeRooms" },
  "breakout.plan": { actions: "planRooms" },
  "breakout.open": [{ guard: "namesNoPlan", actions: "refuseNoPlan" }, { actions: "refuseOpenBreakout" }],
  "breakout.close": CLOSING_ROOMS,
} as const

/** Breakout rooms. Those without a timer of their own end with the timer of the phase. */
export const ROOMS = {
  id: "rooms",
  initial: "none",
  states: {
    none: {
      on: {
        ...CLOSED,
        "breakout.plan": { target: "planned", actions: "planRooms" },
        "breakout.open": { actions: "refuseNoPlan" },
      },
    },
    planned: { on: { ...CLOSED, "breakout.plan": { actions: "planRooms" }, "breakout.open": OPENING } },
    open: {
      initial: "untimed",
      on: {
        ...OPENED,
        "timer.extend": [
          { guard: "isTimerOfRooms", target: ".running", actions: "extendRooms" },
          { guard: "isOfRooms", actions: "refuseNoRoomTimer" },
        ],
      },
      states: {
        untimed: {
          on: {
            "phase.timeUp": { target: "#rooms.closing", actions: "closeRoomsInTime" },
            "phase.changed": { guard: "movesRooms", actions: "prolongRooms" },
          },
        },
        running: { after: ROOM_TIMER },
        warned: { after: ROOM_TIMER },
      },
    },
    closing: {
      on: {
        ...OPENED,
        "phase.changed": [
          { guard: "reopensRooms", target: "open", actions: "prolongRooms" },
          { guard: "movesRooms", actions: "prolongRooms" },
        ],
        "timer.extend": [
          { guard: "isElapsedOfRooms", target: "open.running", actions: "extendRooms" },
          { guard: "isOfRooms", actions: "refuseNoRoomTimer" },
        ],
      },
      after: { "room.close": { target: "planned", actions: "removeRooms" } },
    },
  },
} as const
