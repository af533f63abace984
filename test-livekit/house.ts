/** A server with its pages beside a real LiveKit, and people who are in calls there. */
import type { Page } from "playwright-core"
import { mediaRoomOf } from "../src/media/seats.ts"
import { createWorkspace, type Workspace } from "../test/support/api.ts"
import { eventually } from "../test/support/wait.ts"
import { enter, type Occasion, occasionWith } from "../test-browser/web/people.ts"
import { type OpenOptions, openWebSite, type WebSite } from "../test-browser/web/site.ts"
import { LiveKitProcess } from "./livekit-process.ts"
import { LOST } from "./lost-connections.ts"
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

export const openHouse = async (options: Parameters<typeof openWebSite>[1] = {}): Promise<House> => {
  const livekit = await LiveKitProcess.prepare()
  // Without a bucket.
  const site = await openWebSite(livekit.environment, options)
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

export const callersAt = (occasion: Occasion, names: ReadonlyArray<string>): Promise<Caller[]> =>
  Promise.all(names.map((name) => callerAt(occasion, name)))

/** A person who has not pressed the button yet. */
export const visitorAt = (
  occasion: Occasion,
  name: string,
  { prepare, ...options }: Pick<OpenOptions, "prepare" | "session"> = {},
): Promise<Page> =>
  enter(occasion, name, {
    ...options,
    expects: LOST,
    prepare: async (page) => {
      await prepare?.(page)
      await page.addInitScript(observe)
    },
  })

/** Another window of a person, who is in the call there instead. */
export const anotherWindowOf = async (occasion: Occasion, { page, name }: Caller): Promise<Caller> => {
  const { id } = occasion.event
  const kept = await page.evaluate((key) => localStorage.getItem(key), `gathercue.session.${id}`)
  const { token } = JSON.parse(kept ?? "{}")
  const other = await visitorAt(occasion, name, { session: { of: id, token } })
  await join(other)
  return { page: other, name }
}

export const join = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Join with camera and microphone" }).click()
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

/** There are new pictures. */
export const untilSeen = (caller: Caller, name: string): Promise<void> => {
  let before: number | undefined
  return eventually(async () => {
    const frames = await framesOf(caller, name)
    // Another element begins to count anew.
    before = before === undefined ? frames : Math.min(before, frames)
    return frames > before + 3
  }, `${caller.name} seeing ${name}`)
}

/** Each sees each other, and nobody else. */
export const untilTogether = async (callers: ReadonlyArray<Caller>): Promise<void> => {
  const untilSeesOthers = async (caller: Caller): Promise<void> => {
    await Promise.all(callers.filter((one) => one !== caller).map(({ name }) => untilSeen(caller, name)))
    const people = caller.page.getByRole("list", { name: "People in the call" }).getByRole("listitem")
    await eventually(async () => (await people.count()) === callers.length, `${caller.name} with nobody else`)
  }
  await Promise.all(callers.map(untilSeesOthers))
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

/** Was there a connection at each moment since the mark, beginning with the one of then? */
export const hasOverlapped = ({ page }: Caller): Promise<boolean> =>
  page.evaluate(() => {
    let until = Math.max(...window.marked.map(({ endedAt }) => endedAt))
    for (const { connectedAt, endedAt } of window.seen.toSorted((a, b) => a.connectedAt - b.connectedAt))
      if (connectedAt < until) until = Math.max(until, endedAt)
    return until === Number.POSITIVE_INFINITY
  })
