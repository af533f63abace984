/** Runs one effect at a time, in the order of requests; measures how long the mutex is held. */
import { Effect, Semaphore } from "effect"
import type { Timers } from "../../clock/timers.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"

export type Mutex = <A, E>(body: Effect.Effect<A, E>) => Effect.Effect<A, E>

export const openMutex = ({ elapsed }: Timers, { metrics }: Telemetry["Service"]): Mutex => {
  const inTurn = Semaphore.makeUnsafe(1).withPermits(1)
  const timed: Mutex = (body) =>
    Effect.suspend(() => {
      const from = elapsed()
      return Effect.ensuring(
        body,
        Effect.sync(() => metrics.actorBusy.add((elapsed() - from) / 1000)),
      )
    })
  return (body) => inTurn(timed(body))
}
