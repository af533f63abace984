/** Answers to a form: as fields have them, and as a request sends them. */
import type { rest } from "../api/rest.ts"

export type PublicForm = Awaited<ReturnType<(typeof rest)["getPublicForm"]>>
export type FormQuestion = PublicForm["questions"][number]
export type FieldValue = string | boolean | ReadonlyArray<string>
export type FieldValues = { readonly [questionId: string]: FieldValue }

/** Earlier answers to questions that are asked now. */
export const valuesOf = ({ questions, answers }: Pick<PublicForm, "questions" | "answers">): FieldValues =>
  Object.fromEntries(
    answers
      // A consent to another text is not one to this.
      .filter(({ questionId, kind, version }) =>
        questions.some((one) => one.id === questionId && (kind !== "consent" || one.version === version)),
      )
      .map(({ questionId, value }) => [questionId, typeof value === "number" ? String(value) : (value as FieldValue)]),
  )

type Payload = Parameters<(typeof rest)["answerForm"]>[0]["payload"]["answers"]

/** A consent is sent with the version of the text that was shown. */
const sent = ({ kind, version }: FormQuestion, value: FieldValue): Payload[string] => {
  if (kind === "consent") return value === true ? version : false
  if (kind !== "number" || typeof value !== "string") return value as Payload[string]
  return value.trim() === "" ? null : Number(value)
}

export const payloadOf = (questions: ReadonlyArray<FormQuestion>, values: FieldValues): Payload =>
  Object.fromEntries(
    questions.flatMap((question) => {
      const value = values[question.id]
      return value === undefined ? [] : [[question.id, sent(question, value)]]
    }),
  )

/** Names of the fields, by which faults of a request are shown beside them. */
export const fieldOf = (questionId: string): string => `answers.${questionId}`
