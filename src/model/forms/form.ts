/**
 * Forms of an event: the questions that people answer when they register, and those of the survey after the end. Both have the same
 * questions, answers and rules. The wording of a question has a version, so that an answer keeps the wording that it was given to.
 */
import { Schema } from "effect"
import { named } from "../named.ts"
import { isVisible, LegibleText, membersText } from "../text/shown-text.ts"
import { Instant } from "../timestamp.ts"

export const FormName = Schema.Literals(["registration", "survey"]).annotate(named("FormName"))
export type FormName = typeof FormName.Type

export const QuestionKind = Schema.Literals([
  "text",
  "longText",
  "choice",
  "choices",
  "checkbox",
  "number",
  "date",
  "consent",
]).annotate(named("FormQuestionKind"))
export type QuestionKind = typeof QuestionKind.Type

const Audience = Schema.Literals(["everybody", "registrants", "invited"]).annotate({
  ...named("FormAudience"),
  description:
    "Who is asked: `everybody` (the default), `invited` for people with an invite to the event, `registrants` for the others. A registration asks the first and the last; the link of its email asks what concerns the person. A survey asks all.",
})

const MOST_QUESTIONS = 100
const MOST_OPTIONS = 100
const WORDING_LIMIT = 2000
const OPTION_LIMIT = 200
/** Bounds of numbers in questions and answers: all are exact, with three decimals. */
export const LARGEST_NUMBER = 1e12

export const QuestionId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, {
    message: "must be 1 to 64 letters, digits, - and _, and begin with a letter or digit",
  }),
)
const Wording = LegibleText(WORDING_LIMIT, isVisible, "must not be blank", membersText)
const Option = LegibleText(OPTION_LIMIT, isVisible, "must not be blank", membersText)
const Bound = Schema.NullOr(
  Schema.Finite.check(Schema.isBetween({ minimum: -LARGEST_NUMBER, maximum: LARGEST_NUMBER })),
)

export const FormQuestionInput = Schema.Struct({
  id: QuestionId.annotate({
    description: "Chosen by you; answers refer to it. A question of another id is another question.",
    examples: ["company"],
  }),
  kind: QuestionKind,
  text: Wording.annotate({ description: "The question, or the text that a consent agrees to.", examples: ["Company"] }),
  required: Schema.optionalKey(Schema.Boolean),
  audience: Schema.optionalKey(Audience),
  options: Schema.optionalKey(Schema.Array(Option).check(Schema.isMaxLength(MOST_OPTIONS))).annotateKey({
    description: "The choices of `choice` and `choices`, and of no other kind.",
  }),
  minimum: Schema.optionalKey(Bound).annotateKey({ description: "Least answer to a `number`." }),
  maximum: Schema.optionalKey(Bound).annotateKey({ description: "Greatest answer to a `number`." }),
}).annotate(named("FormQuestionInput"))
export type FormQuestionInput = typeof FormQuestionInput.Type

/** Fields of a question on which an answer depends; a change gives the question a new version. */
const WORDED = {
  id: Schema.String,
  kind: QuestionKind,
  text: Schema.String,
  options: Schema.Array(Schema.String),
  minimum: Schema.NullOr(Schema.Finite),
  maximum: Schema.NullOr(Schema.Finite),
  version: Schema.Int.annotate({
    description: "Version of the form in which the wording of the question last changed.",
  }),
}

export const FormQuestion = Schema.Struct({ ...WORDED, required: Schema.Boolean, audience: Audience }).annotate(
  named("FormQuestion"),
)
export type FormQuestion = typeof FormQuestion.Type

const Questions = <Question extends Schema.Top>(question: Question) =>
  Schema.Array(question).check(Schema.isMaxLength(MOST_QUESTIONS))

export const FormInput = Schema.Struct({
  questions: Questions(FormQuestionInput),
  version: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))).annotateKey({
    description: "The version that you read: 409 when the form has been changed since.",
  }),
  anonymous: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "For a survey: nothing is stored that leads from an answer to its person.",
    default: false,
  }),
  thanks: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "For a survey: ten minutes after the end, people who registered or were there get an email with links to the recap and the survey.",
    default: true,
  }),
}).annotate(named("FormInput"))
export type FormInput = typeof FormInput.Type

export const Form = Schema.Struct({
  form: FormName,
  /** 0 for a form that was never written. */
  version: Schema.Int,
  questions: Schema.Array(FormQuestion),
  anonymous: Schema.Boolean,
  thanks: Schema.Boolean,
  updatedAt: Schema.NullOr(Instant),
}).annotate(named("Form"))
export type Form = typeof Form.Type

/** Answers by question: text for `text`, `longText`, `choice` and `date`, texts for `choices`, and so on. */
export const AnswersInput = Schema.Record(Schema.String, Schema.Json).annotate({
  description:
    "Answers by the id of the question: text for `text`, `longText`, `choice` and `date` (`2030-05-01`), an array of texts for `choices`, `true` or `false` for `checkbox`, a number for `number`. A `consent` takes `true`, or the `version` of the question that was shown, which is refused if the text has changed since. `null` and empty texts are no answer.",
  examples: [{ company: "Acme", terms: true }],
})
export type AnswersInput = typeof AnswersInput.Type

export type AnswerValue = string | number | boolean | ReadonlyArray<string>

/** An answer as the store has it. */
export interface StoredAnswer {
  readonly value: AnswerValue
  /** Version of the question that was answered. */
  readonly version: number
  readonly at: string
}
export type StoredAnswers = { readonly [questionId: string]: StoredAnswer }

/** An answer with the question that it was given to. */
export const GivenAnswer = Schema.Struct({
  questionId: Schema.String,
  kind: QuestionKind,
  /** The question as it was answered, or the text that was agreed to. */
  question: Schema.String,
  version: Schema.Int,
  value: Schema.Json,
  answeredAt: Instant,
}).annotate(named("FormAnswer"))
export type GivenAnswer = typeof GivenAnswer.Type
