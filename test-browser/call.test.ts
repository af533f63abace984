/** Calls between browsers, over real sockets and real connections: Chromium with the camera and microphone that it fakes. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace, type Workspace } from "../test/support/api.ts"
import { startTestServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { type Caller, connectionsOf, openCaller, peersOf, receivedBy, startMedia, untilConnected } from "./callers.ts"
import { type Pages, startPages } from "./pages.ts"

const MOST = 3

let server: TestServer
let pages: Pages
let acme: Workspace

beforeAll(async () => {
  // Fewer than by default: each more person adds a picture to every page, and one machine shows them all.
  server = await startTestServer({ MESH_MAX_PEERS: String(MOST) })
  acme = await createWorkspace(server.url)
  pages = await startPages()
})
afterAll(async () => {
  await pages.stop()
  await server.stop()
})

const liveEvent = (modality: string) => createLiveEvent(server.url, acme.key, { phases: [{ modality }] })

const join = async (eventId: string, name: string, role = "participant"): Promise<Caller> => {
  const { session } = await createPerson(server.url, acme.key, eventId, role, name)
  return openCaller(pages, { url: server.url, eventId, session, name })
}

test("two people in a meeting see and hear each other, and turn cameras and microphones off and on", async () => {
  const event = await liveEvent("meeting")
  const [ann, ben] = [await join(event.id, "Ann"), await join(event.id, "Ben")]
  await Promise.all([startMedia(ann), startMedia(ben)])
  await untilConnected([ann, ben])
  expect(await ann.page.evaluate(() => [window.call.state, window.call.limits?.video?.maxKbps])).toEqual([
    "joined",
    1200,
  ])
  await ann.page.evaluate(() => window.call.setCamera(null))
  await eventually(async () => (await peersOf(ben))[0]?.have.video === false, "the camera listed as off")
  await ann.page.evaluate(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 160, height: 90 } })
    await window.call.setCamera(stream.getVideoTracks()[0] ?? null)
  })
  await untilConnected([ann, ben])
  expect([await connectionsOf(ann), await connectionsOf(ben)]).toEqual([
    { made: 1, open: 1 },
    { made: 1, open: 1 },
  ])
  await ann.page.evaluate(() => window.call.stop())
  await eventually(async () => (await peersOf(ben)).length === 0, "Ann being gone")
  expect((await connectionsOf(ben)).open).toBe(0)
  expect(await ben.page.evaluate(() => document.querySelectorAll("video[data-peer]").length)).toBe(0)
  expect(await receivedBy(ben)).toEqual([])
})

/** Breakout rooms with so many people each; resolves when everybody has their room. */
const openBreakout = async (host: Caller, size: number): Promise<void> => {
  await host.page.evaluate(async (each) => {
    const { d } = await window.caller.command("breakout.plan", { size: each, strategy: "balanced", seed: 1 })
    await window.caller.command("breakout.open", { planId: d.plan.id })
  }, size)
}

test("three people in a breakout see and hear each other, within the limits of three, and nobody in the main room does", async () => {
  const event = await liveEvent("breakout")
  const host = await join(event.id, "Host", "host")
  const three = await Promise.all(["Ann", "Ben", "Cat"].map((name) => join(event.id, name)))
  await openBreakout(host, 4)
  await Promise.all([...three.map((caller) => startMedia(caller)), startMedia(host, null)])
  await untilConnected(three)
  expect(await host.page.evaluate(() => [window.call.state, window.call.peers])).toEqual(["joined", []])
  for (const caller of three) {
    expect((await receivedBy(caller)).map(({ name }) => name).toSorted()).toEqual(
      ["Ann", "Ben", "Cat"].filter((name) => name !== caller.name),
    )
    expect(await caller.page.evaluate(() => window.call.limits?.video)).toEqual({
      width: 640,
      height: 360,
      frameRate: 24,
      maxKbps: 500,
    })
  }
  // Sound and picture go on from everybody to everybody; the sound of the fake microphone comes in beeps.
  const before = await Promise.all(three.map(receivedBy))
  await eventually(async () => {
    const after = await Promise.all(three.map(receivedBy))
    return after.every((received, n) =>
      received.every(({ name, frames, energy }) => {
        const was = before[n]?.find((one) => one.name === name)
        return was !== undefined && frames > was.frames && energy > was.energy
      }),
    )
  }, "sound and picture of everybody going on")
})

test("a socket that is lost ends no call: the peer keeps its place, and no connection is made anew", async () => {
  const event = await liveEvent("meeting")
  const [ann, ben] = [await join(event.id, "Ann"), await join(event.id, "Ben")]
  await Promise.all([startMedia(ann), startMedia(ben)])
  await untilConnected([ann, ben])
  const [before] = await peersOf(ben)
  await ann.page.evaluate(() => {
    window.isCut = true
    window.sockets.at(-1)?.close()
  })
  await eventually(() => ann.page.evaluate(() => window.caller.status === "waiting"), "the loss")
  // An offer is made that cannot be sent.
  await ann.page.evaluate(() => {
    const [pc] = window.connections
    pc?.restartIce()
  })
  await untilConnected([ann, ben])
  await ann.page.evaluate(() => {
    window.isCut = false
  })
  await eventually(() => ann.page.evaluate(() => window.caller.status === "ready"), "the return")
  await eventually(
    () => ann.page.evaluate(() => window.connections[0]?.signalingState === "stable"),
    "the answer to the offer that was made meanwhile",
  )
  await untilConnected([ann, ben])
  expect((await peersOf(ben))[0]?.connectionId).toBe(before?.connectionId)
  for (const caller of [ann, ben]) expect(await connectionsOf(caller)).toEqual({ made: 1, open: 1 })
})

test("two offers at once are resolved, also with a camera that goes on at both ends", async () => {
  const event = await liveEvent("meeting")
  const [ann, ben] = [await join(event.id, "Ann"), await join(event.id, "Ben")]
  await Promise.all([startMedia(ann, null), startMedia(ben, null)])
  await untilConnected([ann, ben], { picture: false })
  await Promise.all(
    [ann, ben].map(({ page }) =>
      page.evaluate(async () => {
        const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 160, height: 90 } })
        await window.call.setCamera(stream.getVideoTracks()[0] ?? null)
      }),
    ),
  )
  await untilConnected([ann, ben])
  for (let round = 0; round < 2; round++) {
    await Promise.all([ann, ben].map(({ page }) => page.evaluate(() => window.connections[0]?.restartIce())))
    await untilConnected([ann, ben])
    for (const { page } of [ann, ben]) {
      await eventually(() => page.evaluate(() => window.connections[0]?.signalingState === "stable"), "an end")
    }
  }
  for (const caller of [ann, ben]) expect(await connectionsOf(caller)).toEqual({ made: 1, open: 1 })
})

test("as many people as the server takes are in a call with sound and picture, and one more is refused with the number", async () => {
  const event = await liveEvent("meeting")
  const [ann, ben, cat] = [await join(event.id, "Ann"), await join(event.id, "Ben"), await join(event.id, "Cat")]
  await Promise.all([ann, ben, cat].map((caller) => startMedia(caller)))
  await untilConnected([ann, ben, cat])
  const late = await join(event.id, "Dan")
  await startMedia(late)
  await eventually(() => late.page.evaluate(() => window.call.state === "refused"), "the refusal")
  const [problem] = await late.page.evaluate(() => window.problems)
  expect(problem).toMatchObject({ code: "full", message: expect.stringContaining(`${MOST} people`) })
  await ann.page.evaluate(() => window.call.stop())
  await eventually(async () => (await peersOf(ben)).length === MOST - 2, "a free place")
  await late.page.evaluate(() => window.call.retry())
  await untilConnected([late, ben])
})

test.each(["before", "after"])(
  "a person without camera and microphone who joins %s the other receives sound and picture, and sends them once they are on",
  async (order) => {
    const event = await liveEvent("meeting")
    const [ann, ben] = [await join(event.id, "Ann"), await join(event.id, "Ben")]
    const listen = () => ben.page.evaluate(() => window.call.start())
    if (order === "before") await listen()
    await startMedia(ann)
    if (order === "after") await listen()
    await eventually(async () => {
      const [received] = await receivedBy(ben)
      return received !== undefined && received.frames > 3 && received.energy > 0
    }, "sound and picture without any of one's own")
    await ben.page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 160, height: 90 }, audio: true })
      await window.call.setMicrophone(stream.getAudioTracks()[0] ?? null)
      await window.call.setCamera(stream.getVideoTracks()[0] ?? null)
    })
    await untilConnected([ann, ben])
    for (const caller of [ann, ben]) expect(await connectionsOf(caller)).toEqual({ made: 1, open: 1 })
  },
)
