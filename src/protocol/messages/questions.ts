/** Questions of the audience: asked, voted for, moderated, answered. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import { QuestionStatus } from "../../model/question.ts"
import { LegibleText } from "../../model/text/shown-text.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand } from "../command.ts"
import { ephemeral, ordered } from "../dispatch.ts"
import { CALL, EVERYONE, everywhere, inCalls, type Rule, STAFF, STAGE } from "../rule.ts"
import { IdReply, OneId } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

export const QuestionView = Schema.Struct({
  id: Uuid,
  rev: Schema.Int,
  /** The phase and the room in which the question was asked. */
  phaseId: nullable(Uuid),
  roomId: nullable(Uuid),
  text: Schema.String,
  status: QuestionStatus,
  /** Id of the author; null for an anonymous question. */
  authorId: nullable(Schema.String),
  authorName: nullable(Schema.String),
  anonymous: Schema.Boolean,
  pinned: Schema.Boolean,
  votes: Schema.Int,
  createdAt: Instant,
  answer: nullable(Schema.String),
  answerMode: nullable(Schema.Literals(["live", "text"])),
  answeredAt: nullable(Instant),
})
export type QuestionView = typeof QuestionView.Type

export const QaSettings = Schema.Struct({
  /** Null: the phase's configuration applies. */
  moderated: nullable(Schema.Boolean),
  open: Schema.Boolean,
})
export type QaSettings = typeof QaSettings.Type

/** Asking opens when the event is announced, so that questions can be collected before it begins. */
const ASKING = {
  allowed: { broadcast: EVERYONE, ...inCalls(CALL), none: EVERYONE },
  feature: "qa",
  anonymous: "questions",
} as const satisfies Rule
const MODERATION = { allowed: everywhere(STAFF), feature: "qa" } as const satisfies Rule

const QuestionReply = Schema.Struct({ question: QuestionView })
const moderation = { ...MODERATION, data: OneId, reply: QuestionReply, revises: "question" } as const

export const QUESTION_COMMANDS = {
  "question.ask": activityCommand({
    ...ASKING,
    data: Schema.Struct({ text: LegibleText(1000), anonymous: optional(Schema.Boolean) }),
    reply: QuestionReply,
    rate: "questions",
  }),
  "question.withdraw": activityCommand({ ...ASKING, data: OneId, reply: IdReply, revises: "question" }),
  /** Sets or clears the participant's single vote; never toggles. */
  "question.vote": activityCommand({
    ...ASKING,
    anonymous: "voting",
    data: Schema.Struct({ id: Id, on: Schema.Boolean }),
    reply: Schema.Struct({ questionId: Uuid, votes: Schema.Int, voted: Schema.Boolean }),
    revises: "question",
    rate: "votes",
    needs: "person",
  }),
  "question.approve": activityCommand(moderation),
  "question.hide": activityCommand(moderation),
  "question.restore": activityCommand(moderation),
  "question.pin": activityCommand({ ...moderation, data: Schema.Struct({ id: Id, on: optional(Schema.Boolean) }) }),
  "question.answer": activityCommand({
    ...moderation,
    allowed: { broadcast: STAGE, ...inCalls(STAFF), none: STAFF },
    data: Schema.Struct({ id: Id, mode: Schema.Literals(["live", "text"]), text: optional(LegibleText(4000)) }),
  }),
  "qa.settings": activityCommand({
    ...MODERATION,
    data: Schema.Struct({ moderated: optional(Schema.Boolean), open: optional(Schema.Boolean) }),
    reply: QaSettings,
  }),
} as const

export const QUESTION_DISPATCHES = {
  "question.created": ordered(["event", "staff", "me"], Schema.Struct({ question: QuestionView }), ["questions"]),
  "question.updated": ordered(["event", "staff", "me"], Schema.Struct({ question: QuestionView }), ["questions"]),
  /** `hidden`: the question is gone for the audience; staff keep it and get `question.updated` on their stream. */
  "question.removed": ordered(
    ["event", "staff", "me"],
    Schema.Struct({ id: Uuid, rev: Schema.Int, hidden: Schema.Boolean }),
    ["questions"],
  ),
  "qa.settings": ordered(["event"], QaSettings, ["questions"]),
  "question.votes": ephemeral(
    ["event"],
    Schema.Struct({ votes: Schema.Array(Schema.Tuple([Schema.String, Schema.Int])) }),
    ["questions"],
  ),
  /** The receiver's own vote, cast in any of their tabs. */
  "me.voted": ephemeral(["me"], Schema.Struct({ questionId: Uuid, on: Schema.Boolean }), ["questions"]),
} as const
