/**
 * The way in for everyone who is not an actor: REST handlers and the gateway. Finds the event's mailbox wherever it is,
 * retries a command that met a hand-over under its own id, and turns what cannot be answered into `Unavailable`.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import type { Sharding } from "effect/cluster"
import { NotFound, Unavailable } from "../model/errors.ts"
import { Telemetry } from "../telemetry.ts"
import type { Answer, Envelope, Refused } from "./commands.ts"
import { LiveEvent, type LiveSnapshot, type PresenceReport, type RosterPage, type RosterQuery } from "./protocol.ts"

type Reachable<A, E = never> = Effect.Effect<A, E | NotFound | Unavailable>

/** How long one try may take, and how long tries are repeated while an event moves. */
const TRY_TIMEOUT = "5 seconds"
const MOVED_TRIES = 40
const MOVED_PAUSE = "100 millis"

const gone = () => NotFound.of("event")
const unavailable = (detail: string, retryAfterSeconds = 1) => new Unavailable({ detail, retryAfterSeconds })

export class LiveEvents extends Context.Service<
  LiveEvents,
  {
    readonly execute: (eventId: string, envelope: Envelope) => Reachable<Answer, Refused>
    readonly reportPresence: (eventId: string, report: PresenceReport) => Reachable<void>
    readonly snapshot: (eventId: string) => Reachable<LiveSnapshot>
    readonly roster: (eventId: string, query: RosterQuery) => Reachable<RosterPage>
    /** Keeps the event in memory until interrupted: for as long as somebody watches it. */
    readonly reside: (eventId: string) => Effect.Effect<void>
  }
>()("gathercue/LiveEvents") {
  static readonly layer: Layer.Layer<LiveEvents, never, Sharding.Sharding | Telemetry> = Layer.effect(
    LiveEvents,
    Effect.gen(function* () {
      const client = yield* LiveEvent.client
      const { metrics } = yield* Telemetry

      /** One call, repeated while the event moves; what the cluster engine may say besides becomes `Unavailable`. */
      const reach = <A, E extends { readonly _tag: string }>(
        call: Effect.Effect<A, E>,
      ): Reachable<A, Exclude<E, { readonly _tag: EngineTag }>> =>
        call.pipe(
          Effect.timeout(TRY_TIMEOUT),
          Effect.retry({
            while: (failure) => failure._tag === "Moved",
            times: MOVED_TRIES,
            schedule: Schedule.spaced(MOVED_PAUSE),
          }),
          Effect.mapError((failure) => {
            if (failure._tag === "EventGone") return gone()
            if (failure._tag === "MailboxFull") return unavailable("The event has too much to do right now.")
            if (failure._tag === "StoreAway")
              return unavailable("The event's state could not be stored or read; try again.", 2)
            if (ENGINE_TAGS.has(failure._tag)) return unavailable("The event is being moved; try again.")
            return failure as Exclude<E, { readonly _tag: EngineTag }>
          }),
        )

      const execute = (eventId: string, envelope: Envelope) =>
        reach(client(eventId).Execute(envelope)).pipe(
          Effect.tap((answer) =>
            Effect.sync(() => metrics.commands.add(1, answer.duplicate ? "duplicate" : "accepted")),
          ),
          Effect.tapError((failure) => Effect.sync(() => metrics.commands.add(1, failure._tag.toLowerCase()))),
        )

      return {
        execute,
        reportPresence: (eventId, report) => reach(client(eventId).ReportPresence(report)),
        snapshot: (eventId) => reach(client(eventId).ReadSnapshot()),
        roster: (eventId, query) => reach(client(eventId).ReadRoster(query)),
        reside: (eventId) => Effect.ignore(client(eventId).Reside()),
      }
    }),
  )
}

const ENGINE_TAG_LIST = [
  "Moved",
  "EventGone",
  "StoreAway",
  "MailboxFull",
  "AlreadyProcessingMessage",
  "PersistenceError",
  "EntityNotAssignedToRunner",
  "RpcClientError",
  "TimeoutError",
] as const
type EngineTag = (typeof ENGINE_TAG_LIST)[number]
const ENGINE_TAGS: ReadonlySet<string> = new Set(ENGINE_TAG_LIST)
