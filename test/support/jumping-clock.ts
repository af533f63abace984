/** The system's clock, which a test can put forward: what is due by then is due at once. */
import { Clock, Duration, Effect, Layer } from "effect"

const NANOS_PER_MS = 1_000_000n

export interface JumpingClock {
  readonly layer: Layer.Layer<never>
  /** Milliseconds. */
  readonly jump: (ms: number) => void
}

interface Sleeper {
  readonly dueAt: number
  readonly wake: () => void
}

export const openJumpingClock = (): JumpingClock => {
  let ahead = 0
  const sleepers = new Map<Sleeper, NodeJS.Timeout>()
  const elapsed = (): number => performance.now() + ahead
  const millis = (): number => Date.now() + ahead
  const nanos = (ms: number): bigint => BigInt(Math.round(ms)) * NANOS_PER_MS
  const set = (sleeper: Sleeper): void => {
    clearTimeout(sleepers.get(sleeper))
    sleepers.set(sleeper, setTimeout(sleeper.wake, Math.max(0, sleeper.dueAt - elapsed())))
  }
  const forget = (sleeper: Sleeper): void => {
    clearTimeout(sleepers.get(sleeper))
    sleepers.delete(sleeper)
  }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: () => nanos(millis()),
    currentTimeNanos: Effect.sync(() => nanos(millis())),
    monotonicTimeNanosUnsafe: () => nanos(elapsed()),
    monotonicTimeNanos: Effect.sync(() => nanos(elapsed())),
    sleep: (duration) => {
      const ms = Duration.toMillis(duration)
      if (!Number.isFinite(ms)) return Effect.never
      return Effect.callback((resume) => {
        const sleeper: Sleeper = {
          dueAt: elapsed() + ms,
          wake: () => {
            forget(sleeper)
            resume(Effect.void)
          },
        }
        set(sleeper)
        return Effect.sync(() => forget(sleeper))
      })
    },
  }
  return {
    layer: Layer.succeed(Clock.Clock, clock),
    jump: (ms) => {
      ahead += ms
      for (const sleeper of [...sleepers.keys()]) set(sleeper)
    },
  }
}
