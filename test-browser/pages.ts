/** Chromium with cameras and microphones that it fakes, and the site whose pages it opens. */
import type { Browser, Page } from "playwright-core"
import { onTestFinished } from "vitest"
import { launchChromium } from "./chromium.ts"
import { startSite } from "./site.ts"

export interface Pages {
  readonly browser: Browser
  /** Address of the site. */
  readonly site: string
  /** A page with the client, in a context of its own, until the test is over. */
  readonly open: () => Promise<Page>
  readonly stop: () => Promise<void>
}

export const startPages = async (): Promise<Pages> => {
  const site = await startSite()
  const browser = await launchChromium()
  return {
    browser,
    site: site.url,
    open: async () => {
      const context = await browser.newContext()
      onTestFinished(() => context.close())
      const page = await context.newPage()
      await page.goto(site.url)
      await page.waitForFunction(() => "gathercue" in window)
      return page
    },
    stop: async () => {
      await browser.close()
      await site.stop()
    },
  }
}
