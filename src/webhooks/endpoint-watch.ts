/**
 * Checks an endpoint right before a send: its address, its secrets, and whether it is still active. Nothing is sent to a deleted or
 * disabled endpoint. The result of a claim or an earlier check is trusted for a short time, less than a request takes to reach a receiver;
 * after that all senders that check at the same time share one query.
 * Deleting an endpoint deletes its deliveries in the same transaction, so checking the endpoint also checks the delivery.
 */
import { Deferred, Effect, type Scope } from "effect"
import type { Timers } from "../clock/timers.ts"
import type { Database } from "../store/database.ts"
import { type EndpointTarget, findTargets } from "../store/webhooks/webhook-deliveries.ts"
import type { RetryForever } from "./retry-forever.ts"

const BELIEVED_MS = 25

interface EndpointWatch {
  /** Notes that a statement that began at `at` (monotonic clock) found the endpoint active, with this target. */
  readonly seen: (endpointId: string, target: EndpointTarget, at: number) => void
  /** `undefined`: nothing may be sent to the endpoint. */
  readonly target: (endpointId: string) => Effect.Effect<EndpointTarget | undefined>
  /** Forgets the endpoint when no request to it is in flight any more. */
  readonly forget: (endpointId: string) => void
}

/** `scope`: the dispatcher's scope, in which the queries run. */
export const makeEndpointWatch = (
  timers: Timers,
  database: Database["Service"],
  retryForever: RetryForever,
  scope: Scope.Scope,
): EndpointWatch => {
  const sightings = new Map<string, { readonly target: EndpointTarget; readonly at: number }>()
  type Targets = ReadonlyMap<string, EndpointTarget>
  type Asking = { readonly ids: Set<string>; readonly answer: Deferred.Deferred<Targets> }
  let gathering: Asking | undefined
  let running = false

  const seen = (endpointId: string, target: EndpointTarget, at: number): void => {
    if (at >= (sightings.get(endpointId)?.at ?? 0)) sightings.set(endpointId, { target, at })
  }

  /** Queries for all waiting callers, and again for those that came meanwhile. The first caller runs it. */
  const askAll: Effect.Effect<void> = Effect.gen(function* () {
    while (gathering !== undefined) {
      const { ids, answer } = gathering
      gathering = undefined
      const at = timers.elapsed()
      const targets = yield* retryForever(database.run((sql) => findTargets(sql, [...ids])))
      for (const [id, target] of targets) seen(id, target, at)
      yield* Deferred.succeed(answer, targets)
    }
    running = false
  })

  return {
    seen,
    forget: (endpointId) => void sightings.delete(endpointId),
    target: (endpointId) =>
      Effect.suspend(() => {
        const last = sightings.get(endpointId)
        if (last !== undefined && timers.elapsed() - last.at < BELIEVED_MS) return Effect.succeed(last.target)
        gathering ??= { ids: new Set(), answer: Deferred.makeUnsafe() }
        gathering.ids.add(endpointId)
        const answer = Effect.map(Deferred.await(gathering.answer), (targets) => targets.get(endpointId))
        if (running) return answer
        running = true
        return Effect.andThen(Effect.forkIn(askAll, scope), answer)
      }),
  }
}
