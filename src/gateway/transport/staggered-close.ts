/** Closes many connections over a little while, so that they do not all come back, or look elsewhere, in the same instant. */

import type { CloseCode } from "../../protocol/close-codes.ts"
import type { Connection } from "../connection/connection.ts"

const STEPS = 15

/** Those that wait for an answer go last. Returns how to stop early. */
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
