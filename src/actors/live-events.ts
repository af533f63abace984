/**
 * Interface of live events for REST handlers and the gateway. It finds the event's mailbox in any process, retries a command that met a
 * hand-over under the same id, and maps errors that the caller cannot act on to `Unavailable`.
 */
import { Cause, Context, Effect, FiberSet, Layer, Schedule, type Tracer } from "effect"
import type { ClusterError, Sharding } from "effect/cluster"
import { NotFound, Unavailable } from "../model/errors.ts"
import { lowerAscii } from "../model/text/compared.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { batchSpan, commandSpan } from "./command-traces.ts"
import {
  type Answer,
  type Envelope,
  NotOwner,
  type Outcome,
  type Refused,
  StoreUnavailable,
  type Unreachable,
} from "./commands.ts"
import { pseudonymous } from "./commit/pseudonym.ts"
import { Ownership } from "./ownership/ownership.ts"
import {
  LiveEventEntity,
  type LiveEventRequests,
  type LiveReading,
  type LiveSnapshot,
  NEW_REQUESTS,
  type Payload,
  type RequestName,
  type RequestsToEvents,
  requestsToEvents,
} from "./protocol.ts"
import { FULL, Inbox } from "./runtime/inbox.ts"
import { Residents } from "./runtime/residents.ts"
import type { LiveEventDeadlines } from "./services.ts"

type Failure = NotFound | Unavailable
type Reachable<A, E = never> = Effect.Effect<A, E | Failure>

const MOVED_PAUSE = "100 millis"

/** Failures of the cluster engine between a caller and a live event. */
type EngineFailure =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

const isMoving = (failure: { readonly _tag: string }): boolean => failure._tag === "NotOwner"

const unavailable = (detail: string, retryAfterSeconds = 1) => new Unavailable({ detail, retryAfterSeconds })

/** The reason why an event cannot answer now, in the form that callers see. */
const reasonOf = (failure: Failure | Unreachable | EngineFailure | Cause.TimeoutError): Failure => {
  switch (failure._tag) {
    case "NotFound":
    case "Unavailable":
      return failure
    case "EventNotFound":
      return NotFound.of("event")
    case "MailboxFull":
      return FULL
    case "StoreUnavailable":
      return unavailable("The event's state could not be stored or read; try again.", 2)
    default:
      return unavailable("The event is being moved; try again.")
  }
}

/** The outcome of one command, as callers see it. */
type Settled = Answer | Refused | Failure

const NO_OUTCOME = Effect.die(new Error("a command without outcome"))

const settled = (outcome: Outcome): Settled => (outcome instanceof StoreUnavailable ? reasonOf(outcome) : outcome)

export class LiveEvents extends Context.Service<
  LiveEvents,
  Omit<RequestsToEvents<Failure>, "execute" | "read" | "rehearse"> & {
    readonly execute: (eventId: string, envelope: Envelope) => Reachable<Answer, Refused>
    /** The answer that `execute` would give now, without its effect. */
    readonly rehearse: (eventId: string, envelope: Envelope) => Reachable<Answer, Refused>
    /** Executes commands of one caller in one turn, each for itself, and returns their outcomes in order. */
    readonly executeAll: (
      eventId: string,
      envelopes: ReadonlyArray<Envelope>,
    ) => Reachable<ReadonlyArray<Answer | Refused | Failure>>
    /** Reads the state of the event, and the personal state of these participants. */
    readonly read: (
      eventId: string,
      participants: ReadonlyArray<string>,
      /** True: the snapshot must be of the current version; otherwise it may be slightly old. */
      fresh: boolean,
      more?: {
        /** Further streams whose heads are wanted. */
        readonly streams?: ReadonlyArray<string>
        /** The snapshot that the caller has. It is not sent again while it is valid. */
        readonly known?: LiveSnapshot | undefined
      },
    ) => Reachable<LiveReading>
    /** Keeps the event in memory until interrupted. */
    readonly reside: (eventId: string) => Effect.Effect<void>
    /** Calls the listener when events may have lost track of who is connected to this process. Returns a function that removes it. */
    readonly onForgotten: (listener: () => void) => () => void
  }
>()("gathercue/LiveEvents") {
  /** `mailbox`: most commands queued for one event. `pseudonymKey`: key for anonymous callers and their addresses. */
  static readonly layer = ({
    mailbox,
    pseudonymKey,
    answers,
  }: {
    readonly mailbox: number
    readonly pseudonymKey: Uint8Array
    readonly answers: LiveEventDeadlines
  }): Layer.Layer<LiveEvents, never, Sharding.Sharding | Telemetry | Ownership | Residents> =>
    Layer.effect(
      LiveEvents,
      Effect.gen(function* () {
        const fork = yield* FiberSet.makeRuntime<never>()
        const client = yield* LiveEventEntity.client
        const { metrics, log, tracing } = yield* Telemetry
        const { onReturned } = yield* Ownership
        const residents = yield* Residents

        /** One attempt. The engine interrupts the requests of an event that leaves its node. */
        const attempt = <A>(eventId: string, request: <E>(of: LiveEventRequests<E>) => Effect.Effect<A, E>) =>
          Effect.suspend((): Effect.Effect<A, Unavailable | Unreachable | EngineFailure> => {
            const resident = residents.find(eventId)
            if (resident !== undefined) return resident.inbox.isFull ? Effect.fail(FULL) : request(resident)
            // The engine would keep the span of the request that activated an event, with its answer, as long as the event is in memory.
            const mailbox: LiveEventRequests<Unreachable | EngineFailure> = client(eventId)
            return Effect.withTracerEnabled(request(mailbox), false)
          }).pipe(
            Effect.timeout(answers.attemptMs),
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause) ? Effect.fail(new NotOwner()) : Effect.failCause(cause),
            ),
          )

        /**
         * Asks the event in this process's memory, or else its mailbox, and retries under the same command id while the event moves. Each
         * attempt locates the event anew. Other errors of the cluster engine become `Unavailable`.
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
            // The first attempt is nearly always the only one: it is spared the fibers of the second deadline.
            return once.pipe(
              Effect.catchIf(isMoving, () => again),
              Effect.mapError(reasonOf),
            )
          })

        /** Inboxes of events that are in another process, not in memory, or moving. They keep the commands of an event in order. */
        const outgoing = new Map<string, Inbox<Failure>>()
        const outgoingTo = (eventId: string): Inbox<Failure> => {
          const known = outgoing.get(eventId)
          if (known !== undefined) return known
          const inbox = new Inbox<Failure>(
            { most: mailbox, fork, metrics },
            {
              perform: (envelopes, links) =>
                batchSpan(
                  tracing,
                  eventId,
                  envelopes.length,
                  links,
                  ask(eventId, (of) => of.Execute({ envelopes })),
                ),
              emptied: () => outgoing.delete(eventId),
            },
          )
          outgoing.set(eventId, inbox)
          return inbox
        }

        /** Queues commands at the live event itself; if the event moves meanwhile, they are sent to its new owner. */
        const put = (
          eventId: string,
          envelopes: ReadonlyArray<Envelope>,
          span: Tracer.AnySpan | undefined,
          begunAt: number,
        ): Reachable<ReadonlyArray<Outcome>> => {
          const send = Effect.suspend(() => outgoingTo(eventId).commands(envelopes, span))
          const resident = outgoing.has(eventId) ? undefined : residents.find(eventId)
          if (resident === undefined) return Effect.mapError(send, reasonOf)
          return resident.inbox.commands(envelopes, span).pipe(
            Effect.catchIf(isMoving, () =>
              Effect.timeout(send, Math.max(0, answers.reachMs - (performance.now() - begunAt))),
            ),
            Effect.mapError(reasonOf),
          )
        }

        /** Puts the commands and measures the time until their outcomes. */
        const putTimed = (eventId: string, envelopes: ReadonlyArray<Envelope>, span: Tracer.AnySpan | undefined) =>
          Effect.suspend(() => {
            const begunAt = performance.now()
            const named = envelopes.map((envelope) => pseudonymous(pseudonymKey, eventId, envelope))
            return Effect.tap(put(eventId, named, span, begunAt), () =>
              Effect.sync(() => metrics.commandDuration.observe((performance.now() - begunAt) / 1000)),
            )
          })

        const count = (one: Settled): void => {
          const accepted = "duplicate" in one && one.duplicate ? "duplicate" : "accepted"
          metrics.commands.add(1, "_tag" in one ? lowerAscii(one._tag) : accepted)
        }

        const execute = (eventId: string, envelope: Envelope): Reachable<Answer, Refused> =>
          commandSpan(tracing, eventId, envelope, (span) =>
            putTimed(eventId, [envelope], span).pipe(
              Effect.flatMap(([outcome]): Effect.Effect<Answer, Refused | Failure> => {
                const one = outcome === undefined ? undefined : settled(outcome)
                if (one === undefined) return NO_OUTCOME
                return "_tag" in one ? Effect.fail(one) : Effect.succeed(one)
              }),
              Effect.tap((answer) => Effect.sync(() => count(answer))),
              Effect.tapError((failure) => Effect.sync(() => count(failure))),
            ),
          )

        const executeAll = (eventId: string, envelopes: ReadonlyArray<Envelope>) =>
          putTimed(eventId, envelopes, undefined).pipe(
            Effect.map((outcomes) => outcomes.map(settled)),
            Effect.tap((all) => Effect.sync(() => all.forEach(count))),
          )

        const requestTo =
          <R extends RequestName>(name: R) =>
          (eventId: string, payload: Payload<R>) => {
            const asked = ask(eventId, (of) => of[name](payload))
            if (!NEW_REQUESTS.has(name)) return asked
            // The defect is not logged: its text may contain addresses of people.
            return Effect.catchDefect(asked, () => {
              log.warn({ eventId, request: name }, "the owner of an event did not understand a request")
              return Effect.fail(unavailable("The node that has the event cannot answer this for the moment."))
            })
          }

        const requests = requestsToEvents(requestTo)

        return {
          ...requests,
          executeTogether: (eventId, { envelopes }) => {
            const named = envelopes.map((envelope) => pseudonymous(pseudonymKey, eventId, envelope))
            return requests.executeTogether(eventId, { envelopes: named })
          },
          rehearse: (eventId, envelope) =>
            Effect.flatMap(requests.rehearse(eventId, pseudonymous(pseudonymKey, eventId, envelope)), (outcome) => {
              const one = settled(outcome)
              return "_tag" in one ? Effect.fail(one) : Effect.succeed(one)
            }),
          execute,
          executeAll,
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
          reside: (eventId) => Effect.ignore(client(eventId).Reside(undefined)),
          onForgotten: onReturned,
        }
      }),
    )
}
