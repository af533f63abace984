/** A gateway client over an event stream and requests, with everything that `Client` does over a WebSocket. */
import { EventEmitter } from "node:events"
import { type IncomingMessage, request } from "node:http"
import type { WebSocket } from "ws"
import { Client, type Frame } from "./client.ts"

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** One request on a connection of its own. */
export const ask = (
  method: string,
  url: string,
  headers: { readonly [name: string]: string },
  body = "",
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        text += chunk
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      response.on("error", reject)
    })
    asked.on("error", reject)
    asked.end(body)
  })

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

interface Opening {
  readonly token: string
  readonly lastEventId?: string | undefined
  readonly query?: string
  readonly headers?: { readonly [name: string]: string }
}

/** What `Client` uses of a WebSocket. */
class StreamSocket extends EventEmitter {
  /** Of the latest event that had one. */
  lastEventId: string | undefined
  session = ""
  /** Bytes of the answer's body so far. */
  bytes = 0
  response: IncomingMessage | undefined
  readonly #url: string
  readonly #asked: ReturnType<typeof request>
  #sending: Promise<unknown> = Promise.resolve()
  #closed = { code: 1006, reason: "" }

  /** `url`: of the gateway, as for a WebSocket. `refused`: called with an answer that is no stream. */
  constructor(url: string, { token, lastEventId, query = "", headers = {} }: Opening) {
    super()
    this.lastEventId = lastEventId
    this.#url = url.replace(/^ws/, "http")
    const position = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    this.#asked = request(
      `${this.#url}/stream${query}`,
      { headers: { ...bearer(token), ...position, ...headers }, agent: false },
      (response) => this.#follow(response),
    )
    this.#asked.on("error", () => this.#end())
    this.#asked.end()
  }

  #follow(response: IncomingMessage): void {
    this.response = response
    this.emit("response", response)
    let rest = ""
    response.setEncoding("utf8")
    response.on("data", (chunk: string) => {
      this.bytes += Buffer.byteLength(chunk)
      const events = `${rest}${chunk}`.split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) this.#take(event)
    })
    response.on("close", () => this.#end())
    response.on("error", () => undefined)
  }

  #take(event: string): void {
    const fields = Object.fromEntries(
      event
        .split("\n")
        .filter((line) => !line.startsWith(":"))
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    )
    const { event: type, data, id } = fields
    if (id !== undefined) this.lastEventId = id
    if (data === undefined) return
    if (type === "close") this.#closed = JSON.parse(data)
    else {
      const frame: Frame = JSON.parse(data)
      if (frame.op === 10) this.session = frame.d.session
      this.emit("message", data)
    }
  }

  #end(): void {
    this.emit("close", this.#closed.code, Buffer.from(this.#closed.reason))
    this.removeAllListeners("close")
  }

  /** Frames are sent one after the other, as a client must to keep their order. */
  send(text: string): void {
    this.#sending = this.#sending.then(() => this.post(text)).catch(() => undefined)
  }

  post(text: string, session = this.session): Promise<Answer> {
    return ask("POST", `${this.#url}/commands`, { ...bearer(session), "content-type": "application/json" }, text)
  }

  terminate(): void {
    this.#asked.destroy()
  }

  close(): void {
    this.#asked.destroy()
  }
}

export class StreamClient extends Client {
  readonly stream: StreamSocket

  constructor(url: string, opening: Opening) {
    const stream = new StreamSocket(url, opening)
    super(url, [], {}, stream as unknown as WebSocket)
    this.stream = stream
  }
}
