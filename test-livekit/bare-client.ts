/** Somebody who uses LiveKit's client without our pages, and brings whatever token they have. */
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { startStaticSite } from "../test-browser/static-site.ts"
import type { House } from "./house.ts"

interface BareRoom {
  readonly connect: (url: string, token: string) => Promise<void>
  readonly once: (event: "disconnected", listener: () => void) => void
  readonly engine: { readonly token: string }
}

declare global {
  interface Window {
    readonly LivekitClient: { readonly Room: new (options: object) => BareRoom }
    /** Resolves when the room that was entered last is left. */
    out: Promise<void>
  }
}

export interface BareClient {
  /** Enters, and stays. Resolves to the token that LiveKit gave for coming back. */
  readonly enter: (token: string) => Promise<string>
  /** Tries to enter. Whether that succeeds is LiveKit's to say: its client waits long for a connection that ends while it begins. */
  readonly knock: (token: string) => void
  /** Resolves when the room that was entered is left. */
  readonly out: () => Promise<void>
}

const LIBRARY = fileURLToPath(new URL("../node_modules/livekit-client/dist/livekit-client.umd.js", import.meta.url))

export const openBareClient = async ({ site: { browser }, livekit }: House): Promise<BareClient> => {
  const site = await startStaticSite(async () => "<!doctype html><meta charset=utf-8><title>bare</title>")
  const context = await browser.newContext()
  onTestFinished(async () => {
    await context.close()
    await site.stop()
  })
  const page = await context.newPage()
  await page.goto(site.url)
  await page.addScriptTag({ path: LIBRARY })
  const enter = (token: string) =>
    page.evaluate(
      async ([url, given]) => {
        const room = new window.LivekitClient.Room({ reconnectPolicy: { nextRetryDelayInMs: () => null } })
        window.out = new Promise((resolve) => room.once("disconnected", resolve))
        await room.connect(url, given)
        // LiveKit sends the first one right after the answer to the connection.
        while (room.engine.token === given) await new Promise(requestAnimationFrame)
        return room.engine.token
      },
      [livekit.url, token] as const,
    )
  return {
    enter,
    out: () => page.evaluate(() => window.out),
    knock: (token) => {
      page
        .evaluate(
          async ([url, given]) => {
            const room = new window.LivekitClient.Room({ reconnectPolicy: { nextRetryDelayInMs: () => null } })
            await room.connect(url, given)
          },
          [livekit.url, token] as const,
        )
        .catch(() => {})
    },
  }
}
