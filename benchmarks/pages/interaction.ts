/** How long the page takes to answer a person who types and presses, by the browser's own count (Event Timing API), and what its script does meanwhile. */
import type { Opened } from "./browser.ts"

/** The browser tells of no event that took less, and rounds to eight milliseconds. */
const SHORTEST_TOLD_MS = 16
const WORDS = "Has anybody seen the slides? "
const BETWEEN_KEYS_MS = 120

export interface Interactions {
  /** Milliseconds from the event to the next paint. */
  readonly durations: ReadonlyArray<number>
  /** The share of the time in which the page's thread was busy. */
  readonly busy: number
}

/** Runs in the page. Keeps the longest event of each interaction. */
const OBSERVE = `
  window.longest = new Map()
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId > 0) window.longest.set(interactionId, Math.max(duration, window.longest.get(interactionId) ?? 0))
    }
  }).observe({ type: "event", durationThreshold: ${SHORTEST_TOLD_MS} })
`

const busySeconds = async ({ devtools }: Opened): Promise<number> => {
  const { metrics } = await devtools.send("Performance.getMetrics")
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0
}

/** A person types into the chat and applauds, for so many seconds. */
export const interact = async (opened: Opened, seconds: number): Promise<Interactions> => {
  const { page, devtools } = opened
  await devtools.send("Performance.enable")
  await page.evaluate(OBSERVE)
  const field = page.getByRole("textbox", { name: "Message" }).first()
  const applause = page.getByRole("button", { name: "Applause" }).first()
  const [busyBefore, startedAt] = [await busySeconds(opened), performance.now()]
  let done = 0
  while (performance.now() - startedAt < seconds * 1000) {
    await field.fill("")
    await field.click()
    done += 1
    for (const key of WORDS) {
      await page.keyboard.press(key === " " ? "Space" : key, { delay: 20 })
      await page.waitForTimeout(BETWEEN_KEYS_MS - 20)
      done += 1
    }
    await applause.click()
    done += 1
  }
  const elapsed = (performance.now() - startedAt) / 1000
  const busy = ((await busySeconds(opened)) - busyBefore) / elapsed
  const told = await page.evaluate<ReadonlyArray<number>>("[...window.longest.values()]")
  const untold = Array.from({ length: Math.max(0, done - told.length) }, () => SHORTEST_TOLD_MS / 2)
  return { durations: [...told, ...untold], busy }
}

export interface Memory {
  readonly heapMiB: number
  readonly elements: number
}

/** What is left after all garbage was collected. */
export const memoryOf = async ({ devtools }: Opened): Promise<Memory> => {
  await devtools.send("HeapProfiler.collectGarbage")
  const { usedSize } = await devtools.send("Runtime.getHeapUsage")
  const { metrics } = await devtools.send("Performance.getMetrics")
  return { heapMiB: usedSize / 1024 ** 2, elements: metrics.find(({ name }) => name === "Nodes")?.value ?? 0 }
}
