/** Lists of an event. JSON is paged; CSV is the whole list at one moment. */
import { Effect, Semaphore } from "effect"
import { Conflict } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import { Database, type Queryable } from "../../store/database.ts"
import type { Page, PagePosition, PageRequest } from "../../store/page.ts"
import { CSV } from "../contract/file.ts"
import { Reply } from "./call.ts"
import { type Columns, CsvWriter } from "./csv.ts"
import { pageReply, pageRequestBy } from "./paging.ts"

interface AnyListCall {
  readonly path: string
  readonly query: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv" }
}

/** A call for a list of an event. */
export interface ListCall extends AnyListCall {
  readonly scope: { readonly event: Event }
}

/** `ownerId` is the event or workspace that owns the list. */
export type ReadPage<Item, Position> = (
  sql: Queryable,
  ownerId: string,
  request: PageRequest<Position>,
) => Promise<Page<Item>>

interface List<Item, View, Position extends PagePosition> {
  readonly read: ReadPage<Item, Position>
  readonly decode: (cursor: string) => Position | undefined
  readonly view: (item: Item) => View
  readonly columns: Columns<Item>
}

/** Rows per read for a file. */
const ROWS_AT_ONCE = 2000
/** Time limit for reading a file on one connection, so that each item appears once, whatever changes meanwhile. */
const READ_WITHIN_MS = 30_000
/** Maximum length of one file: an event has at most 100,000 people, of some 200 characters each. */
const MOST_CHARACTERS = 32 * 1_048_576
/** Maximum number of files in memory, for all callers. */
const filesAtOnce = Semaphore.makeUnsafe(2)

const TOO_LONG = new Conflict({
  detail: `The file would have more than ${MOST_CHARACTERS} characters; read it in pages.`,
})

const writtenFile = <Item, Position extends PagePosition>(
  ownerId: string,
  { read, decode, columns }: Pick<List<Item, unknown, Position>, "read" | "decode" | "columns">,
) =>
  Effect.gen(function* () {
    const database = yield* Database
    const content = yield* database.transaction(
      async (sql) => {
        const writer = new CsvWriter(columns)
        let after: Position | null = null
        while (writer.length <= MOST_CHARACTERS) {
          const request: PageRequest<Position> = { limit: ROWS_AT_ONCE, after }
          const page: Page<Item> = await read(sql, ownerId, request)
          writer.add(page.rows)
          after = page.nextCursor === null ? null : (decode(page.nextCursor) ?? null)
          if (after === null) return writer.text()
        }
        return undefined
      },
      { isSnapshot: true, withinMs: READ_WITHIN_MS },
    )
    return content ?? (yield* TOO_LONG)
  })

/** `name` names the list in the answer, and the file. */
export const listOrFile = <Name extends string, Item, View, Position extends PagePosition>(
  call: ListCall,
  name: Name,
  list: List<Item, View, Position>,
) => listOrFileOf(call.scope.event.id, call, name, list)

/** Like `listOrFile`, for an event or workspace by its id. */
export const listOrFileOf = <Name extends string, Item, View, Position extends PagePosition>(
  id: string,
  call: AnyListCall,
  name: Name,
  list: List<Item, View, Position>,
) =>
  Effect.gen(function* () {
    const body = (items: ReadonlyArray<View>, nextCursor: string | null) =>
      ({ [name]: items, nextCursor }) as { readonly [N in Name]: ReadonlyArray<View> } & {
        readonly nextCursor: string | null
      }
    if (call.query.format === "csv") {
      const content = yield* filesAtOnce.withPermits(1)(writtenFile(id, list))
      return new Reply(body([], null), {
        text: { contentType: `${CSV}; charset=utf-8`, content },
        headers: [["content-disposition", `attachment; filename="${name}-${id}.csv"`]],
      })
    }
    const request = yield* pageRequestBy(call.query, list.decode)
    const page = yield* (yield* Database).run((sql) => list.read(sql, id, request))
    return pageReply(call, page, body(page.rows.map(list.view), page.nextCursor))
  })
