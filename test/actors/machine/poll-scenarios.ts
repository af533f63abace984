/** The scenarios of polls. */
import type { EventInMemory } from "./event-in-memory.ts"
import type { Scenario } from "./play.ts"
import { pass, send, start } from "./steps.ts"

const POLL = { question: "Q", kind: "single", options: ["x", "y"] }
const pollOf = (event: EventInMemory) => [...event.records.all("poll").values()][0]
const poll =
  (verb: "open" | "close", d: object = {}, rev?: number) =>
  (event: EventInMemory) =>
    event.do(`poll.${verb}`, { id: pollOf(event)?.id ?? "", ...d }, rev)
const extendPoll =
  (seconds = 60, rev?: number) =>
  (event: EventInMemory) =>
    event.do("timer.extend", { timerId: pollOf(event)?.id ?? "", seconds }, rev)
const isPoll = (status: string) => (event: EventInMemory) => {
  if (pollOf(event)?.status !== status) throw new Error(`the poll is ${pollOf(event)?.status}`)
}

export const POLLS: ReadonlyArray<Scenario> = [
  {
    name: "a poll is opened, closed and opened again",
    given: { phases: [{ featureSet: ["polls"] }] },
    steps: [
      start,
      [send("poll.open", { id: "other" }), { refused: "not_found" }],
      [send("poll.create", POLL), { tells: ["poll.created"] }],
      [poll("close"), { refused: "conflict: The poll is not open" }],
      [poll("close", {}, 99), { refused: "conflict: The poll was changed meanwhile" }],
      [poll("open", {}, 99), { refused: "conflict: The poll was changed meanwhile" }],
      [extendPoll(), { refused: "conflict: The poll has no running timer" }],
      [isPoll("draft"), {}],
      [poll("open"), { tells: ["poll.opened", "webhook poll.opened"], hides: ["timer.updated"] }],
      [isPoll("open"), {}],
      [poll("open"), { hides: ["poll.opened"], replies: ["poll"] }],
      [poll("open", {}, 99), { refused: "conflict" }],
      [poll("open", { durationMs: 1000 }), { refused: "conflict" }],
      [extendPoll(), { refused: "conflict" }],
      [pass(600), { hides: ["poll.closed"] }],
      [poll("close", {}, 99), { refused: "conflict" }],
      [poll("close"), { tells: ["poll.closed", "webhook poll.closed"] }],
      [isPoll("closed"), {}],
      [poll("close"), { hides: ["poll.closed"], replies: ["poll"] }],
      [poll("close", {}, 99), { refused: "conflict" }],
      [poll("open", {}, 99), { refused: "conflict: The poll was changed meanwhile" }],
      [poll("open"), { tells: ["poll.opened"], hides: ["timer.updated"], replies: ["poll"] }],
      [isPoll("open"), {}],
      [extendPoll(), { refused: "conflict" }],
      [poll("close"), { tells: ["poll.closed"] }],
      [extendPoll(), { refused: "conflict" }],
      [poll("open", { durationMs: 120_000 }), { tells: ["poll.opened", "timer.updated"] }],
      [pass(60), { tells: ["timer.warning"] }],
      [extendPoll(60, 99), { refused: "conflict" }],
      [extendPoll(), { tells: ["poll.updated", "timer.updated"] }],
      [extendPoll(86_400), { refused: "conflict" }],
      [pass(119), { tells: ["timer.warning"], hides: ["poll.closed"] }],
      [pass(1), { tells: ["poll.closed", "timer.elapsed"] }],
      [isPoll("closed"), {}],
    ],
  },
  {
    name: "a poll is opened for a time at first",
    given: { phases: [{ featureSet: ["polls"] }] },
    steps: [
      start,
      [send("poll.create", POLL), {}],
      [poll("open", { durationMs: 30_000 }), { tells: ["poll.opened", "timer.updated"] }],
      [extendPoll(), { tells: ["timer.updated"] }],
      [poll("close"), { tells: ["poll.closed", "timer.updated"] }],
      [poll("open", { durationMs: 30_000 }), { tells: ["poll.opened"] }],
      [pass(30), { tells: ["timer.warning", "poll.closed", "timer.elapsed"] }],
    ],
  },
  {
    name: "polls end with the event, with a timer or without",
    given: { phases: [{ featureSet: ["polls"] }] },
    steps: [
      start,
      [send("poll.create", POLL), {}],
      [poll("open", { durationMs: 120_000 }), {}],
      [send("event.end"), { tells: ["poll.closed", "timer.updated"], life: "ended" }],
      [isPoll("closed"), {}],
    ],
  },
]
