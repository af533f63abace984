/**
 * The assembled REST server: the contract's routes, and a few plain ones (health, metrics, description). Stopping waits for requests in
 * flight; the composition root owns the listening socket.
 */
import { Effect, Redacted } from "effect"
import { currentTimers, every } from "../clock/timers.ts"
import type { Authenticator } from "../identity/callers/authenticate.ts"
import { ClientAddresses } from "../identity/callers/client-addresses.ts"
import type { BearerLinks } from "../identity/links/bearer-links.ts"
import { RequestCaller } from "../identity/request-caller.ts"
import { sameSecret } from "../identity/secrets.ts"
import type { StreamSessions } from "../identity/stream-sessions.ts"
import { StorageProbe } from "../media/storage/storage-probe.ts"
import { Unauthorized, Unavailable } from "../model/errors.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { GATEWAY_PATH } from "../protocol/wire/frames.ts"
import { Database } from "../store/database.ts"
import { DatabaseHeartbeat } from "../store/heartbeat.ts"
import { Quiet } from "../store/quiet/quiet.ts"
import { type AccessLogMode, accessLog } from "../telemetry/access-log.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { ignoresCookies, isPublicRead, takesNoCredentials } from "./contract/access.ts"
import { PROBLEMS } from "./contract/problem.ts"
import { developmentRoutes } from "./development/development-routes.ts"
import type { ReadPublicEvent } from "./pages/event-in-page.ts"
import { NO_SUCH_PAGE, PAGES, servePage } from "./pages/pages.ts"
import { LongPolls } from "./requests/long-polls.ts"
import { HttpSettings } from "./requests/settings.ts"
import { type RequestServices, type Route, routes } from "./routes.ts"
import { streamingRoutes } from "./streaming-routes.ts"
import { policyOfPage } from "./transport/inline-scripts.ts"
import { deviceOf, type HttpRequest, type HttpResponse } from "./transport/message.ts"
import { Problems } from "./transport/problem.ts"
import { sharedBody } from "./transport/shared-body.ts"
import { bindRoutes, type PlainRoute, type RouteApp } from "./transport/uws-http.ts"

interface RestOptions {
  /** Null outside production opens the path; null in production removes it. */
  readonly metricsToken: Redacted.Redacted<string> | null
  /** Contact address for security reports; null removes `security.txt`. */
  readonly securityContact: string | null
  readonly production: boolean
  readonly accessLog: AccessLogMode
  /** Time in milliseconds after which an unanswered request is given up (`answer-deadlines.ts`). */
  readonly deadlineMs: number
  /** Maximum number of concurrent media uploads. */
  readonly uploads: number
  /** Texts that are built or read at their first request. */
  readonly descriptions: {
    readonly openapi: Effect.Effect<string | Uint8Array>
    readonly asyncapi: Effect.Effect<string | Uint8Array>
    readonly reference: Effect.Effect<string | Uint8Array>
  }
  /** Reason in one sentence, besides the database, why the process cannot take work; null when there is none. */
  readonly obstacle: () => string | null
  readonly isStopping: () => boolean
  /** Public files; undefined when there is no such file. `read` is for pages that embed the event of their path. */
  readonly files: ReadonlyArray<{
    readonly path: string
    /** Whether the answer reads an event, which counts against the limits of the client's address. */
    readonly readsEvent?: boolean
    readonly answer: <R>(
      request: HttpRequest,
      read: ReadPublicEvent<R>,
    ) => Effect.Effect<HttpResponse | undefined, never, R>
  }>
}

export interface Rest {
  /** Resolves to true when no request is in flight, and to false after `deadlineMs`. */
  readonly drained: (deadlineMs: number) => Promise<boolean>
}

/** Statuses are registered in advance, so that an alert on a status works before its first answer. */
const STATUSES = new Set([200, 201, 204, 304, ...Object.values(PROBLEMS).map(({ status }) => status)])

const SECURITY_TXT_MS = 180 * 86_400_000

const headersOf = (type: string): HttpResponse["headers"] => [
  ["content-type", type],
  ["cache-control", "no-cache"],
]

const text = (status: number, type: string, body: string): HttpResponse => ({ status, headers: headersOf(type), body })

const json = (status: number, body: object): HttpResponse => text(status, "application/json", JSON.stringify(body))

/** Compiles every route and binds it to the app. */
export const bindRest = (
  app: RouteApp,
  options: RestOptions,
): Effect.Effect<
  Rest,
  never,
  | RequestServices
  | HttpSettings
  | LongPolls
  | Authenticator
  | BearerLinks
  | ClientAddresses
  | Database
  | DatabaseHeartbeat
  | StorageProbe
  | StreamSessions
  | Telemetry
> =>
  Effect.gen(function* () {
    const { publicUrl } = yield* HttpSettings
    const { log, metrics, busiest, render } = yield* Telemetry
    const heartbeat = yield* DatabaseHeartbeat
    const probe = yield* StorageProbe
    const { isQuiet } = yield* Quiet
    const clients = yield* ClientAddresses
    const database = yield* Database
    const timers = yield* currentTimers
    const longPolls = yield* LongPolls
    const run = Effect.runCallbackWith(yield* Effect.context<RequestServices>())
    const problems = new Problems(`${publicUrl}/v1/errors`)
    const noSuchPath = problems.write(
      "not_found",
      "No such path. Those of the API begin with /v1/ and end without a slash; /v1/docs lists them.",
    )
    const logRequest = accessLog(log, options.accessLog)
    for (const status of STATUSES) metrics.httpRequests.add(0, String(status))
    let inFlight = 0
    let onIdle: (() => void) | undefined

    /** Bounds the wait for a hanging database; the request's work may still complete. One timer serves all requests. */
    const pending = new Set<{ readonly until: number; readonly send: (response: HttpResponse) => void }>()
    const stopGivingUp = every(timers, 1000, () => {
      const now = timers.elapsed()
      for (const waiting of pending) {
        if (waiting.until > now) continue
        pending.delete(waiting)
        waiting.send(problems.of(new Unavailable({ detail: "The request took too long.", retryAfterSeconds: 5 })))
      }
    })

    /** Runs an effect that always answers; an escaped defect is answered too. */
    const respond =
      (
        answer: (request: HttpRequest) => Effect.Effect<HttpResponse, never, RequestServices>,
        waitsMs = 0,
      ): PlainRoute["respond"] =>
      (request, send) => {
        const waiting = { until: timers.elapsed() + options.deadlineMs + waitsMs, send }
        pending.add(waiting)
        const caller = {
          address: request.client,
          // A getter, because few handlers besides sign-in read it.
          get client() {
            return deviceOf(request)
          },
          requestId: request.requestId,
          isGone: () => request.isGone() || !pending.has(waiting),
        }
        const work = answer(request)
        // Reads need no caller, and a service of its own would cost each request a copy of all services.
        const isRead = request.method === "GET" || request.method === "HEAD"
        run(isRead ? work : Effect.provideService(work, RequestCaller, caller), {
          onExit: (exit) => {
            pending.delete(waiting)
            if (exit._tag === "Success") return send(exit.value)
            log.error({ requestId: request.requestId, err: exit.cause }, "a request was interrupted")
            send(problems.internalError(request.requestId))
          },
        })
      }

    const crowded = new Unavailable({ detail: "The server has too much to do right now.", retryAfterSeconds: 1 })

    /** Under overload a request is refused before any work is done for it, so that started requests finish. */
    const respondUnlessCrowded =
      (...answer: Parameters<typeof respond>): PlainRoute["respond"] =>
      (request, send) => {
        if (!database.isCrowded()) return respond(...answer)(request, send)
        metrics.databaseRefused.add()
        return send(problems.of(crowded))
      }

    const contractRoute = ({ method, path, access, serve, wantsClient, bodyLimit, waitsMs }: Route): PlainRoute => ({
      method,
      path,
      wantsClient,
      bodyLimit,
      // The account routes authenticate by this site's cookie alone.
      crossOrigin:
        (takesNoCredentials(access) || isPublicRead(access) || ignoresCookies(access)) &&
        !path.startsWith("/v1/accounts/"),
      respond: respondUnlessCrowded(serve, waitsMs),
    })

    const plain = (
      path: string,
      answer: (request: HttpRequest) => Effect.Effect<HttpResponse, never, RequestServices>,
    ): PlainRoute => ({
      method: "GET",
      path,
      wantsClient: false,
      crossOrigin: path.startsWith("/v1/") && !path.startsWith("/v1/dev/"),
      respond: respond(answer),
    })

    const readiness = (): HttpResponse => {
      const { isReady, reason } = heartbeat.readiness()
      // A stopping server says so, whatever the database does meanwhile.
      const obstacle = (options.isStopping() ? null : reason) ?? options.obstacle()
      const isFit = obstacle === null
      const status = isFit ? "ready" : "unavailable"
      // Storage does not count towards fitness, because everything but media works without it.
      const storage = probe.isWritable()
      return json(isFit ? 200 : 503, { status, database: isReady, storage, quiet: isQuiet(), reason: obstacle })
    }

    const metricsAnswer = (request: HttpRequest): HttpResponse => {
      const token = options.metricsToken
      if (token === null && options.production) return problems.write("not_found", "No such path.")
      const given = /^bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "")?.[1] ?? ""
      if (token !== null && !sameSecret(given, Redacted.value(token))) {
        return problems.of(new Unauthorized({ detail: "Send the metrics token as a bearer token." }))
      }
      return text(200, "text/plain; version=0.0.4", render())
    }

    /** RFC 9116: `Expires` is less than a year ahead. */
    const securityTxt = (): HttpResponse => {
      if (options.securityContact === null) return problems.write("not_found", "No such path.")
      const lines = [
        `Contact: ${options.securityContact}`,
        `Expires: ${toTimestamp(timers.now() + SECURITY_TXT_MS)}`,
        `Canonical: ${publicUrl}/.well-known/security.txt`,
      ]
      return text(200, "text/plain; charset=utf-8", `${lines.join("\n")}\n`)
    }

    /** RFC 9110, section 15.5.22. */
    const askForUpgrade = (): HttpResponse =>
      problems.write("upgrade_required", "Connect with a WebSocket client: this address takes upgrades alone.", [
        ["upgrade", "websocket"],
        ["connection", "upgrade"],
      ])

    const pageRoute = (one: (typeof PAGES)[number]): PlainRoute => ({
      method: one.method,
      path: one.path,
      crossOrigin: false,
      wantsClient: true,
      respond: respondUnlessCrowded(servePage(one)),
    })

    const forDevelopment = developmentRoutes(problems, publicUrl, timers.now).map(({ method, path, answer }) => ({
      ...plain(path, answer),
      method,
    }))

    const contract = yield* routes(options.descriptions.openapi)
    const publicEvent = contract.find(({ method, path }) => method === "GET" && path === "/v1/public/events/:id")
    if (publicEvent === undefined) return yield* Effect.die(new Error("no endpoint reads a public event"))

    /** Reads as a caller without credentials, counted against the limits of the client's address. A crowded database is spared. */
    const readPublicEvent: ReadPublicEvent<RequestServices> = (request) =>
      database.isCrowded()
        ? Effect.succeed(problems.of(crowded))
        : publicEvent.serve({ ...request, method: "GET", query: "", headers: {} })

    // A built page replaces the plain one.
    const taken = new Set(options.files.map(({ path }) => path))
    bindRoutes(
      app,
      [
        ...contract.map(contractRoute),
        ...PAGES.filter(({ method, path }) => method !== "GET" || !taken.has(path)).map(pageRoute),
        ...(yield* streamingRoutes(problems, { uploads: options.uploads })),
        ...(options.production ? [] : forDevelopment),
        // Upgrades are handled by the gateway before they reach this route.
        plain(GATEWAY_PATH, () => Effect.sync(askForUpgrade)),
        plain("/healthz", () => Effect.succeed(json(200, { status: "ok" }))),
        plain("/readyz", () => Effect.sync(readiness)),
        plain("/metrics", (request) => Effect.sync(() => metricsAnswer(request))),
        plain("/.well-known/security.txt", () => Effect.sync(securityTxt)),
        plain("/v1/openapi.json", sharedBody(options.descriptions.openapi, headersOf("application/json"))),
        plain("/v1/asyncapi.json", sharedBody(options.descriptions.asyncapi, headersOf("application/json"))),
        ...options.files.map(({ path, answer, readsEvent = false }) => ({
          ...plain(path, (request) =>
            Effect.map(
              answer(request, readPublicEvent),
              (file) => file ?? problems.write("not_found", "No such path."),
            ),
          ),
          wantsClient: readsEvent,
        })),
        plain(
          "/v1/docs",
          sharedBody(options.descriptions.reference, (page) => [
            ...headersOf("text/html; charset=utf-8"),
            ["content-security-policy", policyOfPage(page)],
          ]),
        ),
      ],
      {
        problems,
        clients,
        isHttps: publicUrl.startsWith("https:"),
        isStopping: options.isStopping,
        unknownPath: ({ path, headers }) =>
          !path.startsWith("/v1/") && /\btext\/html\b/.test(headers["accept"] ?? "") ? NO_SUCH_PAGE : noSuchPath,
        logsAddresses: options.accessLog === "addresses",
        onStart: () => {
          inFlight++
        },
        onEnd: ({ head: { requestId, method, notes }, ...ended }) => {
          inFlight--
          const { eventId, ...logged } = notes
          logRequest({ ...ended, requestId, method, ...logged })
          busiest.request({ ...logged, eventId }, timers.now())
          metrics.httpRequests.add(1, String(ended.status))
          metrics.httpDuration.observe(ended.ms / 1000, ended.route)
          if (inFlight === 0) onIdle?.()
        },
      },
    )

    return {
      drained: (deadlineMs) => {
        stopGivingUp()
        Effect.runSync(longPolls.end)
        return inFlight === 0
          ? Promise.resolve(true)
          : new Promise((resolve) => {
              const cancel = timers.after(deadlineMs, () => resolve(false))
              onIdle = () => {
                cancel()
                resolve(true)
              }
            })
      },
    }
  })
