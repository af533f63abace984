/** The metrics of the process itself, under the names that Prometheus' client libraries give them. */
import { readdirSync, readFileSync } from "node:fs"
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import type { Metrics } from "./metrics.ts"

const LAG_RESOLUTION_MS = 10
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

const countDescriptors = (): number => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return 0
  }
}

/** The soft limit of the process; 0 where the system does not tell, and where there is none. */
const readMostDescriptors = (): number => {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const COLLECTIONS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
])

let isObserved = false

/** Counts garbage collections from now on. The registry of metrics is that of the process: a second observer would count each one twice. */
const observeCollections = ({ garbageCollection }: Metrics): void => {
  if (isObserved) return
  isObserved = true
  const count = (collection: PerformanceEntry): void => {
    // Node's types do not have it: only entries of this type have a kind.
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
  metrics.mostDescriptors.set(readMostDescriptors())
  let cpuCounted = 0
  return () => {
    const { rss, heapUsed } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    metrics.residentMemory.set(rss)
    metrics.heapUsed.set(heapUsed)
    const cpu = (user + system) / MICROSECONDS
    metrics.cpuSeconds.add(cpu - cpuCounted)
    cpuCounted = cpu
    metrics.openDescriptors.set(countDescriptors())
    metrics.loopLagMean.set(seconds(lag.mean))
    metrics.loopLagP99.set(seconds(lag.percentile(99)))
    metrics.loopLagMax.set(seconds(lag.max))
    lag.reset()
  }
}
