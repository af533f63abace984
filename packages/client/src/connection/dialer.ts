/** Opens connections over a WebSocket or an event stream: some networks cut the upgrade to a WebSocket. */
import { platformSocket, type SocketConstructor, type SocketLike } from "./socket.ts"
import { type Identity, StreamSocket } from "./stream-socket.ts"

export type Link = SocketLike
export type Transport = "websocket" | "sse"

/** Attempts in a row without a hello after which the other transport is tried. */
const MOST_FAILURES = 2
/** Bytes that fill the buffer of a proxy that passes on full buffers only. */
const PADDING = 16_384

export class Dialer {
  readonly #given: SocketConstructor | undefined
  readonly #isFixed: boolean
  #current: Transport
  #failures = 0
  #padding = 0

  /** `given` replaces the platform's WebSocket. */
  constructor(wanted: Transport | "auto" = "auto", given?: SocketConstructor) {
    this.#given = given
    this.#isFixed = wanted !== "auto"
    this.#current = wanted === "sse" ? "sse" : "websocket"
  }

  get current(): Transport {
    return this.#current
  }

  /** Resolves with how to open a connection now, once the platform is ready for it. */
  async prepare(): Promise<(url: string, identity: Identity) => Link> {
    if (this.#current === "sse") return (url, identity) => new StreamSocket(url, identity, this.#padding)
    const Socket = this.#given ?? (await platformSocket())
    return (url) => new Socket(url, ["gc.v1"])
  }

  /**
   * Called when an attempt ended without a hello; returns whether the next one uses the other transport. `isSilent` means that nothing
   * arrived before the deadline.
   */
  failed(isSilent: boolean): boolean {
    if (this.#current === "sse") this.#padding = isSilent ? PADDING : 0
    this.#failures++
    if (this.#isFixed || this.#failures < MOST_FAILURES) return false
    this.#failures = 0
    this.#current = this.#current === "sse" ? "websocket" : "sse"
    return true
  }

  /**
   * Called when a connection that had a hello is lost; returns whether the next attempt uses the other transport. A short outage looks like
   * a network that cuts upgrades, so a lost stream is followed by one attempt with a WebSocket.
   */
  lost(): boolean {
    if (this.#isFixed || this.#current === "websocket") return false
    this.#failures = MOST_FAILURES - 1
    this.#current = "websocket"
    return true
  }

  greeted(): void {
    this.#failures = 0
  }
}
