/** REST on native uWebSockets.js routes. Only this file and `uws-exchange.ts` use its requests and responses. */
import type { TemplatedApp, HttpRequest as UwsRequest, HttpResponse as UwsResponse } from "uWebSockets.js"
import { PayloadTooLarge } from "../../model/errors.ts"
import { BODY_LIMIT_BYTES } from "./body-limit.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"
import { statusText } from "./status-texts.ts"
import { clientOfRequest, Exchange, type RequestHead, type RouteOptions, readHead } from "./uws-exchange.ts"

/** Engine app to which routes are bound. */
export type RouteApp = TemplatedApp

const EMPTY = new Uint8Array(0)

/** Handles a complete request and calls back with the response, exactly once. */
type Respond = (request: HttpRequest, send: (response: HttpResponse) => void) => void

export interface PlainRoute {
  readonly method: string
  readonly path: string
  /** Whether browsers on any origin may call the route, because it takes no cookie. */
  readonly crossOrigin: boolean
  /** Whether the client's address is needed: reading it has a cost. */
  readonly wantsClient: boolean
  /** Maximum body size in bytes, if it differs from the general one. */
  readonly bodyLimit?: number
  readonly respond: Respond
}

/** A route that streams its request's or response's body. */
export interface StreamRoute {
  readonly method: string
  readonly path: string
  readonly crossOrigin: boolean
  /** Called before anything asynchronous, for a request whose framing is sound. */
  readonly accept: (exchange: Exchange, head: RequestHead) => void
}

const preflight = (methods: string): HttpResponse => ({
  status: 204,
  headers: [
    ["access-control-allow-methods", methods],
    [
      "access-control-allow-headers",
      "authorization, content-type, content-range, if-match, if-range, idempotency-key, last-event-id, range, x-request-id",
    ],
    ["access-control-max-age", "86400"],
  ],
  body: "",
})

const parameterNames = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/:([A-Za-z]+)/g), ([, name = ""]) => name)

interface NamedRoute {
  readonly path: string
  /** Parameter names in order. */
  readonly names: ReadonlyArray<string>
  readonly crossOrigin: boolean
}

const opened = (res: UwsResponse, req: UwsRequest, { path, names, crossOrigin }: NamedRoute, options: RouteOptions) => {
  const head = readHead(req, path, names)
  if (options.logsAddresses) head.notes.address = clientOfRequest(res, head, options.clients).address
  return { head, exchange: new Exchange(res, head, path, crossOrigin, options) }
}

const BODILESS = ["GET", "HEAD", "OPTIONS"]

/** Refuses a body with a content coding, because none is decoded, and names what is accepted (RFC 9110 §12.5.3); returns whether it did. */
const refuseCoding = (exchange: Exchange, { method, headers }: RequestHead, { problems }: RouteOptions): boolean => {
  const coding = headers["content-encoding"] ?? ""
  if (BODILESS.includes(method) || /^(?:identity)?$/i.test(coding.trim())) return false
  const detail = "Send the body without a Content-Encoding: none is decoded here."
  const refusal = problems.write("unsupported_media_type", detail, [["accept-encoding", "identity"]])
  const refuse = (): void => exchange.refuse(refusal)
  // A short body of unknown length is read first, because answering it early ends the connection.
  exchange.readBody(BODY_LIMIT_BYTES, refuse, refuse)
  return true
}

type Handle = (res: UwsResponse, req: UwsRequest) => void

const streaming = (route: StreamRoute, options: RouteOptions): Handle => {
  const named = { ...route, names: parameterNames(route.path) }
  return (res, req) => {
    const { head, exchange } = opened(res, req, named, options)
    if (!exchange.refuseFaulty() && !refuseCoding(exchange, head, options)) route.accept(exchange, head)
  }
}

const buffered = (route: PlainRoute, options: RouteOptions): Handle => {
  const named = { ...route, names: parameterNames(route.path) }
  const { problems } = options
  const limitBytes = route.bodyLimit ?? BODY_LIMIT_BYTES
  const hasBody = !BODILESS.includes(route.method)
  return (res, req) => {
    const { head, exchange } = opened(res, req, named, options)
    if (exchange.refuseFaulty() || refuseCoding(exchange, head, options)) return
    const client = route.wantsClient ? clientOfRequest(res, head, options.clients).address : ""
    const respond = (body: Uint8Array): void =>
      route.respond({ ...head, body, client, isGone: () => exchange.aborted }, exchange.send)
    const refuse = (): void => exchange.refuse(problems.of(new PayloadTooLarge({ limitBytes })))
    if (!hasBody) respond(EMPTY)
    else if (Number(head.headers["content-length"] ?? 0) > limitBytes) refuse()
    else exchange.readBody(limitBytes, respond, refuse)
  }
}

const register = (app: TemplatedApp, route: PlainRoute | StreamRoute, options: RouteOptions): void => {
  const handle = "accept" in route ? streaming(route, options) : buffered(route, options)
  if (route.method === "GET") {
    app.get(route.path, handle)
    app.head(route.path, handle)
  } else if (route.method === "HEAD") app.head(route.path, handle)
  else if (route.method === "POST") app.post(route.path, handle)
  else if (route.method === "PATCH") app.patch(route.path, handle)
  else if (route.method === "PUT") app.put(route.path, handle)
  else app.del(route.path, handle)
}

/**
 * Answers everything with one response until the returned function is called. Before the routes are bound, the engine's own answer would be
 * a 404, which clients treat as final.
 */
export const answerEverything = (app: TemplatedApp, response: HttpResponse): (() => void) => {
  let isOver = false
  app.any("/*", (res, req) => {
    if (isOver) {
      req.setYield(true)
      return
    }
    res.onAborted(() => {})
    res.cork(() => {
      res.writeStatus(statusText(response.status))
      for (const [name, value] of response.headers) res.writeHeader(name, value)
      // The request's body, if it has one, is not read.
      res.end(response.body, true)
    })
  })
  return () => {
    isOver = true
  }
}

/** Binds every route, the answers for other methods on its path (405, or a preflight), and 404 for all other paths. */
export const bindRoutes = (
  app: TemplatedApp,
  routes: ReadonlyArray<PlainRoute | StreamRoute>,
  options: RouteOptions,
): void => {
  const byPath = new Map<string, Array<PlainRoute | StreamRoute>>()
  for (const route of routes) {
    register(app, route, options)
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), route])
  }
  for (const [path, onPath] of byPath) {
    const methods = onPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ")
    const crossOrigin = onPath.some((route) => route.crossOrigin)
    const names = parameterNames(path)
    app.any(path, (res, req) => {
      const { head, exchange } = opened(res, req, { path, names, crossOrigin }, options)
      if (exchange.refuseFaulty()) return
      if (head.method === "OPTIONS" && crossOrigin) return exchange.send(preflight(methods))
      const problem = options.problems.write("method_not_allowed", `Use one of: ${methods}.`, [["allow", methods]])
      return exchange.send(problem)
    })
  }
  app.any("/*", (res, req) => {
    const { head, exchange } = opened(res, req, { path: "/*", names: [], crossOrigin: false }, options)
    if (!exchange.refuseFaulty()) exchange.send(options.unknownPath(head))
  })
}
