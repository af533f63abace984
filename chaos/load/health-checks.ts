/** Asks each node for `/readyz` again and again, as a load balancer does, and knows which ones take requests. */
import { sleep } from "../chance.ts"

const EVERY_MS = 200
const WITHIN_MS = 1000

export interface HealthChecks {
  /** The first node from this one on that is ready; when none is, the first that answers at all, or this one. */
  readonly from: (node: number) => number
  readonly stop: () => void
}

/** Every node counts as ready: callers find out themselves. */
export const NO_HEALTH_CHECKS: HealthChecks = { from: (node) => node, stop: () => undefined }

/** The uses of a node, the best last. */
const GONE = 0
const ANSWERS = 1
const READY = 2

const isSlow = (cause: unknown): boolean => cause instanceof Error && cause.name === "TimeoutError"

export const startHealthChecks = (urls: ReadonlyArray<string>): HealthChecks => {
  const states: Array<number> = urls.map(() => READY)
  let isRunning = true
  for (const [node, url] of urls.entries()) {
    void (async () => {
      while (isRunning) {
        states[node] = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(WITHIN_MS) }).then(
          async (answer) => {
            await answer.arrayBuffer()
            return answer.ok ? READY : ANSWERS
          },
          // One slow answer says nothing about a node on a busy machine.
          (cause: unknown) => (isSlow(cause) ? (states[node] ?? GONE) : GONE),
        )
        await sleep(EVERY_MS)
      }
    })()
  }
  return {
    from: (node) => {
      const order = urls.map((_, step) => (node + step) % urls.length)
      const best = Math.max(...states)
      return order.find((one) => states[one] === best) ?? node
    },
    stop: () => {
      isRunning = false
    },
  }
}
