/**
 * One socket with its lifecycle, and the interpreter of its effects. It is small, because thousands of connections are idle. A
 * participant's state is shared by their tabs (`participant-states.ts`), an event's state by all connections (`channel.ts`).
 */

import { hasHeldAddresses } from "../../media/links.ts"
import type { Basis } from "../../model/grants.ts"
import type { CloseCode } from "../../protocol/wire/close-codes.ts"
import { type StreamName, streamsOf } from "../streams/stream-names.ts"
import { beginLife, type ConnectionState, type Identity, isSettled, type Life, type LifeEvent } from "./lifecycle.ts"
import { type ConnectionEffect, type ConnectionLeft, type ReadyNeed, step } from "./step.ts"

/** Transport of a connection. Every call is safe after the socket has closed, and then does nothing. */
export interface Socket {
  readonly send: (text: string) => void
  /** Sends a close frame after the buffered data. */
  readonly end: (code: number, reason: string) => void
  /** Drops the connection without a close frame. */
  readonly terminate: () => void
  readonly subscribe: (topic: string) => void
  readonly unsubscribe: (topic: string) => void
  /** Bytes that the peer has not received yet. */
  readonly buffered: () => number
}

/** Performs the effects that reach beyond the socket. */
export interface ConnectionOwner {
  /** Called once, when the connection has closed. */
  left(connection: Connection, departure: ConnectionLeft): void
  /** The connection needs `ready`, now or once its event has been read. */
  makeReady(connection: Connection, need: ReadyNeed): void
  /** Inserts the addresses that this connection may use into the text. */
  personal(connection: Connection, text: string): string
}

/** Origin of a connection. */
interface Origin {
  /** Number of the connection on this process, in order of opening. */
  readonly number: number
  /** The address in the form that rate limits count (`ClientAddresses`). */
  readonly address: string
  /** Unix milliseconds, as all times here. */
  readonly openedAt: number
}

export class Connection {
  readonly number: number
  readonly address: string
  readonly openedAt: number
  lastSeenAt: number
  /** Number of commands without a reply yet. */
  inFlight = 0
  /** Frames before the connection was open: limited, because no participant's budget counts them yet. */
  earlyFrames = 0
  /** Objects held back for the next frame, separated by commas. */
  #held: string | undefined
  #life: Life
  readonly #socket: Socket
  readonly #owner: ConnectionOwner

  constructor(socket: Socket, { number, address, openedAt }: Origin, owner: ConnectionOwner) {
    this.number = number
    this.address = address
    this.openedAt = openedAt
    this.lastSeenAt = openedAt
    this.#life = beginLife(openedAt)
    this.#socket = socket
    this.#owner = owner
  }

  get life(): Life {
    return this.#life
  }

  get state(): ConnectionState {
    return this.#life.state
  }

  get eventId(): string {
    return this.#life.eventId
  }

  get identity(): Identity {
    return this.#life.identity
  }

  get basis(): Basis | undefined {
    return this.#life.basis
  }

  get roomId(): string | null {
    return this.#life.roomId
  }

  /** Streams that the connection receives, according to its identity and room. */
  get streams(): ReadonlyArray<StreamName> {
    return streamsOf(this.identity, this.roomId)
  }

  get isPaused(): boolean {
    return this.#life.isPaused
  }

  /** A slow socket receives no ephemeral dispatches. */
  get getsEphemeral(): boolean {
    return this.state === "open" && !this.isPaused && !this.#life.isSlow
  }

  get buffered(): number {
    return this.#socket.buffered()
  }

  get isSettled(): boolean {
    return isSettled(this.state)
  }

  /** The only way to change the connection's life and to perform its effects. */
  apply(event: LifeEvent): void {
    const { life, effects } = step(this.#life, event)
    this.#life = life
    for (const effect of effects) this.#perform(effect)
  }

  /** Sends a frame whose content or order depends on more than the connection's life. Held-back objects come first, in the same frame. */
  send(frame: string): void {
    if (this.state !== "closed") this.#send(frame)
  }

  /** Holds an object back for the next frame, which must be sent within this turn. */
  hold(object: string): void {
    this.#held = this.#held === undefined ? object : `${this.#held},${object}`
  }

  /** Sends the held-back objects. */
  release(): void {
    const held = this.#held
    this.#held = undefined
    if (held !== undefined && this.state !== "closed") this.#transmit(`[${held}]`)
  }

  #send(frame: string): void {
    const held = this.#held
    this.#held = undefined
    this.#transmit(held === undefined ? frame : joined(held, frame))
  }

  #transmit(text: string): void {
    this.#socket.send(hasHeldAddresses(text) ? this.#owner.personal(this, text) : text)
  }

  close(why: CloseCode): void {
    this.apply({ type: "closed", why })
  }

  #perform(effect: ConnectionEffect): void {
    switch (effect.type) {
      case "subscribe":
        this.#socket.subscribe(effect.topic)
        break
      case "unsubscribe":
        this.#socket.unsubscribe(effect.topic)
        break
      case "send":
        this.#send(effect.frame)
        break
      case "leave":
        this.#owner.left(this, effect)
        break
      case "end":
        this.#socket.end(effect.why.code, effect.why.reason)
        break
      case "terminate":
        this.#socket.terminate()
        break
      case "requestReady":
        this.#owner.makeReady(this, effect)
        break
    }
  }
}

/** Combines held objects with a frame, which is one object or an array of several. */
const joined = (held: string, frame: string): string =>
  frame.startsWith("[") ? `[${held},${frame.slice(1)}` : `[${held},${frame}]`
