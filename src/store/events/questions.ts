/** Reads of questions. Only the event's actor writes them (`store/live/live-records.ts`). */
import { parseId } from "../../model/ids.ts"
import { type Question, QuestionStatus } from "../../model/question.ts"
import { parseTimestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { type Page, type PagePosition, type PageRequest, toPage } from "../page.ts"

const COLUMNS = `id, event_id, phase_id, text, status, author_user_id, author_name, anonymous, pinned, votes,
  created_at, answer, answered_at`

export const findQuestion = async (sql: Queryable, id: string): Promise<Question | undefined> => {
  const [row] = await sql<Question[]>`select ${sql.unsafe(COLUMNS)} from questions where id = ${id}`
  return row
}

/** Last row of a page; votes change between two pages, so a question may be seen twice or not at all. */
interface QuestionPosition extends PagePosition {
  readonly votes: number
}

/** Position before every question, in both orders. */
const BEFORE_ALL: QuestionPosition = {
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

/**
 * Questions with most votes first, then the oldest; all of them, or those with one status. Each status is read through its own range of the
 * index, so that a rare one is found as fast as a frequent one.
 */
export const pageQuestions = async (
  sql: Queryable,
  eventId: string,
  status: QuestionStatus | null,
  page: PageRequest<QuestionPosition>,
): Promise<Page<Question>> => {
  const after = page.after ?? BEFORE_ALL
  const statuses = status === null ? QuestionStatus.literals : [status]
  const rows = await sql<Question[]>`
    select ${sql.unsafe(COLUMNS)} from unnest(${[...statuses]}::text[]) as wanted(one)
     cross join lateral (
       select q.* from questions q where q.event_id = ${eventId} and q.status = wanted.one
          and (-q.votes, q.created_at, q.id) > (${-after.votes}::integer, ${after.createdAt}::timestamptz, ${after.id}::uuid)
        order by -q.votes, q.created_at, q.id limit ${page.limit + 1}) q
     order by -votes, created_at, id limit ${page.limit + 1}`
  return toPage(rows, page.limit, encodeQuestionCursor)
}

/** Questions oldest first: a question never moves in this list, whatever its votes. */
export const pageQuestionsByTime = async (
  sql: Queryable,
  eventId: string,
  status: QuestionStatus | null,
  page: PageRequest,
): Promise<Page<Question>> => {
  const after = page.after ?? BEFORE_ALL
  const rows = await sql<Question[]>`
    select ${sql.unsafe(COLUMNS)} from questions
     where event_id = ${eventId} and (${status}::text is null or status = ${status})
       and (created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
     order by created_at, id limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

export interface QuestionOwner {
  readonly id: string
  readonly eventId: string
  readonly workspaceId: string
  readonly status: QuestionStatus
  readonly votes: number
}

/** The event of a question, the event's workspace, and the question's status. */
export const findQuestionOwner = async (sql: Queryable, id: string): Promise<QuestionOwner | undefined> => {
  const [row] = await sql<QuestionOwner[]>`
    select q.id, q.event_id, e.workspace_id, q.status, q.votes
      from questions q join events e on e.id = q.event_id where q.id = ${id}`
  return row
}
