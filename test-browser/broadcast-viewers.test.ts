/** What a viewer in Chromium sees while encoders come and go, and when the broadcast is over. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorkspace, type Json, type Workspace } from "../test/support/api.ts"
import { apiOf, recordingOf, startBroadcast } from "../test/support/broadcasts.ts"
import { startMediaServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { ageOfPicture, pushFrom, SMALL, watch, watchedBy } from "./broadcasters.ts"
import { type Pages, startPages } from "./pages.ts"

let server: TestServer
let pages: Pages
let acme: Workspace

beforeAll(async () => {
  server = await startMediaServer()
  pages = await startPages()
  acme = await createWorkspace(server.url)
})
afterAll(async () => {
  await pages.stop()
  await server.stop()
})

/** Segments of two seconds, of which players stay three behind, on a machine that encodes too. */
const LATEST_MS = 20_000

/** Sees a picture that was drawn after a moment. */
const seesAfter = (viewer: Page, moment: number, what: string): Promise<void> =>
  eventually(async () => {
    expect((await watchedBy(viewer)).error).toBe("")
    const age = await ageOfPicture(viewer)
    // timed: the picture itself carries the time at which it was drawn.
    return age !== undefined && Math.abs(age) < 120_000 && Date.now() - age > moment
  }, what)

test("a viewer sees the host's picture some seconds late", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const [host, viewer] = [await pages.open(), await pages.open()]
  await pushFrom(host, onAir.streamUrl)
  await watch(viewer, onAir.playbackUrl)
  await seesAfter(viewer, 0, "the picture")
  const ages: number[] = []
  for (let seconds = 0; seconds < 5; ) {
    ages.push((await ageOfPicture(viewer)) ?? Number.NaN)
    seconds = (await watchedBy(viewer)).seconds
  }
  const sorted = ages.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)
  process.stdout.write(`the viewer's picture is late by p10 ${at(0.1)}, p50 ${at(0.5)}, p90 ${at(0.9)} ms\n`)
  expect(at(0.9)).toBeLessThan(LATEST_MS)
  expect(at(0.1)).toBeGreaterThan(0)
})

test("the same viewer goes on when the encoder dies, pauses and is replaced, and watches all of it again at the end", async () => {
  const api = apiOf(server.url, acme.key)
  const onAir = await startBroadcast(server.url, acme.key)
  const [first, second, third, viewer] = await Promise.all([pages.open(), pages.open(), pages.open(), pages.open()])
  await pushFrom(first, onAir.streamUrl)
  await watch(viewer, onAir.playbackUrl)
  await seesAfter(viewer, 0, "the picture")
  await first.context().close()
  let moment = Date.now()
  await pushFrom(second, onAir.streamUrl)
  await seesAfter(viewer, moment, "the picture after the encoder was killed")
  await onAir.control("pause")
  const paused = Date.now()
  await eventually(
    async () => ((await ageOfPicture(viewer)) ?? 0) > Date.now() - paused + 4000,
    "the picture that stands",
  )
  await onAir.control("resume")
  moment = Date.now()
  await seesAfter(viewer, moment, "the picture after the pause")
  const { streamUrl } = (await onAir.newIngest()).body
  moment = Date.now()
  await pushFrom(third, streamUrl, { ...SMALL, width: 640, height: 360 })
  await seesAfter(viewer, moment, "the picture of the other encoder")
  expect((await watchedBy(viewer)).width).toBe(640)
  expect(await second.evaluate(() => window.states.at(-1))).toContain("refused")
  await third.evaluate(() => window.push.stop())
  await onAir.control("stop")
  await eventually(async () => (await watchedBy(viewer)).hasEnded, "the end")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  await watch(viewer, onAir.playbackUrl)
  await eventually(async () => {
    const { seconds, duration, width, error } = await watchedBy(viewer)
    expect(error).toBe("")
    return seconds > 2 && width === 320 && Math.abs(duration * 1000 - recording.durationMs) < 1000
  }, "the replay")
  const { id } = (await api("POST", `/v1/recordings/${recording.id}/clips`, { startMs: 1000, endMs: 4000 })).body
  let clip: Json
  await eventually(async () => {
    clip = (await api("GET", `/v1/clips/${id}`)).body
    return clip.status !== "processing"
  }, "the clip")
  expect(clip.failure ?? null).toBeNull()
  await watch(viewer, clip.playbackUrl)
  await eventually(async () => {
    const { seconds, duration, error } = await watchedBy(viewer)
    expect(error).toBe("")
    return seconds > 1 && duration < 10
  }, "the clip's picture")
})
