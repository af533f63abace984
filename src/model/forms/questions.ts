/** The questions of a form: what they must be, and what becomes of them when the form changes. */
import type { Fault } from "../schema-faults.ts"
import type { Form, FormInput, FormQuestion, FormQuestionInput, GivenAnswer, StoredAnswers } from "./form.ts"

const HAS_OPTIONS: ReadonlySet<string> = new Set(["choice", "choices"])

/** Faults that no schema can say. */
const faultsOf = ({
  kind,
  options = [],
  minimum,
  maximum,
}: FormQuestionInput): ReadonlyArray<readonly [string, string]> => {
  const faults: (readonly [string, string])[] = []
  if (HAS_OPTIONS.has(kind) && options.length === 0) faults.push(["options", `must name the choices of a ${kind}`])
  if (!HAS_OPTIONS.has(kind) && options.length > 0) faults.push(["options", "is for choice and choices"])
  if (new Set(options).size < options.length) faults.push(["options", "must not name a choice twice"])
  for (const [field, bound] of Object.entries({ minimum, maximum })) {
    if (kind !== "number" && typeof bound === "number") faults.push([field, "is for number"])
  }
  if (typeof minimum === "number" && typeof maximum === "number" && minimum > maximum)
    faults.push(["maximum", "must not be less than minimum"])
  return faults
}

export const questionFaults = (questions: FormInput["questions"]): ReadonlyArray<Fault> => {
  const seen = new Set<string>()
  return questions.flatMap((question, index) => {
    const isTwice = seen.has(question.id)
    seen.add(question.id)
    const own = faultsOf(question)
    const faults = isTwice ? [["id", "must be the id of one question"] as const, ...own] : own
    return faults.map(([field, message]) => ({ path: ["questions", String(index), field], message }))
  })
}

const wordingOf = ({ kind, text, options, minimum, maximum }: FormQuestion): string =>
  JSON.stringify([kind, text, options, minimum, maximum])

/** The questions of a form's next version. */
export const nextQuestions = (form: Form, questions: FormInput["questions"]): ReadonlyArray<FormQuestion> => {
  const known = new Map(form.questions.map((question) => [question.id, question]))
  return questions.map(
    ({ id, kind, text, required = false, audience = "everybody", options = [], minimum = null, maximum = null }) => {
      const next = { id, kind, text, required, audience, options, minimum, maximum, version: form.version + 1 }
      const before = known.get(id)
      return before !== undefined && wordingOf(before) === wordingOf(next) ? { ...next, version: before.version } : next
    },
  )
}

/** Wordings of a form that are no longer asked in its next version. */
export const replacedQuestions = (form: Form, next: ReadonlyArray<FormQuestion>): ReadonlyArray<FormQuestion> => {
  const kept = new Set(next.map(({ id, version }) => `${id} ${version}`))
  return form.questions.filter(({ id, version }) => !kept.has(`${id} ${version}`))
}

/** Questions that concern a person, in order. */
export const askedOf = (questions: ReadonlyArray<FormQuestion>, isInvited: boolean): ReadonlyArray<FormQuestion> =>
  questions.filter(({ audience }) => audience === "everybody" || (audience === "invited") === isInvited)

/** Answers with the wordings that they were given to, in the order of these. */
export const givenAnswers = (
  wordings: ReadonlyArray<FormQuestion>,
  answers: StoredAnswers,
): ReadonlyArray<GivenAnswer> =>
  wordings.flatMap(({ id, kind, text, version }) => {
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined
    if (answer?.version !== version) return []
    return [{ questionId: id, kind, question: text, version, value: answer.value, answeredAt: answer.at }]
  })
