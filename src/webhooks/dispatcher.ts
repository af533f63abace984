/**
 * The dispatcher: takes deliveries from the outbox and sends them, as long as its layer's scope is open.
 *
 * One loop claims work in batches; each claimed lane (or single retry) becomes one fiber that sends its deliveries one after the other;
 * results are settled in batches. The loop sleeps until the outbox signal, a settled result, a due retry, or the end of a second. Lanes in
 * flight are limited in total and per endpoint, and an endpoint that answers slowly keeps a single slot, so that it blocks no others.
 * Several dispatchers may share one database.
 */
import { Effect, Fiber, FiberSet, Latch, Layer, Scope } from "effect"
import { currentTimers } from "../clock/timers.ts"
import type { KeyRing } from "../crypto/secret-key.ts"
import { Egress } from "../egress/egress.ts"
import { newId } from "../model/ids.ts"
import { Database, type Queryable } from "../store/database.ts"
import { Quiet } from "../store/quiet/quiet.ts"
import { patiently } from "../store/sweeps.ts"
import { OutboxSignal } from "../store/webhooks/outbox.ts"
import {
  type ClaimedDelivery,
  claimFirstTries,
  claimRetries,
  type EndpointTarget,
  nextRetryInMs,
  releaseClaims,
  releaseDeliveries,
} from "../store/webhooks/webhook-deliveries.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { SpanEnd, SpanGiven } from "../telemetry/tracing.ts"
import type { AttemptOutcome } from "./classify.ts"
import { makeSlots } from "./concurrency-slots.ts"
import { makeEndpointWatch } from "./endpoint-watch.ts"
import { housekeeping } from "./housekeeping.ts"
import { ANSWER_MS, attempt, settlementOf } from "./pipeline.ts"
import { makeRetryForever } from "./retry-forever.ts"
import { makeSettlements } from "./settlements.ts"

export interface DispatcherOptions {
  /** Keys of 32 bytes, derived from the configured secret for this purpose alone; they open signing secrets. */
  readonly sealingKeys: KeyRing
  /** Milliseconds before each retry. */
  readonly retryDelaysMs: ReadonlyArray<number>
  /** Most concurrent requests; an endpoint gets an eighth of them. */
  readonly concurrency: number
  /**
   * No other process dispatches on this database: claims of a dead process are recovered at the start instead of at the end of their lease.
   */
  readonly alone: boolean
  /** Deadline of one answer; by default `ANSWER_MS`. */
  readonly timeoutMs?: number
  /** Default 30,000; must be long enough for a request. */
  readonly leaseMs?: number
  /** Time for requests in flight to finish when stopping. Default 4,000. */
  readonly drainMs?: number
}

const POLL_MS = 1_000
/** Time after a claim in which results and signals are collected for the next one. */
const PACE_MS = 5
/**
 * The same time after a claim that took every slot. One claim then fills all slots that became free, and costs as much as for one.
 */
const BUSY_PACE_MS = 20
/** A retry that is due and was not claimed waits for a slot of its endpoint, which may take as long as a request. */
const OVERDUE_MS = 100
/** First attempts of one lane that are claimed together, for an endpoint that is not known to be fast or slow. */
const RUN_LENGTH = 16
/** A request begins only if the lease outlasts its time limit by this much. */
const LEASE_MARGIN_MS = 2_000
/** Time for the last statements when stopping. */
const LAST_WORDS_MS = 1_000

const spanOf = (delivery: ClaimedDelivery): SpanGiven => ({
  kind: "client",
  attributes: {
    "gathercue.delivery_id": delivery.id,
    "gathercue.webhook_id": delivery.endpointId,
    "gathercue.attempt": delivery.attempts + 1,
  },
})

const endOf = ({ kind, status }: AttemptOutcome): SpanEnd => ({
  attributes: { "gathercue.outcome": kind, ...(status === null ? {} : { "http.response.status_code": status }) },
  fault: kind === "delivered" ? undefined : kind,
})

const unitsOf = <A>(rows: ReadonlyArray<A>, unitOf: (row: A) => string): ReadonlyArray<ReadonlyArray<A>> => {
  const units = new Map<string, Array<A>>()
  for (const row of rows) {
    const unit = units.get(unitOf(row))
    if (unit === undefined) units.set(unitOf(row), [row])
    else unit.push(row)
  }
  return [...units.values()]
}

const start = (options: DispatcherOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const timers = yield* currentTimers
    const egress = yield* Egress
    const signal = yield* OutboxSignal
    const { isQuiet } = yield* Quiet
    const { log, metrics, tracing } = yield* Telemetry
    const node = newId()
    const timeoutMs = options.timeoutMs ?? ANSWER_MS
    const leaseMs = options.leaseMs ?? 30_000
    const pipeline = { sealingKeys: options.sealingKeys, timeoutMs }
    const slots = makeSlots(options.concurrency)
    const retryForever = makeRetryForever(log)
    const wake = Latch.makeUnsafe(true)
    /** Claimed deliveries that are not settled, with their claims. */
    const held = new Map<string, string>()
    let stopping = false
    let nextRetryAt = 0
    let claims = 0

    const settlements = yield* makeSettlements(database, retryForever, (batch) => {
      for (const { id, delayMs } of batch) {
        held.delete(id)
        if (delayMs !== null) nextRetryAt = Math.min(nextRetryAt, timers.elapsed() + delayMs + 1)
      }
      wake.openUnsafe()
    })
    const watch = makeEndpointWatch(timers, database, retryForever, yield* Scope.Scope)
    const units = yield* FiberSet.make()

    const release = (deliveries: ReadonlyArray<ClaimedDelivery>) =>
      Effect.gen(function* () {
        yield* retryForever(database.run((sql) => releaseDeliveries(sql, deliveries)))
        for (const { id } of deliveries) held.delete(id)
        wake.openUnsafe()
      })

    const deliver = (delivery: ClaimedDelivery, target: EndpointTarget) =>
      Effect.gen(function* () {
        const startedAtMs = timers.now()
        const began = timers.elapsed()
        metrics.webhookInFlight.add(1)
        const attempted = attempt(delivery, target, egress, pipeline, (err) =>
          log.error({ err, delivery: delivery.id }, "webhooks: an attempt failed through a fault of ours"),
        )
        const outcome = yield* tracing
          .root(`webhook ${delivery.type}`, spanOf(delivery), attempted, endOf)
          .pipe(Effect.ensuring(Effect.sync(() => metrics.webhookInFlight.add(-1))))
        const durationMs = timers.elapsed() - began
        slots.answered(delivery.endpointId, durationMs)
        metrics.webhookAttempts.add(1, outcome.kind)
        if (outcome.kind === "delivered") metrics.webhookDelay.observe((timers.now() - delivery.occurredMs) / 1000)
        const timing = { startedAtMs, durationMs }
        settlements.put(settlementOf(delivery, target.url, outcome, timing, options.retryDelaysMs, Math.random()))
      })

    /** Sends one lane's first attempts in order, or one retry. */
    const work = (unit: ReadonlyArray<ClaimedDelivery>, endpointId: string, sendBefore: number) =>
      Effect.gen(function* () {
        for (const [index, delivery] of unit.entries()) {
          const target = yield* watch.target(endpointId)
          if (target === undefined || stopping || timers.elapsed() > sendBefore) {
            return yield* release(unit.slice(index))
          }
          yield* deliver(delivery, target)
        }
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (slots.leave(endpointId)) watch.forget(endpointId)
            wake.openUnsafe()
          }),
        ),
      )

    const begin = (
      claimed: ReadonlyArray<ClaimedDelivery>,
      laneOf: (delivery: ClaimedDelivery) => string,
      at: number,
    ) =>
      Effect.gen(function* () {
        const lanes = unitsOf(claimed, laneOf)
        for (const unit of lanes) {
          const [first] = unit
          if (first === undefined) continue
          const { endpointId } = first
          for (const { id, claim } of unit) held.set(id, claim)
          watch.seen(endpointId, first, at)
          slots.take(endpointId)
          yield* FiberSet.run(units, work(unit, endpointId, at + leaseMs - timeoutMs - LEASE_MARGIN_MS))
        }
        return lanes.length
      })

    const claimable = (limit: number) => ({
      claim: `${node} ${++claims}`,
      leaseMs,
      limit,
      perEndpoint: slots.perEndpoint,
      busy: slots.busy(),
    })

    /** Uninterruptible once begun, so that no row is claimed without being known here. */
    const claim = (
      statement: (sql: Queryable) => Promise<ReadonlyArray<ClaimedDelivery>>,
      unitOf: (delivery: ClaimedDelivery) => string,
    ) => {
      const claimed = Effect.suspend(() => {
        const at = timers.elapsed()
        return Effect.flatMap(database.run(statement), (rows) => begin(rows, unitOf, at))
      })
      return retryForever(Effect.uninterruptible(claimed))
    }

    /** Due retries get half of the free slots, so that neither kind of work blocks the other. */
    const claimDueRetries = Effect.gen(function* () {
      if (timers.elapsed() < nextRetryAt) return 0
      nextRetryAt = timers.elapsed() + POLL_MS
      const request = claimable(Math.ceil(slots.free() / 2))
      const begun = yield* claim(
        (sql) => claimRetries(sql, request),
        ({ id }) => id,
      )
      const inMs = yield* retryForever(database.run(nextRetryInMs))
      const pauseMs = inMs !== undefined && inMs <= 0 ? OVERDUE_MS : (inMs ?? POLL_MS) + 1
      nextRetryAt = Math.min(nextRetryAt, timers.elapsed() + pauseMs)
      return begun
    })

    const claimDueFirstTries = Effect.suspend(() => {
      if (slots.free() === 0) return Effect.succeed(0)
      const request = { ...claimable(slots.free()), runLength: RUN_LENGTH, runLengths: slots.runLengths() }
      return claim(
        (sql) => claimFirstTries(sql, request),
        ({ endpointId, lane }) => `${endpointId} ${lane}`,
      )
    })

    const isIdle = () => slots.free() === 0 || isQuiet()
    /** Time until something is due: the outbox signal, the next retry, or the poll. When nothing may be claimed, only the poll. */
    const sleepMs = () => (isIdle() ? POLL_MS : Math.max(0, Math.min(POLL_MS, nextRetryAt - timers.elapsed())))

    const round = Effect.gen(function* () {
      yield* Effect.timeoutOption(wake.await, sleepMs())
      wake.closeUnsafe()
      if (stopping || isIdle()) return
      const begun = (yield* claimDueRetries) + (yield* claimDueFirstTries)
      if (begun > 0) yield* Effect.sleep(slots.free() === 0 ? BUSY_PACE_MS : PACE_MS)
    })

    const rescue = retryForever(patiently(database, (sql) => releaseClaims(sql, node)))
    const loop = Effect.andThen(
      options.alone ? rescue : Effect.void,
      Effect.whileLoop({ while: () => !stopping, body: () => round, step: () => {} }),
    )

    const silence = signal.subscribe(() => wake.openUnsafe())
    yield* housekeeping(database, retryForever, log)
    // Detached from the scope: a claim that waits for a lost connection must not delay the end.
    const claiming = yield* Effect.forkDetach(loop)

    /** Stops claiming; requests in flight may finish, and those that do not finish in time are aborted and released. */
    const stop = Effect.gen(function* () {
      stopping = true
      silence()
      const ended = Effect.andThen(Fiber.interrupt(claiming), FiberSet.awaitEmpty(units))
      yield* Effect.timeoutOption(ended, options.drainMs ?? 4_000)
      yield* FiberSet.clear(units)
      const settled = Effect.andThen(
        settlements.flushed,
        Effect.suspend(() => {
          const rest = [...held].map(([id, claim]) => ({ id, claim }))
          return retryForever(database.run((sql) => releaseDeliveries(sql, rest)))
        }),
      )
      yield* Effect.timeoutOption(settled, LAST_WORDS_MS)
    })
    yield* Effect.addFinalizer(() => stop)
  })

export const dispatcherLayer = (
  options: DispatcherOptions,
): Layer.Layer<never, never, Database | Egress | OutboxSignal | Telemetry> => Layer.effectDiscard(start(options))
