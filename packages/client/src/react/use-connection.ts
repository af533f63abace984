/** Connection of a client for display in a component. */
import { useSyncExternalStore } from "react"
import type { ConnectionStatus, GatewayClient } from "../entry.ts"

export interface Connection {
  readonly status: ConnectionStatus
  /**
   * Reason why the last attempt failed, or why the client has stopped: a `RestProblem`, a `ConnectionClosed`, or a network error. Null
   * while the client is connected, and after its own `close()`.
   */
  readonly error: unknown
  /** Wait before the next attempt, from the failure on; null when there is none. */
  readonly retryInMs: number | null
}

interface Store {
  readonly read: () => Connection
  readonly subscribe: (changed: () => void) => () => void
}

const BEFORE: Connection = { status: "idle", error: null, retryInMs: null }
const onServer = (): Connection => BEFORE

/** Stores by client: errors are events, and a component mounted later shows the last one too. */
const stores = new WeakMap<GatewayClient, Store>()

const afterStatus = (before: Connection, status: ConnectionStatus): Connection => {
  const isConnected = status === "ready" || status === "lobby"
  return isConnected || before.status === "closed" ? { ...BEFORE, status } : { ...before, status }
}

const makeStore = (client: GatewayClient): Store => {
  const listeners = new Set<() => void>()
  let connection: Connection = { ...BEFORE, status: client.status }
  const become = (next: Connection): void => {
    connection = next
    for (const changed of [...listeners]) changed()
  }
  client.on("status", (status) => become(afterStatus(connection, status)))
  client.on("error", ({ cause, retryInMs }) => become({ ...connection, error: cause, retryInMs }))
  client.on("closed", ({ cause = null }) => become({ ...connection, error: cause, retryInMs: null }))
  return {
    read: () => connection,
    subscribe: (changed) => {
      listeners.add(changed)
      return () => {
        listeners.delete(changed)
      }
    },
  }
}

const storeOf = (client: GatewayClient): Store => {
  const store = stores.get(client) ?? makeStore(client)
  stores.set(client, store)
  return store
}

/** Status of the client and its last error, since a hook first saw the client. */
export const useConnection = (client: GatewayClient): Connection => {
  const { subscribe, read } = storeOf(client)
  return useSyncExternalStore(subscribe, read, onServer)
}
