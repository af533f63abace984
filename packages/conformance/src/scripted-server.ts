/**
 * The server of a vector: gives gateway tokens over HTTP and plays the vector's steps over real WebSockets and event streams. It answers
 * heartbeats by itself; every other frame of the client must be expected by a step.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { WebSocketServer } from "ws"
import { Connection } from "./connection.ts"
import { demand, eventually } from "./eventually.ts"
import { at, CONTRACT, type Frame, OP } from "./frames.ts"
import type { Patterns } from "./matching.ts"
import type { TokenAnswer } from "./vectors.ts"

const FAR = "2999-01-01T00:00:00.000Z"
/** The session of every event stream, by which its requests name it. */
const SESSION = "session"
const HELLO = {
  connectionId: "c",
  heartbeatMs: 20_000,
  identifyTimeoutMs: 10_000,
  maxFrame: 16_384,
}

/** Activities of an event at which nobody has done anything yet. */
export const QUIET = {
  hostAbsence: null,
  questions: { top: [], moderated: null, open: true },
  chat: { last: [], slowMs: 0 },
  polls: [],
  hands: { count: 0 },
  rooms: [],
  breakout: null,
  rotation: null,
  broadcast: null,
  capture: { on: false, kinds: [], since: null },
  lobbyPolicy: "open",
  lobbySaid: null,
  mine: { questions: [], votes: [] },
  pollVotes: {},
  muted: null,
  hand: null,
  stage: null,
  assignment: null,
  roomChat: [],
  round: null,
  optedOut: false,
  hearsPolls: [],
} as const

/** The `ready` of an event at which nobody has done anything yet. */
const READY = {
  resumed: false,
  reason: "new",
  epoch: "e",
  v: 1,
  cursors: {},
  me: { participantId: "p", role: "viewer", can: [], chatTo: ["event"], roomId: null },
  event: {},
  phases: [],
  timers: [],
  presence: { mode: "list", total: 0, list: [] },
  ...QUIET,
}

/** A client that waits for its connection. */
interface Caller {
  readonly accept: () => Connection
  readonly refuse: (status: number) => void
}

export class ScriptedServer {
  readonly #http = createServer((request, response) => this.#answer(request, response))
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #callers: Caller[] = []
  readonly #tokens: TokenAnswer[]
  readonly #patterns: Patterns
  readonly #patienceMs: number
  #given = 0
  #heartbeats = 0
  #heads: Frame = {}
  #isSilent = false
  #current: Connection | undefined

  constructor(tokens: ReadonlyArray<TokenAnswer>, patterns: Patterns, patienceMs: number) {
    this.#tokens = [...tokens]
    this.#patterns = patterns
    this.#patienceMs = patienceMs
    // A client may stand still for longer than Node keeps an idle connection, and would then lose its next request.
    this.#http.keepAliveTimeout = 0
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket as Socket, head))
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
    for (const { refuse } of this.#callers) refuse(503)
    this.#http.close()
    this.#http.closeAllConnections()
    await once(this.#http, "close")
  }

  /** What the client sent or asked for and no step expected, and tokens that it did not ask for. */
  get unexpected(): ReadonlyArray<unknown> {
    return [...(this.#current?.frames ?? []), ...this.#callers.map(() => "a connection"), ...this.#tokens]
  }

  /** The steps by their names. */
  readonly steps: { readonly [name: string]: (...values: never[]) => unknown } = {
    /** Accepts the next connection, and greets it. */
    connection: async (hello: Frame | null = {}) => {
      demand((this.#current?.frames ?? []).length === 0, this.#left())
      const { accept } = await this.#caller()
      this.#isSilent = false
      this.#current = accept()
      if (hello === null) return
      const session = this.#current.isStream ? { session: SESSION } : {}
      const release = { release: "0.0.0", contract: CONTRACT }
      this.#send({ op: OP.hello, d: { ...HELLO, serverTime: "", ...release, ...session, ...hello } })
    },
    /** A whole connection up to its `ready`. */
    session: async (identify: Frame = {}, ready: Frame = {}, hello: Frame = {}) => {
      await this.steps["connection"]?.(hello as never)
      await this.steps["identify"]?.(identify as never)
      this.steps["ready"]?.(ready as never)
    },
    refuse: async (status: number) => (await this.#caller()).refuse(status),
    identify: (d: Frame = {}) =>
      this.#expect({ op: OP.identify, d: { token: "*", client: "*", mute: "-", resume: "?", ...d } }),
    ready: (d: Frame = {}) => this.#send({ op: OP.dispatch, t: "ready", d: { ...READY, ...d } }),
    expect: (frame: Frame) => this.#expect(frame),
    nothing: () => demand(this.#current?.frames.length === 0, this.#left()),
    send: (frame: unknown) => this.#send(this.#patterns.filled(frame)),
    close: (code: number, reason = "") => this.#current?.close(code, reason),
    cut: () => this.#current?.cut(),
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
      await this.#eventually(() => this.#heartbeats >= before + count, `${count} heartbeats`)
    },
    /** The client ends the connection, with this code where one is given and the transport has one. */
    gone: async (code?: number) => {
      await this.#eventually(() => this.#current?.isGone === true, "the end of the connection")
      const { closedWith } = this.#current ?? {}
      if (code !== undefined && closedWith !== undefined) this.#patterns.check("the close code", code, closedWith)
    },
    tokens: (count: number) => this.#eventually(() => this.#given === count, `${count} requests for tokens`),
  }

  #eventually(holds: () => boolean, what: string): Promise<void> {
    return eventually(holds, what, this.#patienceMs)
  }

  #left(): string {
    return `the client sent what no step expected: ${JSON.stringify(this.#current?.frames)}`
  }

  async #caller(): Promise<Caller> {
    await this.#eventually(() => this.#callers.length > 0, "a connection")
    return this.#callers.shift() as Caller
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // A client that was ended cuts its connections.
    socket.on("error", () => {})
    if (request.url !== "/v1/gateway") {
      socket.destroy()
      return
    }
    this.#callers.push({
      refuse: (status) => {
        socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
      },
      accept: () => {
        const connection = new Connection((frame) => this.#receive(connection, frame))
        this.#sockets.handleUpgrade(request, socket, head, (opened) => connection.useSocket(opened))
        return connection
      },
    })
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? "/", this.url)
    if (pathname === "/v1/gateway/stream") {
      this.#callers.push({
        refuse: (status) => response.writeHead(status).end(),
        accept: () => {
          const connection = new Connection((frame) => this.#receive(connection, frame))
          connection.useStream(request, response)
          return connection
        },
      })
    } else if (pathname === "/v1/gateway/commands") this.#takeFrames(request, response)
    else this.#giveToken(request, response)
  }

  #takeFrames(request: IncomingMessage, response: ServerResponse): void {
    let text = ""
    request.on("data", (chunk: Buffer) => {
      text += chunk
    })
    request.on("end", () => {
      const isOpen = this.#current?.isGone === false
      const isKnown = request.headers.authorization === `Bearer ${SESSION}`
      response.writeHead(isKnown && isOpen ? 202 : 401).end()
      if (isKnown && isOpen) this.#current?.take(text)
    })
  }

  #receive(from: Connection, frame: Frame): void {
    if (frame["op"] !== OP.heartbeat) {
      from.frames.push(frame)
      return
    }
    this.#heartbeats++
    const now = Date.now()
    if (!this.#isSilent)
      from.send({ op: OP.heartbeatAck, d: { t0: at(frame, "d")["t0"], t1: now, t2: now, heads: this.#heads } })
  }

  #send(frame: unknown): void {
    this.#current?.send(frame)
  }

  async #expect(expected: Frame): Promise<void> {
    const frames = this.#current?.frames ?? []
    await this.#eventually(() => frames.length > 0, `the frame ${JSON.stringify(expected)}`)
    this.#patterns.check("a frame", expected, frames.shift())
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
    const headers = { "content-type": "application/json", ...(retryAfter && { "retry-after": retryAfter }) }
    response.writeHead(status, headers).end(JSON.stringify(body))
  }
}
