/**
 * A connection without a WebSocket: the server's frames come as Server-Sent Events, and ours go as requests, one after the other. It is
 * used like a socket, except that the first request identifies the client.
 */
import type { OptOut } from "../contract/types.ts"
import type { Cursors } from "../wire.ts"
import type { SocketLike } from "./socket.ts"

/** Data of `identify`, which the first request of a stream carries. */
export interface Identity {
  readonly token: string
  readonly client: { readonly name: string; readonly version: string; readonly contract: number }
  readonly mute?: ReadonlyArray<OptOut>
  readonly resume?: { readonly epoch: string; readonly cursors: Cursors }
  readonly replay?: { readonly from: number; readonly speed: number }
}

/** Close code for a connection lost without a close frame. */
const LOST = 1006
const MOST_BYTES = 16_000
const MOST_OBJECTS = 32
const RETRY_MS = 1000
/** Time for the last event of the stream after a refused request. */
const LAST_EVENT_MS = 1000
/** Wait for the answer to a frame: a proxy may hold a request for ever while the stream goes on. */
const ANSWER_WITHIN_MS = 10_000
/** Status and close of a frame with too many bytes, which another connection would refuse again. */
const TOO_LARGE = { status: 413, end: { code: 4301, reason: "frame too large" } }
const [OPENING, OPEN, CLOSED] = [0, 1, 3]

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

export class StreamSocket implements SocketLike {
  readyState = OPENING
  readonly #url: string
  readonly #abort = new AbortController()
  readonly #listeners: { [type: string]: (event: never) => void } = {}
  #session = ""
  /** Frames that wait, each one object. */
  readonly #frames: string[] = []
  #isSending = false
  /** Aborts the pending request. */
  #abortPost: () => void = () => {}
  #end = { code: LOST, reason: "" }

  /** `url` is that of the WebSocket. `padding` bytes follow each event, for a proxy that passes on full buffers only. */
  constructor(url: string, identity: Identity, padding: number) {
    this.#url = url.replace(/^ws/, "http")
    void this.#follow(identity, padding)
      .catch((cause: unknown) => {
        this.#end.reason ||= String(cause)
      })
      .then(() => this.#closed())
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners[type] = listener
  }

  send(text: string): void {
    this.#frames.push(text)
    void this.#pump()
  }

  close(): void {
    this.#abort.abort()
    this.#abortPost()
  }

  async #follow({ token, resume, replay, mute, client }: Identity, padding: number): Promise<void> {
    const query = new URLSearchParams({ contract: String(client.contract), ...(replay as object) })
    if (mute !== undefined) query.set("mute", mute.join())
    if (padding > 0) query.set("padding", String(padding))
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: "text/event-stream" }
    if (resume !== undefined) headers["last-event-id"] = JSON.stringify(resume)
    const { signal } = this.#abort
    const response = await fetch(`${this.#url}/stream?${query}`, { headers, signal })
    if (!response.ok || response.body === null) throw new Error(`the stream was answered ${response.status}`)
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    let text = ""
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const events = (text + decoder.decode(piece.value, { stream: true })).split("\n\n")
      text = events.pop() ?? ""
      for (const event of events) this.#take(event)
    }
  }

  #take(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1]
    if (data === undefined) return
    if (/^event: close$/m.test(event)) {
      this.#end = JSON.parse(data)
      return
    }
    if (this.readyState === OPENING) {
      this.readyState = OPEN
      // The first frame is `hello`.
      this.#session = JSON.parse(data).d.session
    }
    this.#tell("message", { data })
  }

  async #pump(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    while (this.#frames.length > 0 && this.readyState === OPEN) {
      const count = this.#nextCount()
      const taken = await this.#post(`[${this.#frames.slice(0, count).join()}]`)
      if (taken) this.#frames.splice(0, count)
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
    this.#isSending = false
  }

  /** Number of waiting frames that fit into one. */
  #nextCount(): number {
    let [count, bytes] = [1, bytesOf(this.#frames[0] ?? "")]
    for (const frame of this.#frames.slice(1, MOST_OBJECTS)) {
      bytes += bytesOf(frame) + 1
      if (bytes > MOST_BYTES) break
      count++
    }
    return count
  }

  /** Whether the server has taken the frame. One that was taken without an answer is sent again: commands are executed once. */
  async #post(body: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.#session}`, "content-type": "application/json" }
    const abort = new AbortController()
    this.#abortPost = () => abort.abort()
    const deadline = setTimeout(this.#abortPost, ANSWER_WITHIN_MS)
    const request = { method: "POST", headers, body, signal: abort.signal }
    const response = await fetch(`${this.#url}/commands`, request).catch(() => undefined)
    clearTimeout(deadline)
    if (response?.status === TOO_LARGE.status) this.#end = TOO_LARGE.end
    // A refused frame is refused again: the stream has ended, perhaps unnoticed. Its last event, with the reason, may still arrive.
    if (response !== undefined && response.status < 500 && !response.ok) setTimeout(() => this.close(), LAST_EVENT_MS)
    return response?.ok === true
  }

  #closed(): void {
    this.readyState = CLOSED
    this.#abortPost()
    this.#tell("close", this.#end)
  }

  #tell(type: string, event: unknown): void {
    this.#listeners[type]?.(event as never)
  }
}
