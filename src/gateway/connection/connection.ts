/**
 * One socket's state. It is small, because thousands of connections are idle. State of the participant is shared by its tabs
 * (`participant-states.ts`), state of the event by all connections (`channel.ts`). A connection owns no timer.
 */

import type { Basis } from "../../model/grants.ts"
import type { CloseCode } from "../../protocol/close-codes.ts"
import type { OptOut } from "../../protocol/dispatch.ts"
import { type StreamName, streamsOf } from "../broadcast/stream-names.ts"
import { beginLife, type ConnectionState, type Identity, type Life, type LifeEvent, lifeAfter } from "./lifecycle.ts"

/** The transport of a connection. Every call is safe after the socket has closed, and then does nothing. */
export interface Socket {
  readonly send: (text: string) => void
  /** Sends a close frame after what is buffered. */
  readonly end: (code: number, reason: string) => void
  /** Cuts the link without a close frame. */
  readonly terminate: () => void
  readonly subscribe: (topic: string) => void
  readonly unsubscribe: (topic: string) => void
  /** Bytes that the peer has not received yet. */
  readonly buffered: () => number
}

export class Connection {
  readonly socket: Socket
  /** The address as rate limits count it (`ClientAddresses`). */
  readonly address: string
  /** Unix milliseconds, as every time here. */
  readonly openedAt: number
  lastSeenAt: number
  /** Commands without a reply yet. */
  inFlight = 0
  /** Frames before it was open: bounded, because no participant's budget counts them yet. */
  earlyFrames = 0
  #life: Life
  readonly #onClose: (connection: Connection, why: CloseCode | undefined) => void

  constructor(
    socket: Socket,
    address: string,
    now: number,
    onClose: (connection: Connection, why: CloseCode | undefined) => void,
  ) {
    this.socket = socket
    this.address = address
    this.openedAt = now
    this.lastSeenAt = now
    this.#life = beginLife(now)
    this.#onClose = onClose
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

  /** The streams that it receives, by its identity and room. */
  get streams(): ReadonlyArray<StreamName> {
    return streamsOf(this.identity, this.roomId)
  }

  get mutes(): ReadonlySet<OptOut> {
    return this.#life.mutes
  }

  get isPaused(): boolean {
    return this.#life.isPaused
  }

  get getsEphemeral(): boolean {
    return this.#life.getsEphemeral
  }

  /** The only change of its life. Nothing happens to a closed connection. */
  apply(event: LifeEvent): void {
    this.#life = lifeAfter(this.#life, event)
  }

  /** Open, or in the waiting room: both last without a time limit, with heartbeats and new tokens. */
  get isSettled(): boolean {
    return this.state === "open" || this.state === "lobby"
  }

  send(text: string): void {
    if (this.state !== "closed") this.socket.send(text)
  }

  /** Closes from this side. */
  close(why: CloseCode): void {
    if (!this.#leave(why)) return
    this.socket.end(why.code, why.reason)
  }

  /** Closes a socket that accepts no more bytes, not even a close frame. */
  cut(why: CloseCode): void {
    if (!this.#leave(why)) return
    this.socket.terminate()
  }

  /** The socket closed by itself, or because the peer closed it. */
  lost(): void {
    this.#leave(undefined)
  }

  #leave(why: CloseCode | undefined): boolean {
    if (this.state === "closed") return false
    this.#onClose(this, why)
    this.apply({ type: "closed" })
    return true
  }
}
