/**
 * One socket's state. Lean on purpose: thousands of them idle. What is the participant's is shared by its tabs
 * (`participants.ts`), what is the event's by everyone (`channel.ts`); nothing here owns a timer.
 */

import type { Basis } from "../../model/grants.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import type { CloseCode } from "../../protocol/close-codes.ts"
import type { OptOut } from "../../protocol/dispatch.ts"

/** Who a token speaks for. */
export interface Identity {
  readonly participantId: string
  readonly name: string
  readonly kind: ParticipantKind
  readonly userId: string | null
  /** The stored role. */
  readonly role: EventRole
  /** Neither a member of the workspace nor on the event's list: may have to wait in the lobby. */
  readonly walkIn: boolean
  /** An owner or admin of the workspace, whatever the role here. */
  readonly manages: boolean
}

/** Before a token said who it is. */
const NOBODY: Identity = {
  participantId: "",
  name: "",
  kind: "anonymous",
  userId: null,
  role: "viewer",
  walkIn: true,
  manages: false,
}

/** What a connection needs of its transport. Every call is safe after the socket has closed, and then does nothing. */
export interface Socket {
  readonly send: (text: string) => void
  /** Sends a close frame after what is buffered. */
  readonly end: (code: number, reason: string) => void
  /** Cuts the link without a word. */
  readonly terminate: () => void
  readonly subscribe: (topic: string) => void
  readonly unsubscribe: (topic: string) => void
  /** Bytes that the peer has not taken yet. */
  readonly buffered: () => number
}

/**
 * `new`: has not identified. `identifying`: its token is being checked. `waiting`: its event is being read.
 * `lobby`: it waits to be let in, and hears nothing but that. `open`: it got `ready` and hears its streams.
 * `closed`: never touched again.
 */
export type ConnectionState = "new" | "identifying" | "waiting" | "lobby" | "open" | "closed"

/** What a client may ask not to hear. */
const MUTES_NOTHING: ReadonlySet<OptOut> = new Set()

/** Shared, as most vote in none. */
const NO_POLLS: ReadonlySet<string> = new Set()

export class Connection {
  readonly socket: Socket
  /** As limits count it (`ClientAddresses`). */
  readonly address: string
  /** Unix milliseconds, as every time here. */
  readonly openedAt: number
  lastSeenAt: number
  /** Since when it has been on its way in: from the start, or since it was let in. */
  waitingSince: number
  state: ConnectionState = "new"
  eventId = ""
  identity: Identity = NOBODY
  sessionExpiresAt = Number.POSITIVE_INFINITY
  /** The things that its user's session rests on; `undefined` for everybody who is no user of the workspace. */
  basis: Basis | undefined
  /** The room whose stream it hears. */
  roomId: string | null = null
  mutes: ReadonlySet<OptOut> = MUTES_NOTHING
  /** `tokenExpiring` has been sent for this session. */
  warned = false
  /** Commands without an answer yet. */
  inFlight = 0
  /** Frames before it was open: bounded, because no participant answers for them yet. */
  earlyFrames = 0
  /** Polls whose tally it hears because its participant voted. */
  polls: ReadonlySet<string> = NO_POLLS
  /** It has to be told where it stands before it hears anything more of its streams. */
  isPaused = false
  /** Subscribed to what may be lost; a slow socket is not. */
  getsEphemeral = false
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
    this.waitingSince = now
    this.#onClose = onClose
  }

  /** Inside, or waiting in the lobby: for as long as it takes, with heartbeats and new tokens. */
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

  /** Closes a socket that takes nothing any more, not even a close frame. */
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
    this.state = "closed"
    return true
  }
}
