/**
 * A connection as Server-Sent Events (WHATWG HTML, section 9.2). Each frame is one event, whose `id` is the position from which a client
 * resumes. The end of the connection is the event `close` with the code and the reason.
 */

import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import type { Socket } from "../connection/connection.ts"
import { firstPosition, objectsOf, type Positioned, positionAfter, type StreamPosition } from "./stream-positions.ts"

/** Body of a response that stays open. Every call is safe after its end, and then does nothing. */
export interface StreamBody {
  readonly write: (text: string) => void
  /** Ends the response after the buffered data. */
  readonly end: () => void
  /** Drops what is buffered. */
  readonly discard: () => void
  /** Closes the connection at once. */
  readonly destroy: () => void
  /** Bytes that the client has not taken yet. */
  readonly buffered: () => number
  /** Calls back once, when the response has ended or the client is gone. */
  readonly whenGone: (call: () => void) => void
  /** Calls back each time when the client has taken everything. */
  readonly whenDrained: (call: () => void) => void
}

/** Callbacks of a stream for the owner of all streams. */
interface StreamOwner {
  readonly subscribe: (topic: string, stream: EventStream) => void
  readonly unsubscribe: (topic: string, stream: EventStream) => void
  readonly sent: () => void
  /** Called when the stream is cut because its client takes too little. */
  readonly cut: () => void
}

interface StreamOptions {
  /** Position from which the client resumes. */
  readonly resume: Resume | undefined
  /** Length of a comment after the events of a turn, for a proxy that passes on full buffers only. */
  readonly padding: number
  /** Buffered bytes above which the stream is cut without the event `close`: the gateway's own limit is lower. */
  readonly mostBuffered: number
}

/** Many proxies and some browsers hold the first kilobytes of a response back. */
const FIRST_PADDING = 2048

const commentOf = (length: number): string => `:${" ".repeat(length)}\n\n`

/** A frame for many streams: the event and the next position are computed once for all that are at the same position. */
export class SharedFrame {
  readonly #text: string
  readonly #objects: ReadonlyArray<Positioned>
  readonly #known = new Map<string, { readonly position: StreamPosition; readonly event: string }>()

  constructor(text: string) {
    this.#text = text
    this.#objects = objectsOf(text)
  }

  /** The event for a stream at this position, and the position after it. */
  at(before: StreamPosition): { readonly position: StreamPosition; readonly event: string } {
    const known = this.#known.get(before.text)
    if (known !== undefined) return known
    const position = positionAfter(before, this.#objects)
    const id = position === before ? "" : `id: ${position.text}\n`
    const step = { position, event: `${id}data: ${this.#text}\n\n` }
    this.#known.set(before.text, step)
    return step
  }
}

export class EventStream implements Socket {
  readonly #body: StreamBody
  readonly #owner: StreamOwner
  readonly #options: StreamOptions
  #position: StreamPosition
  #isClosed = false
  #isPadding = false

  constructor(body: StreamBody, owner: StreamOwner, options: StreamOptions) {
    this.#body = body
    this.#owner = owner
    this.#options = options
    this.#position = firstPosition(options.resume)
    body.write(commentOf(Math.max(FIRST_PADDING, options.padding)))
  }

  send(text: string): void {
    if (this.#isClosed) return
    this.deliver(new SharedFrame(text))
    this.#owner.sent()
  }

  deliver(frame: SharedFrame): void {
    if (this.#isClosed) return
    const { position, event } = frame.at(this.#position)
    this.#position = position
    this.#write(event)
  }

  /** Shows proxies and the client that the connection lives. Nothing is added while bytes are buffered. */
  keepAlive(): void {
    if (!this.#isClosed && this.#body.buffered() === 0) this.#write(":\n\n")
  }

  end(code: number, reason: string): void {
    if (this.#isClosed) return
    // A slow client resumes from its last event, so the buffered ones are not needed.
    if (code === CLOSE.slowConsumer.code) this.#body.discard()
    this.#write(`event: close\ndata: ${JSON.stringify({ code, reason })}\n\n`)
    this.#pad()
    this.#isClosed = true
    this.#body.end()
  }

  terminate(): void {
    this.#isClosed = true
    this.#body.destroy()
  }

  subscribe(topic: string): void {
    this.#owner.subscribe(topic, this)
  }

  unsubscribe(topic: string): void {
    this.#owner.unsubscribe(topic, this)
  }

  buffered(): number {
    return this.#isClosed ? 0 : this.#body.buffered()
  }

  #write(text: string): void {
    this.#body.write(text)
    if (this.#body.buffered() > this.#options.mostBuffered) {
      this.#isClosed = true
      // The caller may be iterating over the streams.
      setImmediate(() => {
        this.#owner.cut()
        this.#body.destroy()
      })
    } else if (this.#options.padding > 0 && !this.#isPadding) {
      this.#isPadding = true
      setImmediate(() => this.#pad())
    }
  }

  #pad(): void {
    if (this.#isPadding && !this.#isClosed) this.#body.write(commentOf(this.#options.padding))
    this.#isPadding = false
  }
}
