/** The system's clock, which a test can put forward. */
import type { Timers } from "../../src/clock/timers.ts"

export interface JumpingClock {
  readonly timers: Timers
  /** Puts the clock forward, by milliseconds: what is due by then is due at once, or with `isLate` as late as it would have been. */
  readonly jump: (ms: number, isLate?: boolean) => void
}

interface Waiting {
  readonly dueAt: number
  readonly call: () => void
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
    waiting.set(one, setTimeout(begin, wait))
  }
  return {
    timers: {
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
    },
    jump: (ms, isLate = false) => {
      ahead += ms
      if (!isLate) for (const one of [...waiting.keys()]) set(one)
    },
  }
}
