/** A host broadcasts from a browser, and others watch it: cameras and screens of Chromium, over real sockets. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace, type Workspace } from "../test/support/api.ts"
import { apiOf, recordingOf } from "../test/support/broadcasts.ts"
import { startMediaServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { watch, watchedBy } from "./broadcasters.ts"
import { type Pages, startPages } from "./pages.ts"

let server: TestServer
let pages: Pages
let acme: Workspace

beforeAll(async () => {
  server = await startMediaServer()
  acme = await createWorkspace(server.url)
  pages = await startPages()
})
afterAll(async () => {
  await pages.stop()
  await server.stop()
})

/** The host's page: joins, starts the broadcast, asks for the address, and pushes the camera. Resolves to the playlist's address. */
const broadcastFrom = (page: Page, base: string, eventId: string, session: string): Promise<string> =>
  page.evaluate(
    async ([url, event, bearer]) => {
      const { BroadcastPush, GatewayClient } = window.gathercue
      const client = new GatewayClient({
        token: async () => {
          const answer = await fetch(`${url}/v1/auth/gateway-token`, {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
            body: JSON.stringify({ eventId: event }),
          })
          return answer.json()
        },
      })
      await client.connect()
      const { d } = await client.command("broadcast.start", {})
      const { d: ingest } = await client.command("broadcast.ingest", {})
      const camera = await navigator.mediaDevices.getUserMedia({ video: { width: 320, height: 180 }, audio: true })
      window.states = []
      window.push = new BroadcastPush({
        streamUrl: ingest.streamUrl,
        makeRecorder: () =>
          new MediaRecorder(camera, {
            mimeType: "video/mp4;codecs=avc1.42E01F,opus",
            videoKeyFrameIntervalDuration: 1000,
          } as MediaRecorderOptions),
        onState: (state, detail) => window.states.push(detail === undefined ? state : `${state}: ${detail}`),
      })
      window.client = client
      window.push.start()
      return d.broadcast.playbackUrl ?? ""
    },
    [base, eventId, session] as const,
  )

test("a host's camera is seen by three viewers, and is a recording that plays", async () => {
  const api = apiOf(server.url, acme.key)
  const event = await createLiveEvent(server.url, acme.key, {
    visibility: "public",
    phases: [{ modality: "broadcast" }],
  })
  const { session } = await createPerson(server.url, acme.key, event.id, "host")
  const host = await pages.open()
  const playbackUrl = await broadcastFrom(host, server.url, event.id, session)
  const viewers = await Promise.all([pages.open(), pages.open(), pages.open()])
  await Promise.all(viewers.map((viewer) => watch(viewer, playbackUrl)))
  await eventually(async () => {
    const watched = await Promise.all(viewers.map(watchedBy))
    expect(watched.map(({ error }) => error)).toEqual(["", "", ""])
    return watched.every(({ seconds, frames, width }) => seconds > 3 && frames > 30 && width === 320)
  }, "the picture at three viewers")
  expect(await host.evaluate(() => window.states)).toEqual(["pushing"])
  const phase = (await api("GET", `/v1/events/${event.id}`)).body.phases[0].id
  expect((await api("GET", `/v1/phases/${phase}/broadcast`)).body.ingest).toMatchObject({
    state: "receiving",
    takes: 1,
    failure: null,
  })
  await host.evaluate(async () => {
    await window.push.stop()
    await window.client.command("broadcast.stop", {})
  })
  expect(await host.evaluate(() => window.states)).toEqual(["pushing", "stopped"])
  const recording = await recordingOf(server.url, acme.key, event.id)
  expect(recording).toMatchObject({ source: "broadcast", contentType: "video/mp4" })
  const again = await pages.open()
  await watch(again, recording.playbackUrl)
  await eventually(async () => {
    const { seconds, error } = await watchedBy(again)
    expect(error).toBe("")
    return seconds > 2
  }, "the recording")
})

test("an address that was replaced ends the push with the server's reason", async () => {
  const event = await createLiveEvent(server.url, acme.key, {
    visibility: "public",
    phases: [{ modality: "broadcast" }],
  })
  const { session } = await createPerson(server.url, acme.key, event.id, "host")
  const host = await pages.open()
  await broadcastFrom(host, server.url, event.id, session)
  const phase = (await apiOf(server.url, acme.key)("GET", `/v1/events/${event.id}`)).body.phases[0].id
  // An address of somebody else ends nothing; another one of the same holder does.
  await apiOf(server.url, acme.key)("POST", `/v1/phases/${phase}/broadcast/ingest`)
  await host.evaluate(() => window.client.command("broadcast.ingest", {}))
  await eventually(async () => (await host.evaluate(() => window.states.length)) === 2, "the refusal")
  expect((await host.evaluate(() => window.states))[1]).toContain("refused: The address of the encoder is not valid")
})
