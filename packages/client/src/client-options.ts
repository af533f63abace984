/** Options of the gateway client. */

import type { BackoffOptions } from "./connection/backoff.ts"
import type { Transport } from "./connection/dialer.ts"
import type { SocketConstructor } from "./connection/socket.ts"
import type { OptOut } from "./contract/types.ts"

/** The used part of the answer of `POST /v1/auth/gateway-token`. */
export interface GatewayToken {
  readonly token: string
  /** Address such as `ws://…/v1/gateway`. */
  readonly url: string
  /** RFC 3339. Until then the token opens further connections, so that an anonymous viewer stays the same person. */
  readonly expiresAt: string
}

/** A place of a replay. */
export interface ReplayOptions {
  /** Milliseconds since the start of the event. */
  readonly from: number
  /** From 0, at which the replay stands still, to 16. Default 1. */
  readonly speed?: number
}

export interface GatewayClientOptions {
  /**
   * Called before a connection when the last token has expired, and when the session is about to expire. A `RestProblem` with a status of
   * 400 to 499, other than 408, 425 and 429, is final: the client stops, and `connect` rejects with it. After any other rejection it
   * retries.
   */
  readonly token: () => Promise<GatewayToken>
  /**
   * `auto`, the default: a WebSocket, and after two attempts without a hello an event stream with requests, for networks that let no
   * WebSocket through.
   */
  readonly transport?: Transport | "auto"
  /** Defaults to the platform's WebSocket. */
  readonly WebSocket?: SocketConstructor
  /** Milliseconds that a command waits for its reply, over any number of connections. Default 30,000. */
  readonly commandTimeoutMs?: number
  /** Milliseconds that an attempt may take, from the call for a token until the server's hello. Default 10,000. */
  readonly helloTimeoutMs?: number
  /** Delays of reconnecting after a loss. */
  readonly backoff?: BackoffOptions
  readonly name?: string
  /** Kinds of dispatches that the server must not send. */
  readonly mute?: ReadonlyArray<OptOut>
  /**
   * Replays an ended event whose history is kept; `GatewayClient.replay` goes to another place. The token is one for
   * `{ eventId, replay: true }`. Commands are refused, and `clock` tells the time that is replayed.
   */
  readonly replay?: ReplayOptions
}
