import type { Server } from "node:http"

const KEPT_MS = 600_000

/**
 * Keeps idle connections for longer than any test. A server that ends one after Node's five seconds meets the next request of a client
 * that a busy machine has delayed, and the client sees its connection reset.
 */
export const keepAlive = (server: Pick<Server, "keepAliveTimeout">): void => {
  server.keepAliveTimeout = KEPT_MS
}
