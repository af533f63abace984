/**
 * Frames of browser-to-browser calls. Each message is a frame of its own: three session descriptions in one would exceed the size limit.
 */

import type { CallPeer } from "../../actors/calls/call.ts"
import { limitsOf } from "../../actors/calls/limits.ts"
import type { CallNews } from "../../actors/calls/node-messages.ts"
import { iceServersFor } from "../../media/ice-servers.ts"
import type { DispatchData } from "../../protocol/contract.ts"
import type { MutedSource } from "../../protocol/messages/media.ts"
import { OP } from "../../protocol/wire/op.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewayServices } from "../services.ts"
import { sendAll } from "../transport/send.ts"

export class CallFrames {
  readonly #services: Pick<GatewayServices, "options" | "timers">

  constructor(services: Pick<GatewayServices, "options" | "timers">) {
    this.#services = services
  }

  /** Sends a peer list, with TURN credentials of the receiver's own. */
  list(
    connection: Connection,
    roomId: string,
    connectionId: string,
    { peers, server }: { readonly peers: ReadonlyArray<CallPeer>; readonly server?: string | undefined },
  ): void {
    const { options, timers } = this.#services
    const { ice, policy, maxPeers } = options.mesh
    this.#send(connection, "rtc.peers", {
      roomId,
      connectionId,
      peers,
      limits: limitsOf(peers.length, maxPeers, server !== undefined),
      iceServers: iceServersFor(ice, connection.identity.participantId, timers.now()),
      policy,
      ...(server !== undefined && { server: { session: server } }),
    })
  }

  closed(connection: Connection, roomId: string, connectionId: string, closed: "moved" | "replaced"): void {
    const { policy, maxPeers } = this.#services.options.mesh
    const limits = limitsOf(0, maxPeers, false)
    this.#send(connection, "rtc.peers", { roomId, connectionId, peers: [], limits, iceServers: [], policy, closed })
  }

  asked(connection: Connection, roomId: string, source: MutedSource): void {
    this.#send(connection, "rtc.asked", { roomId, source })
  }

  signal(connection: Connection, from: string, signal: Extract<CallNews, { readonly type: "signal" }>["signal"]): void {
    const { to: _, ...passed } = { to: undefined, ...signal }
    this.#send(connection, "rtc.signal", { from, ...passed } as DispatchData<"rtc.signal">)
  }

  #send<T extends "rtc.peers" | "rtc.signal" | "rtc.asked">(connection: Connection, t: T, d: DispatchData<T>): void {
    if (connection.state !== "open") return
    sendAll(connection, [JSON.stringify({ op: OP.dispatch, t, d })], this.#services.options.orderedLimitBytes)
  }
}
