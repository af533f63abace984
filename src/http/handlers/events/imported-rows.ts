/** Rows of an import: JSON values, or the records of a CSV file, whose cells are read by the kinds of the questions. */
import { parse } from "csv-parse/sync"
import { Effect, Result, Schema } from "effect"
import { BadRequest } from "../../../model/errors.ts"
import type { AnswersInput, FormQuestion } from "../../../model/forms/form.ts"
import { faultsOf, faultText } from "../../../model/schema-faults.ts"
import { lowerAscii } from "../../../model/text/compared.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { ImportedRow, MOST_ROWS } from "../../contract/events/imports.ts"

type Json = AnswersInput[string]

const BOXES: { readonly [text: string]: boolean } = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
}

/** A cell as an answer; one that is none stays text, which the question refuses. */
const answerIn = ({ kind }: FormQuestion, cell: string): Json => {
  if (cell.trim() === "") return null
  switch (kind) {
    case "choices":
      return cell.split(";").map((choice) => choice.trim())
    case "number":
      return Number.isFinite(Number(cell)) ? Number(cell) : cell
    case "checkbox":
    case "consent":
      return BOXES[lowerAscii(cell.trim())] ?? cell
    default:
      return cell
  }
}

/** Spreadsheets in languages with decimal commas separate cells by semicolons. */
const delimiterOf = (text: string): string => {
  const [head = ""] = text.split(/[\r\n]/, 1)
  return [",", ";", "\t"].find((one) => head.includes(one)) ?? ","
}

/** Columns of a file beside the questions: the name, the address, and some that are wrong, the first of which a refusal names. */
const MOST_OTHERS = 20

/** Whether a record has more than `most` cells, before any is read. Quotes that are out of place are refused later. */
const isWider = (text: string, delimiter: string, most: number): boolean => {
  let cells = 1
  let isQuoted = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (char === "\n" || char === "\r") cells = 1
    else if (char === delimiter && ++cells > most) return true
  }
  return false
}

const UNREADABLE = BadRequest.ofBody("not CSV with a row of names and rows of as many cells")

const recordsOf = (
  text: string,
  mostColumns: number,
): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, BadRequest> => {
  const delimiter = delimiterOf(text)
  if (isWider(text, delimiter, mostColumns)) return Effect.fail(BadRequest.ofBody(`more than ${mostColumns} columns`))
  try {
    // One row more than may be sent, and the row of names.
    const options = { bom: true, delimiter, skip_empty_lines: true, to: MOST_ROWS + 2 }
    return Effect.succeed(parse(text, options))
  } catch {
    return Effect.fail(UNREADABLE)
  }
}

/** The columns of a person, which are never answers. */
const PERSON: ReadonlySet<string> = new Set(["name", "email"])

/** The questions by the names of their columns; an id goes before the text of another question. */
const columnsOf = (questions: ReadonlyArray<FormQuestion>): ReadonlyMap<string, FormQuestion> => {
  const texts = questions.toReversed().map((question) => [question.text.trim(), question] as const)
  return new Map([...texts, ...questions.map((question) => [question.id, question] as const)])
}

/** The rows of a CSV file as JSON. A column is the name, the address, or a question by its id or text. */
export const rowsOfCsv = (
  text: string,
  questions: ReadonlyArray<FormQuestion>,
): Effect.Effect<ReadonlyArray<Json>, BadRequest> =>
  Effect.gen(function* () {
    const [names = [], ...records] = yield* recordsOf(text, questions.length + MOST_OTHERS)
    const columns = names.map((name) => name.trim())
    if (records.length === 0) return yield* BadRequest.ofBody("without a row of a registration")
    if (records.length > MOST_ROWS) return yield* BadRequest.ofBody(`more than ${MOST_ROWS} rows`)
    const known = columnsOf(questions)
    const asked = columns.map((column) => (PERSON.has(column) ? undefined : known.get(column)))
    const unknown = columns.findIndex((column, at) => !PERSON.has(column) && asked[at] === undefined)
    if (unknown >= 0) {
      const column = columns[unknown]?.slice(0, 64)
      return yield* BadRequest.ofBody(`the column "${column}" is neither name nor email nor a question of the form`)
    }
    const [nameAt, emailAt] = [columns.indexOf("name"), columns.indexOf("email")]
    return records.map((cells) => {
      const answers = cells.flatMap((cell, at) => {
        const question = asked[at]
        return question === undefined ? [] : [[question.id, answerIn(question, cell)] as const]
      })
      return { name: cells[nameAt] ?? "", email: cells[emailAt] ?? "", answers: Object.fromEntries(answers) }
    })
  })

interface Registrant {
  readonly name: string
  readonly email: string
  readonly answers: AnswersInput
}

const decodeRow = Schema.decodeUnknownResult(ImportedRow, { errors: "all" })

/** A row as a registration; its faults in a sentence. */
export const readRow = (row: Json): Result.Result<Registrant, string> => {
  const read = decodeRow(row)
  if (Result.isFailure(read)) return Result.fail(faultText(faultsOf(read.failure.issue), "row"))
  const { name, email, answers = {} } = read.success
  return Result.succeed({ name: name.trim(), email: foldEmail(email), answers })
}

/** The address of a row, for the report. */
export const emailIn = (row: Json): string | null => {
  const email = typeof row === "object" && row !== null && "email" in row ? row["email"] : null
  return typeof email === "string" ? email.slice(0, 320) : null
}
