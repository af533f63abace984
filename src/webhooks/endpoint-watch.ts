/**
 * The look right before a send whether its endpoint still stands: deleted or disabled means that nothing goes out. What a
 * claim or an earlier look has just said is believed for a moment, less than a request takes to reach a receiver anyway;
 * beyond that all senders who ask at the same time share one query. Deleting an endpoint deletes its deliveries in the
 * same transaction, so that asking for the endpoint is asking for the delivery.
 */
import { Deferred, Effect, type Scope } from "effect"
import type { Database } from "../store/database.ts"
import { stillWanted } from "../store/webhook-deliveries.ts"
import type { Outliving } from "./outage.ts"

const BELIEVED_MS = 25

export interface EndpointWatch {
  /** A statement that began at `at` (`performance.now()`) saw the endpoint active. */
  readonly seen: (endpointId: string, at: number) => void
  readonly isActive: (endpointId: string) => Effect.Effect<boolean>
  /** Nothing is being sent to it any more. */
  readonly forget: (endpointId: string) => void
}

/** `scope`: that of the dispatcher, in which questions are asked. */
export const makeEndpointWatch = (
  database: Database["Service"],
  outliving: Outliving,
  scope: Scope.Scope,
): EndpointWatch => {
  const seenAt = new Map<string, number>()
  type Asking = { readonly ids: Set<string>; readonly answer: Deferred.Deferred<ReadonlySet<string>> }
  let gathering: Asking | undefined
  let running = false

  const seen = (endpointId: string, at: number) =>
    void seenAt.set(endpointId, Math.max(at, seenAt.get(endpointId) ?? 0))

  /** Asks for all who gathered, and again for those who came meanwhile. Run by whoever came first. */
  const askAll: Effect.Effect<void> = Effect.gen(function* () {
    while (gathering !== undefined) {
      const { ids, answer } = gathering
      gathering = undefined
      const at = performance.now()
      const active = yield* outliving(database.run((sql) => stillWanted(sql, [...ids])))
      for (const id of active) seen(id, at)
      yield* Deferred.succeed(answer, active)
    }
    running = false
  })

  return {
    seen,
    forget: (endpointId) => void seenAt.delete(endpointId),
    isActive: (endpointId) =>
      Effect.suspend(() => {
        if (performance.now() - (seenAt.get(endpointId) ?? Number.NEGATIVE_INFINITY) < BELIEVED_MS) {
          return Effect.succeed(true)
        }
        gathering ??= { ids: new Set(), answer: Deferred.makeUnsafe() }
        gathering.ids.add(endpointId)
        const answer = Effect.map(Deferred.await(gathering.answer), (active) => active.has(endpointId))
        if (running) return answer
        running = true
        return Effect.andThen(Effect.forkIn(askAll, scope), answer)
      }),
  }
}
