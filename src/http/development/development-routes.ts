/** Routes for trying the product out, absent in production. */
import { isIP } from "node:net"
import { Effect } from "effect"
import { Mailer } from "../../mail/mailer.ts"
import { foldEmail } from "../../model/text/email.ts"
import { queryValue } from "../pages/page.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import { makeDevInbox } from "./dev-inbox.ts"

interface DevelopmentRoute {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly answer: (request: HttpRequest) => Effect.Effect<HttpResponse, never, Mailer>
}

const json = (body: object): HttpResponse => ({
  status: 200,
  headers: [
    ["content-type", "application/json"],
    ["cache-control", "no-cache"],
  ],
  body: JSON.stringify(body),
})

/** Whether the request names this server. A page of another site could point its own name at this machine and read emails. */
const namesServer = ({ headers }: HttpRequest, publicUrl: string): boolean => {
  const host = headers["host"] ?? ""
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1")
  return host === new URL(publicUrl).host || isIP(name) !== 0 || /^(?:[\w-]+\.)*localhost$/i.test(name)
}

/** `now`: Unix milliseconds. */
export const developmentRoutes = (
  problems: Problems,
  publicUrl: string,
  now: () => number,
): ReadonlyArray<DevelopmentRoute> => {
  /** Emails that would have been sent; `?to=` filters by address. */
  const outbox = (request: HttpRequest) =>
    Effect.flatMap(Mailer, (mailer) => {
      const to = foldEmail(queryValue(request, "to"))
      return mailer.outbox(to === "" ? null : to)
    }).pipe(
      Effect.map((mails) => json({ mails })),
      Effect.catch((failure) => Effect.succeed(problems.of(failure))),
    )
  const inbox = makeDevInbox(now)
  const take = (request: HttpRequest): HttpResponse => {
    const refusal = inbox.take(request)
    return refusal === null ? json({}) : problems.write("bad_request", refusal)
  }
  const list = (request: HttpRequest): HttpResponse => json({ deliveries: inbox.list(request.params["name"] ?? "") })
  const path = "/v1/dev/inboxes/:name"
  const routes: ReadonlyArray<DevelopmentRoute> = [
    { method: "GET", path: "/v1/dev/outbox", answer: outbox },
    { method: "GET", path, answer: (request) => Effect.sync(() => list(request)) },
    { method: "POST", path, answer: (request) => Effect.sync(() => take(request)) },
  ]
  const elsewhere = problems.write("forbidden", "Host: must be an address, localhost, or the host of PUBLIC_URL.")
  return routes.map((route) => ({
    ...route,
    answer: (request) => (namesServer(request, publicUrl) ? route.answer(request) : Effect.succeed(elsewhere)),
  }))
}
