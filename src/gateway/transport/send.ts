/** Sends many dispatches to one connection in few frames, and stops when its buffer is full. */

import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import { framesOf } from "./frame-packing.ts"

/** Returns false when the connection was closed as a slow consumer; it resumes from the last dispatch that it received. */
export const sendAll = (connection: Connection, dispatches: ReadonlyArray<string>, limitBytes: number): boolean => {
  for (const frame of framesOf(dispatches)) {
    connection.send(frame)
    if (connection.buffered <= limitBytes) continue
    connection.close(CLOSE.slowConsumer)
    return false
  }
  return connection.state !== "closed"
}

/** Sends ephemeral dispatches to connections that are not slow. */
export const sendEphemeral = (
  connections: Iterable<Connection>,
  dispatches: ReadonlyArray<string>,
  limitBytes: number,
): void => {
  for (const connection of connections) if (connection.getsEphemeral) sendAll(connection, dispatches, limitBytes)
}
