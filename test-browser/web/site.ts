/** A server with the pages for people, and Chromium with faked cameras and microphones. */
import { readFile } from "node:fs/promises"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { expect, onTestFinished } from "vitest"
import { startServerWithPages, type TestServer } from "../../test/support/server.ts"

const AXE = new URL("../../node_modules/axe-core/axe.min.js", import.meta.url)

export interface WebSite {
  readonly server: TestServer
  readonly browser: Browser
  /** A page of a person of its own. The test fails where the page complains on its console, but for what `isExpected` takes. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Page>
  readonly stop: () => Promise<void>
}

export interface OpenOptions extends BrowserContextOptions {
  readonly isExpected?: (complaint: string) => boolean
  /** A session that the browser has kept, under the name that the page gives it. */
  readonly session?: { readonly of: string; readonly token: string }
}

export const startWebSite = async (environment: { readonly [key: string]: string } = {}): Promise<WebSite> => {
  const server = await startServerWithPages(environment)
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
  })
  return {
    server,
    browser,
    open: async (path, { isExpected = () => false, session, ...options } = {}) => {
      const context = await browser.newContext({ locale: "en-GB", ...options })
      if (session !== undefined) {
        await context.addInitScript(([key, kept]) => localStorage.setItem(key, kept), [
          `gathercue.session.${session.of}`,
          JSON.stringify({ token: session.token, name: null }),
        ] as const)
      }
      const page = await context.newPage()
      const complaints: string[] = []
      page.on("pageerror", (error) => complaints.push(String(error)))
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
      })
      onTestFinished(async () => {
        await context.close()
        expect(complaints.filter((complaint) => !isExpected(complaint))).toEqual([])
      })
      await page.goto(server.url + path)
      return page
    },
    stop: async () => {
      await browser.close()
      await server.stop()
    },
  }
}

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** What axe finds against WCAG 2.2 AA on the page as it is now. */
export const axeFindings = async (page: Page): Promise<ReadonlyArray<string>> => {
  // Evaluated, not added as a script: the policy of the pages forbids scripts in the page.
  await page.evaluate(await readFile(AXE, "utf8"))
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      readonly axe: { readonly run: (options: object) => Promise<{ readonly violations: ReadonlyArray<Violation> }> }
    }
    const found = await axe.run({
      runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
    })
    return found.violations
  })
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`).join("; ")}`,
  )
}
