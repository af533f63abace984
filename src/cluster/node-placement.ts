/**
 * Placement of live events on several nodes: the cluster engine's hash ring over the living nodes, its calls between nodes over sockets,
 * and PostgreSQL's locks for each shard. The fencing, the command log and the protocol of the actors are the same as in one process
 * (actors/placement.ts).
 */
import { Effect, Layer, Option, type Redacted } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import { Ownership } from "../actors/ownership/ownership.ts"
import { ShardArrivals } from "../actors/ownership/shard-arrivals.ts"
import { Residents } from "../actors/runtime/residents.ts"
import { systemTimers } from "../clock/timers.ts"
import { Listeners } from "../model/listeners.ts"
import type { NodeSession } from "../store/cluster/node-session.ts"
import { engineLogLayer } from "../telemetry/engine-log.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { NodeMembership } from "./membership.ts"
import { addressText, type NodeAddress } from "./node-address.ts"
import { NodeSockets } from "./node-sockets.ts"
import { makeNodeStorage } from "./node-storage.ts"
import { nodeCalls, nodePort, nodeSerialization } from "./node-transport.ts"
import { sharedKeyOf } from "./shared-key.ts"

/** The port for other nodes cannot be opened; the message is one sentence for the operator. */
class NodePortRefused extends Error {
  override readonly name = "NodePortRefused"
}

export interface NodePlacementOptions {
  readonly address: NodeAddress
  /** Secret with which nodes authenticate each other; null: they trust their network. */
  readonly secret: Redacted.Redacted<string> | null
  /** A second accepted secret, while the secret is being changed. */
  readonly otherSecret: Redacted.Redacted<string> | null
  readonly session: NodeSession
  /** A node that was silent for this long is lost. */
  readonly lostMs: number
  /** Name of this process in presence and owner rows; a new one after each start. */
  readonly node: string
  /** An event without traffic leaves memory after this long. */
  readonly idleMs: number
}

/** Number of shards. It is fixed for the life of a cluster, so it is sized for many processes from the start. */
export const SHARDS = 1024

/** Most peers that are logged, each once: anybody who reaches the port may be one. */
const MOST_TOLD = 100

/** Logs each peer whose handshake fails, once. */
const refusalsTo = (log: Telemetry["Service"]["log"]): ((peer: string) => void) => {
  const told = new Set<string>()
  return (peer) => {
    if (told.has(peer) || told.size >= MOST_TOLD) return
    told.add(peer)
    log.error({ peer }, "the handshake with another node failed: it has another CLUSTER_SECRET")
  }
}

/** Interval at which a node checks which nodes are alive, and so the time in which it notices the end of another one. */
const LOOK_EVERY = "250 millis"
/**
 * Delay after which a node that joined takes its shards, so that several nodes that start together move them only once. It asks for them
 * from the beginning, and the others must release them while its first request is open (node-storage.ts).
 */
const JOINED_FOR = "750 millis"
/** How many times the engine refreshes its view of the locks in the time after which a node is lost. */
const REFRESHES_PER_LOSS = 3

export const nodePlacement = (
  options: NodePlacementOptions,
): Layer.Layer<Sharding.Sharding | Ownership | Residents, never, Telemetry> =>
  Layer.unwrap(Effect.map(Telemetry, ({ log }) => placementOf(options, refusalsTo(log))))

const placementOf = (
  { address, secret, otherSecret, session, lostMs, node, idleMs }: NodePlacementOptions,
  refused: (peer: string) => void,
): Layer.Layer<Sharding.Sharding | Ownership | Residents, never, Telemetry> => {
  const key = secret === null ? null : sharedKeyOf(secret, otherSecret, refused)
  const sockets = new NodeSockets(key, refused)
  const membership = new NodeMembership(systemTimers, lostMs)
  membership.onGone((gone) => {
    if (gone.address !== null) sockets.giveUp(gone.address)
  })
  const arrivals = new ShardArrivals()
  const returned = new Listeners()
  const storage = makeNodeStorage({
    session,
    node,
    acquireWithinMs: lostMs / REFRESHES_PER_LOSS,
    seen: (living) => membership.seen(living),
    arrived: (shardIds) => arrivals.add(shardIds),
    returned: returned.notify,
  })
  const config = ShardingConfig.layer({
    runnerAddress: Option.some(RunnerAddress.make(address.host, address.port)),
    shardsPerGroup: SHARDS,
    shardLockExpiration: lostMs,
    shardLockRefreshInterval: lostMs / REFRESHES_PER_LOSS,
    refreshAssignmentsInterval: LOOK_EVERY,
    runnerJoinDebounce: JOINED_FOR,
    entityMessagePollInterval: "1 second",
    simulateRemoteSerialization: false,
    maxResidentEntities: "unbounded",
    entityMaxIdleTime: idleMs,
    entityTerminationTimeout: "2 seconds",
  })
  const sharding = SocketRunner.layer.pipe(
    Layer.provide([nodePort(address, key), nodeCalls(sockets, lostMs)]),
    Layer.provide([
      RunnerHealth.layerNoop,
      MessageStorage.layerNoop,
      Layer.succeed(RunnerStorage.RunnerStorage, storage),
      Layer.succeed(RpcSerialization.RpcSerialization, nodeSerialization),
      config,
    ]),
    Layer.catch(({ reason }) =>
      Layer.effectContext(
        Effect.die(
          new NodePortRefused(
            `CLUSTER_ADDRESS ${addressText(address)} cannot be listened on (${String(reason.cause)}).`,
          ),
        ),
      ),
    ),
  )
  const ownership = Layer.effect(
    Ownership,
    Effect.gen(function* () {
      const engine = yield* Sharding.Sharding
      const { metrics, sample } = yield* Telemetry
      sample(() => metrics.nodes.set(membership.size))
      return {
        node,
        nodes: () => membership.size,
        others: () => membership.othersThan(node),
        holds: (shardId) => Effect.sync(() => session.held() && engine.hasShardId(shardId)),
        onGone: (listener) => membership.onGone((gone) => listener(gone.node)),
        heardFrom: membership.heardFrom,
        onReturned: returned.subscribe,
        arrivals,
      }
    }),
  )
  return Layer.merge(ownership, Residents.layer).pipe(Layer.provideMerge(sharding), Layer.provide(engineLogLayer))
}
