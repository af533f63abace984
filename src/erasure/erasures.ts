/**
 * Erases people from the events of their workspace, step by step: each step asks the live events that know them to forget their names,
 * erases what the store has, and records its progress. A process that ends in the middle leaves the rest to another one. The last pass
 * follows after all work in progress has ended.
 */
import { Cause, Context, Effect, Fiber, Layer, Schedule } from "effect"
import { ownCommand } from "../actors/commands.ts"
import { LiveEvents } from "../actors/live-events.ts"
import { currentTimers } from "../clock/timers.ts"
import type { Unavailable } from "../model/errors.ts"
import { Database } from "../store/database.ts"
import {
  advanceErasure,
  claimErasure,
  type Erasure,
  eraseAt,
  findKnowingEvents,
  finishPass,
  keepErasure,
  nextEvents,
  participantsAt,
} from "../store/personal/erasures.ts"
import { patiently, sweepEvery } from "../store/sweeps.ts"
import { Telemetry } from "../telemetry/telemetry.ts"

/** Number of events per step. */
const EVENTS = 20
/** Time after which the caller is answered; a large workspace takes longer. */
const ANSWER_AFTER = "2 seconds"
const AGAIN = Schedule.spaced("500 millis")
/** Attempts, for a full mailbox and for an event that moves. The rest is retried within two minutes. */
const TRIES = 5

interface Needs {
  readonly database: Database["Service"]
  readonly live: Pick<LiveEvents["Service"], "execute">
  /** Time in Unix milliseconds. */
  readonly now: () => number
}

/** A deleted event knows nobody. */
const forgetAt = ({ live }: Needs, eventId: string, ids: ReadonlyArray<string>): Effect.Effect<void, Unavailable> =>
  live
    .execute(eventId, ownCommand({ type: "participant.erase", d: { ids } }))
    .pipe(
      Effect.retry({ while: (failure) => failure._tag === "Unavailable", schedule: AGAIN, times: TRIES }),
      Effect.catchTags({ NotFound: () => Effect.void, Refused: (refused) => Effect.die(refused) }),
      Effect.asVoid,
    )

/** Runs the pass from its current position to its end. */
export const runPass = (needs: Needs, erasure: Erasure): Effect.Effect<void, Unavailable> =>
  Effect.gen(function* () {
    const { database, now } = needs
    let after = erasure.after
    while (true) {
      const from = after
      const events = yield* patiently(database, (sql) => nextEvents(sql, erasure, from, EVENTS))
      const last = events.at(-1)
      if (last === undefined) break
      const eventIds = events.map((event) => event.id)
      const participantIds = participantsAt(erasure, eventIds)
      const open = events.flatMap((event) => (event.isOpen ? event.id : []))
      const knowing = yield* patiently(database, (sql) => findKnowingEvents(sql, { eventIds: open, participantIds }))
      const forgotten = yield* Effect.forEach(knowing, (one) =>
        Effect.exit(forgetAt(needs, one.eventId, one.participantIds)).pipe(
          Effect.tap(() => patiently(database, (sql) => keepErasure(sql, erasure, now()))),
        ),
      )
      yield* patiently(database, (sql) => eraseAt(sql, { eventIds, participantIds }))
      // An event that did not answer may write a name again, so the step is repeated.
      yield* Effect.forEach(forgotten, (exit) => exit, { discard: true })
      yield* patiently(database, (sql) => advanceErasure(sql, erasure, last, now()))
      after = last
    }
    yield* patiently(database, (sql) => finishPass(sql, erasure, now()))
  })

/** Runs every pass that is due. */
const sweepErasures = (needs: Needs): Effect.Effect<void, Unavailable> =>
  Effect.gen(function* () {
    while (true) {
      const due = yield* patiently(needs.database, (sql) => claimErasure(sql, needs.now()))
      if (due === undefined) return
      yield* runPass(needs, due)
    }
  })

export class Erasures extends Context.Service<
  Erasures,
  {
    /** Runs the first pass of a committed erasure, and waits briefly for it. The sweep retries failures. */
    readonly begin: (erasure: Erasure) => Effect.Effect<void>
  }
>()("gathercue/Erasures") {
  static readonly layer: Layer.Layer<Erasures, never, Database | LiveEvents | Telemetry> = Layer.effect(
    Erasures,
    Effect.gen(function* () {
      const database = yield* Database
      const live = yield* LiveEvents
      const timers = yield* currentTimers
      const { log } = yield* Telemetry
      const needs: Needs = { database, live, now: timers.now }
      yield* Effect.forkScoped(sweepEvery("1 minute", log, sweepErasures(needs)))
      const scope = yield* Effect.scope
      const begin = (erasure: Erasure): Effect.Effect<void> =>
        Effect.gen(function* () {
          const pass = runPass(needs, erasure).pipe(
            Effect.catchCause((cause) =>
              Effect.sync(() =>
                log.warn({ erasure: erasure.id, err: Cause.squash(cause) }, "an erasure goes on later"),
              ),
            ),
          )
          const running = yield* Effect.forkIn(pass, scope)
          yield* Effect.timeoutOption(Fiber.await(running), ANSWER_AFTER)
        })
      return { begin }
    }),
  )
}
