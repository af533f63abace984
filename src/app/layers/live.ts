/** Live events: on which process each runs, how their publications reach the gateways, and the limits of requests. */
import { Context, Effect, Layer } from "effect"
import { CallServer } from "../../actors/calls/call-server.ts"
import type { Recorder } from "../../actors/domain/turn.ts"
import { Feed } from "../../actors/feed.ts"
import { Ownership } from "../../actors/ownership/ownership.ts"
import { liveEventsLayer, oneProcess } from "../../actors/placement.ts"
import { currentTimers } from "../../clock/timers.ts"
import type { NodeOptions } from "../../cluster/node-layers.ts"
import type { Config } from "../../config/config.ts"
import { GATEWAY_DEFAULTS } from "../../gateway/options.ts"
import { type ClusterLimits, RateLimits } from "../../http/limits/rate-limits.ts"
import { GrantChanges } from "../../identity/grant-changes.ts"
import { STREAM_SESSIONS_PURPOSE, StreamSessions } from "../../identity/stream-sessions.ts"
import { type MediaLinks, mediaLinksOf } from "../../media/links.ts"
import { type AddressGiven, playbackUrlBy } from "../../media/live/addresses.ts"
import { LIVE_PLAYLIST, STAGE_PLAYLIST } from "../../media/live/live-settings.ts"
import { EncoderServer } from "../../media/rooms/encoder-sessions.ts"
import { SfuHost } from "../../media/rooms/sfu-host.ts"
import { RETURN_WITHIN_MS } from "../../model/live/holdings.ts"
import { Database } from "../../store/database.ts"
import { giveBackTokens, takeTokens } from "../../store/limits/shared-buckets.ts"
import { OtherLoads } from "../../telemetry/other-loads.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { STOP_WITHIN_MS } from "../deadlines.ts"
import { type Composition, keysOf } from "./composition.ts"

/** An event that is neither live nor watched leaves memory after this long. */
const ACTOR_IDLE_MS = 300_000

/** A server that runs alone loads neither the NATS client nor the sockets between nodes. */
const nodesOf = (options: NodeOptions) =>
  Layer.unwrap(Effect.promise(async () => (await import("../../cluster/node-layers.ts")).nodeLayers(options)))

/** Where live events run, how their publications reach the gateways, and how gateways learn of changed grants. */
export const placementOf = (composition: Composition) => {
  const {
    config: { cluster },
    open,
    node,
    instance: { link },
  } = composition
  const streamKeys = keysOf(composition, STREAM_SESSIONS_PURPOSE)
  return cluster === null || open.node === null
    ? Layer.mergeAll(
        oneProcess({ idleMs: ACTOR_IDLE_MS, simulateNetwork: false }),
        Layer.succeed(Ownership, Ownership.alone(node, open.lock.held)),
        Feed.layerMemory,
        GrantChanges.layer,
        OtherLoads.none,
        StreamSessions.layer(streamKeys),
      )
    : nodesOf({ ...cluster, address: cluster, session: open.node, node, link, idleMs: ACTOR_IDLE_MS, streamKeys })
}

const recorderOf = ({ media, s3, recordsElsewhere, ingest }: Config): Recorder => {
  if (recordsElsewhere) return "events"
  // The media server writes its files into a bucket.
  if (media !== null && s3 !== null) return "rooms"
  return ingest === null ? null : "broadcasts"
}

const addressesOf = (
  { stage, ingest, cdnUrl }: Config,
  publicUrl: string,
  links: MediaLinks["Service"],
): AddressGiven | null => {
  const given = { watchUrl: cdnUrl ?? publicUrl, links }
  if (stage !== null) return { ...given, maxHours: stage.maxHours, playlist: STAGE_PLAYLIST }
  return ingest === null ? null : { ...given, maxHours: ingest.maxHours, playlist: LIVE_PLAYLIST }
}

/** The media server of calls, and of encoders that send by WebRTC. Its process ends with the layer. */
export const mediaPortOf = ({
  config: { sfu, ingest },
  parts: { sfuEntry },
}: Composition): Layer.Layer<never, never, Telemetry> =>
  sfu === null
    ? Layer.empty
    : Layer.effectContext(
        Effect.gen(function* () {
          const { log } = yield* Telemetry
          const timers = yield* currentTimers
          const options = { ...sfu, encoderKbps: ingest?.maxKbps ?? 0, entry: sfuEntry, timers, log }
          const host = yield* Effect.acquireRelease(
            Effect.sync(() => new SfuHost(options)),
            (opened) => Effect.sync(() => opened.stop()),
          )
          const calls = Context.make(CallServer, host)
          return ingest === null ? calls : Context.add(calls, EncoderServer, host)
        }),
      )

export const actorsOf = (composition: Composition, mediaPort: ReturnType<typeof mediaPortOf>) => {
  const { config, publicUrl, kept } = composition
  const links = mediaLinksOf(keysOf(composition, "media-links"))
  return liveEventsLayer({
    mailbox: config.actorMailbox,
    pseudonymKey: kept.pseudonyms,
    presenceGraceMs: config.presenceGraceMs,
    connectionsPerParticipant: GATEWAY_DEFAULTS.connectionsPerParticipant,
    // A node that stops, or is lost, is known to be gone by then.
    replaceAfterMs: (config.cluster?.lostMs ?? 0) + STOP_WITHIN_MS,
    returnWithinMs: RETURN_WITHIN_MS,
    idleMs: ACTOR_IDLE_MS,
    answers: config.answers,
    playbackUrlOf: playbackUrlBy(config.playbackUrlTemplate, addressesOf(config, publicUrl, links)),
    recorder: recorderOf(config),
    hasStageBroadcasts: config.stage !== null,
    inspector: config.inspector,
  }).pipe(Layer.provide(mediaPort))
}

/** Limits that all nodes count together, and limits of which each node enforces its share. */
const clusterRateLimits = ({ production, venues }: Config): Layer.Layer<RateLimits, never, Database | Ownership> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const database = yield* Database
      const { nodes } = yield* Ownership
      const cluster: ClusterLimits = {
        nodes,
        take: (buckets) => database.run((sql) => takeTokens(sql, buckets)),
        giveBack: (buckets) => database.run((sql) => giveBackTokens(sql, buckets)),
      }
      return RateLimits.layer(production, cluster, venues)
    }),
  )

/** @param placement needed by nodes only */
export const rateLimitsOf = (config: Config, placement: ReturnType<typeof placementOf>) =>
  config.cluster === null
    ? RateLimits.layer(config.production, null, config.venues)
    : clusterRateLimits(config).pipe(Layer.provide(placement))
