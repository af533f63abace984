/** Calls between browsers, over real sockets and real connections: Chromium with the camera and microphone that it fakes. */
import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace, type Workspace } from "../test/support/api.ts"
import { startTestServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { type Caller, connectionsOf, openCaller, peersOf, receivedBy, startMedia, untilConnected } from "./callers.ts"
import { type Site, startSite } from "./site.ts"

let server: TestServer
let site: Site
let browser: Browser
let acme: Workspace

beforeAll(async () => {
  server = await startTestServer()
  site = await startSite()
  acme = await createWorkspace(server.url)
  browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
  })
})
afterAll(async () => {
  await browser.close()
  await site.stop()
  await server.stop()
})

const liveEvent = (modality: string) => createLiveEvent(server.url, acme.key, { phases: [{ modality }] })

const join = async (eventId: string, name: string, role = "participant"): Promise<Caller> => {
  const { session } = await createPerson(server.url, acme.key, eventId, role, name)
  return openCaller(browser, site.url, { url: server.url, eventId, session, name })
}

test("two people in a meeting see and hear each other, and turn cameras and microphones off and on", async () => {
  const event = await liveEvent("meeting")
  const [ann, ben] = [await join(event.id, "Ann"), await join(event.id, "Ben")]
  await Promise.all([startMedia(ann), startMedia(ben)])
  await untilConnected([ann, ben])
  expect(
    await ann.page.evaluate(() => [window.caller.media.state, window.caller.media.limits?.video?.maxKbps]),
  ).toEqual(["joined", 1200])
  await ann.page.evaluate(() => window.caller.media.setCamera(null))
  await eventually(async () => (await peersOf(ben))[0]?.have.video === false, "the camera listed as off")
  await ann.page.evaluate(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 160, height: 90 } })
    await window.caller.media.setCamera(stream.getVideoTracks()[0] ?? null)
  })
  await untilConnected([ann, ben])
  expect([await connectionsOf(ann), await connectionsOf(ben)]).toEqual([
    { made: 1, open: 1 },
    { made: 1, open: 1 },
  ])
  await ann.page.evaluate(() => window.caller.media.stop())
  await eventually(async () => (await peersOf(ben)).length === 0, "Ann being gone")
  expect((await connectionsOf(ben)).open).toBe(0)
  expect(await ben.page.evaluate(() => document.querySelectorAll("video[data-peer]").length)).toBe(0)
  expect(await receivedBy(ben)).toEqual([])
})
