/**
 * One request and its response on the engine. Rules of the engine kept here: a request is read before anything asynchronous; every
 * response that is not sent at once has an abort handler and is never touched after it fired; body chunks are copied, because their
 * memory is reused; every write is corked.
 */
import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from "uWebSockets.js"
import type { Client, ClientAddresses } from "../../identity/callers/client-addresses.ts"
import { BadRequest } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { upperAscii } from "../../model/text/compared.ts"
import { framingFault } from "./framing.ts"
import { IGNORED_HEADER } from "./ignored-properties.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"
import { OpenBody } from "./open-body.ts"
import type { Problems } from "./problem.ts"
import { statusText } from "./status-texts.ts"

/** Head of a request, before its body. */
export type RequestHead = Omit<HttpRequest, "body" | "client" | "isGone"> & {
  /** Reason why the end of the body is ambiguous. */
  readonly fault: string | null
}

/** One request and its response, for metrics and the log. */
interface EndedExchange {
  readonly head: RequestHead
  /** Registered path; the request's own path may hold a token. */
  readonly route: string
  readonly status: number
  /** Duration in milliseconds since the request's head. */
  readonly ms: number
  /** Bytes of the response's body; for a client that left early, the bytes that were to be sent. */
  readonly bytes: number
}

export interface RouteOptions {
  readonly problems: Problems
  readonly clients: ClientAddresses["Service"]
  /** Whether clients reach us by TLS only: responses then make browsers insist on it (RFC 6797). */
  readonly isHttps: boolean
  /** Whether the server is about to stop: answers then close their connections, so that the next request goes to another server. */
  readonly isStopping: () => boolean
  /** The answer where no route has the path. */
  readonly unknownPath: (head: RequestHead) => HttpResponse
  /** Whether the log has client addresses. */
  readonly logsAddresses: boolean
  /** Called for every response, for metrics and the drain. */
  readonly onStart: () => void
  readonly onEnd: (ended: EndedExchange) => void
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const EMPTY = new Uint8Array(0)
/**
 * Bytes read and dropped after a refusal, because a client that still writes may not read an answer whose connection is closed (RFC 9112,
 * section 9.6).
 */
const DROPPED_BYTES = 64 * 1024 ** 2

/** Header lines that follow another one. The engine checks no value, in one call or in many, so none may hold a line break. */
const linesOf = (headers: HttpResponse["headers"]): string => {
  let lines = ""
  for (const [name, value] of headers) lines += `\r\n${name}: ${value}`
  return lines
}

const NO_SNIFFING = linesOf([["x-content-type-options", "nosniff"]])

const INSIST_ON_TLS = linesOf([["strict-transport-security", "max-age=31536000"]])

const CROSS_ORIGIN = linesOf([
  ["access-control-allow-origin", "*"],
  [
    "access-control-expose-headers",
    `x-request-id, retry-after, link, location, etag, upload-offset, next-seq, content-range, accept-ranges, ratelimit, ratelimit-policy, ${IGNORED_HEADER}`,
  ],
])

const decodeParam = (raw: string): string => {
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

/** Copies a request out of the engine; only valid synchronously. */
export const readHead = (req: UwsRequest, path: string, names: ReadonlyArray<string>): RequestHead => {
  const headers: { [name: string]: string } = {}
  const [lengths, encodings]: [string[], string[]] = [[], []]
  req.forEach((name, value) => {
    // Proxies add a line of their own or append to the list: all lines form one list.
    const before = name === "x-forwarded-for" ? headers[name] : undefined
    headers[name] = before === undefined ? value : `${before},${value}`
    if (name === "content-length") lengths.push(value)
    else if (name === "transfer-encoding") encodings.push(value)
  })
  const params: { [name: string]: string } = {}
  for (const [index, name] of names.entries()) params[name] = decodeParam(req.getParameter(index) ?? "")
  const given = headers["x-request-id"]
  return {
    method: upperAscii(req.getMethod()),
    path: names.length === 0 && !path.endsWith("*") ? path : req.getUrl(),
    params,
    query: req.getQuery() ?? "",
    headers,
    requestId: given !== undefined && REQUEST_ID.test(given) ? given : newId(),
    notes: { caller: null, workspaceId: null, keyId: null, eventId: null, address: null },
    fault: framingFault(lengths, encodings),
  }
}

export const clientOfRequest = (res: UwsResponse, head: RequestHead, clients: RouteOptions["clients"]): Client =>
  clients.of(Buffer.from(res.getRemoteAddressAsText()).toString("latin1"), head.headers["x-forwarded-for"])

/** One response in flight; everything after an abort is dropped. */
export class Exchange {
  aborted = false
  #sent = false
  readonly #startedAt = performance.now()
  /** Number of streamed body bytes. */
  #length = 0
  /** Number of request body bytes. */
  #received = 0
  /** Whether the head of a streamed response has been sent, but not all of its body. */
  #isStreaming = false
  #isPaused = false
  #onAborted: (() => void) | undefined
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
      if (!this.#sent || this.#isStreaming) this.#end(499, this.#length)
      this.#onAborted?.()
    })
  }

  /**
   * Refuses a request whose end is ambiguous; returns whether it did. The answer is delayed: until it is sent, the engine takes no other
   * request from the connection and closes it when one follows. After an answer the engine would read on to the end of the data.
   */
  refuseFaulty(): boolean {
    const { fault } = this.#head
    if (fault === null) return false
    setImmediate(() => this.send(this.#options.problems.of(new BadRequest({ detail: fault })), true))
    return true
  }

  send = (response: HttpResponse, closeConnection = false): void => {
    if (!this.#claim()) return
    this.#res.cork(() => {
      const res = this.#res
      this.#writeHead(response.status, response.headers)
      const isBodiless = response.status === 204 || response.status === 304
      // A client whose connection is closed learns the reason, even from an answer that normally has no body.
      if (!closeConnection && (isBodiless || this.#head.method === "HEAD")) {
        if (!isBodiless) res.writeHeader("content-length", String(Buffer.byteLength(response.body)))
        // Called without arguments: with any, the engine writes a length of its own and never completes the response.
        res.endWithoutBody()
      } else res.end(response.body, closeConnection || this.#options.isStopping())
    })
    this.#end(response.status, this.#head.method === "HEAD" ? 0 : Buffer.byteLength(response.body))
  }

  /** Answers a request whose body may still be arriving. A body of unknown or great length ends with its connection. */
  refuse(response: HttpResponse): void {
    const { headers } = this.#head
    const length = "transfer-encoding" in headers ? Number.POSITIVE_INFINITY : Number(headers["content-length"] ?? 0)
    this.send(response, length - this.#received > DROPPED_BYTES)
  }

  #end(status: number, bytes: number): void {
    const { onEnd } = this.#options
    onEnd({ head: this.#head, route: this.#route, status, ms: performance.now() - this.#startedAt, bytes })
  }

  /**
   * Returns false when the client is gone or already has its response. The next request on a connection left paused would never be read.
   */
  #claim(): boolean {
    if (this.aborted || this.#sent) return false
    this.#sent = true
    if (this.#isPaused) this.#res.resume()
    return true
  }

  /** The client for limits. Must be called before anything asynchronous. */
  client(): Client {
    return clientOfRequest(this.#res, this.#head, this.#options.clients)
  }

  /** Calls back once if the client leaves before the response is complete. */
  whenAborted(call: () => void): void {
    if (this.aborted) call()
    else this.#onAborted = call
  }

  /**
   * Passes the body on while it arrives; the receiver owns the chunks. Must be called before anything asynchronous. `maySlow` is for the
   * body of a live stream, which may arrive at any pace; the engine cuts others that send less than 16 kB a second.
   */
  receive(onChunk: (chunk: Uint8Array, isLast: boolean) => void, { maySlow = false } = {}): void {
    this.receiveBorrowed((chunk, isLast) => {
      onChunk(chunk.slice(), isLast)
      if (maySlow && !isLast && !this.#isPaused) this.#restartTimeout()
    })
  }

  /** Like `receive`, for a body that is copied elsewhere: the engine reclaims a chunk when the call returns. */
  receiveBorrowed(onChunk: (chunk: Uint8Array, isLast: boolean) => void): void {
    this.#res.onData((chunk, isLast) => {
      this.#received += chunk.byteLength
      if (!this.#sent && !this.aborted) onChunk(new Uint8Array(chunk), isLast)
    })
  }

  /** Takes no more bytes from the client until `resume`. */
  pause(): void {
    if (this.aborted || this.#sent) return
    this.#isPaused = true
    this.#res.pause()
  }

  resume(): void {
    if (this.aborted || this.#sent) return
    this.#isPaused = false
    this.#res.resume()
  }

  /**
   * Called after a whole body, when the answer may take a while. The engine would close a connection that was resumed and is silent for ten
   * seconds.
   */
  waitForAnswer(): void {
    this.pause()
  }

  /** The engine measures the pace of a body from the last `resume` on. */
  #restartTimeout(): void {
    if (this.aborted || this.#sent) return
    this.#res.pause()
    this.#res.resume()
  }

  /**
   * Sends a body in memory as fast as the client takes it, without copying the rest. `whenSlow` is called if the client does not take all
   * at once, and its result when the client has everything or is gone.
   */
  sendBytes(
    status: number,
    headers: HttpResponse["headers"],
    body: Uint8Array,
    whenSlow: () => () => void = () => () => {},
  ): void {
    if (this.aborted || this.#sent) return
    if (this.#head.method === "HEAD") {
      this.sendHead(status, headers, body.byteLength)
      return
    }
    if (!this.#claim()) return
    let isDone = false
    this.#length = body.byteLength
    this.#res.cork(() => {
      this.#writeHead(status, headers)
      isDone = this.#res.tryEnd(body, body.byteLength)[1]
    })
    if (isDone) {
      this.#end(status, body.byteLength)
      return
    }
    this.#isStreaming = true
    const release = whenSlow()
    this.#onAborted = release
    this.#res.onWritable((offset) => {
      const [isTaken, isEnd] = this.#res.tryEnd(body.subarray(offset), body.byteLength)
      if (isEnd) {
        this.#isStreaming = false
        this.#onAborted = undefined
        release()
        this.#end(status, body.byteLength)
      }
      return isTaken
    })
  }

  /** Sends only the head of a response whose body would have `length` bytes. */
  sendHead(status: number, headers: HttpResponse["headers"], length: number): void {
    if (!this.#claim()) return
    this.#res.cork(() => {
      this.#writeHead(status, headers)
      this.#res.writeHeader("content-length", String(length))
      this.#res.endWithoutBody()
    })
    this.#end(status, 0)
  }

  /**
   * Sends a body of `length` bytes as fast as the client takes it; `read` gives bytes from an offset on. Resolves when everything is sent
   * or the client is gone; rejects when a read does. A body that ends early closes the connection, so that the client does not consider it
   * complete.
   */
  async sendStream(
    status: number,
    headers: HttpResponse["headers"],
    length: number,
    read: (offset: number) => Promise<Uint8Array>,
  ): Promise<void> {
    if (this.#head.method === "HEAD") {
      this.sendHead(status, headers, length)
      return
    }
    if (!this.#claim()) return
    this.#isStreaming = true
    this.#length = length
    this.#res.cork(() => this.#writeHead(status, headers))
    for (let offset = 0; offset < length; ) {
      const piece = await read(offset).catch((cause: unknown) => {
        if (!this.aborted) this.#res.close()
        throw cause
      })
      if (this.aborted) return
      if (piece.byteLength === 0) {
        this.#res.close()
        return
      }
      await this.#sendPiece(piece, offset, length)
      if (this.aborted) return
      offset += piece.byteLength
    }
    this.#isStreaming = false
    this.#end(status, length)
  }

  /**
   * Sends a head whose body stays open; undefined if the client is gone. The response counts as answered: what writes the body also ends it
   * when the server stops.
   */
  openBody(status: number, headers: HttpResponse["headers"]): OpenBody | undefined {
    if (!this.#claim()) return undefined
    this.#res.cork(() => this.#writeHead(status, headers))
    const body = new OpenBody(this.#res)
    this.#onAborted = () => body.aborted()
    this.#end(status, 0)
    return body
  }

  async #sendPiece(piece: Uint8Array, offset: number, length: number): Promise<void> {
    for (let taken = 0; taken < piece.byteLength && !this.aborted; taken = this.#taken(offset, piece)) {
      let isTaken = false
      this.#res.cork(() => {
        const [ok, isDone] = this.#res.tryEnd(piece.subarray(taken), length)
        isTaken = ok || isDone
      })
      if (isTaken) return
      await new Promise<void>((resolve) => {
        this.#onAborted = resolve
        this.#res.onWritable(() => {
          resolve()
          return true
        })
      })
    }
  }

  /** Number of bytes of the piece that the engine has written. */
  #taken(offset: number, piece: Uint8Array): number {
    return this.aborted ? piece.byteLength : this.#res.getWriteOffset() - offset
  }

  #writeHead(status: number, headers: HttpResponse["headers"]): void {
    const { isHttps } = this.#options
    // Each call into the engine costs as much as several lines of text.
    const always = `${this.#head.requestId}${NO_SNIFFING}${isHttps ? INSIST_ON_TLS : ""}${this.#crossOrigin ? CROSS_ORIGIN : ""}`
    this.#res.writeStatus(statusText(status))
    this.#res.writeHeader("x-request-id", always + linesOf(headers))
  }

  /** Collects the body up to the limit, then calls back; a larger body is refused while it arrives. */
  readBody(limitBytes: number, then: (body: Uint8Array) => void, tooLarge: () => void): void {
    const chunks: Uint8Array[] = []
    this.receiveBorrowed((chunk, isLast) => {
      if (this.#received > limitBytes) return tooLarge()
      if (chunk.byteLength > 0) chunks.push(chunk.slice())
      if (!isLast) return
      then(chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? EMPTY))
    })
  }
}
