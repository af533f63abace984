/** The choice between a WebSocket and an event stream: some networks cut the upgrade to a WebSocket. */
export type Transport = "websocket" | "sse"

/** Attempts in a row without a hello after which the other transport is tried. */
const MOST_FAILURES = 2
/** The buffer of the proxies that pass on full ones alone. */
const PADDING = 16_384

export class TransportChoice {
  readonly #isFixed: boolean
  #current: Transport
  #failures = 0
  #padding = 0

  constructor(wanted: Transport | "auto" = "auto") {
    this.#isFixed = wanted !== "auto"
    this.#current = wanted === "sse" ? "sse" : "websocket"
  }

  get current(): Transport {
    return this.#current
  }

  /** Bytes behind each event of the next stream. */
  get padding(): number {
    return this.#padding
  }

  /** Called when an attempt ended without a hello; returns whether the next one uses the other transport. `silent`: it did not fail by itself. */
  failed(silent: boolean): boolean {
    this.#padding = silent && this.#current === "sse" ? PADDING : 0
    this.#failures++
    if (this.#isFixed || this.#failures < MOST_FAILURES) return false
    this.#failures = 0
    this.#current = this.#current === "sse" ? "websocket" : "sse"
    return true
  }

  /** Called at a hello. */
  greeted(): void {
    this.#failures = 0
  }
}
