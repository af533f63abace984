/**
 * The live events of this process, and their placement when it runs alone: all local, on the cluster engine's one-process layers, which
 * need no storage and no network. Several nodes use another composition of the same entity (cluster/node-placement.ts).
 */
import { Cause, Effect, Layer, Schedule } from "effect"
import {
  EntityId,
  MessageStorage,
  RunnerHealth,
  RunnerStorage,
  Runners,
  ShardId,
  Sharding,
  ShardingConfig,
} from "effect/cluster"
import type { Timers } from "../clock/timers.ts"
import { Database } from "../store/database.ts"
import { listLiveEventIds } from "../store/events/events.ts"
import { engineLogLayer } from "../telemetry/engine-log.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { openInspector } from "./inspector.ts"
import { LiveEvents } from "./live-events.ts"
import { EventSystem, type Inspect } from "./machine/machine-actor.ts"
import { Ownership } from "./ownership/ownership.ts"
import { liveEventLayer } from "./runtime/entity.ts"
import { Residents } from "./runtime/residents.ts"
import type { LiveEventOptions } from "./services.ts"

export interface LiveEventsOptions extends LiveEventOptions {
  /** Timers of the events' deadlines; by default those of the layer's clock. */
  readonly timers?: Timers
  /** Key of 32 bytes for the pseudonyms of anonymous callers. */
  readonly pseudonymKey: Uint8Array
}

const RECOVERIES_AT_ONCE = 16
/** Retries while the database is unreachable at the start: due timers must fire as soon as it is back. */
const RECOVER_AGAIN = Schedule.spaced("500 millis")

/** Delay before new shards are checked: the engine learns of shard locks slightly after they were taken. */
const ARRIVED_AFTER = "20 millis"

interface OneProcessOptions {
  /** An event without traffic leaves memory after this long. */
  readonly idleMs: number
  /** Serialise all messages as if they crossed a network; set in tests, so that values that cannot be serialised fail there. */
  readonly simulateNetwork: boolean
}

/** Placement of all live events in this process. */
export const oneProcess = (options: OneProcessOptions): Layer.Layer<Sharding.Sharding | Residents, never, Telemetry> =>
  Sharding.layer.pipe(
    Layer.provideMerge(Runners.layerNoop),
    Layer.provideMerge(MessageStorage.layerNoop),
    Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
    Layer.provide(
      ShardingConfig.layer({
        // Shards place events on nodes. One process has them all, and acquires and releases each when it starts and stops.
        shardsPerGroup: 1,
        simulateRemoteSerialization: options.simulateNetwork,
        maxResidentEntities: "unbounded",
        entityMaxIdleTime: options.idleMs,
        entityTerminationTimeout: "2 seconds",
      }),
    ),
    Layer.provide(engineLogLayer),
    Layer.merge(options.simulateNetwork ? Residents.none : Residents.layer),
  )

/** Loads live events into memory, so that their timers fire without waiting for a caller. */
const recoverLiveEvents = Effect.fnUntraced(function* (isHere: (eventId: string) => boolean) {
  const database = yield* Database
  const live = yield* LiveEvents
  const { log } = yield* Telemetry
  const ids = (yield* Effect.retry(database.run(listLiveEventIds), RECOVER_AGAIN)).filter(isHere)
  if (ids.length === 0) return
  const recover = (eventId: string): Effect.Effect<void> =>
    live.read(eventId, [], false).pipe(
      Effect.retry({ while: (failure) => failure._tag === "Unavailable", schedule: RECOVER_AGAIN }),
      // An event that was deleted meanwhile is not loaded.
      Effect.ignore,
      Effect.catchCause((cause) =>
        Effect.sync(() => log.error({ eventId, err: Cause.squash(cause) }, "a live event could not be recovered")),
      ),
    )
  yield* Effect.forEach(ids, recover, { concurrency: RECOVERIES_AT_ONCE, discard: true })
  log.info({ events: ids.length }, "live events are back in memory")
})

/** Recovers the live events of all shards at the start of a process that has them all, or of each shard as it arrives. */
const recoverArrivals = Effect.gen(function* () {
  const { arrivals } = yield* Ownership
  const sharding = yield* Sharding.Sharding
  if (arrivals === null) return yield* recoverLiveEvents(() => true)
  const shardOf = (eventId: string): string => String(sharding.getShardId(EntityId.make(eventId), "default"))
  return yield* Effect.forever(
    Effect.gen(function* () {
      yield* arrivals.some
      yield* Effect.sleep(ARRIVED_AFTER)
      const here = arrivals.take((shardId) => sharding.hasShardId(ShardId.fromString(shardId)))
      if (here.size > 0) yield* Effect.forkChild(recoverLiveEvents((eventId) => here.has(shardOf(eventId))))
    }),
  )
})

const layerOf = (options: LiveEventsOptions, inspect: Inspect | undefined) =>
  Layer.effectDiscard(Effect.forkScoped(recoverArrivals)).pipe(
    Layer.provideMerge(LiveEvents.layer(options)),
    Layer.provideMerge(liveEventLayer(options, new EventSystem(inspect))),
  )

/** The layer of live events, which also recovers the events that are live now. */
export const liveEventsLayer = ({
  inspector,
  ...options
}: LiveEventsOptions & {
  /** Address of an inspector's relay, which is shown the charts of events. */
  readonly inspector?: string | null
}): ReturnType<typeof layerOf> =>
  inspector == null
    ? layerOf(options, undefined)
    : Layer.unwrap(Effect.map(openInspector(inspector), (inspect) => layerOf(options, inspect)))
