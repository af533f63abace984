/**
 * The interface of live events for REST handlers and the gateway. It finds the event's mailbox in any process, retries a command
 * that met a hand-over under its own id, and maps errors that the caller cannot act on to `Unavailable`.
 */
import { Cause, Context, Effect, FiberSet, Layer, Schedule } from "effect"
import type { ClusterError, Sharding } from "effect/cluster"
import { NotFound, Unavailable } from "../model/errors.ts"
import type { Inspection } from "../model/live/inspection.ts"
import { lowerAscii } from "../model/text/compared.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { CallReply, CallRequest } from "./calls/call-request.ts"
import { commandTraces } from "./command-traces.ts"
import { type Answer, type Envelope, NotOwner, Refused, StoreUnavailable, type Unreachable } from "./commands.ts"
import { pseudonymous } from "./commit/pseudonym.ts"
import type { ReactionReport } from "./presence/reactions.ts"
import {
  LiveEvent,
  type LiveEventRequests,
  type LiveReading,
  type LiveSnapshot,
  type PresenceReport,
  type RosterPage,
  type RosterQuery,
} from "./protocol.ts"
import { CommandBatcher } from "./runtime/command-batcher.ts"
import { Ownership } from "./runtime/ownership.ts"
import { ResidentEvents } from "./runtime/resident-events.ts"
import type { LiveEventDeadlines } from "./services.ts"

type Reachable<A, E = never> = Effect.Effect<A, E | NotFound | Unavailable>

const MOVED_PAUSE = "100 millis"

const gone = () => NotFound.of("event")
/** Failures of the cluster engine between a caller and a mailbox. */
type EngineFailure =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

const isMoving = (failure: { readonly _tag: string }): boolean => failure._tag === "NotOwner"

const unavailable = (detail: string, retryAfterSeconds = 1) => new Unavailable({ detail, retryAfterSeconds })

/** The reason why an event cannot answer now. */
const unavailableBecause = (tag: string): Unavailable => {
  if (tag === "MailboxFull") return unavailable("The event has too much to do right now.")
  if (tag === "StoreUnavailable") return unavailable("The event's state could not be stored or read; try again.", 2)
  return unavailable("The event is being moved; try again.")
}

export class LiveEvents extends Context.Service<
  LiveEvents,
  {
    readonly execute: (eventId: string, envelope: Envelope) => Reachable<Answer, Refused>
    readonly reportPresence: (eventId: string, report: PresenceReport) => Reachable<void>
    readonly reportReactions: (eventId: string, report: ReactionReport) => Reachable<void>
    /** The state of the event, and the personal state of these participants. */
    readonly read: (
      eventId: string,
      participants: ReadonlyArray<string>,
      /** The snapshot must be of the present version too; otherwise it may be a moment old. */
      fresh: boolean,
      more?: {
        /** Further streams whose heads are wanted. */
        readonly streams?: ReadonlyArray<string>
        /** The snapshot that the caller has. It is not sent again while it is good. */
        readonly known?: LiveSnapshot | undefined
      },
    ) => Reachable<LiveReading>
    readonly roster: (eventId: string, query: RosterQuery) => Reachable<RosterPage>
    /** The chart of the event as its owner has it, for the operator. */
    readonly inspect: (eventId: string) => Reachable<Inspection>
    /** Steps of calls between browsers, in order. */
    readonly call: (eventId: string, request: CallRequest) => Reachable<CallReply>
    /** Keeps the event in memory until interrupted. */
    readonly reside: (eventId: string) => Effect.Effect<void>
    /** Calls when events may have forgotten who is connected to this process. Returns the end of it. */
    readonly onForgotten: (listener: () => void) => () => void
  }
>()("gathercue/LiveEvents") {
  /** `mailbox`: commands that may queue for one event. `pseudonymKey`: for anonymous callers and their addresses. */
  static readonly layer = ({
    mailbox,
    pseudonymKey,
    answers,
  }: {
    readonly mailbox: number
    readonly pseudonymKey: Uint8Array
    readonly answers: LiveEventDeadlines
  }): Layer.Layer<LiveEvents, never, Sharding.Sharding | Telemetry | Ownership | ResidentEvents> =>
    Layer.effect(
      LiveEvents,
      Effect.gen(function* () {
        const fork = yield* FiberSet.makeRuntime<never>()
        const inboxes = new Map<string, CommandBatcher>()
        const client = yield* LiveEvent.client
        const { metrics, log, tracing } = yield* Telemetry
        const { onReturned } = yield* Ownership
        const residents = yield* ResidentEvents

        const mailboxOf: (eventId: string) => LiveEventRequests<Unreachable | EngineFailure> = client

        /** One attempt. The engine interrupts the requests of an event that leaves its node. */
        const attempt = <A>(
          eventId: string,
          request: <E>(of: LiveEventRequests<E>) => Effect.Effect<A, E>,
        ): Effect.Effect<A, Unreachable | EngineFailure | Cause.TimeoutError> =>
          Effect.suspend((): Effect.Effect<A, Unreachable | EngineFailure | Cause.TimeoutError> => {
            const resident = residents.find(eventId)
            if (resident !== undefined) return resident.ask(request)
            // The engine keeps the span of the request that activated an event, with its answer, as long as the event is in memory.
            return Effect.timeout(Effect.withTracerEnabled(request(mailboxOf(eventId)), false), answers.attemptMs)
          }).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause) ? Effect.fail(new NotOwner()) : Effect.failCause(cause),
            ),
          )

        /**
         * Asks the event in this process' memory, and its mailbox otherwise, again while the event moves, under the same command id.
         * Each attempt looks anew where the event is. Other errors of the cluster engine become `Unavailable`.
         */
        const ask = <A>(eventId: string, request: <E>(of: LiveEventRequests<E>) => Effect.Effect<A, E>): Reachable<A> =>
          Effect.suspend(() => {
            const begunAt = performance.now()
            const once = attempt(eventId, request)
            const again = Effect.suspend(() =>
              once.pipe(
                Effect.retry({ while: isMoving, schedule: Schedule.spaced(MOVED_PAUSE) }),
                Effect.delay(MOVED_PAUSE),
                Effect.timeout(Math.max(0, answers.reachMs - (performance.now() - begunAt))),
              ),
            )
            // Nearly always the first attempt is the only one: it is spared the fibers of the second deadline.
            return once.pipe(
              Effect.catchIf(isMoving, () => again),
              Effect.mapError((failure) =>
                failure._tag === "EventNotFound" ? gone() : unavailableBecause(failure._tag),
              ),
            )
          })

        const traces = commandTraces(tracing)

        /** Commands of one event that arrive while others are under way are sent together, next. */
        const inboxOf = (eventId: string): CommandBatcher => {
          const known = inboxes.get(eventId)
          if (known !== undefined) return known
          const inbox = new CommandBatcher({
            most: mailbox,
            send: (envelopes) =>
              traces.batch(
                eventId,
                envelopes,
                ask(eventId, (of) => of.Execute({ envelopes })),
              ),
            fork: (effect) => void fork(effect),
            emptied: () => inboxes.delete(eventId),
          })
          inboxes.set(eventId, inbox)
          return inbox
        }

        const execute = (eventId: string, envelope: Envelope): Reachable<Answer, Refused> =>
          traces.command(eventId, envelope, executed(eventId, envelope))

        const executed = (eventId: string, envelope: Envelope): Reachable<Answer, Refused> =>
          Effect.suspend(() => {
            const arrivedAt = performance.now()
            return Effect.tap(inboxOf(eventId).put(pseudonymous(pseudonymKey, eventId, envelope)), () =>
              Effect.sync(() => metrics.commandDuration.observe((performance.now() - arrivedAt) / 1000)),
            )
          }).pipe(
            Effect.flatMap((outcome): Effect.Effect<Answer, Refused | Unavailable> => {
              if (outcome instanceof StoreUnavailable) return Effect.fail(unavailableBecause("StoreUnavailable"))
              return outcome instanceof Refused ? Effect.fail(outcome) : Effect.succeed(outcome)
            }),
            Effect.tap((answer) =>
              Effect.sync(() => metrics.commands.add(1, answer.duplicate ? "duplicate" : "accepted")),
            ),
            Effect.tapError((failure) => Effect.sync(() => metrics.commands.add(1, lowerAscii(failure._tag)))),
          )

        /** An owner of the release before does not know such a request. The defect is not logged: its text may hold addresses of people. */
        const newer = <A>(eventId: string, what: string, asked: Reachable<A>): Reachable<A> =>
          asked.pipe(
            Effect.catchDefect(() => {
              log.warn({ eventId }, `the owner of an event did not understand a request of its ${what}`)
              return Effect.fail(unavailable("The node that has the event cannot answer this for the moment."))
            }),
          )

        return {
          execute,
          call: (eventId, request) =>
            newer(
              eventId,
              "calls",
              ask(eventId, (of) => of.Call(request)),
            ),
          inspect: (eventId) =>
            newer(
              eventId,
              "chart",
              ask(eventId, (of) => of.Inspect()),
            ),
          reportPresence: (eventId, report) => ask(eventId, (of) => of.ReportPresence(report)),
          reportReactions: (eventId, report) => ask(eventId, (of) => of.ReportReactions(report)),
          read: (eventId, participants, fresh, { streams = [], known } = {}) => {
            const query = { participants, fresh, streams, known: known?.id ?? null }
            const asked = ask(eventId, (of) => of.Read(query))
            return Effect.flatMap(asked, (reading) => {
              const snapshot = reading.snapshot ?? known
              return snapshot === undefined
                ? Effect.die(new Error("a reading without a snapshot"))
                : Effect.succeed({ ...reading, snapshot })
            })
          },
          roster: (eventId, query) => ask(eventId, (of) => of.ReadRoster(query)),
          reside: (eventId) => Effect.ignore(client(eventId).Reside()),
          onForgotten: onReturned,
        }
      }),
    )
}
