/** Chromium with the pages of a server, and the slow phone that it plays. */
import { type BrowserContextOptions, type CDPSession, chromium, type Page } from "playwright-core"
import type { Defer } from "../benchmark.ts"
import { programPath } from "../support/programs.ts"

/** A phone of the middle class on a slow mobile network: the profile that Lighthouse calls "mobile". */
const PHONE: BrowserContextOptions = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
}
const DESK: BrowserContextOptions = { viewport: { width: 1350, height: 940 } }
const PHONE_CPU_RATE = 4
const PHONE_NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 }

export type Device = "phone" | "desk"

export interface Opened {
  readonly page: Page
  readonly devtools: CDPSession
  readonly close: () => Promise<void>
}

/** What the browser has kept before: the session of a person at an event. */
export interface Kept {
  readonly eventId: string
  readonly token: string
}

/** Opens each page in a context of its own, without anything in its cache. */
export type Open = (device: Device, kept?: Kept) => Promise<Opened>

export const openBrowser = async (defer: Defer): Promise<Open> => {
  const browser = await chromium.launch({ executablePath: programPath("chromium"), args: ["--no-sandbox"] })
  defer(() => browser.close())
  return async (device, kept) => {
    const context = await browser.newContext({ locale: "en-GB", ...(device === "phone" ? PHONE : DESK) })
    if (kept !== undefined) {
      const session = JSON.stringify({ token: kept.token, name: "Ada" })
      await context.addInitScript(
        `localStorage.setItem("gathercue.session.${kept.eventId}", ${JSON.stringify(session)})`,
      )
    }
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    if (device === "phone") {
      await devtools.send("Network.enable")
      await devtools.send("Network.emulateNetworkConditions", PHONE_NETWORK)
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: PHONE_CPU_RATE })
    }
    return { page, devtools, close: () => context.close() }
  }
}
