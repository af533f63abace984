/** A timer that runs down by the server's clock. */
import { useCallback, useSyncExternalStore } from "react"
import type { GatewayClient, TimerView } from "../entry.ts"

const SECOND_MS = 1000

const nothing = (): null => null

/**
 * Whole seconds left on the timer, rounded up; null without a timer. The component renders when the number changes, so once a second while
 * the timer runs, and not while it is paused or over.
 */
export const useCountdown = (client: GatewayClient, timer: TimerView | null | undefined): number | null => {
  const read = useCallback(() => (timer ? Math.ceil(client.clock.remaining(timer) / SECOND_MS) : null), [client, timer])
  const subscribe = useCallback(
    (changed: () => void) => {
      let next: ReturnType<typeof setTimeout> | undefined
      const wait = (): void => {
        const left = timer?.state === "running" ? client.clock.remaining(timer) : 0
        // Waits until the end of the current second. The server's clock is measured repeatedly, so each wait is computed anew.
        if (left > 0) next = setTimeout(tick, left % SECOND_MS || SECOND_MS)
      }
      const tick = (): void => {
        // The timer is set before the reading, so the reading says 0 if the time runs out between the two.
        wait()
        changed()
      }
      wait()
      return () => clearTimeout(next)
    },
    [client, timer],
  )
  return useSyncExternalStore(subscribe, read, nothing)
}
