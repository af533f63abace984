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
import { CallServer } from "../calls/call-server.ts"
import { NotOwner } from "../commands.ts"
import { Feed } from "../feed.ts"
import type { EventSystem } from "../machine/machine-actor.ts"
import { Ownership } from "../ownership/ownership.ts"
import { LiveEventEntity, type LiveEventRequests, type Payload, REQUEST_NAMES, type RequestName } from "../protocol.ts"
import type { LiveEventOptions } from "../services.ts"
import { type ActorNeeds, LiveEvent } from "./live-event.ts"
import { Residents } from "./residents.ts"

/** An empty read, which loads the event. */
const LOAD = { participants: [], streams: [], fresh: false, known: null }

interface Addressed<R extends RequestName> {
  readonly address: { readonly entityId: string }
  readonly payload: Payload<R>
}

/** The actors in this process by their events, for the requests of the engine. All entities share these handlers. */
const handlersFor = (actors: ReadonlyMap<string, LiveEvent>) => {
  const handler =
    <R extends RequestName>(name: R) =>
    ({ address, payload }: Addressed<R>) => {
      const requests: LiveEventRequests | undefined = actors.get(address.entityId)
      // The engine runs requests concurrently: only the inbox queues them.
      return Rpc.fork(requests === undefined ? Effect.fail(new NotOwner()) : requests[name](payload))
    }
  return {
    ...(Object.fromEntries(REQUEST_NAMES.map((name) => [name, handler(name)])) as {
      readonly [R in RequestName]: ReturnType<typeof handler<R>>
    }),
    Reside: () => Rpc.fork(Effect.never),
    // The engine rebuilds an actor after a defect that it sees.
    Touch: ({ address }: { readonly address: { readonly entityId: string } }) =>
      Rpc.fork(
        actors.get(address.entityId)?.isBroken === true
          ? Effect.die(new Error("a request ended with a defect"))
          : Effect.void,
      ),
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
  Layer.unwrap(
    Effect.gen(function* () {
      const telemetry = yield* Telemetry
      const ownership = yield* Ownership
      const feed = yield* Feed
      const residents = yield* Residents
      const sharding = yield* Sharding.Sharding
      const self = yield* LiveEventEntity.client
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const actors = new Map<string, LiveEvent>()
      const needs: ActorNeeds = {
        ...options,
        database: yield* Database,
        commits: yield* LiveCommits,
        feed,
        outbox: yield* OutboxSignal,
        media: yield* MediaSignal,
        telemetry,
        ownership,
        system,
        callServer: yield* CallServer,
        timers: options.timers ?? (yield* currentTimers),
        fork,
        inboxes: {
          most: options.mailbox,
          answersWithinMs: options.answers.attemptMs,
          fork,
          metrics: telemetry.metrics,
        },
        serves: (shardId) => sharding.hasShardId(shardId),
        touch: (eventId) => void fork(Effect.ignore(self(eventId).Touch(undefined))),
        broken: (actor) => {
          residents.leave(actor.eventId, actor)
          needs.touch(actor.eventId)
        },
      }
      const ends = [
        ownership.onGone((node) => {
          for (const actor of actors.values()) fork(actor.forgetNode(node))
        }),
        feed.onReset(() => {
          for (const actor of actors.values()) actor.sendCallsAgain()
        }),
      ]
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const end of ends) end()
        }),
      )
      const leave = (actor: LiveEvent) =>
        Effect.suspend(() => {
          const { eventId } = actor
          residents.leave(eventId, actor)
          return Effect.all([
            actor.inbox.leave,
            Effect.sync(() => {
              actor.stop()
              if (actors.get(eventId) === actor) actors.delete(eventId)
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
      const handlers = LiveEventEntity.of(handlersFor(actors))
      const activate = Effect.gen(function* () {
        const { entityId: eventId, shardId } = yield* Entity.CurrentAddress
        const actor = new LiveEvent(needs, { eventId, shardId })
        actors.set(eventId, actor)
        residents.enter(eventId, actor)
        telemetry.metrics.actorsActive.add(1)
        yield* Effect.addFinalizer(() => leave(actor))
        return handlers
      })
      return LiveEventEntity.toLayer(activate, { mailboxCapacity: options.mailbox, maxIdleTime: options.idleMs })
    }),
  ).pipe(Layer.provide(LiveCommits.layer))
