/** Forms of events, and the answers to them. */
import type { Form, FormName, FormQuestion, StoredAnswers } from "../../model/forms/form.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import type { Page, PageRequest } from "../page.ts"
import { FIRST_REPORTED, reportPage } from "./reports.ts"

const UNWRITTEN = { version: 0, questions: [], anonymous: false, thanks: true, updatedAt: null } as const

const lockOf = (sql: Queryable, lock: "none" | "share" | "update") =>
  sql.unsafe({ none: "", share: "for share", update: "for no key update" }[lock])

/** `share` holds the form as it is until the answers to it are stored. */
export const findForm = async (
  sql: Queryable,
  eventId: string,
  form: FormName,
  lock: "none" | "share" | "update" = "none",
): Promise<Form> => {
  const [row] = await sql<Form[]>`
    select form, version, questions, anonymous, thanks, updated_at from event_forms
     where event_id = ${eventId} and form = ${form} ${lockOf(sql, lock)}`
  return row ?? { form, ...UNWRITTEN }
}

/** Writes the form; false when another request has written the same version first. */
export const putForm = async (sql: Queryable, eventId: string, form: Form): Promise<boolean> => {
  const { count } = await sql`
    insert into event_forms as f (event_id, form, version, questions, anonymous, thanks, updated_at)
    values (${eventId}, ${form.form}, ${form.version}, ${sql.json(form.questions)}, ${form.anonymous}, ${form.thanks}, ${form.updatedAt})
    on conflict (event_id, form) do update set version = excluded.version, questions = excluded.questions,
      anonymous = excluded.anonymous, thanks = excluded.thanks, updated_at = excluded.updated_at
     where f.version = excluded.version - 1`
  return count > 0
}

/** Keeps the wordings that answers refer to. Resolves to the number of all that are kept for the form. */
export const keepWordings = async (
  sql: Queryable,
  eventId: string,
  form: FormName,
  replaced: ReadonlyArray<FormQuestion>,
): Promise<number> => {
  await sql`
    insert into form_wordings (event_id, form, question_id, version, question)
    select ${eventId}, ${form}, q->>'id', (q->>'version')::integer, q from jsonb_array_elements(${sql.json(replaced)}) as q
     where exists (select from form_answers a where a.event_id = ${eventId} and a.form = ${form}
                      and a.answers->(q->>'id')->>'version' = q->>'version')`
  const [row] = await sql<{ kept: number }[]>`
    select count(*)::integer as kept from form_wordings where event_id = ${eventId} and form = ${form}`
  return row?.kept ?? 0
}

/** In the order in which their questions come first. */
const byQuestion = (wordings: ReadonlyArray<FormQuestion>): ReadonlyArray<FormQuestion> => {
  const places = new Map<string, number>()
  for (const { id } of wordings) places.set(id, places.get(id) ?? places.size)
  return wordings.toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0))
}

/**
 * All wordings of the form that answers may refer to: by question, those that are asked in their order and then the others, and of each the
 * newest first.
 */
export const listWordings = async (
  sql: Queryable,
  eventId: string,
  form: FormName,
): Promise<ReadonlyArray<FormQuestion>> => {
  const { questions } = await findForm(sql, eventId, form)
  const rows = await sql<{ question: FormQuestion }[]>`
    select question from form_wordings where event_id = ${eventId} and form = ${form} order by version desc, question_id`
  return byQuestion([...questions, ...rows.map(({ question }) => question)])
}

export const copyForms = async (
  sql: Queryable,
  from: string,
  to: ReadonlyArray<string>,
  at: Timestamp,
): Promise<void> => {
  await sql`
    insert into event_forms (event_id, form, version, questions, anonymous, thanks, updated_at)
    select copy, form, version, questions, anonymous, thanks, ${at}
      from event_forms, unnest(${[...to]}::uuid[]) as copy where event_id = ${from}`
}

/** Holds the answers for those that replace them. */
export const findAnswers = async (sql: Queryable, registrationId: string, form: FormName): Promise<StoredAnswers> => {
  const [row] = await sql<{ answers: StoredAnswers }[]>`
    select answers from form_answers where registration_id = ${registrationId} and form = ${form} for update`
  return row?.answers ?? {}
}

interface NewAnswers {
  readonly id: string
  readonly eventId: string
  readonly form: FormName
  readonly registrationId: string | null
  readonly answers: StoredAnswers
  readonly createdAt: Timestamp
}

/** The answers of a registration replace its earlier ones. */
export const putAnswers = async (
  sql: Queryable,
  { id, eventId, form, registrationId, answers, createdAt }: NewAnswers,
): Promise<void> => {
  await sql`
    insert into form_answers (id, event_id, form, registration_id, answers, created_at)
    values (${id}, ${eventId}, ${form}, ${registrationId}, ${sql.json(answers)}, ${createdAt})
    on conflict (registration_id, form) where registration_id is not null do update set answers = excluded.answers`
}

/** Answers of new registrations. */
export const insertManyAnswers = async (sql: Queryable, added: ReadonlyArray<NewAnswers>): Promise<void> => {
  if (added.length === 0) return
  await sql`
    insert into form_answers (id, event_id, form, registration_id, answers, created_at)
    select id, "eventId", form, "registrationId", answers, "createdAt" from jsonb_to_recordset(${sql.json(added)})
      as n(id uuid, "eventId" uuid, form text, "registrationId" uuid, answers jsonb, "createdAt" timestamptz)`
}

export const hasAnswers = async (sql: Queryable, eventId: string, form: FormName): Promise<boolean> => {
  const rows = await sql`select 1 from form_answers where event_id = ${eventId} and form = ${form} limit 1`
  return rows.length > 0
}

/** Counts an answer without a registration, unless there are `most`; resolves to whether it was counted. */
export const countUnregistered = async (
  sql: Queryable,
  eventId: string,
  form: FormName,
  most: number,
): Promise<boolean> => {
  const { count } = await sql`
    update event_forms set unregistered_answers = unregistered_answers + 1
     where event_id = ${eventId} and form = ${form} and unregistered_answers < ${most}`
  return count > 0
}

/** Whether an invite to the event waits for the registration's address, or was accepted with it. */
export const isInvited = async (sql: Queryable, registrationId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from registrations r join invites i on i.event_id = r.event_id and i.email = r.email
     where r.id = ${registrationId} and (i.status = 'accepted' or i.status = 'pending' and i.expires_at > now()) limit 1`
  return rows.length > 0
}

export interface AnsweredRow {
  readonly id: string
  readonly registrationId: string | null
  readonly name: string | null
  readonly email: string | null
  readonly answers: StoredAnswers
  readonly createdAt: Timestamp
}

/** With `questionId` only the rows that answer this question. */
export const pageAnswers = async (
  sql: Queryable,
  eventId: string,
  { form, questionId }: { readonly form: FormName; readonly questionId: string | undefined },
  { after, limit }: PageRequest,
): Promise<Page<AnsweredRow>> => {
  const { createdAt, id } = after ?? FIRST_REPORTED
  const rows = await sql<AnsweredRow[]>`
    select a.id, a.registration_id, r.name, r.email, a.answers, a.created_at
      from form_answers a left join registrations r on r.id = a.registration_id
     where a.event_id = ${eventId} and a.form = ${form} and (a.created_at, a.id::text) > (${createdAt}, ${id})
       and (${questionId ?? null}::text is null or a.answers ? ${questionId ?? ""})
     order by a.created_at, a.id::text limit ${limit + 1}`
  return reportPage(rows, limit)
}

/** The answers of these registrations. */
export const listAnswersOf = async (
  sql: Queryable,
  form: FormName,
  registrationIds: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, StoredAnswers>> => {
  const rows = await sql<{ registrationId: string; answers: StoredAnswers }[]>`
    select registration_id, answers from form_answers where form = ${form} and registration_id = any (${[...registrationIds]}::uuid[])`
  return new Map(rows.map(({ registrationId, answers }) => [registrationId, answers]))
}

interface AnswerSums {
  readonly questionId: string
  readonly version: number
  readonly answers: number
  readonly sum: number | null
  readonly least: number | null
  readonly most: number | null
}

/** Counts of answers and sums of numbers, by wording. */
export const sumAnswers = async (sql: Queryable, eventId: string, form: FormName): Promise<ReadonlyArray<AnswerSums>> =>
  sql<AnswerSums[]>`
    select e.key as question_id, (e.value->>'version')::integer as version, count(*)::integer as answers,
           sum(n)::float8 as sum, min(n)::float8 as least, max(n)::float8 as most
      from form_answers a, jsonb_each(a.answers) as e,
           lateral (select case jsonb_typeof(e.value->'value') when 'number' then (e.value->>'value')::numeric end as n) as number
     where a.event_id = ${eventId} and a.form = ${form} group by 1, 2`

interface ChoiceCount {
  readonly questionId: string
  readonly version: number
  readonly text: string
  readonly count: number
}

/** Counts of what was chosen, by wording, for the questions of these ids. Truth values count as `true` and `false`. */
export const countChoices = async (
  sql: Queryable,
  eventId: string,
  form: FormName,
  questionIds: ReadonlyArray<string>,
): Promise<ReadonlyArray<ChoiceCount>> =>
  sql<ChoiceCount[]>`
    select e.key as question_id, (e.value->>'version')::integer as version, chosen as text, count(*)::integer as count
      from form_answers a, jsonb_each(a.answers) as e,
           jsonb_array_elements_text(
             case jsonb_typeof(e.value->'value') when 'array' then e.value->'value' else jsonb_build_array(e.value->'value') end) as chosen
     where a.event_id = ${eventId} and a.form = ${form} and e.key = any (${[...questionIds]}::text[])
     group by 1, 2, 3`
