/** Time that passes only when a test says so: Effect's test clock, as the timers of code that is not an effect. */
import { type Clock, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { onTestFinished } from "vitest"
import { type Timers, timersOf } from "../../src/clock/timers.ts"

export interface VirtualTime {
  readonly clock: Clock.Clock
  readonly timers: Timers
  /** Resolves when all that was due by then has run. */
  readonly pass: (ms: number) => Promise<void>
}

/** `begin`: Unix milliseconds. Called within a test. */
export const openVirtualTime = async (begin = 1_000_000): Promise<VirtualTime> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const clock = await Effect.runPromise(Scope.provide(TestClock.make(), scope))
  await Effect.runPromise(clock.setTime(begin))
  return { clock, timers: timersOf(clock), pass: (ms) => Effect.runPromise(clock.adjust(ms)) }
}
