/**
 * The page for unsubscribing from a workspace's emails. Opening it changes nothing; a POST to its address does, whether a form or a mail
 * program sends it (RFC 8058). The signed address is the only credential.
 */
import { Effect } from "effect"
import { type EmailRefusal, EmailRefusals, type RefusableKind } from "../../mail/email-refusals.ts"
import { NotFound } from "../../model/errors.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { deleteRefusal, findRefusal, insertRefusal } from "../../store/mail/emails.ts"
import { query } from "../../store/query.ts"
import { findWorkspaceName } from "../../store/workspaces/workspaces.ts"
import type { HttpRequest } from "../transport/message.ts"
import { type Html, html, type PageRoute, renderPage } from "./page.ts"
import { speaking } from "./words.ts"

const tokenOf = (request: HttpRequest): string => request.params["token"] ?? ""

/** The refusal named by the address, with the workspace's name; absent for an address that this server did not make. */
const refusalIn = (request: HttpRequest, change: (sql: Queryable, refusal: EmailRefusal) => Promise<void>) =>
  Effect.gen(function* () {
    const refusal = (yield* EmailRefusals).read(tokenOf(request))
    if (refusal === undefined) return yield* NotFound.of("link")
    return yield* (yield* Database).transaction((sql) =>
      Effect.gen(function* () {
        const workspace = yield* query(() => findWorkspaceName(sql, refusal.workspaceId))
        if (workspace === undefined) return yield* NotFound.of("link")
        yield* query(() => change(sql, refusal))
        const isRefused = yield* query(() => findRefusal(sql, refusal))
        return { workspace, kind: refusal.kind, isRefused }
      }),
    )
  })

interface Shown {
  readonly workspace: string
  readonly kind: RefusableKind
  readonly isRefused: boolean
}

const button = (request: HttpRequest, action: string, label: string): Html =>
  html`<form method="post" action="/unsubscribe/${tokenOf(request)}"><button name="action" value="${action}">${label}</button></form>`

const shown = (request: HttpRequest, { workspace, kind, isRefused }: Shown) => {
  const { words, language } = speaking(request)
  const [what, from] = [words.kinds[kind], html`<strong>${workspace}</strong>`]
  return isRefused
    ? renderPage(words.noMore, html`<p>${words.getsNone(what, from)}</p>${button(request, "resume", words.resume)}`, {
        language,
      })
    : renderPage(
        words.yourEmails,
        html`<p>${words.gets(what, from)}</p>${button(request, "refuse", words.refuse(what))}`,
        { language },
      )
}

/** Mail programs send other fields or form encodings, so every request that does not ask to resume is a refusal. */
const asksToResume = (request: HttpRequest): boolean =>
  new URLSearchParams(new TextDecoder().decode(request.body)).get("action") === "resume"

export const unsubscribePages = [
  {
    method: "GET",
    path: "/unsubscribe/:token",
    answer: (request) =>
      Effect.map(
        refusalIn(request, async () => {}),
        (found) => shown(request, found),
      ),
  },
  {
    method: "POST",
    path: "/unsubscribe/:token",
    // Mail providers post for all of their readers from a few addresses.
    limit: "publicRead",
    answer: (request) =>
      Effect.map(refusalIn(request, asksToResume(request) ? deleteRefusal : insertRefusal), (found) =>
        shown(request, found),
      ),
  },
] satisfies ReadonlyArray<PageRoute>
