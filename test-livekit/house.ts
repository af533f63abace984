/** A server with its pages beside a real LiveKit, and people who are in calls there. */
import type { Page } from "playwright-core"
import { mediaRoomOf } from "../src/media/seats.ts"
import { createWorkspace, type Workspace } from "../test/support/api.ts"
import { eventually } from "../test/support/wait.ts"
import { enter, type Occasion, occasionWith } from "../test-browser/web/people.ts"
import { openWebSite, type WebSite } from "../test-browser/web/site.ts"
import { LiveKitProcess } from "./livekit-process.ts"
import { startWebhookRelay, type WebhookRelay } from "./webhook-relay.ts"

declare global {
  interface Window {
    /** Every connection of the page, with the times of its beginning and end by the page's clock. */
    seen: Array<{ readonly pc: RTCPeerConnection; connectedAt: number; endedAt: number }>
    /** Those that were open at the last mark. */
    marked: Window["seen"]
  }
}

export interface House {
  readonly livekit: LiveKitProcess
  readonly relay: WebhookRelay
  readonly site: WebSite
  readonly acme: Workspace
  readonly stop: () => Promise<void>
}

export const openHouse = async (): Promise<House> => {
  const livekit = await LiveKitProcess.prepare()
  // Without a bucket.
  const site = await openWebSite(livekit.environment)
  const relay = await startWebhookRelay(`${site.server.url}/v1/media/livekit/webhook`)
  await livekit.start(relay.url)
  return {
    livekit,
    relay,
    site,
    acme: await createWorkspace(site.server.url),
    stop: async () => {
      await livekit.kill()
      await relay.stop()
      await site.stop()
    },
  }
}

const observe = (): void => {
  window.seen = []
  window.marked = []
  const Connection = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Connection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration)
      const one = { pc: this, connectedAt: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY }
      window.seen.push(one)
      this.addEventListener("connectionstatechange", () => {
        if (this.connectionState === "connected") one.connectedAt = Math.min(one.connectedAt, performance.now())
        // One that is "disconnected" may come back by itself.
        if (this.connectionState === "failed") one.endedAt = Math.min(one.endedAt, performance.now())
      })
      const close = this.close.bind(this)
      this.close = () => {
        one.endedAt = Math.min(one.endedAt, performance.now())
        close()
      }
    }
  }
}

/** What LiveKit's client writes to the console where a connection is lost, which the test causes. */
const LOST = /./

export interface Caller {
  readonly page: Page
  readonly name: string
}

export const occasionIn = (house: House, phases: ReadonlyArray<object>): Promise<Occasion> =>
  occasionWith(house.site, house.acme, phases)

/** A person who has pressed the button once. */
export const callerAt = async (occasion: Occasion, name: string): Promise<Caller> => {
  const page = await visitorAt(occasion, name)
  await join(page)
  return { page, name }
}

/** A person who has not pressed the button yet. */
export const visitorAt = (occasion: Occasion, name: string, watch?: (page: Page) => void): Promise<Page> =>
  enter(occasion, name, {
    expects: LOST,
    prepare: async (page) => {
      watch?.(page)
      await page.addInitScript(observe)
    },
  })

export const join = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Join with microphone and camera" }).click()
  await page.getByRole("button", { name: "Leave the call" }).waitFor()
}

/** Of the event's first phase, as LiveKit names it. */
export const mainRoomOf = ({ event }: Occasion): string =>
  mediaRoomOf({ eventId: event.id, phaseId: event.phases[0].id, roomId: null })

const framesOf = async ({ page }: Caller, name: string): Promise<number> => {
  const video = page.locator(`video[aria-label="${name}"]`)
  if ((await video.count()) !== 1) return 0
  return video.evaluate((element) => (element as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames)
}

/** Each sees new pictures of each other, and of nobody else. */
export const untilTogether = async (callers: ReadonlyArray<Caller>): Promise<void> => {
  for (const caller of callers) {
    const others = callers.filter((one) => one !== caller)
    for (const { name } of others) {
      let before: number | undefined
      await eventually(async () => {
        const frames = await framesOf(caller, name)
        // Another element begins to count anew.
        before = before === undefined ? frames : Math.min(before, frames)
        return frames > before + 3
      }, `${caller.name} seeing ${name}`)
    }
    const people = caller.page.getByRole("list", { name: "People in the call" }).getByRole("listitem")
    await eventually(async () => (await people.count()) === callers.length, `${caller.name} with nobody else`)
  }
}

/** From here on the next move is looked at. */
export const mark = (callers: ReadonlyArray<Caller>): Promise<unknown> =>
  Promise.all(
    callers.map(({ page }) =>
      page.evaluate(() => {
        window.marked = window.seen.filter(({ endedAt }) => endedAt === Number.POSITIVE_INFINITY)
      }),
    ),
  )

/** Since the mark: was the new connection there before the one of then ended? */
export const hasOverlapped = ({ page }: Caller): Promise<boolean> =>
  page.evaluate(() => {
    const fresh = window.seen.filter((one) => !window.marked.includes(one) && one.endedAt === Number.POSITIVE_INFINITY)
    const first = Math.min(...fresh.map(({ connectedAt }) => connectedAt))
    return window.marked.length > 0 && window.marked.some(({ endedAt }) => first < endedAt)
  })
