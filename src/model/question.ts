/**
 * A question of an event's audience (docs/questions.md): when questions are accepted, the author that others see, and the changes by
 * a moderator. The author of an anonymous question is dropped here, before anything is stored or sent.
 */
import { Schema } from "effect"
import type { EventStatus } from "./event.ts"
import { Uuid } from "./ids.ts"
import { named } from "./named.ts"
import type { PhaseConfig, PhaseStatus } from "./phase.ts"
import { LegibleText } from "./text/shown-text.ts"
import { Instant, type Timestamp } from "./timestamp.ts"

export const QuestionStatus = Schema.Literals(["pending", "approved", "answered", "hidden"]).annotate(
  named("QuestionStatus"),
)
export type QuestionStatus = typeof QuestionStatus.Type

const MAX_TEXT_LENGTH = 1000
const MAX_ANSWER_LENGTH = 4000

export const Question = Schema.Struct({
  id: Uuid,
  eventId: Uuid,
  /** The phase that was active when the question was asked. */
  phaseId: Schema.NullOr(Uuid),
  text: Schema.String,
  status: QuestionStatus,
  authorUserId: Schema.NullOr(Uuid),
  authorName: Schema.NullOr(Schema.String),
  anonymous: Schema.Boolean,
  pinned: Schema.Boolean,
  votes: Schema.Int,
  createdAt: Instant,
  answer: Schema.NullOr(Schema.String),
  answeredAt: Schema.NullOr(Instant),
}).annotate(named("Question"))
export type Question = typeof Question.Type

export const QuestionInput = Schema.Struct({
  text: LegibleText(MAX_TEXT_LENGTH),
  /** Signed-in people may ask without their name; a signed-out caller has none. */
  anonymous: Schema.optionalKey(Schema.Boolean),
}).annotate(named("QuestionInput"))

/** Changes open to a moderator, in any state of the event; an absent key leaves its field unchanged. */
export const QuestionPatch = Schema.Struct({
  status: Schema.optionalKey(QuestionStatus),
  pinned: Schema.optionalKey(Schema.Boolean),
  answer: Schema.optionalKey(LegibleText(MAX_ANSWER_LENGTH)),
}).annotate(named("QuestionPatch"))
export type QuestionPatch = typeof QuestionPatch.Type

/** Approved and answered questions accept votes; the public does not see the others. */
export const isShown = (status: QuestionStatus): boolean => status === "approved" || status === "answered"

interface QaPhase {
  readonly id: string
  readonly status: PhaseStatus
  readonly config: PhaseConfig
  readonly featureSet: ReadonlyArray<string>
}

/** Reason why questions and votes are not accepted now. */
export type QaClosed = "not_open" | "feature_disabled"

/**
 * The phase that accepts questions and votes: the active phase of a live event, or the first suitable phase of a scheduled one. Either must
 * have the feature `qa`, as the gateway's commands require.
 */
export const qaPhase = <Phase extends QaPhase>(event: {
  readonly status: EventStatus
  readonly phases: ReadonlyArray<Phase>
}): Phase | QaClosed => {
  if (event.status !== "scheduled" && event.status !== "live") return "not_open"
  const candidates = event.status === "live" ? event.phases.filter(({ status }) => status === "active") : event.phases
  return candidates.find(({ featureSet }) => featureSet.includes("qa")) ?? "feature_disabled"
}

/** Signed-in author of a question; `userId` is null for an event's guests, who are not users of the workspace. */
interface Author {
  readonly userId: string | null
  readonly name: string | null
}

/** A new question is shown at once, unless its phase's `config.moderated` requires a moderator to approve it first. */
export const newQuestion = (asked: {
  readonly id: string
  readonly eventId: string
  readonly phase: QaPhase
  /** Null for a signed-out author. */
  readonly author: Author | null
  readonly text: string
  readonly anonymous: boolean
  readonly at: Timestamp
}): Question => {
  const author = asked.anonymous ? null : asked.author
  return {
    id: asked.id,
    eventId: asked.eventId,
    phaseId: asked.phase.status === "active" ? asked.phase.id : null,
    text: asked.text.trim(),
    status: asked.phase.config.moderated === true ? "pending" : "approved",
    authorUserId: author?.userId ?? null,
    authorName: author?.name ?? null,
    anonymous: author === null,
    pinned: false,
    votes: 0,
    createdAt: asked.at,
    answer: null,
    answeredAt: null,
  }
}

type QuestionFields = Readonly<Record<string, unknown>>

/** Fields of the webhook event besides the common ones; `authorUserId` is set only for a workspace's user who asked under their name. */
export const questionCreated = (question: Question): QuestionFields => ({
  questionId: question.id,
  text: question.text,
  anonymous: question.anonymous,
  ...(question.authorUserId === null ? {} : { authorUserId: question.authorUserId }),
})

/** Webhook fields of an answer, which is null when it was given live. */
export const questionAnswered = (
  question: Question & { readonly answerMode: "live" | "text" | null },
): QuestionFields => ({
  ...questionCreated(question),
  answerMode: question.answerMode,
  answer: question.answer,
  answeredAt: question.answeredAt,
})

/** Status after a patch, or null for no change: an answer without a status answers the question. */
export const statusAfter = ({ status, answer }: QuestionPatch): QuestionStatus | null =>
  status ?? (answer === undefined ? null : "answered")
