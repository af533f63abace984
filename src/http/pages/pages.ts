/** Every page this server has, and how a page says that something went wrong. */
import { Cause, Effect } from "effect"
import type { Failure } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry.ts"
import type { HandlerServices } from "../call.ts"
import type { HttpRequest, HttpResponse } from "../message.ts"
import type { Problems } from "../problem.ts"
import { RateLimits } from "../rate-limits.ts"
import { accountPages } from "./account-pages.ts"
import { eventPages } from "./event-pages.ts"
import { invitePages } from "./invite-pages.ts"
import { html, type Page, page } from "./page.ts"
import { unsubscribePages } from "./unsubscribe-pages.ts"

const home: Page = {
  method: "GET",
  path: "/",
  answer: () =>
    Effect.succeed(
      page(
        "Gathercue",
        html`<p>This server runs live events. Its interface is described <a href="/v1/docs">here</a>.</p>`,
      ),
    ),
}

export const PAGES: ReadonlyArray<Page> = [home, ...accountPages, ...invitePages, ...eventPages, ...unsubscribePages]

const sayProblem = (problem: HttpResponse): HttpResponse => {
  const { detail } = JSON.parse(problem.body) as { readonly detail: string }
  const headers = problem.headers.filter(([name]) => name === "retry-after")
  return page("That did not work", html`<p>${detail}</p>`, { status: problem.status, headers })
}

/** A form may carry a password: it counts like a login. */
const limited = (request: HttpRequest, answer: ReturnType<Page["answer"]>): ReturnType<Page["answer"]> =>
  Effect.flatMap(RateLimits, (limits) =>
    Effect.andThen(limits.take(request.method === "POST" ? "login" : "publicRead", request.client), answer),
  )

/** Answers with the page whatever happens; a problem is said in words. */
export const servePage =
  ({ answer }: Page, problems: Problems) =>
  (request: HttpRequest): Effect.Effect<HttpResponse, never, HandlerServices> =>
    Effect.catchCause(limited(request, answer(request)), (cause) => {
      const failure = Cause.findErrorOption(cause) as { readonly _tag: string; readonly value?: Failure }
      if (failure.value !== undefined) return Effect.succeed(sayProblem(problems.of(failure.value)))
      return Effect.map(Telemetry, ({ log }) => {
        log.error({ requestId: request.requestId, err: Cause.squash(cause) }, "a page failed unexpectedly")
        return sayProblem(problems.write("internal_error", `Quote request id ${request.requestId}.`))
      })
    })
