/** Callbacks of the gateway for a transport of connections: the same for WebSockets and for event streams. */
import type { Client } from "../../identity/callers/client-addresses.ts"
import type { Connection, Socket } from "../connection/connection.ts"

/** Reason to refuse a new connection: the process has no capacity, or its address has too many connections. */
export type TurnedAway = "full" | "address"

/** Seconds after which a connection that was turned away may be tried again: the header `retry-after`. */
export const TURNED_AWAY_SECONDS = "5"

/**
 * Factor of a transport's limit of buffered bytes over the gateway's. The gateway closes with a code that still fits behind the buffer; the
 * transport's limit is the last resort.
 */
export const TRANSPORT_LIMIT_FACTOR = 4

export interface ConnectionHandlers {
  /** Called before a connection is opened. */
  readonly refusal: (client: Client) => TurnedAway | undefined
  /** `session`: the secret by which requests send the frames of a stream. */
  readonly opened: (socket: Socket, client: Client, session?: string) => Connection
  /** Called once for every connection that was opened. */
  readonly closed: (client: Client) => void
  /** The bytes are valid only during the call. */
  readonly received: (connection: Connection, bytes: ArrayBuffer) => void
  readonly drained: (connection: Connection) => void
  /** Called when a frame was sent to one connection. */
  readonly sent: () => void
  /** Called when a callback threw. */
  readonly failed: (error: unknown) => void
}
