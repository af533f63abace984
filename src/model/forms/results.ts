/** Results of a form: counts of choices and averages of numbers, over all wordings of a question. */
import { Schema } from "effect"
import { named } from "../named.ts"
import { type FormQuestion, QuestionKind } from "./form.ts"

const Choice = Schema.Struct({ text: Schema.String, count: Schema.Int }).annotate(named("FormChoiceResult"))

export const QuestionResult = Schema.Struct({
  questionId: Schema.String,
  kind: QuestionKind,
  /** The newest wording. */
  question: Schema.String,
  /** False for a question that the form no longer has. */
  asked: Schema.Boolean,
  /** Number of people who answered. */
  answers: Schema.Int,
  /** Offered choices in their order, then those that were chosen before the form changed; `true` and `false` for boxes and consents. */
  choices: Schema.Array(Choice),
  /** The average of numbers; null without any. */
  average: Schema.NullOr(Schema.Finite),
  minimum: Schema.NullOr(Schema.Finite),
  maximum: Schema.NullOr(Schema.Finite),
}).annotate(named("FormQuestionResult"))
export type QuestionResult = typeof QuestionResult.Type

interface Wording {
  readonly questionId: string
  readonly version: number
}
interface Sums extends Wording {
  readonly answers: number
  readonly sum: number | null
  readonly least: number | null
  readonly most: number | null
}
interface Count extends Wording {
  readonly text: string
  readonly count: number
}

const OFFERED: { readonly [kind: string]: ReadonlyArray<string> } = {
  checkbox: ["true", "false"],
  consent: ["true", "false"],
}
const COUNTED: ReadonlySet<string> = new Set(["choice", "choices", "checkbox", "consent"])

export const isCounted = ({ kind }: FormQuestion): boolean => COUNTED.has(kind)

/** Least and greatest of the numbers that are there; null for none. */
const extreme = (pick: (...all: number[]) => number, numbers: ReadonlyArray<number | null>): number | null => {
  const there = numbers.filter((one) => one !== null)
  return there.length === 0 ? null : pick(...there)
}

const resultOf = (
  wordings: readonly [FormQuestion, ...FormQuestion[]],
  asked: boolean,
  sums: ReadonlyArray<Sums>,
  counts: ReadonlyArray<Count>,
): QuestionResult => {
  const [{ id, kind, text }] = wordings
  const isOf = ({ questionId, version }: Wording) =>
    questionId === id && wordings.some((wording) => wording.version === version)
  const [own, chosen] = [sums.filter(isOf), counts.filter(isOf)]
  const offered = isCounted(wordings[0]) ? (OFFERED[kind] ?? wordings[0].options) : []
  const texts = new Set([...offered, ...chosen.map((one) => one.text)])
  const answers = own.reduce((all, one) => all + one.answers, 0)
  const isNumber = kind === "number" && answers > 0
  return {
    questionId: id,
    kind,
    question: text,
    asked,
    answers,
    choices: [...texts].map((choice) => ({
      text: choice,
      count: chosen.reduce((all, one) => all + (one.text === choice ? one.count : 0), 0),
    })),
    average: isNumber ? own.reduce((all, one) => all + (one.sum ?? 0), 0) / answers : null,
    minimum: extreme(
      Math.min,
      own.map(({ least }) => least),
    ),
    maximum: extreme(
      Math.max,
      own.map(({ most }) => most),
    ),
  }
}

/** `wordings` has the newest of each question before its others. */
export const resultsOf = (
  wordings: ReadonlyArray<FormQuestion>,
  asked: ReadonlyArray<FormQuestion>,
  sums: ReadonlyArray<Sums>,
  counts: ReadonlyArray<Count>,
): ReadonlyArray<QuestionResult> => {
  const questions = new Map<string, { all: [FormQuestion, ...FormQuestion[]]; asked: boolean }>()
  const current = new Set(asked.map(({ id, version }) => `${id} ${version}`))
  for (const wording of wordings) {
    const key = `${wording.id} ${wording.kind}`
    const known = questions.get(key)
    if (known === undefined)
      questions.set(key, { all: [wording], asked: current.has(`${wording.id} ${wording.version}`) })
    else known.all.push(wording)
  }
  return [...questions.values()].map((question) => resultOf(question.all, question.asked, sums, counts))
}
