/** Metrics of the process itself, under the names used by Prometheus client libraries. */
import { readdirSync } from "node:fs"
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import type { Metrics } from "./metrics.ts"
import { fileLimit } from "./open-files.ts"

const LAG_RESOLUTION_MS = 10
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

const countDescriptors = (most: number): number => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch (cause) {
    // Counting needs a file of its own.
    return (cause as NodeJS.ErrnoException).code === "EMFILE" ? most : 0
  }
}

const MEMORY_UNKNOWN = { rss: 0, heapUsed: 0 }

/** Read from a file, whose failure must not fail a scrape. */
const memoryUsed = (before: typeof MEMORY_UNKNOWN): typeof MEMORY_UNKNOWN => {
  try {
    return process.memoryUsage()
  } catch {
    return before
  }
}

const COLLECTIONS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
])

let isObserved = false

/** Counts garbage collections from now on. The metrics registry is process-wide: a second observer would count each collection twice. */
const observeCollections = ({ garbageCollection }: Metrics): void => {
  if (isObserved) return
  isObserved = true
  const count = (collection: PerformanceEntry): void => {
    // Missing in Node's types, because only entries of this type have a kind.
    const { detail } = collection as PerformanceEntry & { readonly detail: { readonly kind?: number } }
    garbageCollection.observe(collection.duration / 1000, COLLECTIONS.get(detail.kind ?? 0))
  }
  new PerformanceObserver((list) => list.getEntries().forEach(count)).observe({ entryTypes: ["gc"] })
}

/** Returns a function that sets the gauges; the event loop's lag is measured from now on. */
export const processSampler = (metrics: Metrics): (() => void) => {
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
  lag.enable()
  observeCollections(metrics)
  metrics.startTime.set(Math.round(Date.now() / 1000 - process.uptime()))
  /** The monitor measures how long its timer of ten milliseconds took. */
  const seconds = (nanoseconds: number): number =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - LAG_RESOLUTION_MS / 1000) : 0
  const limit = fileLimit()
  /** 0 without a limit. */
  const most = Number.isFinite(limit) ? limit : 0
  metrics.mostDescriptors.set(most)
  let cpuCounted = 0
  let memory = MEMORY_UNKNOWN
  return () => {
    memory = memoryUsed(memory)
    const { user, system } = process.cpuUsage()
    metrics.residentMemory.set(memory.rss)
    metrics.heapUsed.set(memory.heapUsed)
    const cpu = (user + system) / MICROSECONDS
    metrics.cpuSeconds.add(cpu - cpuCounted)
    cpuCounted = cpu
    metrics.openDescriptors.set(countDescriptors(most))
    metrics.loopLagMean.set(seconds(lag.mean))
    metrics.loopLagP99.set(seconds(lag.percentile(99)))
    metrics.loopLagMax.set(seconds(lag.max))
    lag.reset()
  }
}
