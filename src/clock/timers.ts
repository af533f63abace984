/**
 * Time for code that is not an effect. It reads Effect's clock and sets its timers on it, so that a test with a `TestClock` runs the code
 * in virtual time. With the system clock it uses Node's own timers, which cost a tenth of a sleeping fiber.
 */
import { Clock, Duration, Effect } from "effect"

/** Cancels a call that has not begun; harmless afterwards. */
export type Cancel = () => void

export interface Timers {
  /** Unix milliseconds, which may go backward when the system clock is corrected. */
  readonly now: () => number
  /** Monotonic milliseconds from an arbitrary origin. */
  readonly elapsed: () => number
  /** Calls once, at least `ms` from now. At most 2^31 - 1 milliseconds. */
  readonly after: (ms: number, call: () => void) => Cancel
}

/** Calls repeatedly, each time `ms` after the previous call has returned. */
export const every = ({ after }: Timers, ms: number, call: () => void): Cancel => {
  let isOver = false
  let cancel: Cancel
  const next = (): void => {
    cancel = after(ms, () => {
      call()
      if (!isOver) next()
    })
  }
  next()
  return () => {
    isOver = true
    cancel()
  }
}

export const systemTimers: Timers = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

const NANOS_PER_MS = 1e6

export const timersOf = (clock: Clock.Clock): Timers => ({
  now: () => clock.currentTimeMillisUnsafe(),
  elapsed: () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS,
  after: (ms, call) => {
    const sleeping = Effect.runFork(Effect.andThen(clock.sleep(Duration.millis(ms)), Effect.sync(call)))
    return () => sleeping.interruptUnsafe()
  },
})

/** The default clock of every effect. */
const SYSTEM_CLOCK = Effect.runSync(Clock.clockWith(Effect.succeed))

/** Timers of the clock with which the effect runs. */
export const currentTimers: Effect.Effect<Timers> = Effect.clockWith((clock) =>
  Effect.succeed(clock === SYSTEM_CLOCK ? systemTimers : timersOf(clock)),
)
