/** Closes many connections over a short time, so that their clients do not all reconnect or send requests at the same instant. */

import { inPortions } from "../../clock/throttle.ts"
import type { Cancel, Timers } from "../../clock/timers.ts"
import type { CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"

const STEPS = 15

/**
 * Closes connections step by step. A connection with an unanswered command is closed last: on several nodes the answer may come after the
 * dispatch that led here. Returns a function that stops the closing.
 */
export const closeStaggered = (
  timers: Timers,
  connections: ReadonlyArray<Connection>,
  why: CloseCode,
  withinMs: number,
): Cancel => {
  const answering: Connection[] = []
  const portions = { atOnce: Math.ceil(connections.length / STEPS), pauseMs: withinMs / STEPS }
  const stopPortions = inPortions(timers, connections, portions, (connection) => {
    if (connection.inFlight > 0) answering.push(connection)
    else connection.close(why)
  })
  const stopLast = timers.after(withinMs, () => {
    for (const connection of answering) connection.close(why)
  })
  return () => {
    stopPortions()
    stopLast()
  }
}
