/** A server with the pages for people, and Chromium that opens them. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults, ElementContext, RunOptions } from "axe-core"
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core"
import { expect, onTestFinished } from "vitest"
import { startServerWithPages, type TestServer } from "../../test/support/server.ts"
import { eventually } from "../../test/support/wait.ts"
import { launchChromium } from "../chromium.ts"
import { complaintsOf } from "../complaints.ts"

/** Pages of a server, wherever it runs. */
interface Browsing {
  readonly browser: Browser
  /** A page in a context of its own, until the test is over, which fails if the page wrote an error to its console. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Page>
}

export interface SiteAt extends Browsing {
  readonly server: { readonly url: string }
}

export interface WebSite extends Browsing {
  readonly server: TestServer
  readonly stop: () => Promise<void>
}

export interface OpenOptions extends BrowserContextOptions {
  /** Before the page's own scripts. */
  readonly prepare?: (page: Page) => Promise<void>
  /** Errors that the test causes on purpose. */
  readonly expects?: RegExp
  /** A session that the browser has kept, under the name that the pages give it. */
  readonly session?: { readonly of: string; readonly token: string; readonly name?: string }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const RULES: RunOptions = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }

interface AxeWindow {
  readonly axe: { readonly run: (context: ElementContext, rules: RunOptions) => Promise<AxeResults> }
}

/** The page's view as it is now has no fault that axe finds. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axeSource)
  const results = await page.evaluate(
    // The component library's announcer names elements that may be gone by now.
    (rules) => (window as unknown as AxeWindow).axe.run({ exclude: [["[data-live-announcer]"]] }, rules),
    RULES,
  )
  expect(results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([])
}

export const openBrowser = async (url: string): Promise<Browsing> => {
  const browser = await launchChromium()
  return {
    browser,
    open: async (path, { prepare, expects, session, ...options } = {}) => {
      const context = await browser.newContext({ locale: "en-GB", ...options })
      if (session !== undefined) {
        await context.addInitScript(([key, kept]) => localStorage.setItem(key, kept), [
          `gathercue.session.${session.of}`,
          JSON.stringify({ token: session.token, name: session.name ?? null }),
        ] as const)
      }
      const page = await context.newPage()
      const complaints = complaintsOf(page)
      onTestFinished(async () => {
        await context.close()
        expect(complaints.filter((one) => expects?.test(one) !== true)).toEqual([])
      })
      await prepare?.(page)
      await page.goto(new URL(path, url).href)
      return page
    },
  }
}

export const openWebSite = async (...given: Parameters<typeof startServerWithPages>): Promise<WebSite> => {
  const server = await startServerWithPages(...given)
  const browsing = await openBrowser(server.url)
  return {
    ...browsing,
    server,
    stop: async () => {
      await browsing.browser.close()
      await server.stop()
    },
  }
}

/**
 * Presses Enter on a button that is ready: as long as its last press is answered, a button takes no other. Behind a dialog that is about
 * to close it takes no focus, and the key would go to the dialog.
 */
export const pressButton = async (button: Locator): Promise<void> => {
  const ready = button.and(button.page().locator(':not([aria-disabled="true"], :disabled)'))
  await eventually(async () => {
    await ready.focus()
    return ready.evaluate((one) => one === document.activeElement)
  }, "the button having the focus")
  await ready.press("Enter")
}
