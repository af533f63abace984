/** The lists of REST that have pages: where each is, and the statement behind it. */

import { newId } from "../../src/model/ids.ts"
import { DeliveryStatus } from "../../src/model/integrations/webhook-delivery.ts"
import { QuestionStatus } from "../../src/model/question.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import type { Queryable } from "../../src/store/database.ts"
import { pageEvents } from "../../src/store/events/events.ts"
import { decodeQuestionCursor, pageQuestions } from "../../src/store/events/questions.ts"
import { decodeCursor, encodeCursor, type PageRequest } from "../../src/store/page.ts"
import { pageWebhookDeliveries } from "../../src/store/webhooks/webhook-delivery-log.ts"
import { pageAudit } from "../../src/store/workspaces/audit.ts"
import { pageInvites } from "../../src/store/workspaces/invites.ts"
import { pageMemberships, pageUsers } from "../../src/store/workspaces/users.ts"
import { MOST_VOTES, SPAN_MS, type Stored } from "./rows.ts"

interface Place extends Stored {
  readonly workspaceId: string
}

/** One page that is asked for again and again; pages in the middle are many, so that no single one stays in the caches. */
export interface ListCase {
  readonly what: string
  readonly page: "first" | "middle"
  /** Path and query. */
  readonly paths: ReadonlyArray<string>
  /** The statement behind each path. */
  readonly statements: ReadonlyArray<(sql: Queryable) => Promise<unknown>>
}

interface List {
  readonly what: string
  readonly path: string
  readonly filter?: { readonly status: string }
  /** The position at this share of the list. */
  readonly cursorAt: (share: number) => string
  readonly read: (sql: Queryable, cursor: string | null) => Promise<unknown>
}

/** As REST does where no other limit is asked for. */
const LIMIT = 100
const MIDDLES = 20

const timeAt = (share: number): string => toTimestamp(Date.now() - share * SPAN_MS)

const newestFirst = (share: number): string => encodeCursor({ createdAt: timeAt(share), id: newId() })

/** Most votes first, then the oldest. */
const mostVotesFirst = (share: number): string =>
  Buffer.from(`${Math.round((1 - share) * MOST_VOTES)} ${timeAt(0.5)} ${newId()}`).toString("base64url")

/** A position that a cursor of the server's own names; one that it did not know would measure a first page again. */
const requestOf = <Position>(
  cursor: string | null,
  decode: (cursor: string) => Position | undefined,
): PageRequest<Position> => {
  const after = cursor === null ? null : decode(cursor)
  if (after === undefined) throw new Error(`not a cursor: ${cursor}`)
  return { limit: LIMIT, after }
}

const byTime = (
  what: string,
  path: string,
  read: (sql: Queryable, page: PageRequest) => Promise<unknown>,
  filter?: { readonly status: string },
): List => ({
  what,
  path,
  cursorAt: newestFirst,
  read: (sql, cursor) => read(sql, requestOf(cursor, decodeCursor)),
  ...(filter === undefined ? {} : { filter }),
})

const deliveriesOf = ({ webhookId }: Place, status?: DeliveryStatus): List =>
  byTime(
    status === undefined ? "deliveries" : `deliveries, ${status}`,
    `/v1/webhooks/${webhookId}/deliveries`,
    (sql, page) => pageWebhookDeliveries(sql, { webhookId, status }, page),
    status === undefined ? undefined : { status },
  )

const questionsOf = ({ eventId }: Place, status?: QuestionStatus): List => ({
  what: status === undefined ? "questions" : `questions, ${status}`,
  path: `/v1/events/${eventId}/questions`,
  cursorAt: mostVotesFirst,
  read: (sql, cursor) => pageQuestions(sql, eventId, status ?? null, requestOf(cursor, decodeQuestionCursor)),
  ...(status === undefined ? {} : { filter: { status } }),
})

const listsOf = (place: Place): ReadonlyArray<List> => {
  const { workspaceId, eventId } = place
  return [
    byTime("events", "/v1/events", (sql, page) => pageEvents(sql, { workspaceId, eventIds: null }, {}, page)),
    byTime("users", "/v1/users", (sql, page) => pageUsers(sql, workspaceId, page)),
    byTime("memberships", `/v1/events/${eventId}/memberships`, (sql, page) => pageMemberships(sql, eventId, page)),
    byTime("audit entries", `/v1/workspaces/${workspaceId}/audit`, (sql, page) => pageAudit(sql, workspaceId, page)),
    byTime("invites", `/v1/workspaces/${workspaceId}/invites`, (sql, page) => pageInvites(sql, workspaceId, page)),
    deliveriesOf(place),
    ...DeliveryStatus.literals.map((status) => deliveriesOf(place, status)),
    questionsOf(place),
    ...QuestionStatus.literals.map((status) => questionsOf(place, status)),
  ]
}

const caseOf = (list: List, page: ListCase["page"], cursors: ReadonlyArray<string | null>): ListCase => ({
  what: list.what,
  page,
  paths: cursors.map((cursor) => {
    const query = new URLSearchParams({ ...list.filter, ...(cursor === null ? {} : { cursor }) })
    return query.size === 0 ? list.path : `${list.path}?${query}`
  }),
  statements: cursors.map((cursor) => (sql) => list.read(sql, cursor)),
})

/** In the second and third quarter of a list. */
const middles = ({ cursorAt }: List): ReadonlyArray<string> =>
  Array.from({ length: MIDDLES }, (_, index) => cursorAt(0.25 + (0.5 * index) / (MIDDLES - 1)))

export const casesOf = (place: Place): ReadonlyArray<ListCase> =>
  listsOf(place).flatMap((list) => [caseOf(list, "first", [null]), caseOf(list, "middle", middles(list))])
