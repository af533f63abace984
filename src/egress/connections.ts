/** Connections for `egress/egress.ts`: to one origin at checked addresses, each for one request at a time. */
import type { LookupFunction } from "node:net"
import { buildConnector, Client } from "undici"
import { checkAddress, type EgressPolicy, type EgressRefused } from "../model/integrations/egress-target.ts"
import { ConnectFailed } from "./connect-failed.ts"

const CONNECT_WITHIN_MS = 10_000
/** Maximum number of idle connections kept. */
const MAX_IDLE = 64

/** A failure before TCP is established names its system call, or is one error per address that was tried. */
const connectFailure = (protocol: string, cause: Error & { readonly code?: string; readonly syscall?: string }) => {
  const beforeTls =
    cause.syscall === "connect" || cause instanceof AggregateError || cause.code === "UND_ERR_CONNECT_TIMEOUT"
  return new ConnectFailed(protocol === "https:" && !beforeTls ? "tls" : "connect", cause)
}

export const connectorTo = (
  url: URL,
  addresses: ReadonlyArray<string>,
  policy: EgressPolicy,
): buildConnector.connector => {
  const pinned = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all === true) callback(null, pinned)
    else callback(null, pinned[0]?.address ?? "", pinned[0]?.family)
  }
  const connect = buildConnector({
    lookup,
    autoSelectFamily: true,
    rejectUnauthorized: true,
    timeout: CONNECT_WITHIN_MS,
  } as buildConnector.BuildOptions) // undici's type knows the options of TLS or those of TCP, not both
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(connectFailure(url.protocol, error), null)
      try {
        checkAddress(url, socket.remoteAddress ?? "", policy)
      } catch (refused) {
        socket.destroy()
        return callback(refused as EgressRefused, null)
      }
      callback(null, socket)
    })
}

/**
 * Connections to one origin at one set of checked addresses. Each request has a connection to itself: cutting it off closes that
 * connection, which undici's own pool cannot do without opening another in its place.
 */
export class OriginConnections {
  private readonly url: URL
  private readonly connect: buildConnector.connector
  private readonly idle: Array<Client> = []
  private retired = false

  constructor(url: URL, connect: buildConnector.connector) {
    this.url = url
    this.connect = connect
  }

  /** An idle connection, if there is one. */
  takeIdle(): Client | undefined {
    return this.idle.pop()
  }

  open(): Client {
    // The exchange's own timer covers headers and body.
    return new Client(this.url.origin, { connect: this.connect, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  }

  /** Takes back a connection whose answer was read to its end; returns whether it is kept. */
  keep(client: Client): boolean {
    if (this.retired || this.idle.length >= MAX_IDLE) return false
    this.idle.push(client)
    return true
  }

  /** Running requests are finished first. */
  retire(): Promise<unknown> {
    this.retired = true
    return Promise.all(this.idle.splice(0).map((client) => client.destroy()))
  }
}
