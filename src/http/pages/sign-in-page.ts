/**
 * Confirmation of a sign-in through a workspace's identity provider that another site began: the person sees the account and accepts or
 * declines it.
 */
import { Effect } from "effect"
import { Connections } from "../../identity/connections/connections.ts"
import { Forbidden } from "../../model/errors.ts"
import { findPrimaryAddress } from "../../store/accounts/accounts.ts"
import { Database } from "../../store/database.ts"
import { findConnectionNames } from "../../store/workspaces/connections.ts"
import { UNASKED_COOKIE, UNASKED_PATH, unaskedCookie } from "../handlers/accounts/sso.ts"
import { issueSession } from "../requests/browser-session.ts"
import { cookieValue, isForeignSite } from "../requests/credentials.ts"
import { HttpSettings } from "../requests/settings.ts"
import { deviceOf, type HttpRequest } from "../transport/message.ts"
import { html, type PageRoute, renderPage } from "./page.ts"

const over = () => renderPage("This sign-in is over", html`<p>Begin again.</p>`, { status: 400 })

/** The pending sign-in of the browser's cookie, and its account. */
const waiting = ({ headers }: HttpRequest) =>
  Effect.gen(function* () {
    const database = yield* Database
    const proved = (yield* Connections).unaskedIn(cookieValue(headers["cookie"], UNASKED_COOKIE))
    if (proved === undefined) return undefined
    const address = yield* database.run((sql) => findPrimaryAddress(sql, proved.accountId))
    const names = yield* database.run((sql) => findConnectionNames(sql, proved.connectionId ?? ""))
    return address === undefined || names === undefined ? undefined : { proved, ...address, ...names }
  })

export const signInPages = [
  {
    method: "GET",
    path: UNASKED_PATH,
    answer: (request) =>
      Effect.map(waiting(request), (found) =>
        found === undefined
          ? over()
          : renderPage(
              "Sign in?",
              html`<p>Another site sent you here, to sign in to the workspace <strong>${found.workspace}</strong> by ${found.connection}. If you do not know this account, close the page.</p>
<form method="post" action="${UNASKED_PATH}"><button>Sign in as ${found.name} (${found.email})</button></form>`,
            ),
      ),
  },
  {
    method: "POST",
    path: UNASKED_PATH,
    answer: (request) =>
      Effect.gen(function* () {
        const settings = yield* HttpSettings
        if (isForeignSite(request, settings)) return yield* new Forbidden({ detail: "Sign in on the page itself." })
        const found = yield* waiting(request)
        if (found === undefined) return over()
        const session = yield* issueSession(found.proved, deviceOf(request))
        return renderPage("You are signed in", html`<p><a href="${settings.appUrl}/">Go on</a></p>`, {
          headers: [session, unaskedCookie(settings.publicUrl, "")].map((cookie) => ["set-cookie", cookie] as const),
        })
      }),
  },
] satisfies ReadonlyArray<PageRoute>
