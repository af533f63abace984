/** The steps of a stop that wait for clients: their sockets, their requests and their connections. */
import type { TemplatedApp } from "uWebSockets.js"
import type { Config } from "../config/config.ts"
import type { RunningGateway } from "../gateway/gateway.ts"
import type { Rest } from "../http/rest.ts"
import { DRAIN_REQUESTS_MS, DRAIN_SOCKETS_MS } from "./deadlines.ts"
import { untilAllAreTaken } from "./listening.ts"

/** Waits with a limit: a part that hangs must not keep the rest from stopping. */
export const atMost = async (ms: number, done: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}

/**
 * Time for connections that were accepted last to send their requests; a proxy that gets no answer cannot repeat them. A server that lets
 * proxies notice its stop has the time to wait for those of a busy machine.
 */
const FIRST_BYTES_MS = 100
const FIRST_BYTES_OF_PROXIES_MS = 500
/** Time for sockets that were asked to close to receive their last frame. */
const LAST_FRAMES_MS = 250
/** Time for requests that arrive while sockets are being closed. */
const LAST_REQUESTS_MS = 500

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Asks sockets to reconnect and waits for requests in flight. Then closes idle connections while all parts still run: a later request on
 * one of them would find no part to answer it.
 */
export const drained = async (
  app: TemplatedApp,
  rest: Rest,
  gateway: RunningGateway,
  { cluster, drainDelayMs }: Config,
): Promise<void> => {
  const hadSockets = gateway.connections() > 0
  const drainRequests = async (): Promise<boolean> => {
    await pause(drainDelayMs > 0 ? FIRST_BYTES_OF_PROXIES_MS : FIRST_BYTES_MS)
    return rest.drained(DRAIN_REQUESTS_MS)
  }
  const drainSockets = gateway.drain(DRAIN_SOCKETS_MS, cluster === null ? "drain" : "moved")
  const [, isIdle] = await Promise.all([drainSockets, drainRequests()])
  // Bodies without an end, such as those of encoders, are ended by the part that reads them.
  if (!isIdle) return
  if (hadSockets) await pause(LAST_FRAMES_MS)
  await untilAllAreTaken()
  if (await rest.drained(LAST_REQUESTS_MS)) app.close()
}
