/** A proxy before a server that breaks one promise: it changes what clients send and receive over WebSockets and event streams. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocket, WebSocketServer } from "ws"
import type { Frame } from "../../packages/conformance/src/frames.ts"

/** One connection, with what a fault keeps about it. */
export interface Line {
  readonly isStream: boolean
  /** How many announcements came over it. */
  announcements: number
  kept: Frame | undefined
  isReplaying: boolean
  readonly close: (code: number) => void
}

type Frames = ReadonlyArray<Frame>

/** What is absent is passed on. */
export interface Fault {
  readonly received?: (frame: Frame, line: Line) => Frames
  readonly sent?: (frame: Frame, line: Line) => Frames
  /** Closes of the server with this code do not reach the client. */
  readonly hiddenClose?: number
  /** Frames of a client are sent on one object at a time. */
  readonly splits?: boolean
  /** The stream is opened without this header. */
  readonly withoutHeader?: string
  readonly withoutIds?: boolean
  /** The status of answers to frames. */
  readonly status?: number
}

const HOP = new Set(["connection", "content-length", "host", "keep-alive", "transfer-encoding", "accept-encoding"])

const objectsIn = (text: string): Frames => {
  const frame = JSON.parse(text)
  return Array.isArray(frame) ? frame : [frame]
}

const lineOf = (isStream: boolean, close: Line["close"]): Line => ({
  isStream,
  announcements: 0,
  kept: undefined,
  isReplaying: false,
  close,
})

const passOn = (frame: Frame): Frames => [frame]

export class FaultyProxy {
  readonly #target: string
  readonly #fault: Fault
  readonly #http: Server = createServer((request, response) => {
    this.#forward(request, response).catch(() => response.destroy())
  })
  readonly #sockets = new WebSocketServer({ server: this.#http })

  constructor(target: string, fault: Fault) {
    this.#target = target
    this.#fault = fault
    this.#sockets.on("connection", (client, request) => this.#join(client, request.url ?? "/"))
  }

  async listen(): Promise<string> {
    this.#http.listen(0, "127.0.0.1")
    await once(this.#http, "listening")
    return this.#url
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate()
    this.#http.close()
    this.#http.closeAllConnections()
    await once(this.#http, "close")
  }

  #join(client: WebSocket, path: string): void {
    const { received = passOn, sent = passOn, hiddenClose, splits = false } = this.#fault
    const server = new WebSocket(this.#target.replace("http", "ws") + path, ["gc.v1"])
    const line = lineOf(false, (code) => client.close(code))
    const waiting: string[] = []
    const pass = (text: string): void => {
      if (server.readyState === WebSocket.OPEN) server.send(text)
      else waiting.push(text)
    }
    server.on("open", () => {
      for (const text of waiting) server.send(text)
    })
    client.on("message", (data) => {
      const frames = objectsIn(String(data)).flatMap((frame) => sent(frame, line))
      for (const text of splits ? frames.map((one) => JSON.stringify(one)) : [JSON.stringify(frames)]) pass(text)
    })
    server.on("message", (data) => {
      const frames = objectsIn(String(data)).flatMap((frame) => received(frame, line))
      if (frames.length > 0) client.send(JSON.stringify(frames))
    })
    client.on("close", () => server.terminate())
    server.on("error", () => client.terminate())
    server.on("close", (code, reason) => {
      if (code !== hiddenClose) code === 1006 ? client.terminate() : client.close(code, reason)
    })
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { withoutHeader, status } = this.#fault
    const path = request.url ?? "/"
    const isStream = path.startsWith("/v1/gateway/stream")
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const headers = Object.entries(request.headers).filter(
      ([name]) => !HOP.has(name) && !(isStream && name === withoutHeader),
    )
    const abort = new AbortController()
    response.on("close", () => abort.abort())
    const answer = await fetch(this.#target + path, {
      method: request.method ?? "GET",
      headers: headers.map(([name, value]) => [name, String(value)] as [string, string]),
      signal: abort.signal,
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    })
    const type = answer.headers.get("content-type") ?? ""
    const isFrames = path === "/v1/gateway/commands"
    response.writeHead(isFrames && answer.ok ? (status ?? answer.status) : answer.status, { "content-type": type })
    if (isStream && answer.ok && answer.body !== null) await this.#stream(answer.body, response)
    else
      response.end(
        (await answer.text()).replaceAll(
          `${this.#target.replace("http", "ws")}/`,
          `${this.#url.replace("http", "ws")}/`,
        ),
      )
  }

  async #stream(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
    const { received = passOn, withoutIds = false } = this.#fault
    const line = lineOf(true, () => response.end())
    let rest = ""
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const events = `${rest}${chunk}`.split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) {
        const lines = event.split("\n").filter((one) => !(withoutIds && one.startsWith("id:")))
        const data = /^data: (.*)$/m.exec(event)?.[1]
        const isFrame = data !== undefined && !/^event: close$/m.test(event)
        const frames = isFrame ? objectsIn(data).flatMap((frame) => received(frame, line)) : []
        const others = lines.filter((one) => !isFrame || !one.startsWith("data:"))
        if (!isFrame) response.write(`${lines.join("\n")}\n\n`)
        if (frames.length > 0) response.write(`${[...others, `data: ${JSON.stringify(frames)}`].join("\n")}\n\n`)
      }
    }
    response.end()
  }
}
