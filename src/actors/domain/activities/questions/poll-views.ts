/**
 * Visibility of a poll. Counts go to everyone, to voters, or to staff alone: `live` to everyone at once, `afterVote` to voters while the
 * poll is open and to everyone when it is closed, `onPublish` to everyone once a host publishes it. A published poll shows its counts under
 * every setting. A participant's vote is shown only to that voter.
 */
import type { Occurrence } from "../../../../model/integrations/occurrences.ts"
import { type Poll, voteId } from "../../../../model/live/live-records.ts"
import { type Ephemeral, ephemeralOf } from "../../../../protocol/contract.ts"
import type { TimerView } from "../../../../protocol/messages/agenda.ts"
import type { PollTally, PollView } from "../../../../protocol/messages/polls.ts"
import type { PersonalState, SharedState, StaffState } from "../../../../protocol/ready.ts"
import type { ReadContext } from "../activity.ts"

const everyoneSees = ({ results, published, status }: Poll): boolean =>
  published || results === "live" || (results === "afterVote" && status === "closed")

const pollView = (poll: Poll, withCounts: boolean): PollView => {
  const { counts, voters, extendedMs: _extended, ...rest } = poll
  return withCounts ? { ...rest, counts, voters } : rest
}

/** The poll as staff see it. */
export const staffPoll = (poll: Poll): PollView => pollView(poll, true)

/** The poll as everyone sees it. */
export const sharedPoll = (poll: Poll): PollView => pollView(poll, everyoneSees(poll))

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

/** Webhook fields of a closed poll, with the results as staff see them. */
export const closedExtra = (poll: Poll): Occurrence["extra"] => ({
  ...occurrenceOf(poll),
  closedAt: poll.closedAt,
  voters: poll.voters,
  options: poll.options.map((option, index) => ({ ...option, votes: poll.counts[index] ?? 0 })),
})

const tallyOf = ({ id, counts, voters }: Poll): PollTally => ({ id, counts, voters })

/** The timer of a poll has the poll's id and revision. */
export const pollTimer = (poll: Poll, state: TimerView["state"] = "running"): TimerView | undefined => {
  const { id, openedAt, endsAt, extendedMs, rev } = poll
  if (openedAt === null || endsAt === null) return undefined
  return { id, scope: "poll", ref: id, state, startedAt: openedAt, endsAt, extendedMs, rev }
}

export const openPolls = ({ records }: Pick<ReadContext, "records">): ReadonlyArray<Poll> =>
  [...records.all("poll").values()].filter(({ status }) => status === "open")

/** The current tally, sent to everyone who may see it now, and always to staff. */
export const tallyDispatches = ({ records }: ReadContext, id: string): ReadonlyArray<Ephemeral> => {
  const poll = records.get("poll", id)
  if (poll === undefined) return []
  const to = (stream: "event" | "staff" | `poll:${string}`) => ephemeralOf("poll.tally", stream, tallyOf(poll), id)
  if (everyoneSees(poll)) return [to("event")]
  return poll.results === "afterVote" ? [to("staff"), to(`poll:${id}`)] : [to("staff")]
}

export const sharedView = ({ records }: ReadContext): Partial<SharedState> => ({
  polls: [...records.all("poll").values()].filter(({ status }) => status !== "draft").map(sharedPoll),
})

export const staffView = ({ records }: ReadContext): Partial<StaffState> => ({
  staffPolls: [...records.all("poll").values()].map(staffPoll),
})

export const personalView = ({ records }: ReadContext, participantId: string): Partial<PersonalState> => {
  const cast = [...records.all("poll").values()].flatMap((poll) => {
    const optionIds = records.get("pollVote", voteId(poll.id, participantId))
    return optionIds === undefined ? [] : [{ poll, optionIds }]
  })
  return {
    pollVotes: Object.fromEntries(cast.map(({ poll, optionIds }) => [poll.id, optionIds])),
    hearsPolls: cast.filter(({ poll }) => poll.results === "afterVote").map(({ poll }) => tallyOf(poll)),
  }
}
