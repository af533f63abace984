/** Answers that people give: read by the questions of a form as it is, and stored. */
import { Effect, Result } from "effect"
import { readAnswers } from "../../../model/forms/answers.ts"
import type { AnswersInput, Form, GivenAnswer } from "../../../model/forms/form.ts"
import { askedOf, givenAnswers } from "../../../model/forms/questions.ts"
import { newId } from "../../../model/ids.ts"
import { registeredAs } from "../../../model/participants.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { Queryable } from "../../../store/database.ts"
import { findAnswers, findForm, isInvited, putAnswers } from "../../../store/events/forms.ts"
import { query } from "../../../store/query.ts"
import { appendOccurrences } from "../../../store/webhooks/outbox.ts"
import { badRequestOf } from "../../transport/request-body.ts"

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
}

const checked = (read: ReturnType<typeof readAnswers>) =>
  Result.isFailure(read) ? Effect.fail(badRequestOf(read.failure, "body")) : Effect.succeed(read.success)

/** The answers of a person after a request; `registrationId` is null for those that belong to no registration. */
export const answersTo = (
  sql: Queryable,
  form: Form,
  registrationId: string | null,
  given: AnswersInput,
  at: Timestamp,
) =>
  Effect.gen(function* () {
    if (registrationId === null) return yield* checked(readAnswers(form.questions, given, {}, at))
    const kept = yield* query(() => findAnswers(sql, registrationId, form.form))
    if (form.form === "survey") return yield* checked(readAnswers(form.questions, given, kept, at))
    const invited = yield* query(() => isInvited(sql, registrationId))
    return yield* checked(readAnswers(askedOf(form.questions, invited), given, kept, at))
  })

/**
 * Stores the answers of a new registration. An address that is invited is asked as any other, so that the answer does not tell who is
 * invited.
 */
export const registrationAnswers = (
  sql: Queryable,
  { id: registrationId, eventId }: { readonly id: string; readonly eventId: string },
  given: AnswersInput,
  createdAt: Timestamp,
) =>
  Effect.gen(function* () {
    const form = yield* query(() => findForm(sql, eventId, "registration", "share"))
    const answers = yield* checked(readAnswers(askedOf(form.questions, false), given, {}, createdAt))
    if (Object.keys(answers).length === 0) return []
    const row = { id: registrationId, eventId, form: "registration", registrationId, answers, createdAt } as const
    yield* query(() => putAnswers(sql, row))
    return givenAnswers(form.questions, answers)
  })

/** Appends the webhook of answers; `person` is null where they belong to no registration. */
export const appendAnswersOccurrence = (
  sql: Queryable,
  type: "registration.answered" | "survey.answered",
  { id: eventId, workspaceId }: { readonly id: string; readonly workspaceId: string },
  { person, answers }: { readonly person: Person | null; readonly answers: ReadonlyArray<GivenAnswer> },
  occurredAt: Timestamp,
): Promise<number> => {
  const extra = {
    registrationId: person?.id ?? null,
    participantId: person === null ? null : registeredAs(person.id),
    name: person?.name ?? null,
    email: person?.email ?? null,
    answers,
  }
  return appendOccurrences(sql, [{ id: newId(), type, workspaceId, eventId, occurredAt, extra }])
}
