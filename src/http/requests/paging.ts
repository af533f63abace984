/** HTTP paging: parses the query, writes the cursor and the `Link` header (RFC 8288). */
import { Effect } from "effect"
import { BadRequest } from "../../model/errors.ts"
import { decodeCursor, type Page, type PagePosition, type PageRequest } from "../../store/page.ts"
import { Reply } from "./call.ts"

const DEFAULT_LIMIT = 100

interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

export const pageRequest = (query: PageQuery): Effect.Effect<PageRequest, BadRequest> =>
  pageRequestBy(query, decodeCursor)

/** Like `pageRequest`, for a list in another order, whose cursor holds another position. */
export const pageRequestBy = <Position extends PagePosition>(
  query: PageQuery,
  decode: (cursor: string) => Position | undefined,
): Effect.Effect<PageRequest<Position>, BadRequest> => {
  const limit = query.limit ?? DEFAULT_LIMIT
  if (query.cursor === undefined) return Effect.succeed({ limit, after: null })
  const after = decode(query.cursor)
  return after === undefined
    ? Effect.fail(BadRequest.ofParameter("cursor", "not one that a page of ours gave"))
    : Effect.succeed({ limit, after })
}

/** The page's body, with `Link: <…>; rel="next"` when there is a next one: the same filters, the next cursor. */
export const pageReply = <Body>(
  call: { readonly path: string; readonly query: PageQuery },
  page: Page<unknown>,
  body: Body,
): Reply<Body> => {
  if (page.nextCursor === null) return new Reply(body, {})
  const { limit = DEFAULT_LIMIT, cursor: _, ...filters } = call.query
  const next = new URLSearchParams({ ...filters, limit: String(limit), cursor: page.nextCursor })
  return new Reply(body, { headers: [["link", `<${call.path}?${next}>; rel="next"`]] })
}
