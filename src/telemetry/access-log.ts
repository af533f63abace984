/**
 * One line for each request, once its response has been sent: the route and not the path, which may hold a token, and the kind of
 * the caller and ids, and no name. A request that took long is a warning.
 */
import type { Logger } from "pino"

/** `addresses`: with the client's address; `off`: slow requests alone. */
export type AccessLogMode = "on" | "addresses" | "off"

interface EndedRequest {
  readonly requestId: string
  readonly method: string
  /** The path as it was registered. */
  readonly route: string
  readonly status: number
  /** Milliseconds from the head of the request to the end of its response. */
  readonly ms: number
  /** Of the response's body. */
  readonly bytes: number
  /** The kind of the caller; null where it is not known. */
  readonly caller: string | null
  /** The workspace that the request counts for; null where there is none. */
  readonly workspaceId: string | null
  /** The id of the API key; null for other callers, and then not in the line. */
  readonly keyId: string | null
  /** The client's address; null where it is not to be logged. */
  readonly address: string | null
}

const SLOW_MS = 1000
/** Asked for every few seconds by machines. */
const PROBES = new Set(["/healthz", "/readyz", "/metrics"])
/** Bytes of media, at the pace of the client or of a live stream. */
const PACED_BY_CLIENTS = /^\/v1\/(?:media|live|ingest)\//

const isSlow = ({ ms, route }: EndedRequest): boolean => ms >= SLOW_MS && !PACED_BY_CLIENTS.test(route)

const lineOf = ({ address, keyId, ms, ...fields }: EndedRequest, mode: AccessLogMode) => ({
  ...fields,
  ...(keyId === null ? {} : { keyId }),
  ms: Math.round(ms * 10) / 10,
  ...(mode === "addresses" ? { address } : {}),
})

export const accessLog =
  (log: Logger, mode: AccessLogMode) =>
  (ended: EndedRequest): void => {
    const slow = isSlow(ended)
    const isInfo = mode !== "off" && !PROBES.has(ended.route)
    if (!slow && !log.isLevelEnabled(isInfo ? "info" : "debug")) return
    const line = lineOf(ended, mode)
    if (slow) log.warn(line, "slow request")
    else if (isInfo) log.info(line, "request")
    else log.debug(line, "request")
  }
