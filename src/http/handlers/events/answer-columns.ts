/** Columns of a CSV file for the answers to a form: one for each question, whatever its wordings. */
import type { FormQuestion, StoredAnswers } from "../../../model/forms/form.ts"

/** Long questions are cut in the first row of a file. */
const NAME_LIMIT = 200

/** `wordings` begins with the newest of each question, which names its column. */
export const answerColumns = (wordings: ReadonlyArray<FormQuestion>) => {
  const questions = new Map<string, string>()
  for (const { id, text } of wordings) if (!questions.has(id)) questions.set(id, text.slice(0, NAME_LIMIT))
  const ids = [...questions.keys()]
  return {
    names: [...questions.values()],
    cellsOf: (answers: StoredAnswers) =>
      ids.map((id) => {
        const value = Object.hasOwn(answers, id) ? answers[id]?.value : undefined
        if (value === undefined) return null
        return typeof value === "object" ? value.join("; ") : value
      }),
  }
}
