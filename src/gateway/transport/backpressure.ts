/** Backpressure of slow sockets: ephemeral messages are paused, and the socket is closed before its buffer exceeds the limit. */

import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewaySettings } from "../options.ts"

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
