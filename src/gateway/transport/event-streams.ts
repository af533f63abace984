/**
 * All event streams of this process. The engine publishes topics to its WebSockets alone, so that the streams' subscriptions are kept here.
 */
import { every, type Timers } from "../../clock/timers.ts"
import type { Client } from "../../identity/callers/client-addresses.ts"
import type { StreamSessions } from "../../identity/stream-sessions.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import type { Connection } from "../connection/connection.ts"
import { type ConnectionHandlers, TRANSPORT_LIMIT_FACTOR } from "./connection-handlers.ts"
import { EventStream, SharedFrame, type StreamBody } from "./event-stream.ts"

/** Proxies close connections that are silent for half a minute or longer. */
const KEEP_ALIVE_MS = 15_000

/** A stream that a request asks for. */
export interface NewStream {
  readonly client: Client
  /** The first frame of the client, which identifies it. */
  readonly identify: string
  /** The position in that frame. */
  readonly resume: Resume | undefined
  readonly padding: number
}

/** Services and limits of the streams. */
interface StreamNeeds {
  readonly sessions: Pick<StreamSessions["Service"], "begin">
  readonly timers: Timers
  readonly orderedLimitBytes: number
}

export class EventStreams {
  readonly #handlers: ConnectionHandlers
  readonly #given: StreamNeeds
  readonly #topics = new Map<string, Set<EventStream>>()
  readonly #streams = new Map<EventStream, Set<string>>()
  readonly #stopKeeping: () => void

  constructor(handlers: ConnectionHandlers, given: StreamNeeds) {
    this.#handlers = handlers
    this.#given = given
    this.#stopKeeping = every(given.timers, KEEP_ALIVE_MS, () => {
      for (const stream of this.#streams.keys()) stream.keepAlive()
    })
  }

  /** Sends one frame to every stream that is subscribed to the topic. */
  publish(topic: string, text: string): void {
    const subscribed = this.#topics.get(topic)
    if (subscribed === undefined) return
    const frame = new SharedFrame(text)
    for (const stream of subscribed) stream.deliver(frame)
  }

  refusal(client: Client): ReturnType<ConnectionHandlers["refusal"]> {
    return this.#handlers.refusal(client)
  }

  /** Opens a connection on the body of a response. */
  open({ client, identify, resume, padding }: NewStream, body: StreamBody): void {
    const { sessions, orderedLimitBytes } = this.#given
    const mostBuffered = orderedLimitBytes * TRANSPORT_LIMIT_FACTOR
    let connection: Connection | undefined
    const guard = (act: (connection: Connection) => void): void => {
      if (connection === undefined) return
      try {
        act(connection)
      } catch (error) {
        this.#handlers.failed(error)
        connection.close(CLOSE.internal)
      }
    }
    const cut = (): void => guard((opened) => opened.apply({ type: "cut", why: CLOSE.slowConsumer }))
    const stream = new EventStream(body, { ...this.#owner, cut }, { resume, padding, mostBuffered })
    const take = (frame: Uint8Array): void =>
      guard((opened) => this.#handlers.received(opened, new Uint8Array(frame).buffer))
    const session = sessions.begin(take)
    this.#streams.set(stream, new Set())
    body.whenGone(() => {
      session.end()
      this.#forget(stream)
      this.#handlers.closed(client)
      guard((opened) => opened.apply({ type: "lost" }))
    })
    body.whenDrained(() => guard(this.#handlers.drained))
    try {
      connection = this.#handlers.opened(stream, client, session.secret)
    } catch (error) {
      this.#handlers.failed(error)
      stream.end(CLOSE.internal.code, CLOSE.internal.reason)
    }
    take(Buffer.from(identify))
  }

  stop(): void {
    this.#stopKeeping()
  }

  readonly #owner = {
    subscribe: (topic: string, stream: EventStream): void => {
      this.#streams.get(stream)?.add(topic)
      const subscribed = this.#topics.get(topic)
      if (subscribed === undefined) this.#topics.set(topic, new Set([stream]))
      else subscribed.add(stream)
    },
    unsubscribe: (topic: string, stream: EventStream): void => {
      this.#streams.get(stream)?.delete(topic)
      const subscribed = this.#topics.get(topic)
      subscribed?.delete(stream)
      if (subscribed?.size === 0) this.#topics.delete(topic)
    },
    sent: (): void => this.#handlers.sent(),
  }

  #forget(stream: EventStream): void {
    for (const topic of this.#streams.get(stream) ?? []) this.#owner.unsubscribe(topic, stream)
    this.#streams.delete(stream)
  }
}
