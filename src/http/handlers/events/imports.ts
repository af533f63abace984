/** Registers many people at once, in transactions of a few hundred, each of which holds the event's row. */
import { Clock, Effect, Result } from "effect"
import type { Event } from "../../../model/event.ts"
import { readAnswers } from "../../../model/forms/answers.ts"
import type { AnswersInput, Form, StoredAnswers } from "../../../model/forms/form.ts"
import { givenAnswers } from "../../../model/forms/questions.ts"
import { newId } from "../../../model/ids.ts"
import { type Fault, faultText } from "../../../model/schema-faults.ts"
import { type Timestamp, toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database, type Queryable } from "../../../store/database.ts"
import { findForm, insertManyAnswers } from "../../../store/events/forms.ts"
import { insertManyRegistrations, listIdsOf } from "../../../store/events/imports.ts"
import { query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { appendRegistrationOccurrences } from "../../../store/webhooks/registration-occurrences.ts"
import type { Imports, RowReport } from "../../contract/events/imports.ts"
import type { Handlers } from "../../requests/call.ts"
import { requireProvedSender } from "../workspaces/mail-to-others.ts"
import { emailIn, readRow, rowsOfCsv } from "./imported-rows.ts"
import { lockOpenEvent } from "./open-registration.ts"

/** Rows of one transaction. */
const CHUNK = 250
const WITHIN_MS = 20_000

type Json = AnswersInput[string]

interface New {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly answers: StoredAnswers
}

const refused = (row: number, email: string | null, code: string, detail: string): RowReport => ({
  row,
  email,
  outcome: "refused",
  registrationId: null,
  code,
  detail,
})

const taken = (
  row: number,
  email: string,
  outcome: "created" | "alreadyRegistered",
  registrationId: string,
): RowReport => ({ row, email, outcome, registrationId, code: null, detail: null })

const CONSENT: Fault["message"] = "is given by its person alone"

/** Answers without those that only their person can give. */
const readImported = ({ questions }: Form, given: AnswersInput, at: Timestamp) => {
  const faults = questions
    .filter(
      ({ id, kind }) => kind === "consent" && Object.hasOwn(given, id) && given[id] !== null && given[id] !== false,
    )
    .map(({ id }) => ({ path: ["answers", id], message: CONSENT }))
  if (faults.length > 0) return Result.fail(faults)
  const open = questions.map((question) => ({ ...question, required: false }))
  return readAnswers(open, given, {}, at)
}

/** Decides on rows in their order: who is new and has a place. */
class Decisions {
  readonly reports: RowReport[] = []
  readonly added: New[] = []
  readonly #form: Form
  readonly #known: Map<string, string>
  #free: number

  constructor(form: Form, known: ReadonlyMap<string, string>, free: number) {
    this.#form = form
    this.#known = new Map(known)
    this.#free = free
  }

  decide(row: number, given: Json, at: Timestamp): void {
    this.reports.push(this.#reportOf(row, given, at))
  }

  #reportOf(row: number, given: Json, at: Timestamp): RowReport {
    const read = readRow(given)
    if (Result.isFailure(read)) return refused(row, emailIn(given), "bad_request", read.failure)
    const { name, email, answers: said } = read.success
    const known = this.#known.get(email)
    if (known !== undefined) return taken(row, email, "alreadyRegistered", known)
    const answers = readImported(this.#form, said, at)
    if (Result.isFailure(answers)) return refused(row, email, "bad_request", faultText(answers.failure, "row"))
    if (this.#free <= 0) return refused(row, email, "event_full", "No seat is left.")
    const id = newId()
    this.#free -= 1
    this.#known.set(email, id)
    this.added.push({ id, name, email, answers: answers.success })
    return taken(row, email, "created", id)
  }
}

const store = async (sql: Queryable, event: Event, form: Form, added: ReadonlyArray<New>, at: Timestamp) => {
  const { id: eventId } = event
  await insertManyRegistrations(sql, eventId, added)
  await insertManyAnswers(
    sql,
    added
      .filter(({ answers }) => Object.keys(answers).length > 0)
      .map(({ id, answers }) => ({ id, eventId, form: "registration", registrationId: id, answers, createdAt: at })),
  )
  const told = added.map((one) => ({
    ...one,
    state: "approved" as const,
    given: givenAnswers(form.questions, one.answers),
  }))
  if (told.length > 0) await appendRegistrationOccurrences(sql, "created", event, told, at)
}

const importChunk = (sql: Queryable, event: Event, rows: ReadonlyArray<Json>, from: number, at: Timestamp) =>
  Effect.gen(function* () {
    const { id: eventId } = event
    const limits = yield* lockOpenEvent(sql, eventId)
    const form = yield* query(() => findForm(sql, eventId, "registration", "share"))
    const emails = rows.flatMap((row) =>
      Result.match(readRow(row), { onSuccess: ({ email }) => [email], onFailure: () => [] }),
    )
    const known = yield* query(() => listIdsOf(sql, eventId, emails))
    // A free place belongs to those who wait for it.
    const places = limits.waiting > 0 ? 0 : (limits.capacity ?? Number.POSITIVE_INFINITY) - limits.registered
    const decisions = new Decisions(form, known, limits.capacity === null ? Number.POSITIVE_INFINITY : places)
    for (const [index, row] of rows.entries()) decisions.decide(from + index + 1, row, at)
    yield* query(() => store(sql, event, form, decisions.added, at))
    return decisions.reports
  })

const counted = (rows: ReadonlyArray<RowReport>) => {
  const count = (wanted: RowReport["outcome"]) => rows.filter(({ outcome }) => outcome === wanted).length
  return { created: count("created"), alreadyRegistered: count("alreadyRegistered"), refused: count("refused"), rows }
}

export const imports = {
  importRegistrations: {
    access: "event",
    handle: ({ payload, scope: { event, workspaceId, accountId } }) =>
      Effect.gen(function* () {
        yield* requireProvedSender({ workspaceId, accountId })
        const database = yield* Database
        const at = toTimestamp(yield* Clock.currentTimeMillis)
        const { questions } = yield* database.run((sql) => findForm(sql, event.id, "registration"))
        const rows: ReadonlyArray<Json> =
          typeof payload === "string" ? yield* rowsOfCsv(payload, questions) : payload.registrations
        const reports: RowReport[] = []
        for (let from = 0; from < rows.length; from += CHUNK) {
          const chunk = rows.slice(from, from + CHUNK)
          const some = yield* database.transaction((sql) => importChunk(sql, event, chunk, from, at), {
            withinMs: WITHIN_MS,
          })
          reports.push(...some)
        }
        yield* afterCommit(Effect.sync((yield* OutboxSignal).notify))
        return counted(reports)
      }),
  },
} satisfies Handlers<typeof Imports>
