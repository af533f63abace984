/** All pages of this server, and the error page. */
import { Cause, Effect } from "effect"
import type { Failure } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { RateLimits } from "../limits/rate-limits.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { internalError, type Problem, problemOf } from "../transport/problem.ts"
import { accountPages } from "./account-pages.ts"
import { eventPages } from "./event-pages.ts"
import { invitePages } from "./invite-pages.ts"
import { leavePages } from "./leave-pages.ts"
import { listPages } from "./list-pages.ts"
import { html, type PageRoute, renderPage } from "./page.ts"
import { placePages } from "./place-pages.ts"
import { signInPages } from "./sign-in-page.ts"
import { unsubscribePages } from "./unsubscribe-pages.ts"

const home: PageRoute<never> = {
  method: "GET",
  path: "/",
  answer: () =>
    Effect.succeed(
      renderPage(
        "Gathercue",
        html`<p>This server runs live events. <a href="/docs">Documentation</a>, <a href="/v1/docs">reference</a>.</p>`,
      ),
    ),
}

const pages = [
  home,
  ...accountPages,
  ...invitePages,
  ...eventPages,
  ...leavePages,
  ...listPages,
  ...placePages,
  ...signInPages,
  ...unsubscribePages,
]

/** Services required by the handlers of the pages. */
type PageServices = Effect.Services<ReturnType<(typeof pages)[number]["answer"]>>

export const PAGES: ReadonlyArray<PageRoute<PageServices>> = pages

/** For a browser whose address no route has. */
export const NO_SUCH_PAGE = renderPage(
  "No such page",
  html`<p>There is nothing at this address. Compare it with the link that you were given, or ask whoever gave it to you.</p>`,
  { status: 404 },
)

const problemPage = ({ status, detail, headers }: Problem): HttpResponse =>
  renderPage("That did not work", html`<p>${detail}</p>`, {
    status,
    headers: headers.filter(([name]) => name === "retry-after"),
  })

const limited = <Services>({ limit, method, answer }: PageRoute<Services>, request: HttpRequest) =>
  Effect.flatMap(RateLimits, (limits) =>
    Effect.andThen(limits.take(limit ?? (method === "POST" ? "login" : "publicRead"), request.client), answer(request)),
  )

/** Answers a problem in the form of the route, which is a page where it names none. */
export const servePage =
  <Services>(one: PageRoute<Services>) =>
  (request: HttpRequest): Effect.Effect<HttpResponse, never, Services | RateLimits | Telemetry> => {
    const { refuse = problemPage } = one
    return Effect.catchCause(limited(one, request), (cause) => {
      const failure = Cause.findErrorOption(cause) as { readonly _tag: string; readonly value?: Failure }
      if (failure.value !== undefined) return Effect.succeed(refuse(problemOf(failure.value)))
      return Effect.map(Telemetry, ({ log }) => {
        log.error({ requestId: request.requestId, err: Cause.squash(cause) }, "a page failed unexpectedly")
        return refuse(internalError(request.requestId))
      })
    })
  }
