/**
 * The server of a vector: gives gateway tokens over HTTP and plays the vector's steps over real WebSockets. It answers heartbeats by
 * itself; every other frame of the client must be expected by a step.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { expect } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { OP } from "../../../src/protocol/wire/op.ts"
import { CONTRACT, RELEASE } from "../../../src/protocol/wire/release.ts"
import { eventually } from "../../support/wait.ts"
import { QUIET } from "../quiet.ts"

export type Frame = { readonly [field: string]: unknown }
/** The answer to one request for a token: a refusal, or a token that is valid until `expiresAt`. */
export type TokenAnswer = { readonly status?: number; readonly retryAfter?: string; readonly expiresAt?: string }

const HELLO = { connectionId: "c", heartbeatMs: 20_000, identifyTimeoutMs: 10_000, serverTime: "", maxFrame: 16_384 }
export const FAR = "2999-01-01T00:00:00.000Z"

/** As much of a snapshot as the clients need. */
const READY = {
  ...QUIET,
  resumed: false,
  reason: "new",
  epoch: "e",
  v: 1,
  cursors: {},
  me: { participantId: "p", role: "viewer", can: [], chatTo: ["event"], roomId: null },
  event: {},
  phases: [],
  timers: [],
  presence: { participants: [] },
}

interface Accepted {
  readonly socket: WebSocket
  readonly frames: Frame[]
  closedWith: number | undefined
}

export class ScriptedServer {
  readonly #http = createServer((request, response) => this.#giveToken(request, response))
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #waiting: [IncomingMessage, Socket, Buffer][] = []
  readonly #tokens: TokenAnswer[]
  #given = 0
  #heartbeats = 0
  #heads: Frame = {}
  #isSilent = false
  #current: Accepted | undefined
  /** What `$name` in an expected frame stands for. */
  readonly #bound = new Map<string, unknown>()

  constructor(tokens: ReadonlyArray<TokenAnswer>) {
    this.#tokens = [...tokens]
    this.#http.on("upgrade", (request, socket, head) => this.#waiting.push([request, socket as Socket, head]))
  }

  async listen(): Promise<string> {
    this.#http.listen(0, "127.0.0.1")
    await once(this.#http, "listening")
    return this.url
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    for (const [, socket] of this.#waiting) socket.destroy()
    this.#http.close()
    this.#http.closeAllConnections()
    await once(this.#http, "close")
  }

  /** What the client sent or asked for and no step expected. */
  get unexpected(): ReadonlyArray<unknown> {
    return [...(this.#current?.frames ?? []), ...this.#waiting.map(() => "a connection"), ...this.#tokens]
  }

  /** The steps by their names. */
  readonly steps: { readonly [name: string]: (...values: never[]) => unknown } = {
    /** Accepts the next connection, and greets it. */
    connection: async (hello: Frame | null = {}) => {
      await this.#accept()
      if (hello !== null) this.#send({ op: OP.hello, d: { ...HELLO, release: RELEASE, contract: CONTRACT, ...hello } })
    },
    /** A whole connection up to its `ready`. */
    session: async (identify: Frame = {}, ready: Frame = {}, hello: Frame = {}) => {
      await this.steps["connection"]?.(hello as never)
      await this.steps["identify"]?.(identify as never)
      this.steps["ready"]?.(ready as never)
    },
    refuse: async (status: number) => {
      await eventually(() => this.#waiting.length > 0, "a connection")
      this.#waiting.shift()?.[1].end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
    },
    identify: (d: Frame = {}) => this.#expectFrame({ op: OP.identify, d: { token: "token-1", client: "*", ...d } }),
    ready: (d: Frame = {}) => this.#send({ op: OP.dispatch, t: "ready", d: { ...READY, ...d } }),
    expect: (frame: Frame) => this.#expectFrame(frame),
    nothing: () => expect(this.#current?.frames).toEqual([]),
    send: (frame: unknown) => this.#send(frame),
    close: (code: number, reason = "") => this.#current?.socket.close(code, reason),
    cut: () => this.#current?.socket.terminate(),
    /** From now on heartbeats of this connection have no answer. */
    silent: () => {
      this.#isSilent = true
    },
    loud: () => {
      this.#isSilent = false
    },
    heads: (heads: Frame) => {
      this.#heads = heads
    },
    heartbeats: async (count: number) => {
      const before = this.#heartbeats
      await eventually(() => this.#heartbeats >= before + count, `${count} heartbeats`)
    },
    /** The client ends the connection, with this code where one is given. */
    gone: async (code?: number) => {
      await eventually(() => this.#current?.closedWith !== undefined, "the end of the connection")
      if (code !== undefined) expect(this.#current?.closedWith).toBe(code)
    },
    tokens: (count: number) => eventually(() => this.#given === count, `${count} requests for tokens`),
  }

  async #accept(): Promise<void> {
    const left = this.#current?.frames ?? []
    expect(left, "frames that no step expected").toEqual([])
    await eventually(() => this.#waiting.length > 0, "a connection")
    const [request, socket, head] = this.#waiting.shift() as [IncomingMessage, Socket, Buffer]
    expect(request.url).toBe("/v1/gateway")
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      const accepted: Accepted = { socket: opened, frames: [], closedWith: undefined }
      this.#current = accepted
      this.#isSilent = false
      opened.on("message", (data) => this.#receive(accepted, String(data)))
      opened.on("close", (code) => {
        accepted.closedWith = code
      })
    })
  }

  #receive(from: Accepted, text: string): void {
    const frame = JSON.parse(text)
    if (frame.op !== OP.heartbeat) {
      from.frames.push(frame)
      return
    }
    this.#heartbeats++
    const now = Date.now()
    if (!this.#isSilent)
      from.socket.send(
        JSON.stringify({ op: OP.heartbeatAck, d: { t0: frame.d.t0, t1: now, t2: now, heads: this.#heads } }),
      )
  }

  #send(frame: unknown): void {
    this.#current?.socket.send(JSON.stringify(this.#filled(frame)))
  }

  async #expectFrame(expected: Frame): Promise<void> {
    await eventually(() => (this.#current?.frames.length ?? 0) > 0, `the frame ${JSON.stringify(expected)}`)
    const received = this.#current?.frames.shift()
    expect(received).toEqual(this.#matcher(expected, received))
  }

  /** The expected value: `*` is anything, `$name` is what stood at its first place. */
  #matcher(expected: unknown, received: unknown): unknown {
    if (expected === "*") return expect.anything()
    if (typeof expected === "string" && expected.startsWith("$")) {
      if (!this.#bound.has(expected)) this.#bound.set(expected, received)
      return this.#bound.get(expected)
    }
    if (Array.isArray(expected)) return expected.map((item, at) => this.#matcher(item, (received as unknown[])?.[at]))
    if (typeof expected !== "object" || expected === null) return expected
    return Object.fromEntries(
      Object.entries(expected).map(([key, value]) => [key, this.#matcher(value, (received as Frame)?.[key])]),
    )
  }

  /** A sent frame with the values of its `$name`s. */
  #filled(value: unknown): unknown {
    if (typeof value === "string") return this.#bound.get(value) ?? value
    if (Array.isArray(value)) return value.map((item) => this.#filled(item))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#filled(inner)]))
  }

  #giveToken(request: IncomingMessage, response: ServerResponse): void {
    request.resume()
    const { status = 200, retryAfter, expiresAt = FAR } = this.#tokens.shift() ?? {}
    this.#given++
    const url = `${this.url.replace("http", "ws")}/v1/gateway`
    const body =
      status === 200
        ? { token: `token-${this.#given}`, url, expiresAt }
        : { code: "refused", detail: "No token.", status }
    const headers = {
      "content-type": "application/json",
      ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    }
    response.writeHead(status, headers).end(JSON.stringify(body))
  }
}
