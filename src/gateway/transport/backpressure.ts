/** Sockets that take too little: spared what may be lost, and closed before their buffers outgrow the bound. */

import { CLOSE } from "../../protocol/close-codes.ts"
import type { Topics } from "../broadcast/topics.ts"
import type { Connection } from "../connection/connection.ts"
import { subscribedStreams } from "../event/membership-sync.ts"
import type { GatewayOptions } from "../options.ts"

type Limits = Pick<GatewayOptions, "orderedLimitBytes" | "ephemeralLimitBytes">

/** Closes who takes too little; spares who is slow what may be lost. */
export const inspectBuffers = (
  connections: Iterable<Connection>,
  topics: Topics,
  { orderedLimitBytes, ephemeralLimitBytes }: Limits,
): void => {
  for (const connection of connections) {
    const buffered = connection.socket.buffered()
    if (buffered > orderedLimitBytes) connection.close(CLOSE.slowConsumer)
    else if (buffered > ephemeralLimitBytes && connection.getsEphemeral) {
      topics.setEphemeral(connection, subscribedStreams(connection), false)
    }
  }
}

/** Who has caught up hears again what may be lost. */
export const resumeEphemeral = (connection: Connection, topics: Topics, { ephemeralLimitBytes }: Limits): void => {
  if (connection.state !== "open" || connection.isPaused || connection.getsEphemeral) return
  if (connection.socket.buffered() > ephemeralLimitBytes) return
  topics.setEphemeral(connection, subscribedStreams(connection), true)
}
