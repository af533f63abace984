/** The options of the gateway client. */

import type { BackoffOptions } from "./connection/backoff.ts"
import type { SocketConstructor } from "./connection/socket.ts"
import type { OptOut } from "./contract/types.ts"

/** The answer of `POST /v1/auth/gateway-token`, as far as the client needs it. */
export interface GatewayToken {
  readonly token: string
  /** `ws://…/v1/gateway`. */
  readonly url: string
  /** RFC 3339. Until then the token opens further connections, so that an anonymous viewer stays the same person. */
  readonly expiresAt: string
}

export interface GatewayClientOptions {
  /**
   * Called before a connection when the last token has expired, and when the session is about to expire. A `RestProblem` with a status of
   * 400 to 499, other than 408, 425 and 429, is final: the client stops, and `connect` rejects with it. After any other rejection it tries again.
   */
  readonly token: () => Promise<GatewayToken>
  /** Default: the platform's. */
  readonly WebSocket?: SocketConstructor
  /** Milliseconds a command waits for its reply, over any number of connections. Default 30,000. */
  readonly commandTimeoutMs?: number
  /** Milliseconds a try may take, from the call for a token until the server's hello. Default 10,000. */
  readonly helloTimeoutMs?: number
  /** How connections are tried again after a loss. */
  readonly backoff?: BackoffOptions
  readonly name?: string
  /** Kinds of dispatches that the server does not send. */
  readonly mute?: ReadonlyArray<OptOut>
}
