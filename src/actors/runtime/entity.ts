/** Entity of the live event in the cluster engine: activates the actor and passes it the requests of other nodes. */
import { Effect, Layer } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { currentTimers, type Timers } from "../../clock/timers.ts"
import { Database } from "../../store/database.ts"
import { LiveCommits } from "../../store/live/live-commits.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { OutboxSignal } from "../../store/webhooks/outbox.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Feed } from "../feed.ts"
import type { EventSystem } from "../machine/machine-actor.ts"
import { Ownership } from "../ownership/ownership.ts"
import { LiveEventEntity, type LiveEventRequests, type Payload, REQUEST_NAMES, type RequestName } from "../protocol.ts"
import type { LiveEventOptions } from "../services.ts"
import { LiveEvent } from "./live-event.ts"
import { Residents } from "./residents.ts"

/** Several touches per idle time, so that a late one does not evict a live event. */
const TOUCHES_PER_IDLE = 3

/** An empty read, which loads the event. */
const LOAD = { participants: [], streams: [], fresh: false, known: null }

/** The engine runs requests concurrently: only the inbox queues them. */
const handlersOf = (requests: LiveEventRequests) => {
  const handler =
    <R extends RequestName>(name: R) =>
    ({ payload }: { readonly payload: Payload<R> }) =>
      Rpc.fork(requests[name](payload))
  return Object.fromEntries(REQUEST_NAMES.map((name) => [name, handler(name)])) as {
    readonly [R in RequestName]: ReturnType<typeof handler<R>>
  }
}

export const liveEventLayer = (
  options: LiveEventOptions & {
    /** Timers of deadlines; by default those of the layer's clock. */
    readonly timers?: Timers
  },
  system: EventSystem,
): Layer.Layer<
  never,
  never,
  Sharding.Sharding | Database | Feed | OutboxSignal | MediaSignal | Telemetry | Ownership | Residents
> =>
  LiveEventEntity.toLayer(
    Effect.gen(function* () {
      const { entityId: eventId, shardId } = yield* Entity.CurrentAddress
      const telemetry = yield* Telemetry
      const timers = options.timers ?? (yield* currentTimers)
      const self = yield* LiveEventEntity.client
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const ownership = yield* Ownership
      const feed = yield* Feed
      const residents = yield* Residents
      const sharding = yield* Sharding.Sharding
      let isBroken = false
      const touch = (): void => void fork(Effect.ignore(self(eventId).Touch(undefined)))
      const actor = new LiveEvent({
        ...options,
        eventId,
        database: yield* Database,
        commits: yield* LiveCommits,
        feed,
        outbox: yield* OutboxSignal,
        media: yield* MediaSignal,
        telemetry,
        ownership: {
          node: ownership.node,
          holds: ownership.holds(shardId),
          hasOthers: () => ownership.nodes() > 1,
          heardFrom: ownership.heardFrom,
        },
        system,
        timers,
        fork,
        // An open request would keep the entity in memory too, but holds twelve kilobytes of fibers as long as the event is live.
        keepAlive: () => {
          // Touch at once: direct requests are not traffic to the engine, so its idle time may be nearly over.
          touch()
          const touches = setInterval(touch, options.idleMs / TOUCHES_PER_IDLE)
          return () => clearInterval(touches)
        },
        broken: () => {
          isBroken = true
          residents.leave(eventId, resident)
          touch()
        },
      })
      const ends = [
        ownership.onGone((node) => fork(actor.forgetNode(node))),
        feed.onReset(() => actor.sendCallsAgain()),
      ]
      const { inbox, requests } = actor
      const resident = { inbox, requests, isHere: () => sharding.hasShardId(shardId) }
      residents.enter(eventId, resident)
      telemetry.metrics.actorsActive.add(1)
      yield* Effect.addFinalizer(() => {
        residents.leave(eventId, resident)
        return Effect.all([
          inbox.leave,
          Effect.sync(() => {
            for (const end of ends) end()
            actor.stop()
            telemetry.metrics.actorsActive.add(-1)
          }),
          Effect.flatMap(sharding.isShutdown, (isShutdown) =>
            Effect.sync(() => {
              // The event went live, or failed, while it was leaving: it is loaded again where it belongs, so that its timers fire.
              if (actor.staysInMemory && !isShutdown)
                fork(Effect.ignore(Effect.timeout(self(eventId).Read(LOAD), options.answers.attemptMs)))
            }),
          ),
        ])
      })
      return LiveEventEntity.of({
        ...handlersOf(requests),
        Reside: () => Rpc.fork(Effect.never),
        // The engine rebuilds an actor after a defect that it sees.
        Touch: () => Rpc.fork(isBroken ? Effect.die(new Error("a request ended with a defect")) : Effect.void),
      })
    }),
    { mailboxCapacity: options.mailbox, maxIdleTime: options.idleMs },
  ).pipe(Layer.provide(LiveCommits.layer))
