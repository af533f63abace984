/** Answers to a form, read by its questions. */
import { Result } from "effect"
import type { Fault } from "../schema-faults.ts"
import { isVisible, withoutUnseen } from "../text/shown-text.ts"
import { parseTimestamp, type Timestamp } from "../timestamp.ts"
import {
  type AnswersInput,
  type AnswerValue,
  type FormQuestion,
  LARGEST_NUMBER,
  type StoredAnswer,
  type StoredAnswers,
} from "./form.ts"

const TEXT_LIMIT = 500
const LONG_TEXT_LIMIT = 5000
/** Largest answers of one person, as JSON. */
const ANSWERS_LIMIT_BYTES = 65_536
const FIRST_YEAR = "1900"
const LAST_YEAR = "2199"

type Given = AnswersInput[string] | undefined
type Read = Result.Result<AnswerValue | undefined, string>

const isNothing = (given: Given): boolean =>
  given === undefined ||
  given === null ||
  (typeof given === "string" && !isVisible(given)) ||
  (Array.isArray(given) && given.length === 0)

const readText = (given: Given, limit: number): Result.Result<string, string> => {
  if (typeof given !== "string") return Result.fail("must be a text")
  if (given.length > limit) return Result.fail(`must have at most ${limit} characters`)
  return Result.succeed(withoutUnseen(given).trim())
}

const readLine = (given: Given): Read =>
  typeof given === "string" && /[\n\r\u2028\u2029]/.test(given.trim())
    ? Result.fail("must be one line")
    : readText(given, TEXT_LIMIT)

const readDate = (given: Given): Read => {
  const isDay = typeof given === "string" && parseTimestamp(`${given}T00:00:00Z`)?.slice(0, 10) === given
  return isDay && given.slice(0, 4) >= FIRST_YEAR && given.slice(0, 4) <= LAST_YEAR
    ? Result.succeed(given)
    : Result.fail(`must be a day as in 2030-05-01, from ${FIRST_YEAR} to ${LAST_YEAR}`)
}

const readNumber = (given: Given, { minimum, maximum }: FormQuestion): Read => {
  const [least, most] = [minimum ?? -LARGEST_NUMBER, maximum ?? LARGEST_NUMBER]
  return typeof given === "number" && given >= least && given <= most
    ? Result.succeed(given)
    : Result.fail(`must be a number from ${least} to ${most}`)
}

const readChoices = (given: Given, { options }: FormQuestion): Read => {
  const chosen = Array.isArray(given) ? new Set<unknown>(given) : undefined
  if (chosen === undefined) return Result.fail("must be an array of choices")
  const kept = options.filter((option) => chosen.has(option))
  return kept.length === chosen.size ? Result.succeed(kept) : Result.fail("must hold choices that the question offers")
}

const readConsent = (given: Given, { version }: FormQuestion): Read => {
  if (typeof given === "number" && given !== version)
    return Result.fail(`the text has changed: read version ${version}, and answer again`)
  return typeof given === "boolean" || given === version
    ? Result.succeed(given !== false)
    : Result.fail("must be true, false, or the version of the text")
}

const read = (question: FormQuestion, given: Given): Read => {
  if (isNothing(given)) return Result.succeed(undefined)
  switch (question.kind) {
    case "text":
      return readLine(given)
    case "longText":
      return readText(given, LONG_TEXT_LIMIT)
    case "choice":
      return typeof given === "string" && question.options.includes(given)
        ? Result.succeed(given)
        : Result.fail("must be a choice that the question offers")
    case "choices":
      return readChoices(given, question)
    case "checkbox":
      return typeof given === "boolean" ? Result.succeed(given) : Result.fail("must be true or false")
    case "number":
      return readNumber(given, question)
    case "date":
      return readDate(given)
    case "consent":
      return readConsent(given, question)
  }
}

/** A required box must be ticked, and a required consent given. */
const isMissing = ({ required }: FormQuestion, value: AnswerValue | undefined): boolean =>
  required && (value === undefined || value === false)

const isSame = (one: AnswerValue, other: AnswerValue): boolean => JSON.stringify(one) === JSON.stringify(other)

const valueIn = <A>(values: { readonly [id: string]: A }, id: string): A | undefined =>
  Object.hasOwn(values, id) ? values[id] : undefined

/** The answer to one question, `undefined` for none; an answer that is repeated keeps its time. */
const answerTo = (
  question: FormQuestion,
  given: Given,
  before: StoredAnswer | undefined,
  at: Timestamp,
): Result.Result<StoredAnswer | undefined, string> => {
  const { version } = question
  const found = read(question, given)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const value = found.success
  if (isMissing(question, value)) return Result.fail("is required")
  if (value === undefined) return Result.succeed(undefined)
  const isRepeated = before?.version === version && isSame(before.value, value)
  return Result.succeed(isRepeated ? before : { value, version, at })
}

/**
 * The answers of a person after a request. Answers to questions that are not asked stay. A consent that is given again keeps the time at
 * which it was given first.
 */
export const readAnswers = (
  asked: ReadonlyArray<FormQuestion>,
  given: AnswersInput,
  kept: StoredAnswers,
  at: Timestamp,
): Result.Result<StoredAnswers, ReadonlyArray<Fault>> => {
  const ids = new Set(asked.map(({ id }) => id))
  const faults: Fault[] = Object.keys(given)
    .filter((id) => !ids.has(id))
    .map((id) => ({ path: ["answers", id.slice(0, 64)], message: "is no question of the form" }))
  const answers = new Map(Object.entries(kept).filter(([id]) => !ids.has(id)))
  for (const question of asked) {
    const { id } = question
    const answer = answerTo(question, valueIn(given, id), valueIn(kept, id), at)
    if (Result.isFailure(answer)) faults.push({ path: ["answers", id], message: answer.failure })
    else if (answer.success !== undefined) answers.set(id, answer.success)
  }
  const stored = Object.fromEntries(answers)
  if (faults.length === 0 && Buffer.byteLength(JSON.stringify(stored)) > ANSWERS_LIMIT_BYTES)
    faults.push({ path: ["answers"], message: "must be at most 64 KiB of JSON" })
  return faults.length === 0 ? Result.succeed(stored) : Result.fail(faults)
}
