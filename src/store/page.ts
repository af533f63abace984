/** Keyset pages: newest first by (created_at, id), so that a page is stable while rows are added. */
import { parseId } from "../model/ids.ts"
import { parseTimestamp, type Timestamp } from "../model/timestamp.ts"

export interface PageRequest<Position = PagePosition> {
  /** Maximum number of rows, 1..100. */
  readonly limit: number
  readonly after: Position | null
}

/** Last row of the previous page. */
export interface PagePosition {
  readonly createdAt: Timestamp
  readonly id: string
}

export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly nextCursor: string | null
}

/** Position before every row, from which a first page starts. */
export const FIRST_PAGE: PagePosition = {
  createdAt: "9999-12-31T23:59:59.999Z",
  id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
}

export const encodeCursor = (position: PagePosition): string =>
  Buffer.from(`${position.createdAt} ${position.id}`).toString("base64url")

export const decodeCursor = (cursor: string): PagePosition | undefined => {
  const [time = "", id = "", ...rest] = Buffer.from(cursor, "base64url").toString("utf8").split(" ")
  const createdAt = parseTimestamp(time)
  const parsed = parseId(id)
  return createdAt === undefined || parsed === undefined || rest.length > 0 ? undefined : { createdAt, id: parsed }
}

/** Drops the row read beyond the limit, which only shows that there is more. */
export const toPage = <Row extends PagePosition>(
  rows: ReadonlyArray<Row>,
  limit: number,
  encode: (last: Row) => string = encodeCursor,
): Page<Row> => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, nextCursor: rows.length > limit && last !== undefined ? encode(last) : null }
}
