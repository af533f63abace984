/** Transport of the cluster engine's calls between nodes: a port for the other nodes, and sockets to theirs. */
import * as NodeSocketServer from "@effect/platform-node-shared/NodeSocketServer"
import { Effect, Layer } from "effect"
import { Runners } from "effect/cluster"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket, type SocketServer } from "effect/socket"
import type { NodeAddress } from "./node-address.ts"
import type { NodeSockets } from "./node-sockets.ts"
import type { SharedKey } from "./shared-key.ts"

/** Values are keyed by name, not position: two releases communicate during an upgrade of a cluster. */
export const nodeSerialization = RpcSerialization.ndjson

/** Pings within the time after which a node is lost. A node that does not answer two pings is dialled again. */
const PINGS_PER_LOSS = 6
const PINGS_WITHOUT_ANSWER = 2

export const nodePort = (
  { host, port }: NodeAddress,
  key: SharedKey | null,
): Layer.Layer<SocketServer.SocketServer, SocketServer.SocketServerError> => {
  const options = { host, port, noDelay: true }
  return key === null ? NodeSocketServer.layer(options) : NodeSocketServer.layerTls({ ...options, ...key.server })
}

/** `lostMs`: the time after which a silent node is lost. */
export const nodeCalls = (
  sockets: NodeSockets,
  lostMs: number,
): Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.map(RpcSerialization.RpcSerialization, (serialization) => ({
      codecFor: serialization.codecFor,
      make: (address) =>
        sockets.to(address).pipe(
          Effect.flatMap((socket) =>
            RpcClient.makeProtocolSocket({
              pingInterval: lostMs / PINGS_PER_LOSS,
              pingTimeout: (lostMs / PINGS_PER_LOSS) * PINGS_WITHOUT_ANSWER,
            }).pipe(
              Effect.provideService(Socket.Socket, socket),
              Effect.provideService(RpcSerialization.RpcSerialization, serialization),
            ),
          ),
        ),
    })),
  )
