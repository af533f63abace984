/**
 * A poll as a statechart: one instance per poll, whose state is the status of its record. It is not a child of the event's chart, because
 * XState's pure `transition` does not step children: the turn steps it by the same rule.
 */
import { setup, transition } from "xstate"
import type { Poll } from "../../model/live/live-records.ts"
import type { Refused } from "../commands.ts"
import { noSuch } from "../domain/activities/activity.ts"
import { openPolls } from "../domain/activities/questions/poll-views.ts"
import { pollActions } from "../domain/activities/questions/polls.ts"
import type { Turn } from "../domain/turn.ts"
import type { Due, Of } from "../state/chart-events.ts"
import { topOf } from "../state/chart-snapshot.ts"

type PollHappening = Of<"poll.open" | "poll.close" | "timer.extend"> | { readonly type: "event.over" } | Due
type PollEvent = PollHappening & { readonly poll: Poll; readonly turn: Turn }

const STALE = { guard: "isStale", actions: "refuseStalePoll" } as const

const OPENING = [
  STALE,
  { guard: "isTimed", target: "#poll.open.running", actions: "openPoll" },
  { target: "#poll.open", actions: "openPoll" },
] as const

const CHART = {
  id: "poll",
  initial: "draft",
  states: {
    draft: { on: { "poll.open": OPENING, "poll.close": [STALE, { actions: "refuseClosedPoll" }] } },
    open: {
      initial: "untimed",
      on: {
        "poll.open": [STALE, { guard: "isTimed", actions: "refuseOpenPoll" }, { actions: "answerPoll" }],
        "poll.close": [STALE, { target: "closed", actions: "closePoll" }],
        "event.over": { target: "closed", actions: "closePoll" },
      },
      states: {
        untimed: {},
        running: {
          on: { "timer.extend": { actions: "extendPoll" } },
          after: {
            "poll.warning": { actions: "warnOfPoll" },
            "poll.end": { target: "#poll.closed", actions: "elapsePoll" },
          },
        },
      },
    },
    closed: { on: { "poll.open": OPENING, "poll.close": [STALE, { actions: "answerPoll" }] } },
  },
  on: { "timer.extend": { actions: "refusePollTimer" } },
} as const

type PollActionName = keyof typeof pollActions

export const pollChart = setup({
  types: { events: {} as PollEvent },
  guards: {
    isStale: ({ event }) => "rev" in event && event.rev !== undefined && event.rev !== event.poll.rev,
    isTimed: ({ event }) => event.type === "poll.open" && event.d.durationMs !== undefined,
  },
  actions: {} as Record<PollActionName, () => void>,
  delays: { "poll.warning": 0, "poll.end": 0 },
}).createMachine(CHART)

/** State of a poll's chart, from its record. */
export const pollSnapshot = ({ status, endsAt }: Poll) =>
  pollChart.resolveState({ value: status === "open" ? { open: endsAt === null ? "untimed" : "running" } : status })

/** Events of the delayed transitions of an open poll. */
export const POLL_WARNING = "xstate.after.poll.warning.poll.open.running"
export const POLL_END = "xstate.after.poll.end.poll.open.running"

type Act = (turn: Turn, event: PollEvent & { readonly status: Poll["status"] }) => object | undefined

/** Steps a poll's chart once. Returns the reply of a command, or its refusal. */
export const stepPoll = (turn: Turn, poll: Poll, happening: PollHappening): object | Refused | undefined => {
  const event: PollEvent = { ...happening, poll, turn }
  const [after, actions] = transition(pollChart, pollSnapshot(poll), event)
  const performed = { ...event, status: topOf(after.value) as Poll["status"] }
  let reply: object | undefined
  for (const { type } of actions) {
    if (!Object.hasOwn(pollActions, type)) continue
    // The chart passes an action only events of its type, which the compiler cannot see.
    reply = (pollActions[type as PollActionName] as Act)(turn, performed) ?? reply
  }
  return reply
}

export const askPoll = (
  turn: Turn,
  command: Of<"poll.open" | "poll.close" | "timer.extend">,
): object | Refused | undefined => {
  const poll = turn.get("poll", command.type === "timer.extend" ? command.d.timerId : command.d.id)
  return poll === undefined ? noSuch("poll") : stepPoll(turn, poll, command)
}

/** Closes all polls at the end of the event. */
export const closePolls = (turn: Turn): void => {
  for (const poll of openPolls(turn)) stepPoll(turn, poll, { type: "event.over" })
}
