/**
 * Access log: one line per request, once its response has been sent. It holds the route instead of the path, which may hold a token, and
 * the caller's kind and ids, but no name. A slow request is a warning.
 */
import type { Logger } from "pino"

/** `addresses` adds the client's address; `off` logs only slow requests. */
export type AccessLogMode = "on" | "addresses" | "off"

interface EndedRequest {
  readonly requestId: string
  readonly method: string
  /** Registered path. */
  readonly route: string
  readonly status: number
  /** Milliseconds from the request's head to the end of its response. */
  readonly ms: number
  /** Bytes of the response's body. */
  readonly bytes: number
  /** Kind of the caller; null when unknown. */
  readonly caller: string | null
  /** Workspace charged for the request; null without one. */
  readonly workspaceId: string | null
  /** Id of the API key; null for other callers, whose lines omit it. */
  readonly keyId: string | null
  /** Client address; null when it must not be logged. */
  readonly address: string | null
}

const SLOW_MS = 1000
/** Paths polled every few seconds by machines. */
const PROBES = new Set(["/healthz", "/readyz", "/metrics"])
/** Media routes, whose pace is that of the client or of a live stream, and polls that wait. */
const PACED_BY_CLIENTS = /^\/v1\/(?:media\/|live\/|ingest\/|occurrences$)/

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
