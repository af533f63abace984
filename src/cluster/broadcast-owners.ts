/**
 * Owners of broadcasts as an entity of the cluster engine, keyed by event: it has the shard of the live event, so that both are on one
 * node, and the result of a commit reaches the broadcasts in the same process.
 */
import { Cause, type Duration, Effect, Layer, Schedule } from "effect"
import { Entity, type Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { NotOwner } from "../actors/commands.ts"
import { Ownership } from "../actors/ownership/ownership.ts"
import { currentTimers, every } from "../clock/timers.ts"
import { BroadcastOwners } from "../media/placed/calls/broadcast-owners.ts"
import { OwnerDesk } from "../media/placed/calls/owner-desk.ts"
import { OwnerAnswer, OwnerRequest } from "../media/placed/calls/protocol.ts"
import { OwnBroadcasts } from "../media/placed/own-broadcasts.ts"
import { Unavailable } from "../model/errors.ts"
import { Telemetry } from "../telemetry/telemetry.ts"

const Ask = Rpc.make("Ask", { payload: { request: OwnerRequest }, success: OwnerAnswer, error: NotOwner })
/** Only counts as traffic. */
const Touch = Rpc.make("Touch")

const EventBroadcasts = Entity.make("EventBroadcasts", [Ask, Touch])

/** Without traffic the entity leaves memory; open broadcasts keep it there. */
const IDLE_MS = 60_000
const TOUCH_MS = 20_000
const SWEEP_MS = 5000
/** Longest time for which the engine waits for an entity that leaves. */
const RELEASED_WITHIN = "2 seconds"
/** Most calls waiting at one owner: each node follows each broadcast, and each encoder has two calls in flight. */
const MAILBOX = 4096
interface Limits {
  /** Time limit of one attempt. */
  readonly attempt: Duration.Input
  /** Time limit of all attempts while an event moves. */
  readonly all: Duration.Input
}

/** Limits of a short call: an owner holds it for at most three seconds. */
const SOON: Limits = { attempt: "5 seconds", all: "8 seconds" }
/** Limits of a call that is answered once everything is stored: a journal waits up to a minute for the database. */
const STORED: Limits = { attempt: "75 seconds", all: "78 seconds" }
const MOVED_PAUSE = "100 millis"

const moving = new Unavailable({ detail: "The broadcast is being moved; try again.", retryAfterSeconds: 1 })

const entityLayer = EventBroadcasts.toLayer(
  Effect.gen(function* () {
    const { entityId: eventId, shardId } = yield* Entity.CurrentAddress
    const own = yield* OwnBroadcasts
    const { holds, node } = yield* Ownership
    const { log } = yield* Telemetry
    const timers = yield* currentTimers
    const self = yield* EventBroadcasts.client
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    own.claim(eventId)
    const desk = new OwnerDesk(node, own, timers, log)
    const isUsed = (): boolean => own.opened.all.some((one) => one.eventId === eventId && !one.live.hasEnded)
    const stops = [
      every(timers, SWEEP_MS, () => desk.sweep()),
      every(timers, TOUCH_MS, () => {
        if (isUsed()) fork(Effect.ignore(self(eventId).Touch()))
      }),
    ]
    yield* Effect.addFinalizer(() => {
      for (const stop of stops) stop()
      return Effect.ignore(
        Effect.timeout(
          Effect.promise(() => own.release(eventId)),
          RELEASED_WITHIN,
        ),
      )
    })
    return EventBroadcasts.of({
      Ask: ({ payload }) =>
        Rpc.fork(
          Effect.flatMap(holds(shardId), (isOurs) =>
            isOurs ? desk.answer(payload.request) : Effect.fail(new NotOwner()),
          ),
        ),
      Touch: () => Rpc.fork(Effect.void),
    })
  }),
  { mailboxCapacity: MAILBOX, maxIdleTime: IDLE_MS },
)

const owners = Layer.effect(
  BroadcastOwners,
  Effect.gen(function* () {
    const client = yield* EventBroadcasts.client
    const { node } = yield* Ownership
    /** The engine interrupts the requests of an event that leaves its node. */
    const reach = <A, E extends { readonly _tag: string }>(
      call: Effect.Effect<A, E>,
      interrupted: NotOwner | Unavailable,
      { attempt, all }: Limits,
    ): Effect.Effect<A, Unavailable> =>
      call.pipe(
        Effect.catchCause(
          (cause): Effect.Effect<never, E | NotOwner | Unavailable> =>
            Cause.hasInterruptsOnly(cause) ? Effect.fail(interrupted) : Effect.failCause(cause),
        ),
        Effect.timeout(attempt),
        Effect.retry({
          while: (failure) => failure._tag === "NotOwner",
          schedule: Schedule.spaced(MOVED_PAUSE),
        }),
        Effect.timeout(all),
        Effect.mapError(() => moving),
        // A node of an earlier release has no such entity.
        Effect.catchDefect(() => Effect.fail(moving)),
      )
    const ask: BroadcastOwners["ask"] = (eventId, request) =>
      reach(
        client(eventId).Ask({ request }),
        // Bytes may have been taken before an interruption.
        request.type === "bytes" ? moving : new NotOwner(),
        request.type === "bytes" || request.type === "finish" ? STORED : SOON,
      )
    return { node, ask }
  }),
)

/** The owners of this node, and access to those of the other nodes. */
export const broadcastOwnersLayer: Layer.Layer<
  never,
  never,
  OwnBroadcasts | Ownership | Sharding.Sharding | Telemetry
> = Layer.merge(owners, entityLayer)
