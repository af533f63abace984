/**
 * The placement of live events: all in this process, on the cluster engine's one-process layers, which need no storage and no
 * network. Many processes are another composition of the same entity (a runner per process, advisory locks per shard); the
 * fence, the command log and the feed do not change.
 */
import { Cause, Effect, Layer, Schedule } from "effect"
import { MessageStorage, RunnerHealth, RunnerStorage, Runners, Sharding, ShardingConfig } from "effect/cluster"
import { Database } from "../store/database.ts"
import { listLiveEventIds } from "../store/events/events.ts"
import type { MediaSignal } from "../store/media/media-signal.ts"
import type { OutboxSignal } from "../store/webhooks/outbox.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { Feed } from "./feed.ts"
import { LiveEvents } from "./live-events.ts"
import { type LiveEventOptions, liveEventLayer } from "./runtime/live-event.ts"
import type { Ownership } from "./runtime/ownership.ts"

export interface PlacementOptions extends LiveEventOptions {
  /** Serialise messages as if they crossed a network; set in tests, so that values that cannot be serialised fail there. */
  readonly simulateNetwork: boolean
  /** 32 bytes: the key of the pseudonyms of anonymous callers. */
  readonly pseudonymKey: Uint8Array
}

/** The number of shards is fixed for the life of a cluster, so it is chosen for many processes from the first day. */
const SHARDS = 1024
const RECOVERIES_AT_ONCE = 16
/** The server waits for a database that is away at the start: due timers must fire as soon as it is back. */
const RECOVER_AGAIN = Schedule.spaced("500 millis")

const oneProcess = (options: PlacementOptions): Layer.Layer<Sharding.Sharding> =>
  Sharding.layer.pipe(
    Layer.provideMerge(Runners.layerNoop),
    Layer.provideMerge(MessageStorage.layerNoop),
    Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
    Layer.provide(
      ShardingConfig.layer({
        shardsPerGroup: SHARDS,
        simulateRemoteSerialization: options.simulateNetwork,
        maxResidentEntities: "unbounded",
        entityMaxIdleTime: options.idleMs,
        entityTerminationTimeout: "2 seconds",
      }),
    ),
  )

/** Loads every live event into memory, so that its timers fire without waiting for a caller. */
const recoverLiveEvents = Effect.gen(function* () {
  const database = yield* Database
  const live = yield* LiveEvents
  const { log } = yield* Telemetry
  const ids = yield* Effect.retry(database.run(listLiveEventIds), RECOVER_AGAIN)
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

/** The layer of live events, and the recovery of those that are live now. */
export const liveEventsLayer = (
  options: PlacementOptions,
): Layer.Layer<LiveEvents, never, Database | Feed | OutboxSignal | MediaSignal | Telemetry | Ownership> =>
  Layer.effectDiscard(Effect.forkScoped(recoverLiveEvents)).pipe(
    Layer.provideMerge(LiveEvents.layer(options)),
    Layer.provideMerge(liveEventLayer(options)),
    Layer.provide(oneProcess(options)),
  )
