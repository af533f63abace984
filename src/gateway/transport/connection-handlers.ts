/** What a transport of connections asks of the gateway: the same for WebSockets and for event streams. */
import type { Client } from "../../identity/callers/client-addresses.ts"
import type { Connection, Socket } from "../connection/connection.ts"

/** Reason to refuse a new connection: the process has no capacity, or its address has too many connections. */
export type TurnedAway = "full" | "address"

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
