/**
 * Polls with the counts that this client may know, and its own choices. The shared dispatch of a poll may lack counts received in another
 * way (as staff, or after voting): those are kept until the next tally.
 */

import { type Gone, isGone, NOTHING_GONE, put, withGone, without } from "../connection/revisions.ts"
import type { Me, PollTally, PollView, SignedOutVotes } from "../contract/types.ts"
import type { AnsweredCommand, Snapshot } from "../wire.ts"
import { actsAsStaff, type NewsOf } from "./news.ts"

export interface PollState {
  /** Polls, for staff including drafts. */
  readonly all: ReadonlyArray<PollView>
  /** Options chosen by this participant, by poll. */
  readonly chosen: { readonly [pollId: string]: ReadonlyArray<string> }
  readonly gone: Gone
}

const withTally = (polls: ReadonlyArray<PollView>, { id, ...tally }: PollTally): ReadonlyArray<PollView> =>
  polls.map((poll) => (poll.id === id ? { ...poll, ...tally } : poll))

export const pollsIn = ({ polls, staffPolls, pollVotes, hearsPolls }: Snapshot): PollState => ({
  all: (hearsPolls ?? []).reduce(withTally, staffPolls ?? polls ?? []),
  chosen: pollVotes ?? {},
  gone: NOTHING_GONE,
})

/** Whether the audience may see the counts, independent of who has voted. A page shared by staff and audience shows no others. */
export const everyoneSees = ({ published, results, status }: PollView): boolean =>
  published || results === "live" || (results === "afterVote" && status === "closed")

const hasChosen = ({ chosen }: PollState, id: string): boolean => (chosen[id] ?? []).length > 0

const maySee = (state: PollState, poll: PollView, me: Me): boolean =>
  actsAsStaff(me) || everyoneSees(poll) || (poll.results === "afterVote" && hasChosen(state, poll.id))

/** The poll of a dispatch with what only this client knows: counts, the right options that staff have, and the board that a tally brought. */
const withKnown = (state: PollState, poll: PollView, me: Me): PollView => {
  const known = state.all.find(({ id }) => id === poll.id)
  if (known === undefined) return poll
  const { options, counts, voters, correct, board } = known
  return {
    ...(correct && { correct }),
    ...(board && poll.status === "closed" && { board }),
    ...poll,
    ...(!poll.counts && counts && maySee(state, poll, me) && { options, counts, voters: voters ?? 0 }),
  }
}

const putPoll = (state: PollState, poll: PollView, me: Me): PollState => {
  if (isGone(state.gone, poll)) return state
  const all = put(state.all, withKnown(state, poll, me))
  return all === state.all ? state : { ...state, all }
}

const removePoll = (state: PollState, id: string): PollState => {
  const { [id]: _gone, ...chosen } = state.chosen
  return { all: without(state.all, id), chosen, gone: withGone(state.gone, id) }
}

export const pollsAfter = (state: PollState, dispatch: NewsOf<"polls">, me: Me): PollState => {
  switch (dispatch.t) {
    case "poll.created":
    case "poll.opened":
    case "poll.updated":
    case "poll.closed":
    case "poll.published":
      return putPoll(state, dispatch.d.poll, me)
    case "poll.deleted":
      return removePoll(state, dispatch.d.id)
    case "me.pollVoted":
      return choose(state, dispatch.d.pollId, dispatch.d.optionIds, me)
    case "poll.tally":
      return { ...state, all: withTally(state.all, dispatch.d) }
  }
}

/** A participant who withdraws a vote receives no further tallies that are for voters. */
const uncounted = (state: PollState, id: string, me: Me): PollState => {
  const all = state.all.map((poll) => {
    if (poll.id !== id || maySee(state, poll, me)) return poll
    const { counts: _counts, voters: _voters, ...rest } = poll
    return rest
  })
  return { ...state, all }
}

const choose = (state: PollState, id: string, optionIds: ReadonlyArray<string>, me: Me): PollState => {
  if (state.gone.has(id)) return state
  if (optionIds.length > 0) return { ...state, chosen: { ...state.chosen, [id]: optionIds } }
  const { [id]: _taken, ...chosen } = state.chosen
  return uncounted({ ...state, chosen }, id, me)
}

export const pollsAnswered = (state: PollState, answered: AnsweredCommand, me: Me): PollState => {
  switch (answered.t) {
    case "poll.create":
    case "poll.open":
    case "poll.close":
    case "poll.publish":
    case "poll.hide":
      return putPoll(state, answered.d.poll, me)
    case "poll.vote":
      return choose(state, answered.d.pollId, answered.d.optionIds, me)
    default:
      return state
  }
}

/** Number of anonymous voters and of their addresses, by poll or question, for staff. */
export type SignedOutState = { readonly [pollOrQuestionId: string]: SignedOutVotes }

export const signedOutIn = ({ signedOutVotes = [] }: Snapshot): SignedOutState =>
  Object.fromEntries(signedOutVotes.map((votes) => [votes.of, votes]))

export const signedOutAfter = (state: SignedOutState, { d }: NewsOf<"signedOutVotes">): SignedOutState => ({
  ...state,
  [d.of]: d,
})
