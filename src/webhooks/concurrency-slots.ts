/**
 * Concurrency slots in use by endpoint. An endpoint that answers slowly keeps one slot until it answers fast again. The faster an endpoint
 * answers, the more deliveries of a lane are claimed for it together, because a claim costs the database nearly as much for one delivery as
 * for many.
 */
import { LONGEST_RUN } from "../store/webhooks/webhook-deliveries.ts"

const SLOW_MS = 2_000
/** Longest duration of a run, so that the other lanes of its endpoint get their turn. */
const RUN_MS = 250
/** Most endpoints whose slowness is remembered. */
const MAX_SLOW = 10_000

interface ConcurrencySlots {
  /** Most slots of one endpoint: an eighth, so that eight endpoints always fit. */
  readonly perEndpoint: number
  readonly free: () => number
  /** Unavailable slots of each endpoint, out of its `perEndpoint`: taken, or withheld because the endpoint is slow. */
  readonly busy: () => ReadonlyMap<string, number>
  readonly take: (endpointId: string) => void
  /** Returns whether it was the endpoint's last slot. */
  readonly leave: (endpointId: string) => boolean
  /**
   * Deliveries of one lane that an endpoint takes in a quarter of a second, at least one and at most `LONGEST_RUN`. An endpoint is listed
   * if it is slow, or has answered and uses a slot.
   */
  readonly runLengths: () => ReadonlyMap<string, number>
  readonly answered: (endpointId: string, afterMs: number) => void
}

export const makeSlots = (all: number): ConcurrencySlots => {
  const perEndpoint = Math.max(1, Math.floor(all / 8))
  const taken = new Map<string, number>()
  const slow = new Set<string>()
  const runLengths = new Map<string, number>()
  let inUse = 0
  return {
    perEndpoint,
    free: () => all - inUse,
    busy: () => {
      const busy = new Map(taken)
      for (const id of slow) busy.set(id, (busy.get(id) ?? 0) + perEndpoint - 1)
      return busy
    },
    take: (endpointId) => {
      inUse += 1
      taken.set(endpointId, (taken.get(endpointId) ?? 0) + 1)
    },
    leave: (endpointId) => {
      inUse -= 1
      const left = (taken.get(endpointId) ?? 1) - 1
      if (left > 0) taken.set(endpointId, left)
      else {
        taken.delete(endpointId)
        runLengths.delete(endpointId)
      }
      return left === 0
    },
    // Returns a copy: a claim whose answer was lost is repeated with the same lengths, or the end of its runs would wait for their lease.
    runLengths: () => {
      const lengths = new Map(runLengths)
      // A slow endpoint has one slot, which its lanes use in turn: none is in use when this is asked.
      for (const id of slow) lengths.set(id, 1)
      return lengths
    },
    answered: (endpointId, afterMs) => {
      slow.delete(endpointId)
      if (taken.has(endpointId)) {
        runLengths.set(endpointId, Math.min(LONGEST_RUN, Math.max(1, Math.floor(RUN_MS / Math.max(1, afterMs)))))
      }
      if (afterMs < SLOW_MS) return
      slow.add(endpointId)
      const [oldest] = slow
      if (slow.size > MAX_SLOW && oldest !== undefined) slow.delete(oldest)
    },
  }
}
