/**
 * An event stream of our gateway in place of a WebSocket: Server-Sent Events over one connection, and frames of the client as requests over
 * another that all streams of the process share. Reads the chunks of the answer by itself, because thousands of `fetch` cost more than the
 * server.
 */
import { Agent, request } from "node:http"
import type { Socket } from "node:net"
import { connectLoad, type LoadConnection } from "./websocket.ts"

interface StreamHandlers {
  readonly frame: (stream: LoadConnection, payload: Buffer) => void
  /** Once, however it ended. */
  readonly closed: (stream: LoadConnection) => void
}

const HEAD_END = "\r\n\r\n"
const LINE_END = "\r\n"
const DATA = "data: "
const HELLO = '{"op":10'
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

export class LoadStream implements LoadConnection {
  readonly index: number
  readonly #port: number
  readonly #socket: Socket
  readonly #handlers: StreamHandlers
  #pending: Buffer = Buffer.alloc(0)
  #text: Buffer = Buffer.alloc(0)
  #isOpen = false
  #session = ""

  constructor(index: number, port: number, token: Promise<string>, handlers: StreamHandlers) {
    this.index = index
    this.#port = port
    this.#handlers = handlers
    this.#socket = connectLoad(port, (chunk) => this.#read(chunk))
    this.#socket.once("connect", () => {
      void token.then((bearer) =>
        this.#socket.write(
          `GET /v1/gateway/stream HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nauthorization: Bearer ${bearer}\r\n\r\n`,
        ),
      )
    })
    this.#socket.once("close", () => handlers.closed(this))
  }

  send(text: string): void {
    const headers = { "content-type": "application/json", authorization: `Bearer ${this.#session}` }
    request({ port: this.#port, method: "POST", path: "/v1/gateway/commands", headers, agent }, (answer) => {
      answer.resume()
    })
      .on("error", () => {})
      .end(text)
  }

  cut(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    let at = this.#isOpen ? 0 : this.#openedAt(bytes)
    while (this.#isOpen) {
      // The engine ends a chunk at the beginning of the next one: a client that waits for the end is one event late.
      if (bytes.toString("latin1", at, at + LINE_END.length) === LINE_END) at += LINE_END.length
      const size = bytes.indexOf(LINE_END, at)
      const begin = size + LINE_END.length
      const end = begin + Number.parseInt(bytes.toString("latin1", at, size), 16)
      if (size < 0 || bytes.length < end) break
      this.#take(bytes.subarray(begin, end))
      at = end
    }
    this.#pending = Buffer.from(bytes.subarray(at))
  }

  /** Where the chunks begin, once the answer's head is here. */
  #openedAt(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) return 0
    if (!bytes.toString("latin1", 0, 12).endsWith(" 200")) {
      this.cut()
      return bytes.length
    }
    this.#isOpen = true
    return end + HEAD_END.length
  }

  #take(part: Buffer): void {
    const text = this.#text.length === 0 ? part : Buffer.concat([this.#text, part])
    let at = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      if (text.toString("latin1", at, at + DATA.length) === DATA) this.#frame(text.subarray(at + DATA.length, end))
      at = end + 1
    }
    this.#text = Buffer.from(text.subarray(at))
  }

  #frame(payload: Buffer): void {
    if (payload.toString("latin1", 0, HELLO.length) === HELLO) {
      this.#session = /"session":"([^"]+)"/.exec(payload.toString("utf8"))?.[1] ?? ""
    } else this.#handlers.frame(this, payload)
  }
}
