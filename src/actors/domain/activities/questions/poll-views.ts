/**
 * Visibility of a poll. Counts go to everyone, to voters, or to staff alone: `live` to everyone at once, `afterVote` to voters while the
 * poll is open and to everyone when it is closed, `onPublish` to everyone once a host publishes it. A published poll shows its counts under
 * every setting. A participant's vote is shown only to that voter; the board of a quiz that is not anonymous tells who was right.
 */
import type { Occurrence } from "../../../../model/integrations/occurrences.ts"
import { type Poll, partsOfVote, voteId } from "../../../../model/live/live-records.ts"
import { byCodeUnits } from "../../../../model/text/compared.ts"
import { type Ephemeral, ephemeralOf } from "../../../../protocol/contract.ts"
import type { TimerView } from "../../../../protocol/messages/agenda.ts"
import type { PollTally, PollView } from "../../../../protocol/messages/polls.ts"
import type { PersonalState, SharedState, StaffState } from "../../../../protocol/ready.ts"
import type { ReadContext, ThrottledView } from "../../turn.ts"
import { isWritten } from "./poll-kinds.ts"
import { nameOnBoard } from "./quiz.ts"
import { keysOf } from "./signed-out-votes.ts"

const everyoneSees = ({ results, published, status }: Poll): boolean =>
  published || results === "live" || (results === "afterVote" && status === "closed")

/** Most written answers in a view. */
const SHOWN_ANSWERS = 100

type Records = ReadContext["records"]
type Results = Pick<PollTally, "counts" | "voters"> & Pick<PollView, "options">

/** Written answers with the most votes first; for staff also hidden ones, after the others. */
const answersOf = (records: Records, pollId: string, isStaff: boolean) => {
  const all = keysOf(records, "pollAnswer", pollId)
    .flatMap((key) => {
      const answer = records.get("pollAnswer", key)
      // The key of an answer has its id where that of a vote has the voter.
      return answer === undefined ? [] : [{ id: partsOfVote(key).voter, ...answer }]
    })
    .sort((a, b) => b.votes - a.votes || byCodeUnits(a.id, b.id))
  const shown = all.filter(({ hidden }) => !hidden).slice(0, SHOWN_ANSWERS)
  return isStaff ? [...shown, ...all.filter(({ hidden }) => hidden).slice(0, SHOWN_ANSWERS)] : shown
}

const writtenResults = (records: Records, { id, voters }: Poll, isStaff: boolean): Results => {
  const answers = answersOf(records, id, isStaff)
  return {
    options: answers.map(({ id: answer, text, hidden }) => ({ id: answer, text, ...(hidden ? { hidden } : {}) })),
    counts: answers.map(({ votes }) => votes),
    voters,
  }
}

/** Results of written polls by their records, which each vote and each hidden answer replaces: everybody who joins asks for them. */
const REMEMBERED = [new WeakMap<Poll, Results>(), new WeakMap<Poll, Results>()] as const

const resultsOf = (records: Records, poll: Poll, isStaff: boolean): Results => {
  const { kind, options, counts, voters } = poll
  if (!isWritten(kind)) return { options, counts, voters }
  const remembered = REMEMBERED[isStaff ? 0 : 1]
  const results = remembered.get(poll) ?? writtenResults(records, poll, isStaff)
  remembered.set(poll, results)
  return results
}

/** The board of a closed quiz. Its names are in `ready` and tallies alone, which are stored nowhere. */
const boardIn = (records: Records, { board, status, anonymous }: Poll): Pick<PollTally, "board"> => {
  if (board === undefined || status !== "closed") return {}
  return {
    board: board.map(({ participantId, ...place }) =>
      anonymous
        ? { ...place, participantId: null, name: null }
        : { ...place, participantId, name: nameOnBoard(records, participantId) },
    ),
  }
}

/** The poll without its results. */
const pollView = (poll: Poll, isStaff: boolean): PollView => {
  const { counts: _counts, voters: _voters, extendedMs: _extended, correct, board: _board, ...rest } = poll
  const { blocked: _blocked, ...shown } = rest
  return {
    ...shown,
    ...(isWritten(poll.kind) ? { options: [] } : {}),
    ...(correct === undefined ? {} : { most: correct.length }),
    ...(correct !== undefined && (isStaff || poll.status === "closed") ? { correct } : {}),
  }
}

/** The poll as staff see it, without the board of a quiz. */
export const staffPoll = (records: Records, poll: Poll): PollView => ({
  ...pollView(poll, true),
  ...resultsOf(records, poll, true),
})

/**
 * The poll as everyone sees it, without what only `ready` and tallies have: the board of a quiz, and written answers. Dispatches are stored,
 * and may be replayed after a host has hidden an answer.
 */
export const sharedPoll = (records: Records, poll: Poll): PollView => ({
  ...pollView(poll, false),
  ...(everyoneSees(poll) && !isWritten(poll.kind) ? resultsOf(records, poll, false) : {}),
})

/** Fields shared by the two webhook events of polls. */
const occurrenceOf = ({ id, question, kind, anonymous, openedAt }: Poll): Occurrence["extra"] => ({
  pollId: id,
  question,
  kind,
  anonymous,
  openedAt,
})

export const openedExtra = (poll: Poll): Occurrence["extra"] => ({
  ...occurrenceOf(poll),
  options: poll.options,
  endsAt: poll.endsAt,
})

/** Webhook fields of a closed poll: its results, but for answers that staff have hidden. */
export const closedExtra = (records: Records, poll: Poll): Occurrence["extra"] => {
  const { options, counts, voters } = resultsOf(records, poll, false)
  return {
    ...occurrenceOf(poll),
    closedAt: poll.closedAt,
    voters,
    options: options.map(({ id, text }, index) => ({ id, text, votes: counts[index] ?? 0 })),
  }
}

const tallyOf = (records: Records, poll: Poll, isStaff = false): PollTally => {
  const { options, ...tally } = resultsOf(records, poll, isStaff)
  return { id: poll.id, ...tally, ...(isWritten(poll.kind) ? { options } : {}), ...boardIn(records, poll) }
}

/** The timer of a poll has the poll's id and revision. */
export const pollTimer = (poll: Poll, state: TimerView["state"] = "running"): TimerView | undefined => {
  const { id, openedAt, endsAt, extendedMs, rev } = poll
  if (openedAt === null || endsAt === null) return undefined
  return { id, scope: "poll", ref: id, state, startedAt: openedAt, endsAt, extendedMs, rev }
}

export const openPolls = ({ records }: Pick<ReadContext, "records">): ReadonlyArray<Poll> =>
  [...records.all("poll").values()].filter(({ status }) => status === "open")

const tallyDispatches = ({ records }: ReadContext, id: string): ReadonlyArray<Ephemeral> => {
  const poll = records.get("poll", id)
  if (poll === undefined) return []
  const to = (stream: "event" | "staff" | `poll:${string}`) =>
    ephemeralOf("poll.tally", stream, tallyOf(records, poll, stream === "staff"), id)
  // Staff also see written answers that are hidden.
  if (everyoneSees(poll)) return isWritten(poll.kind) ? [to("event"), to("staff")] : [to("event")]
  return poll.results === "afterVote" ? [to("staff"), to(`poll:${id}`)] : [to("staff")]
}

/** The current tally of a poll, sent to everyone who may see it now, and always to staff. */
export const TALLY: ThrottledView = { name: "poll.tally", everyMs: 1000, dispatches: tallyDispatches }

export const sharedView = ({ records }: ReadContext): Partial<SharedState> => ({
  polls: [...records.all("poll").values()]
    .filter(({ status }) => status !== "draft")
    .map((poll) => ({
      ...pollView(poll, false),
      ...(everyoneSees(poll) ? { ...resultsOf(records, poll, false), ...boardIn(records, poll) } : {}),
    })),
})

export const staffView = ({ records }: ReadContext): Partial<StaffState> => ({
  staffPolls: [...records.all("poll").values()].map((poll) => ({
    ...staffPoll(records, poll),
    ...boardIn(records, poll),
  })),
})

export const personalView = ({ records }: ReadContext, participantId: string): Partial<PersonalState> => {
  const cast = [...records.all("poll").values()].flatMap((poll) => {
    const optionIds = records.get("pollVote", voteId(poll.id, participantId))
    return optionIds === undefined ? [] : [{ poll, optionIds }]
  })
  return {
    pollVotes: Object.fromEntries(cast.map(({ poll, optionIds }) => [poll.id, optionIds])),
    hearsPolls: cast.filter(({ poll }) => poll.results === "afterVote").map(({ poll }) => tallyOf(records, poll)),
  }
}
