/**
 * Sends dispatches in few frames: a single object alone, several as an array, and no frame longer than a socket accepts at once. Slow
 * sockets get no ephemeral messages, and are closed before their buffers exceed the limit.
 */
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewaySettings } from "../options.ts"

/** A frame is closed when it reaches this length, in UTF-16 units. */
const FRAME_LENGTH = 65_536

const frameOf = (dispatches: ReadonlyArray<string>): string =>
  dispatches.length === 1 ? (dispatches[0] ?? "[]") : `[${dispatches.join(",")}]`

export const framesOf = (dispatches: ReadonlyArray<string>): ReadonlyArray<string> => {
  const frames: string[] = []
  let open: string[] = []
  let length = 0
  for (const dispatch of dispatches) {
    open.push(dispatch)
    length += dispatch.length
    if (length < FRAME_LENGTH) continue
    frames.push(frameOf(open))
    open = []
    length = 0
  }
  if (open.length > 0) frames.push(frameOf(open))
  return frames
}

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

type Limits = Pick<GatewaySettings, "orderedLimitBytes" | "ephemeralLimitBytes">

/** Closes sockets whose buffers are too large; pauses ephemeral messages of slow ones. */
export const inspectBuffers = (
  connections: Iterable<Connection>,
  { orderedLimitBytes, ephemeralLimitBytes }: Limits,
): void => {
  for (const connection of connections) {
    const buffered = connection.buffered
    if (buffered > orderedLimitBytes) connection.close(CLOSE.slowConsumer)
    else if (buffered > ephemeralLimitBytes && connection.getsEphemeral) connection.apply({ type: "slowed" })
  }
}

/** Resumes ephemeral messages of a socket whose buffer has drained. */
export const resumeEphemeral = (connection: Connection, { ephemeralLimitBytes }: Limits): void => {
  if (connection.state !== "open" || connection.isPaused || connection.getsEphemeral) return
  if (connection.buffered > ephemeralLimitBytes) return
  connection.apply({ type: "drained" })
}
