/**
 * REST on native uWebSockets.js routes: the only file that touches its requests and responses.
 * Rules of the engine kept here: a request is read before anything asynchronous; every response that is not sent at once
 * has an abort handler and is never touched after it fired; body chunks are copied, because their memory is reused; every
 * write is corked.
 */
import type { TemplatedApp, HttpRequest as UwsRequest, HttpResponse as UwsResponse } from "uWebSockets.js"
import type { ClientAddresses } from "../../identity/callers/client-addresses.ts"
import { BadRequest, PayloadTooLarge } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { Framing } from "./framing.ts"
import { IGNORED_HEADER } from "./ignored-properties.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"
import type { Problems } from "./problem.ts"

/** The engine's app that routes are bound to. */
export type RouteApp = TemplatedApp

/** Bodies larger than this are refused while they arrive. */
export const BODY_LIMIT_BYTES = 262_144

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const latin1 = new TextDecoder("latin1")
const EMPTY = new Uint8Array(0)

/** Takes a request that is complete and calls back with the response, exactly once. */
export type Respond = (request: HttpRequest, send: (response: HttpResponse) => void) => void

export interface PlainRoute {
  readonly method: string
  readonly path: string
  /** Browsers on any origin may call it: it takes no cookie. */
  readonly crossOrigin: boolean
  /** Whether the client's address is needed: reading it has a cost. */
  readonly wantsClient: boolean
  readonly respond: Respond
}

/** A request before its body. */
export type RequestHead = Omit<HttpRequest, "body" | "client" | "isGone"> & {
  /** Why the end of the body is ambiguous. */
  readonly fault: string | null
}

export interface RouteOptions {
  readonly problems: Problems
  readonly clients: ClientAddresses["Service"]
  /** Clients reach us by TLS only: responses make browsers insist on it (RFC 6797). */
  readonly isHttps: boolean
  /** Called for every response, for metrics and the drain. */
  readonly onStart: () => void
  /** `route`: the path as it was registered; the path of the request may hold a token. */
  readonly onEnd: (status: number, head: RequestHead, route: string) => void
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: "200 OK",
  201: "201 Created",
  202: "202 Accepted",
  204: "204 No Content",
  302: "302 Found",
  304: "304 Not Modified",
  400: "400 Bad Request",
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Method Not Allowed",
  409: "409 Conflict",
  413: "413 Payload Too Large",
  415: "415 Unsupported Media Type",
  422: "422 Unprocessable Content",
  429: "429 Too Many Requests",
  500: "500 Internal Server Error",
  501: "501 Not Implemented",
  503: "503 Service Unavailable",
}

const INSIST_ON_TLS: HttpResponse["headers"] = [["strict-transport-security", "max-age=31536000"]]

const CROSS_ORIGIN: HttpResponse["headers"] = [
  ["access-control-allow-origin", "*"],
  [
    "access-control-expose-headers",
    `x-request-id, retry-after, link, etag, ratelimit, ratelimit-policy, ${IGNORED_HEADER}`,
  ],
]

const preflight = (methods: string): HttpResponse => ({
  status: 204,
  headers: [
    ["access-control-allow-methods", methods],
    ["access-control-allow-headers", "authorization, content-type, idempotency-key, x-request-id"],
    ["access-control-max-age", "86400"],
  ],
  body: "",
})

const decodeParam = (raw: string): string => {
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

/** Copies a request out of the engine; only valid synchronously. */
const readHead = (req: UwsRequest, path: string, names: ReadonlyArray<string>): RequestHead => {
  const headers: { [name: string]: string } = {}
  const framing = new Framing()
  req.forEach((name, value) => {
    // Proxies add a line of their own or to the list: all lines are one list.
    const before = name === "x-forwarded-for" ? headers[name] : undefined
    headers[name] = before === undefined ? value : `${before},${value}`
    framing.see(name, value)
  })
  const params: { [name: string]: string } = {}
  for (const [index, name] of names.entries()) params[name] = decodeParam(req.getParameter(index) ?? "")
  const given = headers["x-request-id"]
  return {
    method: req.getMethod().toUpperCase(),
    path: names.length === 0 && !path.endsWith("*") ? path : req.getUrl(),
    params,
    query: req.getQuery() ?? "",
    headers,
    requestId: given !== undefined && REQUEST_ID.test(given) ? given : newId(),
    fault: framing.fault,
  }
}

/** One response in flight; everything after an abort is dropped. */
class Exchange {
  aborted = false
  #sent = false
  readonly #res: UwsResponse
  readonly #options: RouteOptions
  readonly #head: RequestHead
  readonly #route: string
  readonly #crossOrigin: boolean

  constructor(res: UwsResponse, head: RequestHead, route: string, crossOrigin: boolean, options: RouteOptions) {
    this.#res = res
    this.#head = head
    this.#route = route
    this.#crossOrigin = crossOrigin
    this.#options = options
    options.onStart()
    res.onAborted(() => {
      this.aborted = true
      if (!this.#sent) options.onEnd(499, head, route)
    })
  }

  /**
   * Refuses a request whose end is ambiguous; returns whether it was one. The answer is delayed: while it is open, the engine
   * takes no other request from the connection and closes it when one follows. After an answer the engine would read on to the
   * end of the data.
   */
  refuseFaulty(): boolean {
    const { fault } = this.#head
    if (fault === null) return false
    setImmediate(() => this.send(this.#options.problems.of(new BadRequest({ detail: fault })), true))
    return true
  }

  send = (response: HttpResponse, closeConnection = false): void => {
    if (this.aborted || this.#sent) return
    this.#sent = true
    this.#res.cork(() => {
      const res = this.#res
      res.writeStatus(STATUS_TEXT[response.status] ?? String(response.status))
      res.writeHeader("x-request-id", this.#head.requestId)
      res.writeHeader("x-content-type-options", "nosniff")
      this.#writeHeaders(response.headers)
      if (this.#options.isHttps) this.#writeHeaders(INSIST_ON_TLS)
      if (this.#crossOrigin) this.#writeHeaders(CROSS_ORIGIN)
      const isBodiless = response.status === 204 || response.status === 304
      // A client whose connection is closed learns the reason, also from an answer that has no body otherwise.
      if (!closeConnection && (isBodiless || this.#head.method === "HEAD")) {
        if (!isBodiless) res.writeHeader("content-length", String(Buffer.byteLength(response.body)))
        // Without arguments: given any, the engine writes a length of its own and never completes the response.
        res.endWithoutBody()
      } else res.end(response.body, closeConnection)
    })
    this.#options.onEnd(response.status, this.#head, this.#route)
  }

  #writeHeaders(headers: HttpResponse["headers"]): void {
    for (const [name, value] of headers) this.#res.writeHeader(name, value)
  }

  /** Collects the body up to the limit, then calls back; a larger one is refused while it arrives. */
  readBody(then: (body: Uint8Array) => void, tooLarge: () => void): void {
    const chunks: Uint8Array[] = []
    let size = 0
    this.#res.onData((chunk, isLast) => {
      if (this.#sent || this.aborted) return
      size += chunk.byteLength
      if (size > BODY_LIMIT_BYTES) return tooLarge()
      if (chunk.byteLength > 0) chunks.push(new Uint8Array(chunk.slice(0)))
      if (!isLast) return
      then(chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? EMPTY))
    })
  }
}

const addressOf = (res: UwsResponse, head: RequestHead, clients: RouteOptions["clients"]): string =>
  clients.of(latin1.decode(res.getRemoteAddressAsText()), head.headers["x-forwarded-for"]).address

const parameterNames = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/:([A-Za-z]+)/g), ([, name = ""]) => name)

const register = (app: TemplatedApp, route: PlainRoute, options: RouteOptions): void => {
  const names = parameterNames(route.path)
  const { problems } = options
  const hasBody = !["GET", "HEAD", "OPTIONS"].includes(route.method)
  const handle = (res: UwsResponse, req: UwsRequest): void => {
    const head = readHead(req, route.path, names)
    const exchange = new Exchange(res, head, route.path, route.crossOrigin, options)
    if (exchange.refuseFaulty()) return
    const client = route.wantsClient ? addressOf(res, head, options.clients) : ""
    const respond = (body: Uint8Array): void =>
      route.respond({ ...head, body, client, isGone: () => exchange.aborted }, exchange.send)
    const refuse = (): void => exchange.send(problems.of(new PayloadTooLarge({ limitBytes: BODY_LIMIT_BYTES })), true)
    if (!hasBody) respond(EMPTY)
    else if (Number(head.headers["content-length"] ?? 0) > BODY_LIMIT_BYTES) refuse()
    else exchange.readBody(respond, refuse)
  }
  if (route.method === "GET") {
    app.get(route.path, handle)
    app.head(route.path, handle)
  } else if (route.method === "POST") app.post(route.path, handle)
  else if (route.method === "PATCH") app.patch(route.path, handle)
  else if (route.method === "PUT") app.put(route.path, handle)
  else app.del(route.path, handle)
}

/**
 * Answers everything with one response until the returned function is called: for the time before the routes are bound, because
 * the engine's own answer would be a 404, which clients treat as final.
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
      res.writeStatus(STATUS_TEXT[response.status] ?? String(response.status))
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
export const bindRoutes = (app: TemplatedApp, routes: ReadonlyArray<PlainRoute>, options: RouteOptions): void => {
  const byPath = new Map<string, PlainRoute[]>()
  for (const route of routes) {
    register(app, route, options)
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), route])
  }
  for (const [path, onPath] of byPath) {
    const methods = onPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ")
    const crossOrigin = onPath.some((route) => route.crossOrigin)
    app.any(path, (res, req) => {
      const head = readHead(req, path, parameterNames(path))
      const exchange = new Exchange(res, head, path, crossOrigin, options)
      if (exchange.refuseFaulty()) return
      if (head.method === "OPTIONS" && crossOrigin) return exchange.send(preflight(methods))
      const problem = options.problems.write("method_not_allowed", `Use one of: ${methods}.`, [["allow", methods]])
      return exchange.send(problem)
    })
  }
  app.any("/*", (res, req) => {
    const exchange = new Exchange(res, readHead(req, "/*", []), "/*", false, options)
    if (!exchange.refuseFaulty()) exchange.send(options.problems.write("not_found", "No such path."))
  })
}
