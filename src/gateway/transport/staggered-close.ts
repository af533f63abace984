/** Closes many connections over a short time, so that their clients do not all reconnect or send requests in the same instant. */

import type { CloseCode } from "../../protocol/close-codes.ts"
import type { Connection } from "../connection/connection.ts"

const STEPS = 15

/** Connections with unanswered commands are closed last. Returns a function that stops the closing. */
export const closeStaggered = (
  connections: ReadonlyArray<Connection>,
  why: CloseCode,
  withinMs: number,
): (() => void) => {
  if (connections.length === 0) return () => undefined
  const order = [
    ...connections.filter(({ inFlight }) => inFlight === 0),
    ...connections.filter(({ inFlight }) => inFlight > 0),
  ]
  const atOnce = Math.ceil(order.length / STEPS)
  let next = 0
  const timer = setInterval(() => {
    for (const connection of order.slice(next, next + atOnce)) connection.close(why)
    next += atOnce
    if (next >= order.length) clearInterval(timer)
  }, withinMs / STEPS)
  return () => clearInterval(timer)
}
