/** Chromium as an encoder that sends by WebRTC (WHIP), and others that watch the broadcast. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorkspace, type Workspace } from "../test/support/api.ts"
import { recordingOf, startBroadcast } from "../test/support/broadcasts.ts"
import { startServerWithWhip, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { watch, watchedBy } from "./broadcasters.ts"
import { type Pages, startPages } from "./pages.ts"

declare global {
  interface Window {
    whip: RTCPeerConnection
  }
}

let server: TestServer
let pages: Pages
let acme: Workspace

beforeAll(async () => {
  server = await startServerWithWhip()
  acme = await createWorkspace(server.url)
  pages = await startPages()
})
afterAll(async () => {
  await pages.stop()
  await server.stop()
})

/** Sends a camera and a microphone as the client of RFC 9725 does. Resolves to the address of the session. */
const publish = (page: Page, token: string): Promise<string> =>
  page.evaluate(
    async ([endpoint, bearer]) => {
      const media = await navigator.mediaDevices.getUserMedia({
        audio: true,
        video: { width: 320, height: 180, frameRate: 20 },
      })
      const connection = new RTCPeerConnection({ bundlePolicy: "max-bundle" })
      for (const track of media.getTracks())
        connection.addTransceiver(track, { direction: "sendonly", streams: [media] })
      await connection.setLocalDescription()
      const answer = await fetch(endpoint, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/sdp" },
        body: connection.localDescription?.sdp ?? "",
      })
      const sdp = await answer.text()
      if (answer.status !== 201) throw new Error(`${answer.status} ${sdp}`)
      await connection.setRemoteDescription({ type: "answer", sdp })
      window.whip = connection
      return new URL(answer.headers.get("location") ?? "", endpoint).href
    },
    [`${server.url}/v1/whip`, token] as const,
  )

test("a page that speaks WHIP is watched, and is a recording once it has ended its session", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const encoder = await pages.open()
  const session = await publish(encoder, onAir.token)
  const viewer = await pages.open()
  await watch(viewer, onAir.playbackUrl)
  await eventually(async () => {
    const { seconds, frames, width, error } = await watchedBy(viewer)
    expect(error).toBe("")
    return seconds > 4 && frames > 40 && width === 320
  }, "the picture at the viewer")
  expect(await onAir.state()).toMatchObject({ ingest: { state: "receiving", failure: null } })
  const ended = await fetch(session, { method: "DELETE", headers: { authorization: `Bearer ${onAir.token}` } })
  expect(ended.status).toBe(200)
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  expect(recording).toMatchObject({ source: "broadcast", contentType: "video/mp4", failure: null })
})
