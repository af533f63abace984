/** Asks each node for `/readyz` again and again, as a load balancer does, and knows which ones take requests. */
import { sleep } from "../chance.ts"

const EVERY_MS = 200
const WITHIN_MS = 1000

export interface HealthChecks {
  /** The first node from this one on that is ready, or this one when none is. */
  readonly from: (node: number) => number
  readonly stop: () => void
}

/** Every node counts as ready: callers find out themselves. */
export const NO_HEALTH_CHECKS: HealthChecks = { from: (node) => node, stop: () => undefined }

export const startHealthChecks = (urls: ReadonlyArray<string>): HealthChecks => {
  const ready = urls.map(() => true)
  let isRunning = true
  for (const [node, url] of urls.entries()) {
    void (async () => {
      while (isRunning) {
        ready[node] = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(WITHIN_MS) }).then(
          async (answer) => {
            await answer.arrayBuffer()
            return answer.ok
          },
          () => false,
        )
        await sleep(EVERY_MS)
      }
    })()
  }
  return {
    from: (node) => {
      const order = urls.map((_, step) => (node + step) % urls.length)
      return order.find((one) => ready[one]) ?? node
    },
    stop: () => {
      isRunning = false
    },
  }
}
