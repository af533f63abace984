/** One connection of the scripted server: a WebSocket, or an event stream with requests. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { WebSocket } from "ws"
import { type Frame, framesIn, moved, OP, type Position } from "./frames.ts"

/** The acts of a connection on its transport. */
interface Wire {
  readonly send: (frame: unknown) => void
  readonly close: (code: number, reason: string) => void
  readonly cut: () => void
}

export class Connection {
  /** Frames of the client that no step has taken yet. */
  readonly frames: Frame[] = []
  isGone = false
  isStream = false
  /** The code of the client's close, which an event stream does not have. */
  closedWith: number | undefined
  readonly #received: (frame: Frame) => void
  #wire: Wire = { send: () => {}, close: () => {}, cut: () => {} }

  constructor(received: (frame: Frame) => void) {
    this.#received = received
  }

  useSocket(socket: WebSocket): void {
    socket.on("message", (data) => this.take(String(data)))
    socket.on("error", () => {})
    socket.on("close", (code) => {
      this.isGone = true
      this.closedWith = code
    })
    this.#wire = {
      send: (frame) => socket.send(JSON.stringify(frame)),
      close: (code, reason) => socket.close(code, reason),
      cut: () => socket.terminate(),
    }
  }

  /** The request is the client's `identify`. */
  useStream(request: IncomingMessage, response: ServerResponse): void {
    this.isStream = true
    const query = new URL(request.url ?? "/", "http://localhost").searchParams
    const mute = query.get("mute")?.split(",")
    const last = request.headers["last-event-id"]
    const resume: Position | undefined = last === undefined ? undefined : JSON.parse(String(last))
    const token = request.headers.authorization?.replace(/^Bearer /, "")
    const client = { contract: query.get("contract") }
    this.frames.push({ op: OP.identify, d: { token, client, ...(mute && { mute }), ...(resume && { resume }) } })
    let position: Position = resume ?? { epoch: "", cursors: {} }
    const place = (frame: Frame): string => {
      const next = moved(position, frame)
      const isMoved = next !== position
      position = next
      return isMoved ? `id: ${JSON.stringify(position)}\n` : ""
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
    response.on("close", () => {
      this.isGone = true
    })
    const write = (frame: Frame): void => void response.write(`${place(frame)}data: ${JSON.stringify(frame)}\n\n`)
    this.#wire = {
      send: (frame) => {
        for (const one of Array.isArray(frame) ? frame : [frame]) write(one)
      },
      close: (code, reason) => response.end(`event: close\ndata: ${JSON.stringify({ code, reason })}\n\n`),
      cut: () => request.socket.destroy(),
    }
  }

  send(frame: unknown): void {
    this.#wire.send(frame)
  }

  close(code: number, reason: string): void {
    this.#wire.close(code, reason)
  }

  cut(): void {
    this.#wire.cut()
  }

  /** Takes a frame of the client. */
  take(text: string): void {
    for (const one of framesIn(text)) this.#received(one)
  }
}
