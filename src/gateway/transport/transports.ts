/** The transports of connections: WebSockets and event streams, with the same handlers. */
import type { ConnectionHandlers } from "./connection-handlers.ts"
import { EventStreams, type StreamNeeds } from "./event-streams.ts"
import { bindSockets, type SocketApp, type SocketHandlers } from "./uws-socket.ts"

interface Needs extends StreamNeeds {
  readonly clientOf: SocketHandlers["clientOf"]
}

/** @returns the event streams, which requests open */
export const bindTransports = (app: SocketApp, handlers: ConnectionHandlers, given: Needs): EventStreams => {
  bindSockets(app, given.orderedLimitBytes, { ...handlers, clientOf: given.clientOf })
  return new EventStreams(handlers, given)
}
