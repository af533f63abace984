/** Slow sockets: ephemeral messages are paused, and the socket is closed before its buffer outgrows the limit. */

import { CLOSE } from "../../protocol/close-codes.ts"
import type { Topics } from "../broadcast/topics.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewayOptions } from "../options.ts"

type Limits = Pick<GatewayOptions, "orderedLimitBytes" | "ephemeralLimitBytes">

/** Closes sockets whose buffers are too large; pauses ephemeral messages of slow ones. */
export const inspectBuffers = (
  connections: Iterable<Connection>,
  topics: Topics,
  { orderedLimitBytes, ephemeralLimitBytes }: Limits,
): void => {
  for (const connection of connections) {
    const buffered = connection.socket.buffered()
    if (buffered > orderedLimitBytes) connection.close(CLOSE.slowConsumer)
    else if (buffered > ephemeralLimitBytes && connection.getsEphemeral) {
      topics.setEphemeral(connection, connection.streams, false)
    }
  }
}

/** Resumes ephemeral messages of a socket whose buffer has drained. */
export const resumeEphemeral = (connection: Connection, topics: Topics, { ephemeralLimitBytes }: Limits): void => {
  if (connection.state !== "open" || connection.isPaused || connection.getsEphemeral) return
  if (connection.socket.buffered() > ephemeralLimitBytes) return
  topics.setEphemeral(connection, connection.streams, true)
}
