/**
 * The parts of a node that concern the other nodes: the placement of live events, their feed, changes of grants, frames of event streams,
 * and counted loads.
 */
import { Layer, type Redacted } from "effect"
import type { Sharding } from "effect/cluster"
import type { Feed } from "../actors/feed.ts"
import type { Ownership } from "../actors/ownership/ownership.ts"
import type { Residents } from "../actors/runtime/residents.ts"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { GrantChanges } from "../identity/grant-changes.ts"
import type { StreamSessions } from "../identity/stream-sessions.ts"
import type { OtherLoads } from "../telemetry/other-loads.ts"
import type { Telemetry } from "../telemetry/telemetry.ts"
import { clusterFeedLayer } from "./link/cluster-feed.ts"
import { clusterGrantsLayer } from "./link/cluster-grants.ts"
import { clusterLoadsLayer } from "./link/cluster-loads.ts"
import { clusterStreamsLayer } from "./link/cluster-streams.ts"
import { natsLinkLayer } from "./link/nats-link.ts"
import { workerLinkLayer } from "./link/worker-link.ts"
import { type NodePlacementOptions, nodePlacement } from "./node-placement.ts"

export interface NodeOptions extends NodePlacementOptions {
  /** Comma separated addresses of NATS servers, optionally with credentials; null: a worker, whose supervisor forwards messages. */
  readonly nats: Redacted.Redacted<string> | null
  /** Link name of the nodes on a copy of a database; null: on the original. */
  readonly link?: string | null
  /** Keys that sign the sessions of event streams. */
  readonly streamKeys: KeyRing
}

export const nodeLayers = (
  options: NodeOptions,
): Layer.Layer<
  Sharding.Sharding | Ownership | Residents | Feed | GrantChanges | OtherLoads | StreamSessions,
  never,
  Telemetry
> =>
  Layer.mergeAll(clusterFeedLayer, clusterGrantsLayer, clusterLoadsLayer, clusterStreamsLayer(options.streamKeys)).pipe(
    Layer.provideMerge(nodePlacement(options)),
    Layer.provide(
      options.nats === null
        ? workerLinkLayer
        : natsLinkLayer(options.nats, options.secret, options.otherSecret, options.link),
    ),
  )
