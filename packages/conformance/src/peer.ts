/** A client of the kit, over a WebSocket or an event stream: it keeps everything that it received, and corrects nothing. */
import { WebSocket } from "ws"
import { Broken, demand, eventually } from "./eventually.ts"
import { at, type Frame, framesIn, OP, type Position } from "./frames.ts"

/** The answer of `POST /v1/auth/gateway-token`. */
export interface Grant {
  readonly token: string
  readonly url: string
}

interface Ending {
  readonly code: number
  readonly reason: string
}

/** Kept for a report: what each connection of a check sent and received. */
type Trace = (line: string) => void

const LONGEST_LINE = 300
const SECRET = /"(token|session)":"[^"]+"/g
/** Close code for a connection that was lost without one. */
const LOST = 1006
let commands = 0

export abstract class Peer {
  readonly frames: Frame[] = []
  ending: Ending | undefined
  protected readonly patienceMs: number
  readonly #trace: Trace

  constructor(patienceMs: number, trace: Trace) {
    this.patienceMs = patienceMs
    this.#trace = trace
  }

  protected abstract transmit(text: string): void
  /** Cuts the connection without a word. */
  abstract cut(): void

  protected traced(direction: "→" | "←", text: string): void {
    const shown = text.replaceAll(SECRET, '"$1":"…"')
    this.#trace(`${direction} ${shown.length > LONGEST_LINE ? `${shown.slice(0, LONGEST_LINE)}…` : shown}`)
  }

  protected receive(text: string): void {
    this.traced("←", text)
    this.frames.push(...framesIn(text))
  }

  protected end(code: number, reason: string): void {
    this.ending ??= { code, reason }
    this.traced("←", `closed ${code} ${reason}`)
  }

  send(frame: unknown): void {
    const text = JSON.stringify(frame)
    this.traced("→", text)
    this.transmit(text)
  }

  /** The first frame of this kind, which may have come before. */
  async next(isIt: (frame: Frame) => boolean, what: string): Promise<Frame> {
    await eventually(() => this.frames.some(isIt) || this.ending !== undefined, what, this.patienceMs)
    const found = this.frames.find(isIt)
    if (found === undefined) throw new Broken(`the connection ended with ${this.ending?.code} before ${what}`)
    return found
  }

  dispatch(t: string): Promise<Frame> {
    return this.next((frame) => frame["op"] === OP.dispatch && frame["t"] === t, t)
  }

  hello(): Promise<Frame> {
    return this.next(({ op }) => op === OP.hello, "hello")
  }

  reply(id: string): Promise<Frame> {
    return this.next((frame) => frame["op"] === OP.reply && frame["id"] === id, `the reply to ${id}`)
  }

  async command(t: string, d: Frame = {}, id = `c-${++commands}`): Promise<Frame> {
    this.send({ op: OP.command, id, t, d })
    return this.reply(id)
  }

  async closed(what: string): Promise<Ending> {
    await eventually(() => this.ending !== undefined, what, this.patienceMs)
    return this.ending as Ending
  }

  /** The numbered dispatches of a stream, in the order in which they came. */
  numbered(stream = "event"): ReadonlyArray<Frame> {
    return this.frames.filter(({ op, st, s }) => op === OP.dispatch && st === stream && typeof s === "number")
  }

  /** Texts of the announcements that came. */
  get announced(): ReadonlyArray<unknown> {
    return this.frames.filter(({ t }) => t === "announcement").map((frame) => at(frame, "d")["text"])
  }
}

export class SocketPeer extends Peer {
  readonly #socket: WebSocket

  constructor({ url }: Grant, patienceMs: number, trace: Trace) {
    super(patienceMs, trace)
    this.#socket = new WebSocket(url, ["gc.v1"])
    this.#socket.on("message", (data) => this.receive(String(data)))
    this.#socket.on("error", (cause) => this.traced("←", cause.message))
    this.#socket.on("close", (code, reason) => this.end(code, reason.toString()))
  }

  protected override transmit(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text)
  }

  override cut(): void {
    this.#socket.terminate()
  }

  async identify(token: string, resume?: Position): Promise<Frame> {
    await this.hello()
    this.send({ op: OP.identify, d: { token, ...(resume && { resume }) } })
    return this.dispatch("ready")
  }
}

export class StreamPeer extends Peer {
  /** The status of the answer; 0 until it comes. */
  status = 0
  /** Each event: its `id`, and how many frames there are after it. */
  readonly events: { readonly id: string | undefined; readonly frames: number }[] = []
  readonly #url: string
  readonly #abort = new AbortController()

  constructor({ url, token }: Grant, patienceMs: number, trace: Trace, lastEventId?: string) {
    super(patienceMs, trace)
    this.#url = url.replace(/^ws/, "http")
    const position = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...position }
    this.#follow(headers)
      .catch((cause: Error) => this.traced("←", cause.message))
      .finally(() => this.end(LOST, ""))
  }

  async #follow(headers: { readonly [name: string]: string }): Promise<void> {
    const response = await fetch(`${this.#url}/stream`, { headers, signal: this.#abort.signal })
    this.status = response.status
    let rest = ""
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = `${rest}${chunk}`.split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) this.#take(event)
    }
  }

  #take(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1]
    if (data === undefined) return
    if (/^event: close$/m.test(event)) {
      const { code, reason } = JSON.parse(data)
      this.end(code, reason)
      return
    }
    const id = /^id: (.*)$/m.exec(event)?.[1]
    if (id !== undefined) this.traced("←", `id: ${id}`)
    this.receive(data)
    this.events.push({ id, frames: this.frames.length })
  }

  protected override transmit(text: string): void {
    this.post(text).catch(() => {})
  }

  /** Sends a frame by a request; resolves with the status of its answer. */
  async post(text: string): Promise<number> {
    const session = at(await this.hello(), "d")["session"]
    demand(typeof session === "string", "hello of a stream has no `session`")
    const headers = { authorization: `Bearer ${session}`, "content-type": "application/json" }
    const answer = await fetch(`${this.#url}/commands`, { method: "POST", headers, body: text })
    await answer.arrayBuffer()
    this.traced("←", `POST /v1/gateway/commands: ${answer.status}`)
    return answer.status
  }

  override cut(): void {
    this.#abort.abort()
  }
}
