/**
 * Polls: drafted by staff, opened, voted in, closed. A tally always equals the set of its votes: one turn writes both. A poll outlives the
 * phase in which it was opened. It stays open until a host or its timer closes it, or the event ends. A closed poll may be reopened and
 * keeps its votes.
 */
import { type Poll, voteId } from "../../../../model/live/live-records.ts"
import { toMillis, toTimestamp } from "../../../../model/timestamp.ts"
import type { PollView } from "../../../../protocol/messages/polls.ts"
import type { Refused } from "../../../commands.ts"
import type { Of } from "../../../state/chart-events.ts"
import { extendTimer, warn } from "../../timers.ts"
import type { Turn } from "../../turn.ts"
import { type Activity, type CommandHandler, isRefused, noSuch, refuse } from "../activity.ts"
import { countAnswers, countsAfter, faultOf, isWritten, POLL_KINDS, type Vote } from "./poll-kinds.ts"
import * as views from "./poll-views.ts"
import { boardOf, givePoints } from "./quiz.ts"
import { countSignedOut, keysOf, removeVotes, whyFull } from "./signed-out-votes.ts"

const { pollTimer, sharedPoll, staffPoll } = views

/** All polls of an event are held in memory, with their votes. */
const MAX_POLLS = 200
const TOO_MANY = refuse("conflict", `An event has at most ${MAX_POLLS} polls.`)
const CHANGED = "The poll was changed meanwhile."
const NOT_OPEN = refuse("conflict", "The poll is not open.")

/** The poll that the command names, if the caller's revision is current. */
const meant = (turn: Turn, id: string, rev: number | undefined): Poll | Refused => {
  const poll = turn.get("poll", id)
  if (poll === undefined) return noSuch("poll")
  return rev === undefined || rev === poll.rev ? poll : refuse("conflict", CHANGED, current(turn, poll))
}

const current = (turn: Turn, poll: Poll): { readonly poll: PollView } => ({ poll: staffPoll(turn.records, poll) })

type Changed = "poll.opened" | "poll.updated" | "poll.closed" | "poll.published"

/** Replaces a poll and publishes it in the form that everyone may see. */
const changePoll = (turn: Turn, t: Changed, before: Poll, changed: Partial<Poll>): Poll => {
  const poll: Poll = { ...before, ...changed, rev: before.rev + 1 }
  turn.put("poll", poll.id, poll)
  turn.publish(t, "event", { poll: sharedPoll(turn.records, poll) })
  // The dispatch lacks written answers, and the board of a quiz.
  if (isWritten(poll.kind) || poll.kind === "quiz") turn.publishThrottled(views.TALLY, poll.id)
  return poll
}

const publishTimer = (turn: Turn, poll: Poll, state: "running" | "elapsed" | "cancelled"): void => {
  const timer = pollTimer(poll, state)
  if (timer === undefined) return
  if (state === "elapsed") turn.publish("timer.elapsed", "event", { timerId: timer.id, timer })
  else turn.publish("timer.updated", "event", { timer })
}

interface PollEvent {
  readonly poll: Poll
  /** State of the poll's chart after the event. */
  readonly status: Poll["status"]
}

const close = (turn: Turn, { poll, status }: PollEvent, why: "elapsed" | "cancelled"): Poll => {
  const board = poll.kind === "quiz" ? { board: boardOf(turn, poll) } : {}
  const closed = changePoll(turn, "poll.closed", poll, { status, closedAt: turn.at, ...board })
  publishTimer(turn, closed, why)
  turn.emitOccurrence("poll.closed", views.closedExtra(turn.records, closed))
  return closed
}

const create: CommandHandler<"poll.create"> = (turn, d) => {
  if (turn.all("poll").size >= MAX_POLLS) return TOO_MANY
  const fault = faultOf(d)
  if (fault !== undefined) return fault
  const { correct, blocked } = d
  const poll: Poll = {
    id: turn.freshId,
    question: d.question.trim(),
    kind: d.kind,
    options: d.options.map((text, index) => ({ id: String(index + 1), text: text.trim() })),
    anonymous: d.anonymous ?? false,
    // The results and the board of a quiz would tell which option to change to.
    allowChange: d.kind !== "quiz" && (d.allowChange ?? true),
    results: d.results ?? (d.kind === "quiz" ? "afterVote" : "live"),
    ...(correct === undefined ? {} : { correct: [...new Set(correct)].map(String) }),
    ...(blocked === undefined ? {} : { blocked }),
    status: "draft",
    published: false,
    counts: d.options.map(() => 0),
    voters: 0,
    createdAt: turn.at,
    openedAt: null,
    closedAt: null,
    endsAt: null,
    extendedMs: 0,
    rev: 1,
  }
  turn.put("poll", poll.id, poll)
  turn.publish("poll.created", "staff", current(turn, poll))
  return current(turn, poll)
}

/** Chart actions of a poll. */
export const pollActions = {
  openPoll: (turn: Turn, { poll, status, d: { durationMs } }: PollEvent & Of<"poll.open">) => {
    const endsAt = durationMs === undefined ? null : toTimestamp(turn.now + durationMs)
    const change = { status, openedAt: turn.at, closedAt: null, endsAt, extendedMs: 0 }
    const opened = changePoll(turn, "poll.opened", poll, change)
    publishTimer(turn, opened, "running")
    turn.emitOccurrence("poll.opened", views.openedExtra(opened))
    return current(turn, opened)
  },
  closePoll: (turn: Turn, event: PollEvent) => current(turn, close(turn, event, "cancelled")),
  elapsePoll: (turn: Turn, event: PollEvent): void => void close(turn, event, "elapsed"),
  warnOfPoll: (turn: Turn, { poll }: PollEvent): void => {
    const timer = pollTimer(poll)
    if (timer !== undefined) warn(turn, timer)
  },
  extendPoll: (turn: Turn, command: PollEvent & Of<"timer.extend">) => {
    const { poll } = command
    const timer = pollTimer(poll)
    if (timer === undefined) return undefined
    return extendTimer(turn, command, {
      timer,
      usedMs: toMillis(timer.endsAt) - toMillis(timer.startedAt),
      longest: "A poll's timer runs 24 hours at most.",
      write: (extended) => {
        const next = changePoll(turn, "poll.updated", poll, extended)
        publishTimer(turn, next, "running")
        return pollTimer(next) ?? timer
      },
    })
  },
  answerPoll: (turn: Turn, { poll }: PollEvent) => current(turn, poll),
  refuseStalePoll: (turn: Turn, { poll }: PollEvent) => refuse("conflict", CHANGED, current(turn, poll)),
  refuseOpenPoll: (turn: Turn, { poll }: PollEvent) =>
    refuse("conflict", "The poll is open already; what its timer has left can be extended.", current(turn, poll)),
  refuseClosedPoll: () => NOT_OPEN,
  refusePollTimer: () => refuse("conflict", "The poll has no running timer."),
}

/** The poll in which the command votes, if it takes votes and the caller's revision is current. */
const votedIn = (turn: Turn, id: string, rev: number | undefined): Poll | Refused => {
  const poll = turn.get("poll", id)
  if (poll === undefined) return noSuch("poll")
  if (poll.status !== "open" || (poll.endsAt !== null && toMillis(poll.endsAt) <= turn.now)) return NOT_OPEN
  return rev === undefined || rev === poll.rev
    ? poll
    : refuse("conflict", CHANGED, { poll: sharedPoll(turn.records, poll) })
}

/** Changes the counts by one vote. */
const count = (turn: Turn, poll: Poll, before: ReadonlyArray<string>, taken: Vote): void => {
  const after = taken.optionIds
  const voters = poll.voters + Number(after.length > 0) - Number(before.length > 0)
  turn.put("poll", poll.id, { ...poll, counts: countsAfter(poll, before, after), voters })
  if (isWritten(poll.kind)) countAnswers(turn, poll.id, before, taken)
  if (poll.kind === "quiz") givePoints(turn, poll, after)
}

const vote: CommandHandler<"poll.vote"> = (turn, ballot, rev) => {
  if (turn.by === null) return refuse("forbidden", "Only people at the event vote.")
  const { participantId } = turn.by
  const { id } = ballot
  const poll = votedIn(turn, id, rev)
  if (isRefused(poll)) return poll
  const taken = POLL_KINDS[poll.kind].take(turn, poll, ballot)
  if (isRefused(taken)) return taken
  const after = taken.optionIds
  const key = voteId(id, participantId)
  const before = turn.get("pollVote", key) ?? []
  const vote = { pollId: id, optionIds: after }
  if (before.join() === after.join()) return vote
  if (before.length > 0 && !poll.allowChange) {
    return refuse("conflict", "A vote in this poll cannot be changed.", { pollId: id, optionIds: before })
  }
  const full = before.length === 0 ? whyFull(turn, id) : undefined
  if (full !== undefined) return full
  const hasOne = after.length > 0
  if (hasOne) turn.put("pollVote", key, after)
  else turn.remove("pollVote", key)
  count(turn, poll, before, taken)
  if (hasOne !== before.length > 0) {
    countSignedOut(turn, id, hasOne)
    if (poll.results === "afterVote") turn.changeParticipant({ participantId, pollSubscription: { id, on: hasOne } })
  }
  turn.publishEphemeral("me.pollVoted", `me:${participantId}`, vote, id)
  turn.publishThrottled(views.TALLY, id)
  return vote
}

const publish: CommandHandler<"poll.publish"> = (turn, { id, on = true }, rev) => {
  const poll = meant(turn, id, rev)
  if (isRefused(poll)) return poll
  if (poll.status === "draft") return refuse("conflict", "The poll was not opened yet.", current(turn, poll))
  if (poll.published === on) return current(turn, poll)
  const published = changePoll(turn, "poll.published", poll, { published: on })
  // The poll's timer carries the poll's revision.
  if (published.status === "open") publishTimer(turn, published, "running")
  return current(turn, published)
}

const hide: CommandHandler<"poll.hide"> = (turn, { id, optionId, on = true }) => {
  const poll = turn.get("poll", id)
  if (poll === undefined) return noSuch("poll")
  const key = voteId(id, optionId)
  const answer = turn.get("pollAnswer", key)
  if (answer === undefined) return noSuch("option")
  if (answer.hidden === on) return current(turn, poll)
  if (!on && answer.votes === 0) turn.remove("pollAnswer", key)
  else turn.put("pollAnswer", key, { ...answer, hidden: on })
  // Results are remembered by the poll's record.
  const next = { ...poll }
  turn.put("poll", id, next)
  turn.publishThrottled(views.TALLY, id)
  return current(turn, next)
}

const remove: CommandHandler<"poll.delete"> = (turn, { id }, rev) => {
  const poll = meant(turn, id, rev)
  if (isRefused(poll)) return poll
  removeVotes(turn, "pollVote", id)
  for (const kind of ["pollAnswer", "quizPoints"] as const) {
    for (const key of keysOf(turn, kind, id)) turn.remove(kind, key)
  }
  turn.remove("poll", id)
  if (poll.status === "open") publishTimer(turn, poll, "cancelled")
  if (poll.status === "draft") turn.publish("poll.deleted", "staff", { id })
  else turn.publish("poll.deleted", "event", { id })
  return { id }
}

export const polls = {
  commands: {
    "poll.create": create,
    "poll.vote": vote,
    "poll.publish": publish,
    "poll.hide": hide,
    "poll.delete": remove,
  },
  view: views.sharedView,
  staffView: views.staffView,
  personalView: views.personalView,
} satisfies Activity
