/** The polls of an event, each stepped by its own chart. */
import { transition } from "xstate"
import type { Poll } from "../../model/live/live-records.ts"
import type { Refused } from "../commands.ts"
import { noSuch } from "../domain/activities/activity.ts"
import { openPolls } from "../domain/activities/questions/poll-views.ts"
import { pollActions } from "../domain/activities/questions/polls.ts"
import type { Turn } from "../domain/turn.ts"
import type { Of } from "./events.ts"
import { type PollActionName, type PollEvent, type PollHappening, pollChart, pollSnapshot } from "./poll-chart.ts"
import { topOf } from "./snapshot.ts"

type Act = (turn: Turn, event: PollEvent & { readonly status: Poll["status"] }) => object | undefined

/** One step of a poll's chart. Returns the reply of a command, or its refusal. */
export const stepPoll = (turn: Turn, poll: Poll, happening: PollHappening): object | Refused | undefined => {
  const event: PollEvent = { ...happening, poll, turn }
  const [after, actions] = transition(pollChart, pollSnapshot(poll), event)
  const performed = { ...event, status: topOf(after.value) as Poll["status"] }
  let reply: object | undefined
  for (const { type } of actions) {
    if (!Object.hasOwn(pollActions, type)) continue
    // The chart gives an action the events of its type alone, which the compiler cannot see.
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

/** The event is over, and with it every poll. */
export const closePolls = (turn: Turn): void => {
  for (const poll of openPolls(turn)) stepPoll(turn, poll, { type: "event.over" })
}
