/** The list of bearer links, and their revocation. */
import { Effect } from "effect"
import { BadRequest, Forbidden, NotFound } from "../../../model/errors.ts"
import { lockWorkspace, requireCredential } from "../../../store/accounts/credentials.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import {
  endLink,
  endLinksOf,
  findHolder,
  type Holder,
  holderText,
  linkHolderOf,
  pageLinks,
} from "../../../store/workspaces/listed-links.ts"
import type { Links } from "../../contract/workspaces/links.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { recheckSockets } from "./grant-changes.ts"

const TARGETS = { linkId: "link", accountId: "account", userId: "user", keyId: "key" } as const
const NAMES = ["linkId", "accountId", "userId", "keyId"] as const

type Target = Holder | { readonly kind: "link"; readonly id: string }
type Asked = { readonly [N in keyof typeof TARGETS]?: string }

const notOne = (asked: Asked): BadRequest => {
  const detail = "Name one of linkId, accountId, userId and keyId."
  const given = NAMES.filter((name) => asked[name] !== undefined)
  return new BadRequest({
    detail,
    errors: (given.length > 0 ? given : NAMES).map((parameter) => ({ parameter, detail })),
  })
}

const targetIn = (asked: Asked): Effect.Effect<Target | undefined, BadRequest> => {
  const given = NAMES.flatMap((name) => (asked[name] === undefined ? [] : [{ kind: TARGETS[name], id: asked[name] }]))
  return given.length > 1 ? Effect.fail(notOne(asked)) : Effect.succeed(given[0])
}

const endOf = (sql: Queryable, { workspaceId, role }: Scopes["workspaceAdmin"], target: Target) =>
  Effect.gen(function* () {
    if (target.kind === "link") {
      const isEnded = yield* query(() => endLink(sql, workspaceId, target.id))
      return isEnded ? undefined : yield* NotFound.of("link")
    }
    const holder = yield* query(() => linkHolderOf(sql, workspaceId, target))
    const found = yield* query(() => findHolder(sql, workspaceId, holder))
    if (found === undefined) return yield* NotFound.of("holder of links")
    if (found.isOwner && role !== "owner") {
      return yield* new Forbidden({ detail: "Only owners may end the links of an owner." })
    }
    return yield* query(() => endLinksOf(sql, workspaceId, holder))
  })

export const links = {
  listLinks: {
    access: "workspaceAdmin",
    handle: (call) =>
      Effect.gen(function* () {
        const { kind, eventId } = call.query
        const asked = yield* targetIn(call.query)
        const request = yield* pageRequest(call.query)
        const { workspaceId } = call.scope
        const page = yield* (yield* Database).run(async (sql) => {
          const holder = asked && holderText(await linkHolderOf(sql, workspaceId, asked))
          return pageLinks(sql, workspaceId, { kind, eventId, holder }, request)
        })
        return pageReply(call, page, { links: page.rows, nextCursor: page.nextCursor })
      }),
  },
  endLinks: {
    access: "workspaceAdmin",
    handle: ({ query: asked, scope, scope: { workspaceId, sessionId } }) =>
      Effect.gen(function* () {
        const target = (yield* targetIn(asked)) ?? (yield* notOne(asked))
        yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockWorkspace(sql, workspaceId))
            yield* requireCredential(sql, workspaceId, { sessionId })
            yield* endOf(sql, scope, target)
          }),
        )
        // Rechecks the sockets and open streams that depend on the links.
        yield* recheckSockets({ workspaceId })
        return new Reply(undefined, { targets: [target.id] })
      }),
  },
} satisfies Handlers<typeof Links>
