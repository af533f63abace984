/**
 * One line for each request, once its response has been sent: the route and not the path, which may hold a token, and the kind of
 * the caller and not its name. A request that took long is a warning.
 */
import type { Logger } from "pino"
import type { EndedExchange } from "./uws-exchange.ts"

/** `addresses`: with the client's address; `off`: slow requests alone. */
export type AccessLogMode = "on" | "addresses" | "off"

const SLOW_MS = 1000
/** Asked for every few seconds by machines. */
const PROBES = new Set(["/healthz", "/readyz", "/metrics"])
/** Bytes of media, at the pace of the client or of a live stream. */
const PACED_BY_CLIENTS = /^\/v1\/(?:media|live|ingest)\//

const isSlow = ({ ms, route }: EndedExchange): boolean => ms >= SLOW_MS && !PACED_BY_CLIENTS.test(route)

export const accessLog =
  (log: Logger, mode: AccessLogMode) =>
  (ended: EndedExchange): void => {
    const slow = isSlow(ended)
    const isInfo = mode !== "off" && !PROBES.has(ended.route)
    if (!slow && !log.isLevelEnabled(isInfo ? "info" : "debug")) return
    const { head, route, status, ms, bytes } = ended
    const { requestId, method, notes } = head
    const line = { requestId, method, route, status, ms: Math.round(ms * 10) / 10, bytes, caller: notes.caller }
    const addressed = mode === "addresses" ? { ...line, address: notes.address } : line
    if (slow) log.warn(addressed, "slow request")
    else if (isInfo) log.info(addressed, "request")
    else log.debug(addressed, "request")
  }
