/** Questions and their votes. `votes` always equals the number of a question's vote rows: only `set_vote` writes either. */
import { NotFound } from "../model/errors.ts"
import { parseId } from "../model/ids.ts"
import {
  type Question,
  type QuestionPatch,
  type QuestionStatus,
  questionCreated,
  statusAfter,
} from "../model/question.ts"
import { parseTimestamp, type Timestamp } from "../model/timestamp.ts"
import type { Queryable } from "./database.ts"
import { appendOccurrences } from "./outbox.ts"
import { type Page, type PagePosition, type PageRequest, toPage } from "./page.ts"
import { onForeignKeyViolation } from "./sqlstate.ts"

const COLUMNS = `id, event_id, phase_id, text, status, author_user_id, author_name, anonymous, pinned, votes,
  created_at, answer, answered_at`

/**
 * Stores a new question and tells webhook receivers of it. Run it in a transaction. Resolves to the number of deliveries;
 * throws `NotFound` when the event is gone meanwhile.
 */
export const insertQuestion = async (
  sql: Queryable,
  question: Question,
  occurrence: { readonly id: string; readonly workspaceId: string },
): Promise<number> => {
  await onForeignKeyViolation(
    sql`
      insert into questions (id, event_id, phase_id, text, status, author_user_id, author_name, anonymous, created_at)
      values (${question.id}, ${question.eventId}, ${question.phaseId}, ${question.text}, ${question.status},
              ${question.authorUserId}, ${question.authorName}, ${question.anonymous}, ${question.createdAt})`,
    () => NotFound.of("event"),
  )
  return appendOccurrences(sql, [questionCreated(occurrence.id, occurrence.workspaceId, question)])
}

/** The last row of a page; votes change between two pages, so a question may be seen twice or not at all. */
export interface QuestionPosition extends PagePosition {
  readonly votes: number
}

/** Before every question. */
const MOST_VOTES: QuestionPosition = {
  votes: 2_147_483_647,
  createdAt: "0001-01-01T00:00:00.000Z",
  id: "00000000-0000-0000-0000-000000000000",
}

const encodeQuestionCursor = ({ votes, createdAt, id }: QuestionPosition): string =>
  Buffer.from(`${votes} ${createdAt} ${id}`).toString("base64url")

export const decodeQuestionCursor = (cursor: string): QuestionPosition | undefined => {
  const [votes = "", time = "", id = "", ...rest] = Buffer.from(cursor, "base64url").toString("utf8").split(" ")
  const createdAt = parseTimestamp(time)
  const parsed = parseId(id)
  const isOurs = /^\d{1,9}$/.test(votes) && rest.length === 0
  return isOurs && createdAt !== undefined && parsed !== undefined
    ? { votes: Number(votes), createdAt, id: parsed }
    : undefined
}

/** Most votes first, then the oldest; all of them, or those with one status. */
export const pageQuestions = async (
  sql: Queryable,
  eventId: string,
  status: QuestionStatus | null,
  page: PageRequest<QuestionPosition>,
): Promise<Page<Question>> => {
  const after = page.after ?? MOST_VOTES
  const rows = await sql<Question[]>`
    select ${sql.unsafe(COLUMNS)} from questions
     where event_id = ${eventId} and (${status}::text is null or status = ${status})
       and (-votes, created_at, id) > (${-after.votes}::integer, ${after.createdAt}::timestamptz, ${after.id}::uuid)
     order by -votes, created_at, id limit ${page.limit + 1}`
  return toPage(rows, page.limit, encodeQuestionCursor)
}

export interface QuestionOwner {
  readonly id: string
  readonly eventId: string
  readonly workspaceId: string
  readonly status: QuestionStatus
  readonly votes: number
}

/** Which event a question belongs to, whose event that is, and how the question stands. */
export const findQuestionOwner = async (sql: Queryable, id: string): Promise<QuestionOwner | undefined> => {
  const [row] = await sql<QuestionOwner[]>`
    select q.id, q.event_id, e.workspace_id, q.status, q.votes
      from questions q join events e on e.id = q.event_id where q.id = ${id}`
  return row
}

/** Changes what the patch names. `answeredAt` is when the status last became `answered`, and null in every other one. */
export const moderateQuestion = async (
  sql: Queryable,
  id: string,
  patch: QuestionPatch,
  at: Timestamp,
): Promise<Question | undefined> => {
  const status = statusAfter(patch)
  const [row] = await sql<Question[]>`
    update questions set
      status = coalesce(${status}::text, status),
      pinned = coalesce(${patch.pinned ?? null}::boolean, pinned),
      answer = coalesce(${patch.answer ?? null}::text, answer),
      answered_at = case when coalesce(${status}::text, status) = 'answered'
                         then coalesce(answered_at, ${at}::timestamptz) end
     where id = ${id} returning ${sql.unsafe(COLUMNS)}`
  return row
}

/** Sets or takes back the voter's one vote; the tally after it, or `undefined` when the question is gone. */
export const setVote = async (
  sql: Queryable,
  questionId: string,
  voter: string,
  isOn: boolean,
): Promise<number | undefined> => {
  const [row] = await sql<{ votes: number | null }[]>`
    select set_vote(${questionId}, ${voter}, ${isOn}) as votes`
  return row?.votes ?? undefined
}
