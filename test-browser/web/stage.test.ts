/** The stage as a viewer sees it, and what is left of it when the event is over. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createWorkspace, type Json, type Workspace } from "../../test/support/api.ts"
import { apiOf, recordingOf, startBroadcast } from "../../test/support/broadcasts.ts"
import { eventually } from "../../test/support/wait.ts"
import { pushFrom } from "../broadcasters.ts"
import { type Pages, startPages } from "../pages.ts"
import { connectClient, enter, occasionWith } from "./people.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let encoders: Pages
let acme: Workspace

beforeAll(async () => {
  site = await openWebSite()
  encoders = await startPages()
  acme = await createWorkspace(site.server.url)
})
afterAll(async () => {
  await encoders.stop()
  await site.stop()
})

interface Seen {
  readonly frames: number
  readonly seconds: number
}

const seenBy = (page: Page, name: string): Promise<Seen> =>
  page.locator(`video[aria-label="${name}"]`).evaluate((element) => {
    const video = element as HTMLVideoElement
    return { frames: video.getVideoPlaybackQuality().totalVideoFrames, seconds: video.currentTime }
  })

/** A browser that leaves HLS to the page. */
const withoutHls = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const { canPlayType } = HTMLMediaElement.prototype
    HTMLMediaElement.prototype.canPlayType = function (type) {
      return type.includes("mpegurl") ? "" : canPlayType.call(this, type)
    }
  })
}

test("a viewer sees the broadcast, with and without HLS in the browser, reads captions and who is on stage, and is told of a pause and the end", async () => {
  const onAir = await startBroadcast(site.server.url, acme.key, {
    title: "Launch day",
    phases: [{ modality: "broadcast", featureSet: ["transcript"] }],
  })
  const occasion = { site, acme, event: { id: onAir.eventId } }
  await pushFrom(await encoders.open(), onAir.streamUrl)
  await eventually(async () => (await onAir.state()).ingest.durationMs > 3000, "the first segments")
  const host = await connectClient(occasion, "Hedy")
  const options = { role: "viewer" }
  const [ann, ben] = [
    await enter(occasion, "Ann", options),
    await enter(occasion, "Ben", { ...options, prepare: withoutHls }),
  ]
  for (const page of [ann, ben]) {
    await page.getByText("On stage: Hedy").waitFor()
    await eventually(async () => (await seenBy(page, "Stage")).frames > 3, "the picture")
  }
  const said = { speaker: "Hedy", lang: "en", t0: 0, t1: 1000 }
  await host.command("transcript.push", { segments: [{ ...said, segment: "1", final: true, text: "Welcome, all." }] })
  for (const page of [ann, ben]) await page.getByText("Welcome, all.").waitFor()
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "Captions" }).click()
  expect(await ann.getByText("Welcome, all.").count()).toBe(0)
  await onAir.control("pause")
  for (const page of [ann, ben]) await page.getByText("The broadcast is paused.").waitFor()
  await onAir.control("resume")
  await ann.getByText("The broadcast is paused.").waitFor({ state: "detached" })
  await onAir.control("stop")
  for (const page of [ann, ben]) await page.getByText("The broadcast is over.").waitFor()
})

test("before a broadcast the stage says so", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "broadcast" }])
  const ann = await enter(occasion, "Ann", { role: "viewer" })
  await ann.getByText("The broadcast starts soon.").waitFor()
})

const readyClip = async (api: ReturnType<typeof apiOf>, recordingId: string): Promise<void> => {
  const made = await api("POST", `/v1/recordings/${recordingId}/clips`, { startMs: 0, endMs: 2000, title: "The start" })
  let clip: Json
  await eventually(async () => {
    clip = (await api("GET", `/v1/clips/${made.body.id}`)).body
    return clip.status !== "processing"
  }, "the clip")
  expect(clip.status, JSON.stringify(clip)).toBe("ready")
}

test("when an event ends, a viewer inside is told so, and finds recording, captions, clips and summary in its page", async () => {
  const { url } = site.server
  const api = apiOf(url, acme.key)
  const onAir = await startBroadcast(url, acme.key, { title: "Launch day" })
  const occasion = { site, acme, event: { id: onAir.eventId } }
  const encoder = await encoders.open()
  await pushFrom(encoder, onAir.streamUrl)
  await eventually(async () => (await onAir.state()).ingest.durationMs > 5000, "five seconds")
  const ann = await enter(occasion, "Ann", { role: "viewer" })
  await encoder.evaluate(() => window.push.stop())
  await onAir.control("stop")
  const recording = await recordingOf(url, acme.key, onAir.eventId)
  const segments = [
    { t0: 0, t1: 1500, speaker: "Hedy", lang: "en", text: "Welcome, all." },
    { t0: 3000, t1: 4000, speaker: "Ada", lang: "en", text: "The engine weaves algebraic patterns." },
  ]
  const put = await call(url, "PUT", `/v1/recordings/${recording.id}/transcript`, { key: acme.key, body: { segments } })
  expect(put.status, JSON.stringify(put.body)).toBeLessThan(300)
  await readyClip(api, recording.id)
  await api("PUT", `/v1/events/${onAir.eventId}/summary`, { text: "A launch in May." })
  await api("POST", `/v1/events/${onAir.eventId}/end`)
  await ann.getByText("This event is over.").waitFor()
  await ann.getByText("A launch in May.").waitFor()
  await ann.getByRole("searchbox", { name: "Search what was said" }).fill("algebraic")
  await ann.getByText("1 place", { exact: true }).waitFor()
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "0:03" }).click()
  await eventually(async () => (await seenBy(ann, "Recording")).seconds >= 3, "the moment that was searched for")
  await ann.getByRole("button", { name: "The start (0:02)" }).click()
  await ann.locator('video[aria-label="The start"]').waitFor()
  await expectAccessible(ann)
})
