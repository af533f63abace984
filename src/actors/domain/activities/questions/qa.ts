/**
 * Questions of the audience and the votes on them. A tally always equals the set of its voters: one turn writes both. The author of an
 * anonymous question is kept in memory alone, so that they can withdraw it while the event is in memory.
 */

import { isDeepStrictEqual } from "node:util"
import { type LiveQuestion, ONLY, voteId } from "../../../../model/live/live-records.ts"
import {
  isShown,
  newQuestion,
  type QaClosed,
  type Question,
  type QuestionPatch,
  qaPhase,
  questionAnswered,
  questionCreated,
  statusAfter,
} from "../../../../model/question.ts"
import type { ReplyData } from "../../../../protocol/contract.ts"
import type { QuestionView } from "../../../../protocol/messages/questions.ts"
import { type Refused, refusedField } from "../../../commands.ts"
import { actingRole, isOfStaff } from "../../acting-role.ts"
import type { ReadContext, Turn } from "../../turn.ts"
import { type Activity, type CommandHandler, isRefused, noSuch, refuse } from "../activity.ts"
import { whyLocked } from "../host-absence.ts"
import { isMuted, MUTED, mutedWith } from "../mutes.ts"
import { roomOf } from "../rooms/rooms.ts"
import { countSignedOut, removeVotes, whyFull } from "./signed-out-votes.ts"

/** All questions of an event are held in memory. */
const MAX_QUESTIONS = 10_000
/** Most questions in `ready`. */
const SHOWN = 50

const CLOSED: Readonly<Record<QaClosed, Refused>> = {
  not_open: refuse("conflict", "Only a scheduled or live event takes questions and votes."),
  feature_disabled: refuse("feature_disabled", "The event has no Q&A now: its phase lacks the feature `qa`."),
}
const NOT_TAKEN = refuse("conflict", "Questions are closed for now.")
const TOO_MANY = refuse("conflict", `An event takes at most ${MAX_QUESTIONS} questions.`)

/** The question as participants see it. */
const questionView = ({ eventId: _event, authorUserId: _user, askerId, ...question }: LiveQuestion): QuestionView => ({
  ...question,
  authorId: askerId,
})

/** The question in its REST form. */
const restQuestion = (live: LiveQuestion): Question => {
  const { rev: _rev, roomId: _room, answerMode: _mode, askerId: _asker, ...question } = live
  return question
}

/** The phase that takes questions now, with the moderation that hosts set. */
const openPhase = (turn: Turn) => {
  const { event, phases } = turn.state
  const phase = qaPhase({ status: event.status, phases })
  if (typeof phase === "string") return CLOSED[phase]
  const { moderated } = turn.settings
  return moderated === null ? phase : { ...phase, config: { ...phase.config, moderated } }
}

const askedBy = (turn: Turn, question: LiveQuestion): string | null =>
  question.askerId ?? turn.get("asker", question.id) ?? null

/**
 * The streams that receive a question: everyone's once it is shown; before that those of staff and the author. Dispatches on a
 * participant's stream are stored, so an anonymous author gets only the reply until the question is shown.
 */
const streamsOf = ({ status, askerId }: LiveQuestion): ReadonlyArray<"event" | "staff" | `me:${string}`> => {
  if (isShown(status)) return ["event"]
  return askerId === null ? ["staff"] : ["staff", `me:${askerId}`]
}

const publish = (turn: Turn, t: "question.created" | "question.updated", question: LiveQuestion): void => {
  for (const stream of streamsOf(question)) turn.publish(t, stream, { question: questionView(question) })
}

const ask: CommandHandler<"question.ask"> = (turn, { text, anonymous = false }) => {
  const phase = openPhase(turn)
  if (isRefused(phase)) return phase
  if (!turn.settings.questionsOpen) return NOT_TAKEN
  if (isMuted(turn)) return MUTED
  const locked = whyLocked(turn)
  if (locked !== undefined) return locked
  if (turn.all("question").size >= MAX_QUESTIONS) return TOO_MANY
  const { by, state, freshId: id, at } = turn
  const author = by === null || by.kind === "anonymous" ? null : { userId: by.userId, name: by.name }
  const asked = newQuestion({ id, eventId: state.event.id, phase, author, text, anonymous, at })
  const askerId = asked.anonymous || by === null ? null : by.participantId
  const question: LiveQuestion = {
    ...asked,
    rev: 1,
    roomId: roomOf(turn.records, by?.participantId),
    answerMode: null,
    askerId,
  }
  turn.put("question", id, question)
  if (askerId === null && by !== null) turn.put("asker", id, by.participantId)
  publish(turn, "question.created", question)
  turn.emitOccurrence("question.created", questionCreated(question))
  return { question: questionView(question) }
}

/**
 * Makes the questions of these people anonymous. Text, votes and answer stay: others voted on it, and were answered. The store forgets the
 * author separately (`store/personal/erasures.ts`), because a question's author is written once.
 */
export const unnameQuestionsOf = (turn: Turn, people: ReadonlySet<string>): void => {
  for (const [id, participantId] of [...turn.all("asker")]) if (people.has(participantId)) turn.remove("asker", id)
  for (const question of [...turn.all("question").values()]) {
    if (question.askerId === null || !people.has(question.askerId)) continue
    const unnamed = { anonymous: true, askerId: null, authorUserId: null, authorName: null, rev: question.rev + 1 }
    const next: LiveQuestion = { ...question, ...unnamed }
    turn.put("question", question.id, next)
    publish(turn, "question.updated", next)
  }
}

/** The refusal when the caller saw another revision of the question. */
const stale = (question: LiveQuestion, rev: number | undefined): Refused | undefined =>
  rev === undefined || rev === question.rev
    ? undefined
    : refuse("conflict", "The question was changed meanwhile.", { question: questionView(question) })

const withdraw: CommandHandler<"question.withdraw"> = (turn, { id }, rev) => {
  const question = turn.get("question", id)
  if (question === undefined) return noSuch("question")
  if (turn.by === null || askedBy(turn, question) !== turn.by.participantId) {
    return refuse("forbidden", "Only the author of a question can withdraw it.")
  }
  const late = stale(question, rev)
  if (late !== undefined) return late
  turn.remove("question", id)
  removeVotes(turn, "questionVote", id)
  turn.remove("asker", id)
  for (const stream of streamsOf(question)) {
    turn.publish("question.removed", stream, { id, rev: question.rev, hidden: false })
  }
  return { id }
}

const vote: CommandHandler<"question.vote"> = (turn, { id, on }, rev) => {
  const phase = openPhase(turn)
  if (isRefused(phase)) return phase
  const question = turn.get("question", id)
  if (question === undefined || !isShown(question.status) || turn.by === null) return noSuch("question")
  const late = stale(question, rev)
  if (late !== undefined) return late
  const { participantId } = turn.by
  const key = voteId(id, participantId)
  const isOn = turn.get("questionVote", key) === true
  if (isOn === on) return { questionId: id, votes: question.votes, voted: on }
  const full = on ? whyFull(turn, id) : undefined
  if (full !== undefined) return full
  const votes = question.votes + (on ? 1 : -1)
  if (on) turn.put("questionVote", key, true)
  else turn.remove("questionVote", key)
  turn.put("question", id, { ...question, votes })
  countSignedOut(turn, id, on)
  turn.publishEphemeral("question.votes", "event", { votes: [[id, votes]] }, id)
  turn.publishEphemeral("me.voted", `me:${participantId}`, { questionId: id, on }, id)
  return { questionId: id, votes, voted: on }
}

type Moderated = ReplyData<"question.approve">

/** Returns a hidden question to its former status; any other question stays unchanged. */
const restore = (turn: Turn, id: string, rev: number | undefined): Moderated | Refused => {
  const question = turn.get("question", id)
  const status = question?.answeredAt == null ? "approved" : "answered"
  return moderation(question?.status === "hidden" ? { status } : {})(turn, { id }, rev)
}

/**
 * The refusal of an answer. An answer shows its question to everyone, so a participant who is not staff answers only shown questions: a
 * question that awaits approval is for moderators, even if the participant asked it.
 */
const unanswerable = (turn: Turn, id: string): Refused | undefined => {
  const question = turn.get("question", id)
  if (turn.by === null || isOfStaff(actingRole(turn.records, turn.by))) return undefined
  if (question === undefined || isShown(question.status)) return undefined
  return askedBy(turn, question) === turn.by.participantId
    ? refuse("conflict", "A moderator has to show the question first.", { question: questionView(question) })
    : noSuch("question")
}

/** The fields that a moderator changes; an absent key leaves its field unchanged. */
interface Revision extends QuestionPatch {
  readonly answerMode?: "live" | "text"
}

const revised = (turn: Turn, question: LiveQuestion, revision: Revision): LiveQuestion => {
  const status = statusAfter(revision) ?? question.status
  const answer = revision.answer ?? question.answer
  const mode = revision.answerMode ?? question.answerMode ?? (answer === null ? "live" : "text")
  // A hidden question keeps the time and mode of its answer, for when it is shown again.
  const kept = status === "hidden" ? question : { answeredAt: null, answerMode: null }
  const answered = { answeredAt: question.answeredAt ?? turn.at, answerMode: mode }
  return {
    ...question,
    status,
    answer,
    pinned: revision.pinned ?? question.pinned,
    answeredAt: status === "answered" ? answered.answeredAt : kept.answeredAt,
    answerMode: status === "answered" ? answered.answerMode : kept.answerMode,
    rev: question.rev + 1,
  }
}

/** Whether the revision adds an answer. A question that is shown again after being hidden keeps its answer, so nothing new was answered. */
const isNewlyAnswered = (before: LiveQuestion, { status, answer, answerMode }: LiveQuestion): boolean =>
  status === "answered" && (before.answeredAt === null || answer !== before.answer || answerMode !== before.answerMode)

const moderate = (turn: Turn, id: string, revision: Revision, rev?: number): LiveQuestion | Refused => {
  const question = turn.get("question", id)
  if (question === undefined) return noSuch("question")
  const late = stale(question, rev)
  if (late !== undefined) return late
  const next = revised(turn, question, revision)
  if (isDeepStrictEqual({ ...next, rev: question.rev }, question)) return question
  turn.put("question", id, next)
  // The question disappears for the audience; staff, who moderate it, still see it.
  if (isShown(question.status) && !isShown(next.status)) {
    turn.publish("question.removed", "event", { id, rev: next.rev, hidden: true })
  }
  publish(turn, "question.updated", next)
  if (isNewlyAnswered(question, next)) turn.emitOccurrence("question.answered", questionAnswered(next))
  return next
}

/** Handler of one revision by a moderator at the event. */
const moderation =
  (revision: Revision) =>
  (turn: Turn, { id }: { readonly id: string }, rev: number | undefined): Moderated | Refused => {
    const question = moderate(turn, id, revision, rev)
    return isRefused(question) ? question : { question: questionView(question) }
  }

const byVotes = (a: LiveQuestion, b: LiveQuestion): number =>
  Number(b.pinned) - Number(a.pinned) || b.votes - a.votes || (a.id < b.id ? -1 : 1)

const questionsOf = (
  { records }: ReadContext,
  fits: (question: LiveQuestion) => boolean,
): ReadonlyArray<QuestionView> =>
  [...records.all("question").values()].filter(fits).sort(byVotes).slice(0, SHOWN).map(questionView)

export const qa = {
  commands: {
    "question.ask": ask,
    "question.withdraw": withdraw,
    "question.vote": vote,
    "question.approve": moderation({ status: "approved" }),
    "question.hide": moderation({ status: "hidden" }),
    "question.moderate": (turn, { id, patch }) => {
      const question = moderate(turn, id, patch)
      return isRefused(question) ? question : { question: restQuestion(question) }
    },
    "question.restore": (turn, { id }, rev) => restore(turn, id, rev),
    "question.pin": (turn, { id, on = true }, rev) => moderation({ pinned: on })(turn, { id }, rev),
    "question.answer": (turn, { id, mode, text }, rev) => {
      if ((mode === "text") !== (text !== undefined)) {
        return refusedField("text", "an answer in text has a text, and a live one has none")
      }
      const refused = mutedWith(turn, text ?? null) ?? unanswerable(turn, id)
      if (refused !== undefined) return refused
      const revision: Revision = {
        status: "answered",
        answerMode: mode,
        ...(text === undefined ? {} : { answer: text }),
      }
      return moderation(revision)(turn, { id }, rev)
    },
    "qa.settings": (turn, { moderated, open }) => {
      const before = turn.settings
      const settings = {
        ...before,
        moderated: moderated ?? before.moderated,
        questionsOpen: open ?? before.questionsOpen,
      }
      const published = { moderated: settings.moderated, open: settings.questionsOpen }
      if (settings.moderated === before.moderated && settings.questionsOpen === before.questionsOpen) return published
      turn.put("settings", ONLY, settings)
      turn.publish("qa.settings", "event", published)
      return published
    },
  },
  view: (context) => {
    const { moderated, questionsOpen } = context.records.settings
    return {
      questions: { top: questionsOf(context, ({ status }) => isShown(status)), moderated, open: questionsOpen },
    }
  },
  staffView: (context) => {
    const pending = [...context.records.all("question").values()].filter(({ status }) => status === "pending")
    return { moderation: { pendingCount: pending.length, pending: pending.slice(0, SHOWN).map(questionView) } }
  },
  personalView: ({ records }, participantId) => {
    const mine = [...records.all("question").values()].filter(
      (question) => (question.askerId ?? records.get("asker", question.id)) === participantId,
    )
    const voted = [...records.all("question").keys()].filter((id) =>
      records.get("questionVote", voteId(id, participantId)),
    )
    return { mine: { questions: mine.slice(-SHOWN).map(questionView), votes: voted } }
  },
} satisfies Activity
