/**
 * One socket's state. It is small, because thousands of connections are idle. State of the participant is shared by its tabs
 * (`participant-states.ts`), state of the event by all connections (`channel.ts`). A connection owns no timer.
 */

import type { Basis } from "../../model/grants.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import type { CloseCode } from "../../protocol/close-codes.ts"
import type { OptOut } from "../../protocol/dispatch.ts"

/** The participant that a token identifies. */
export interface Identity {
  readonly participantId: string
  readonly name: string
  readonly kind: ParticipantKind
  readonly userId: string | null
  /** The stored role. */
  readonly role: EventRole
  /** Neither a member of the workspace nor on the event's list: may have to wait in the waiting room. */
  readonly walkIn: boolean
  /** An owner or admin of the workspace, in any role here. */
  readonly manages: boolean
}

/** The identity before a token is accepted. */
const NOBODY: Identity = {
  participantId: "",
  name: "",
  kind: "anonymous",
  userId: null,
  role: "viewer",
  walkIn: true,
  manages: false,
}

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

/**
 * `new`: has not identified. `identifying`: its token is being checked. `waiting`: its event is being read. `lobby`: it is in the
 * waiting room and receives only the status of that. `open`: it got `ready` and is subscribed to its streams. `closed`: never
 * used again.
 */
export type ConnectionState = "new" | "identifying" | "waiting" | "lobby" | "open" | "closed"

/** The dispatches that a client opted out of. */
const MUTES_NOTHING: ReadonlySet<OptOut> = new Set()

/** Shared, because most participants vote in no poll. */
const NO_POLLS: ReadonlySet<string> = new Set()

export class Connection {
  readonly socket: Socket
  /** The address as rate limits count it (`ClientAddresses`). */
  readonly address: string
  /** Unix milliseconds, as every time here. */
  readonly openedAt: number
  lastSeenAt: number
  /** The start of its way in: when it opened, or when it was admitted. */
  waitingSince: number
  state: ConnectionState = "new"
  eventId = ""
  identity: Identity = NOBODY
  sessionExpiresAt = Number.POSITIVE_INFINITY
  /** The basis of its user's grant; `undefined` for participants that are not users of the workspace. */
  basis: Basis | undefined
  /** The room whose stream it is subscribed to. */
  roomId: string | null = null
  mutes: ReadonlySet<OptOut> = MUTES_NOTHING
  /** `tokenExpiring` has been sent for this session. */
  warned = false
  /** Commands without a reply yet. */
  inFlight = 0
  /** Frames before it was open: bounded, because no participant's budget counts them yet. */
  earlyFrames = 0
  /** Polls whose tally it receives because its participant voted. */
  polls: ReadonlySet<string> = NO_POLLS
  /** It needs a `ready` before it receives anything more of its streams. */
  isPaused = false
  /** Subscribed to ephemeral dispatches; a slow socket is not. */
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
    this.state = "closed"
    return true
  }
}
