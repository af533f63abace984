/** The system's clock, which a test can put forward. */
import { type Clock, Duration, Effect } from "effect"
import type { Timers } from "../../src/clock/timers.ts"

export interface JumpingClock {
  readonly timers: Timers
  /** The same for effects. */
  readonly clock: Clock.Clock
  /** Puts the clock forward, by milliseconds: what is due by then is due at once, or with `isLate` as late as it would have been. */
  readonly jump: (ms: number, isLate?: boolean) => void
}

interface Waiting {
  readonly dueAt: number
  readonly call: () => void
}

const NANOS_PER_MS = 1e6

const clockOf = ({ now, elapsed, after }: Timers): Clock.Clock => {
  const nanos = (ms: number): bigint => BigInt(Math.round(ms * NANOS_PER_MS))
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => nanos(now()),
    currentTimeNanos: Effect.sync(() => nanos(now())),
    monotonicTimeNanosUnsafe: () => nanos(elapsed()),
    monotonicTimeNanos: Effect.sync(() => nanos(elapsed())),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const cancel = after(Duration.toMillis(duration), () => resume(Effect.void))
        return Effect.sync(cancel)
      }),
  }
}

export const openJumpingClock = (): JumpingClock => {
  let ahead = 0
  const waiting = new Map<Waiting, NodeJS.Timeout>()
  const elapsed = (): number => performance.now() + ahead
  const set = (one: Waiting): void => {
    clearTimeout(waiting.get(one))
    const wait = Math.max(0, one.dueAt - elapsed())
    const begin = (): void => {
      waiting.delete(one)
      one.call()
    }
    // timed: it is the clock of tests.
    waiting.set(one, setTimeout(begin, wait))
  }
  const timers: Timers = {
    now: () => Date.now() + ahead,
    elapsed,
    after: (ms, call) => {
      const one = { dueAt: elapsed() + ms, call }
      set(one)
      return () => {
        clearTimeout(waiting.get(one))
        waiting.delete(one)
      }
    },
  }
  return {
    timers,
    clock: clockOf(timers),
    jump: (ms, isLate = false) => {
      ahead += ms
      if (!isLate) for (const one of [...waiting.keys()]) set(one)
    },
  }
}
