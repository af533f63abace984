/**
 * Questions visible to this client: shown ones, for staff also pending and hidden ones, and its own. Votes are counted separately from the
 * revision, because a vote creates no new one.
 */

import { type Gone, isGone, NOTHING_GONE, put, withGone, without } from "../connection/revisions.ts"
import type { Me, QuestionView } from "../contract/types.ts"
import type { AnsweredCommand, Snapshot } from "../wire.ts"
import { actsAsStaff, type NewsOf } from "./news.ts"

export interface QuestionState {
  /** Unordered; `shownQuestions` sorts. */
  readonly all: ReadonlyArray<QuestionView>
  /** Whether new questions wait for a moderator; null when the phase's configuration decides. */
  readonly moderated: boolean | null
  /** Whether questions are accepted now. */
  readonly open: boolean
  /** Ids of this participant's questions. */
  readonly mine: ReadonlyArray<string>
  /** Ids of the questions this participant voted for. */
  readonly voted: ReadonlyArray<string>
  readonly gone: Gone
}

const isShown = ({ status }: QuestionView): boolean => status === "approved" || status === "answered"

/** Questions in audience order: pinned ones first, then by votes. */
export const shownQuestions = ({ all }: QuestionState): ReadonlyArray<QuestionView> =>
  all.filter(isShown).sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.votes - a.votes || (a.id < b.id ? -1 : 1))

/** Questions that wait for a moderator, oldest first. */
export const pendingQuestions = ({ all }: QuestionState): ReadonlyArray<QuestionView> =>
  all
    .filter(({ status }) => status === "pending")
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || (a.id < b.id ? -1 : 1))

export const questionsIn = ({ questions, moderation, mine }: Snapshot): QuestionState => ({
  all: [...(questions?.top ?? []), ...(moderation?.pending ?? []), ...(mine?.questions ?? [])].reduce<
    ReadonlyArray<QuestionView>
  >(put, []),
  moderated: questions?.moderated ?? null,
  open: questions?.open ?? true,
  mine: mine?.questions.map(({ id }) => id) ?? [],
  voted: mine?.votes ?? [],
  gone: NOTHING_GONE,
})

const putQuestion = (state: QuestionState, question: QuestionView, isMine: boolean): QuestionState => {
  if (isGone(state.gone, question)) return state
  const all = put(state.all, question)
  const mine = isMine && !state.mine.includes(question.id) ? [...state.mine, question.id] : state.mine
  return all === state.all && mine === state.mine ? state : { ...state, all, mine }
}

/** Removes a withdrawn question. Revisions up to `rev` that arrive later, in another stream or a reply, are ignored. */
const removeQuestion = (state: QuestionState, id: string, rev: number): QuestionState => ({
  ...state,
  all: without(state.all, id),
  mine: state.mine.filter((other) => other !== id),
  voted: state.voted.filter((other) => other !== id),
  gone: withGone(state.gone, id, rev),
})

/**
 * A hidden question may come back to the audience, so `voted` keeps it. The asker keeps the question and receives the change in their own
 * stream. An anonymous asker receives nothing there: this dispatch is the only report of the change.
 */
const hideQuestion = (state: QuestionState, id: string, rev: number, me: Me): QuestionState => {
  if (actsAsStaff(me)) return state
  const known = state.all.find((other) => other.id === id)
  if (known !== undefined && known.rev > rev) return state
  if (state.mine.includes(id)) {
    return known?.anonymous === true ? { ...state, all: put(state.all, { ...known, status: "hidden", rev }) } : state
  }
  return { ...state, all: without(state.all, id), gone: withGone(state.gone, id, rev) }
}

const withVotes = (state: QuestionState, votes: ReadonlyArray<readonly [string, number]>): QuestionState => {
  const counts = new Map(votes)
  const all = state.all.map((question) => ({ ...question, votes: counts.get(question.id) ?? question.votes }))
  return { ...state, all }
}

export const questionsAfter = (state: QuestionState, dispatch: NewsOf<"questions">, me: Me): QuestionState => {
  switch (dispatch.t) {
    case "question.created":
    case "question.updated": {
      const { question } = dispatch.d
      return putQuestion(state, question, dispatch.st === "me" || question.authorId === me.participantId)
    }
    case "question.removed": {
      const { id, rev, hidden } = dispatch.d
      return hidden ? hideQuestion(state, id, rev, me) : removeQuestion(state, id, rev)
    }
    case "question.votes":
      return withVotes(state, dispatch.d.votes)
    case "me.voted":
      return withVoted(state, dispatch.d.questionId, dispatch.d.on)
    case "qa.settings":
      return { ...state, moderated: dispatch.d.moderated, open: dispatch.d.open }
  }
}

const withVoted = (state: QuestionState, id: string, on: boolean): QuestionState => {
  if (state.voted.includes(id) === on) return state
  return { ...state, voted: on ? [...state.voted, id] : state.voted.filter((other) => other !== id) }
}

export const questionsAnswered = (state: QuestionState, answered: AnsweredCommand): QuestionState => {
  switch (answered.t) {
    case "question.ask":
      return putQuestion(state, answered.d.question, true)
    case "question.approve":
    case "question.hide":
    case "question.restore":
    case "question.pin":
    case "question.answer":
      return putQuestion(state, answered.d.question, false)
    case "question.withdraw":
      // This reply is the only report for an anonymous question that was never shown. A withdrawn question does not come back.
      return removeQuestion(state, answered.d.id, Number.POSITIVE_INFINITY)
    case "question.vote":
      return withVoted(state, answered.d.questionId, answered.d.voted)
    default:
      return state
  }
}
