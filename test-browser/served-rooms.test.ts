/** Rooms on the media server that is part of the server: Chromium with the camera and microphone that it fakes. */
import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace, type Workspace } from "../test/support/api.ts"
import { startServerWithRooms, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { type Caller, connectionsOf, openCaller, peersOf, receivedBy, startMedia, untilConnected } from "./callers.ts"
import { type Pages, startPages } from "./pages.ts"

let server: TestServer
let pages: Pages
let acme: Workspace

beforeAll(async () => {
  server = await startServerWithRooms()
  acme = await createWorkspace(server.url)
  pages = await startPages()
})
afterAll(async () => {
  await pages.stop()
  await server.stop()
})

/** Chromium sends three layers from this size on. */
const LARGE = { width: 960, height: 540, frameRate: 5 }

const join = async (eventId: string, name: string, role = "participant"): Promise<Caller> => {
  const { session } = await createPerson(server.url, acme.key, eventId, role, name)
  return openCaller(pages, { url: server.url, eventId, session, name })
}

const meeting = async (names: ReadonlyArray<string>): Promise<ReadonlyArray<Caller>> => {
  const event = await createLiveEvent(server.url, acme.key, { phases: [{ modality: "meeting" }] })
  return Promise.all(names.map((name) => join(event.id, name)))
}

/** Pid of the media server, which is a child of this process. */
const mediaServer = (): number => {
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "latin1")
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]
      if (command.includes("sfu-process") && Number(parent) === process.pid) return Number(pid)
    } catch {
      // The process has ended meanwhile.
    }
  }
  throw new Error("the media server is not there")
}

test("three people see and hear each other over one connection each, and go one by one", async () => {
  const [ann, ben, cem] = (await meeting(["Ann", "Ben", "Cem"])) as [Caller, Caller, Caller]
  await Promise.all([ann, ben, cem].map((caller) => startMedia(caller)))
  await untilConnected([ann, ben, cem])
  expect(await ann.page.evaluate(() => [window.call.state, window.call.limits?.maxPeers])).toEqual(["joined", 25])
  expect(await Promise.all([ann, ben, cem].map(connectionsOf))).toEqual([1, 2, 3].map(() => ({ made: 1, open: 1 })))
  await ann.page.evaluate(() => window.call.setCamera(null))
  await eventually(
    async () => (await peersOf(ben)).find(({ name }) => name === "Ann")?.have.video === false,
    "no camera",
  )
  await ann.page.evaluate(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 160, height: 90 } })
    await window.call.setCamera(stream.getVideoTracks()[0] ?? null)
  })
  await untilConnected([ann, ben, cem])
  await cem.page.evaluate(() => window.call.stop())
  await eventually(async () => (await peersOf(ann)).length === 1, "Cem being gone")
  await untilConnected([ann, ben])
  expect((await connectionsOf(ann)).made).toBe(1)
})

test("a picture is as large as the page shows it", async () => {
  const [ann, ben] = (await meeting(["Ann", "Ben"])) as [Caller, Caller]
  await Promise.all([startMedia(ann, LARGE), startMedia(ben)])
  await untilConnected([ann, ben])
  const [shown] = await peersOf(ben)
  const show = (height: number) =>
    ben.page.evaluate(([connectionId, given]) => window.call.show([{ connectionId, height: given }]), [
      shown?.connectionId ?? "",
      height,
    ] as const)
  /** Widths of the layers that the sender's browser sends now; a busy machine makes them smaller, or leaves some out. */
  const sent = () =>
    ann.page.evaluate(async () => {
      const report = await window.connections[0]?.getStats()
      const widths: number[] = []
      for (const one of report?.values() ?? [])
        if (one.type === "outbound-rtp" && one.kind === "video" && one.framesPerSecond > 0) widths.push(one.frameWidth)
      return widths
    })
  const isShown = (which: (...widths: number[]) => number, what: string) =>
    eventually(async () => {
      const [widths, [received]] = await Promise.all([sent(), receivedBy(ben)])
      return widths.length > 0 && received?.width === which(...widths)
    }, what)
  await show(90)
  await isShown(Math.min, "the smallest layer")
  await show(720)
  await isShown(Math.max, "the largest layer")
  await show(90)
  await isShown(Math.min, "the smallest layer again")
})

test("people see each other again after the media server was killed, and the event notices nothing", async () => {
  const [ann, ben] = (await meeting(["Ann", "Ben"])) as [Caller, Caller]
  await Promise.all([startMedia(ann), startMedia(ben)])
  await untilConnected([ann, ben])
  const sockets = () => Promise.all([ann, ben].map(({ page }) => page.evaluate(() => window.sockets.length)))
  const before = await sockets()
  process.kill(mediaServer(), "SIGKILL")
  await eventually(async () => (await connectionsOf(ann)).made === 2, "another connection")
  await untilConnected([ann, ben])
  expect(await sockets()).toEqual(before)
})

test("what a host muted reaches nobody, also from the next media server, until the host ends it", async () => {
  const event = await createLiveEvent(server.url, acme.key, { phases: [{ modality: "meeting" }] })
  const [ann, ben] = await Promise.all(["Ann", "Ben"].map((name) => join(event.id, name)))
  const host = await join(event.id, "Hana", "host")
  if (ann === undefined || ben === undefined) throw new Error("somebody is missing")
  await Promise.all([startMedia(ann), startMedia(ben)])
  await untilConnected([ann, ben])
  /** Kinds of the tracks that Ben receives of Ann, and what he is told of her. */
  const ofAnn = () =>
    ben.page.evaluate(() => {
      const [peer] = window.call.peers
      const stream = peer?.stream as MediaStream | null | undefined
      return [...(stream?.getTracks() ?? []).map(({ kind }) => kind).sort(), ...(peer?.muted ?? [])].join(" ")
    })
  const mute = (on: boolean) =>
    host.page.evaluate((value) => window.caller.command("rtc.mute", { source: "microphone", on: value }), on)
  await eventually(async () => (await ofAnn()) === "audio video", "sound and picture")
  await mute(true)
  await eventually(async () => (await ofAnn()) === "video microphone", "the picture alone")
  expect(await ann.page.evaluate(() => window.call.muted)).toEqual(["microphone"])
  process.kill(mediaServer(), "SIGKILL")
  await eventually(async () => (await connectionsOf(ann)).made === 2, "another connection")
  await eventually(async () => (await ofAnn()) === "video microphone", "the picture alone again")
  const asked = ann.page.evaluate(() => new Promise((resolve) => window.call.on("asked", resolve)))
  await mute(false)
  expect(await asked).toBe("microphone")
  // A muted microphone sends silence until its person turns it on, and silence is forwarded.
  await eventually(async () => (await ofAnn()) === "audio video", "sound and picture again")
})
