/** Closes many connections over a short time, so that their clients do not all reconnect or send requests in the same instant. */

import { inPortions } from "../../clock/throttle.ts"
import type { Cancel, Timers } from "../../clock/timers.ts"
import type { CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"

const STEPS = 15

/** Connections with unanswered commands are closed last. Returns a function that stops the closing. */
export const closeStaggered = (
  timers: Timers,
  connections: ReadonlyArray<Connection>,
  why: CloseCode,
  withinMs: number,
): Cancel => {
  const order = [
    ...connections.filter(({ inFlight }) => inFlight === 0),
    ...connections.filter(({ inFlight }) => inFlight > 0),
  ]
  const portions = { atOnce: Math.ceil(order.length / STEPS), pauseMs: withinMs / STEPS }
  return inPortions(timers, order, portions, (connection) => connection.close(why))
}
