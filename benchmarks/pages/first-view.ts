/** The time until the largest part of a page is painted, on a slow phone with an empty cache; beside a page of the same words without any script. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import type { Defer } from "../benchmark.ts"
import type { Kept, Open } from "./browser.ts"

export interface View {
  readonly name: string
  readonly address: string
  /** There once the page is complete. */
  readonly text: string
  readonly kept?: Kept
}

const QUIET_MS = 1000

/** Runs in the page, before its own scripts. */
const OBSERVE = `
  window.paints = []
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.paints.push(startTime)
  }).observe({ type: "largest-contentful-paint", buffered: true })
`

const lastPaint = (page: Page): Promise<number> => page.evaluate("window.paints.at(-1) ?? NaN")

/** In milliseconds. */
export const largestPaint = async (open: Open, { address, text, kept }: View): Promise<number> => {
  const { page, close } = await open("phone", kept)
  try {
    await page.addInitScript(OBSERVE)
    await page.goto(address)
    await page.getByText(text).first().waitFor()
    // A later paint may be larger: the last one counts, once there was none for a while.
    for (let before = Number.NaN; ; ) {
      const now = await lastPaint(page)
      if (now === before) return now
      before = now
      await page.waitForTimeout(QUIET_MS)
    }
  } finally {
    await close()
  }
}

/** The address of a page with these words alone. */
export const startPlainPage = async (title: string, defer: Defer): Promise<string> => {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><main style="max-width:40rem;margin:auto;font:16px system-ui"><h1>${title}</h1>
<p>It begins soon. Register and get a link to enter.</p></main></html>`
  const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(html))
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  defer(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
