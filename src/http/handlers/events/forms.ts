/** Forms of an event and their answers. */
import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { readEntryToken } from "../../../identity/accounts/entry.ts"
import { INVALID_TOKEN, Tokens } from "../../../identity/tokens.ts"
import { Conflict, NotFound, Unauthorized } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import type { AnswersInput, Form, FormInput, FormName } from "../../../model/forms/form.ts"
import {
  askedOf,
  givenAnswers,
  nextQuestions,
  questionFaults,
  replacedQuestions,
} from "../../../model/forms/questions.ts"
import { isCounted, resultsOf } from "../../../model/forms/results.ts"
import { newId } from "../../../model/ids.ts"
import { type Timestamp, toMillis, toTimestamp } from "../../../model/timestamp.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import {
  type AnsweredRow,
  countChoices,
  countUnregistered,
  findForm,
  hasAnswers,
  isInvited,
  keepWordings,
  listAnswersOf,
  listWordings,
  pageAnswers,
  putAnswers,
  putForm,
  sumAnswers,
} from "../../../store/events/forms.ts"
import { findRegistrationById } from "../../../store/events/registrations.ts"
import { decodeReportCursor } from "../../../store/events/reports.ts"
import { onForeignKeyViolation, query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import type { Forms } from "../../contract/events/forms.ts"
import type { Handlers } from "../../requests/call.ts"
import { listOrFile } from "../../requests/file.ts"
import { badRequestOf } from "../../transport/request-body.ts"
import { answerColumns } from "./answer-columns.ts"
import { answersTo, appendAnswersOccurrence, type Person } from "./given-answers.ts"

/** Wordings that are kept for the answers to one form. */
const MOST_WORDINGS = 1000
/** Answers of one survey without a registration. */
const MOST_UNREGISTERED = 20_000
const DAY_MS = 86_400_000
const SURVEY_DAYS = 30

const CHANGED = new Conflict({ detail: "The form was changed meanwhile; read it, and send your change again." })

const isOpen = (form: FormName, { status, cancelledAt, endedAt }: Event, now: number): boolean => {
  if (form === "registration") return status !== "ended" && cancelledAt === null
  return endedAt !== null && now < toMillis(endedAt) + SURVEY_DAYS * DAY_MS
}

/** The registration that the token of a request names, null without one; other tokens are refused alike. */
const holderOf = (form: FormName, eventId: string, token: string | undefined) =>
  Effect.gen(function* () {
    if (token === undefined) return null
    if (form === "registration") return (yield* readEntryToken(eventId, token)).id
    const { claims } = yield* (yield* Tokens).verify("survey", token)
    return claims.eventId === eventId ? claims.registrationId : yield* INVALID_TOKEN
  })

/** The holder of a token. Nobody answers an anonymous survey under a name. */
const personOf = (sql: Queryable, eventId: string, form: Form, id: string | null) =>
  Effect.gen(function* () {
    if (id === null || form.anonymous) return null
    const found = yield* query(() => findRegistrationById(sql, eventId, id))
    return found === undefined ? yield* INVALID_TOKEN : found
  })

/** The earlier answers of a person, and whether they are invited to the event. */
const earlier = async (sql: Queryable, eventId: string, form: FormName, person: Person | null) => {
  if (person === null) return { invited: false, answers: [] }
  const wordings = await listWordings(sql, eventId, form)
  const answers = givenAnswers(wordings, (await listAnswersOf(sql, form, [person.id])).get(person.id) ?? {})
  return { invited: await isInvited(sql, person.id), answers }
}

/** Nothing of an answer to an anonymous survey tells when or in which order it came. */
const answersRow = (eventId: string, { form, anonymous }: Form, person: Person | null, now: number) => ({
  id: anonymous ? randomUUID() : newId(),
  eventId,
  form,
  registrationId: person?.id ?? null,
  createdAt: toTimestamp(anonymous ? now - (now % DAY_MS) : now),
})

const store = (sql: Queryable, event: Event, form: Form, person: Person | null, given: AnswersInput, now: number) =>
  Effect.gen(function* () {
    if (form.questions.length === 0) return yield* new Conflict({ detail: "The form asks nothing." })
    const { id: eventId, workspaceId } = event
    if (person === null && !(yield* query(() => countUnregistered(sql, eventId, form.form, MOST_UNREGISTERED))))
      return yield* new Conflict({ detail: "The survey takes no more answers without a personal link." })
    const row = answersRow(eventId, form, person, now)
    const answers = yield* answersTo(sql, form, row.registrationId, given, row.createdAt)
    yield* onForeignKeyViolation(
      () => putAnswers(sql, { ...row, answers }),
      () => NotFound.of("registration"),
    )
    if (form.anonymous) return
    const wordings = yield* query(() => listWordings(sql, eventId, form.form))
    const type = form.form === "registration" ? "registration.answered" : "survey.answered"
    const occurrence = { person, answers: givenAnswers(wordings, answers) }
    yield* query(() => appendAnswersOccurrence(sql, type, { id: eventId, workspaceId }, occurrence, toTimestamp(now)))
  })

/** Writes the next version of a form. */
const saveForm = (sql: Queryable, eventId: string, name: FormName, input: FormInput, updatedAt: Timestamp) =>
  Effect.gen(function* () {
    const before = yield* query(() => findForm(sql, eventId, name, "update"))
    const anonymous = name === "survey" && input.anonymous === true
    if (input.version !== undefined && input.version !== before.version) return yield* CHANGED
    if (anonymous !== before.anonymous && (yield* query(() => hasAnswers(sql, eventId, name))))
      return yield* new Conflict({ detail: "People have answered: anonymous stays as it is." })
    const questions = nextQuestions(before, input.questions)
    const thanks = name === "survey" && (input.thanks ?? true)
    const form: Form = { form: name, version: before.version + 1, questions, anonymous, thanks, updatedAt }
    const isWritten = yield* onForeignKeyViolation(
      () => putForm(sql, eventId, form),
      () => NotFound.of("event"),
    )
    if (!isWritten) return yield* CHANGED
    const kept = yield* query(() => keepWordings(sql, eventId, name, replacedQuestions(before, questions)))
    if (kept > MOST_WORDINGS)
      return yield* new Conflict({ detail: `People have answered ${MOST_WORDINGS} other wordings already.` })
    return form
  })

export const forms = {
  getForm: {
    access: "event",
    handle: ({ params, scope: { event } }) =>
      Effect.gen(function* () {
        return yield* (yield* Database).run((sql) => findForm(sql, event.id, params.form))
      }),
  },
  putForm: {
    access: "event",
    handle: ({ params: { form: name }, payload, scope: { event } }) =>
      Effect.gen(function* () {
        const faults = questionFaults(payload.questions)
        if (faults.length > 0) return yield* badRequestOf(faults, "body")
        const updatedAt = toTimestamp(yield* Clock.currentTimeMillis)
        return yield* (yield* Database).transaction((sql) => saveForm(sql, event.id, name, payload, updatedAt))
      }),
  },
  getFormResults: {
    access: "event",
    handle: ({ params: { form: name }, scope: { event } }) =>
      Effect.gen(function* () {
        return yield* (yield* Database).run(async (sql) => {
          const { questions } = await findForm(sql, event.id, name)
          const wordings = await listWordings(sql, event.id, name)
          const counted = wordings.filter(isCounted).map(({ id }) => id)
          const sums = await sumAnswers(sql, event.id, name)
          const counts = await countChoices(sql, event.id, name, counted)
          return { form: name, questions: resultsOf(wordings, questions, sums, counts) }
        })
      }),
  },
  listFormAnswers: {
    access: "event",
    handle: (call) =>
      Effect.gen(function* () {
        const { form } = call.params
        const filter = { form, questionId: call.query.question }
        const wordings = yield* (yield* Database).run((sql) => listWordings(sql, call.scope.event.id, form))
        const { names, cellsOf } = answerColumns(wordings)
        return yield* listOrFile(call, "answered", {
          read: (sql, eventId, request) => pageAnswers(sql, eventId, filter, request),
          decode: decodeReportCursor,
          view: (row) => ({ ...row, answers: givenAnswers(wordings, row.answers) }),
          columns: {
            names: ["id", "registrationId", "name", "email", "createdAt", ...names],
            rowsOf: ({ id, registrationId, name, email, createdAt, answers }: AnsweredRow) => [
              [id, registrationId, name, email, createdAt, ...cellsOf(answers)],
            ],
          },
        })
      }),
  },
  getPublicForm: {
    access: "sharedEvent",
    handle: ({ params: { form: name }, query: { t: token }, scope: { event } }) =>
      Effect.gen(function* () {
        const open = isOpen(name, event, yield* Clock.currentTimeMillis)
        const holder = yield* holderOf(name, event.id, token)
        return yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            const form = yield* query(() => findForm(sql, event.id, name))
            const person = yield* personOf(sql, event.id, form, holder)
            const { invited, answers } = yield* query(() => earlier(sql, event.id, name, person))
            const questions = name === "registration" ? askedOf(form.questions, invited) : form.questions
            const { version, anonymous } = form
            const shown = open ? questions : []
            return { form: name, version, open, anonymous, questions: shown, name: person?.name ?? null, answers }
          }),
        )
      }),
  },
  answerForm: {
    access: "sharedEvent",
    handle: ({ params: { form: name }, payload: { token, answers }, scope: { event } }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (!isOpen(name, event, now)) return yield* new Conflict({ detail: "The form takes no answers now." })
        if (name === "registration" && token === undefined)
          return yield* new Unauthorized({ detail: "Send the token of the link in the email." })
        const holder = yield* holderOf(name, event.id, token)
        const outbox = yield* OutboxSignal
        yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            // The answers of a survey are counted in its row.
            const lock = name === "survey" ? "update" : "share"
            const form = yield* query(() => findForm(sql, event.id, name, lock))
            const person = yield* personOf(sql, event.id, form, holder)
            yield* store(sql, event, form, person, answers, now)
          }),
        )
        outbox.notify()
        return { stored: true }
      }),
  },
} satisfies Handlers<typeof Forms>
