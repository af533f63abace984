/** Chromium with a page that has React and the hooks. */
import type { Browser, Page } from "playwright-core"
import { rolldown } from "rolldown"
import { expect, onTestFinished } from "vitest"
import { launchChromium } from "../chromium.ts"
import { complaintsOf } from "../complaints.ts"
import { startStaticSite } from "../static-site.ts"

/** React as developers have it: StrictMode mounts twice, and React warns of mistakes. */
const bundle = async (): Promise<string> => {
  const made = await rolldown({
    input: new URL("hooks-page.ts", import.meta.url).pathname,
    platform: "browser",
    logLevel: "silent",
    transform: { define: { "process.env.NODE_ENV": '"development"' } },
  })
  const { output } = await made.generate({ format: "esm" })
  await made.close()
  return output[0].code
}

export interface ReactPages {
  readonly browser: Browser
  readonly open: (expected?: RegExp) => Promise<Page>
  readonly stop: () => Promise<void>
}

/** A page that complains makes its test fail, but for what is `expected`. */
export const startReactPages = async (): Promise<ReactPages> => {
  const script = await bundle()
  const site = await startStaticSite(async (path) =>
    path === "/page.js"
      ? script
      : '<!doctype html><meta charset=utf-8><link rel=icon href="data:,"><script type=module src=/page.js></script>',
  )
  const browser = await launchChromium()
  return {
    browser,
    open: async (expected = /^$/) => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const complaints = complaintsOf(page)
      onTestFinished(async () => {
        await context.close()
        expect(complaints.filter((text) => !expected.test(text))).toEqual([])
      })
      await page.addInitScript(() => {
        window.sockets = []
        const Socket = window.WebSocket
        window.WebSocket = class extends Socket {
          constructor(url: string | URL, protocols?: string | string[]) {
            super(url, protocols)
            window.sockets.push(this)
          }
        }
      })
      await page.goto(site.url)
      await page.waitForFunction(() => "kit" in window)
      return page
    },
    stop: async () => {
      await browser.close()
      await site.stop()
    },
  }
}
