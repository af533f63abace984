/** An attendee whom the host brings on stage sends their own camera, and it is off as soon as they may not send any more. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { GatewayClient } from "../../packages/client/src/entry.ts"
import { createWorkspace, type Workspace } from "../../test/support/api.ts"
import { startBroadcast } from "../../test/support/broadcasts.ts"
import { eventually } from "../../test/support/wait.ts"
import { until } from "./host-pages.ts"
import { connectClient, enter, idOf, type Occasion, occasionWith, untilSeen } from "./people.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let acme: Workspace

beforeAll(async () => {
  site = await openWebSite()
  acme = await createWorkspace(site.server.url)
})
afterAll(() => site.stop())

declare global {
  interface Window {
    opened: MediaStream[]
    /** Gives the devices that `holdDevices` holds back. */
    giveDevices: () => void
  }
}

const REFUSED = /Failed to load resource/

/** The page keeps each stream that it was given, so that the state of its devices can be read. */
const noteDevices = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const devices = navigator.mediaDevices
    const open = devices.getUserMedia.bind(devices)
    window.opened = []
    devices.getUserMedia = async (wanted) => {
      const stream = await open(wanted)
      window.opened.push(stream)
      return stream
    }
  })
}

/** Devices are given only after `giveDevices()`. */
const holdDevices = async (page: Page): Promise<void> => {
  await noteDevices(page)
  await page.addInitScript(() => {
    const devices = navigator.mediaDevices
    const open = devices.getUserMedia.bind(devices)
    const mayGive = new Promise<void>((resolve) => {
      window.giveDevices = resolve
    })
    devices.getUserMedia = async (wanted) => {
      const stream = await open(wanted)
      await mayGive
      return stream
    }
  })
}

const denyDevices = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"))
  })
}

/** Of all devices that the page was ever given. */
const devicesOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => window.opened.flatMap((stream) => stream.getTracks().map(({ readyState }) => readyState)))

const untilOff = (page: Page): Promise<void> =>
  eventually(async () => {
    const devices = await devicesOf(page)
    return devices.length > 0 && devices.every((state) => state === "ended")
  }, "camera and microphone being off")

const sendFrom = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Send this camera" }).press("Enter")
  await page.getByText("Your picture is being sent.").waitFor()
}

const bringOnStage = async (host: GatewayClient, page: Page, name: string): Promise<void> => {
  await host.command("stage.invite", { id: await idOf(host, name) })
  await page.getByRole("button", { name: "Join the stage" }).press("Enter")
  await page.getByText("You are on stage.").waitFor()
}

const mutedStage = (page: Page): Promise<boolean> =>
  page.locator('video[aria-label="Stage"]').evaluate((video) => (video as HTMLVideoElement).muted)

test("a person who is brought on stage sends their camera, which others see, and which goes off with their role", async () => {
  const onAir = await startBroadcast(site.server.url, acme.key, { title: "Launch day" })
  const occasion: Occasion = { site, acme, event: { id: onAir.eventId } }
  const host = await connectClient(occasion, "Hedy")
  // A piece that is under way when the role goes is refused.
  const ann = await enter(occasion, "Ann", { role: "viewer", prepare: noteDevices, expects: REFUSED })
  const ben = await enter(occasion, "Ben", { role: "viewer" })
  await bringOnStage(host, ann, "Ann")
  await ann.getByText("Your picture replaces the one that is being sent now", { exact: false }).waitFor()
  expect(await devicesOf(ann)).toEqual([])
  await expectAccessible(ann)
  await sendFrom(ann)
  await untilSeen(ann, "What you send")
  await expectAccessible(ann)
  await untilSeen(ben, "Stage")
  expect(await ben.getByRole("button", { name: "Send this camera" }).count()).toBe(0)
  expect([await mutedStage(ann), await mutedStage(ben)]).toEqual([true, false])
  expect(new Set(await devicesOf(ann))).toEqual(new Set(["live"]))
  await host.command("role.set", { id: await idOf(host, "Ann"), role: "viewer" })
  await ann.getByText("You are on stage.").waitFor({ state: "detached" })
  await untilOff(ann)
  expect(await mutedStage(ann)).toBe(false)
  // Nothing comes any more.
  await until(host, ({ encoder }) => encoder?.state === "lost")
})

test("a person who begins to send later takes over, and the camera of the one before goes off; so it does with the broadcast", async () => {
  const onAir = await startBroadcast(site.server.url, acme.key, { title: "Launch day" })
  const occasion: Occasion = { site, acme, event: { id: onAir.eventId } }
  const host = await connectClient(occasion, "Hedy")
  const options = { role: "speaker", prepare: noteDevices, expects: REFUSED }
  const ann = await enter(occasion, "Ann", options)
  const ben = await enter(occasion, "Ben", options)
  await sendFrom(ann)
  await until(host, ({ encoder }) => encoder?.state === "receiving")
  await sendFrom(ben)
  await ann.getByRole("alert").getByText("Somebody else has taken over. Your camera is off.").waitFor()
  await untilOff(ann)
  await expectAccessible(ann)
  await sendFrom(ann)
  await ben.getByRole("alert").getByText("Somebody else has taken over. Your camera is off.").waitFor()
  await untilOff(ben)
  await ann.getByRole("button", { name: "Stop the camera" }).press("Enter")
  await untilOff(ann)
  await sendFrom(ann)
  await onAir.control("pause")
  await ann.getByText("The broadcast is paused.").waitFor()
  await ann.getByText("Your picture is being sent.").waitFor()
  await onAir.control("stop")
  await ann.getByText("The broadcast is over.").waitFor()
  await untilOff(ann)
})

test("the camera goes off with the phase, and when the person leaves the event", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "broadcast" }, { modality: "broadcast" }])
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann", { role: "speaker", prepare: noteDevices, expects: REFUSED })
  await ann.getByText("You can send your camera as soon as the broadcast begins.").waitFor()
  await expectAccessible(ann)
  await host.command("broadcast.start", {})
  await sendFrom(ann)
  await host.command("phase.next", { phaseId: host.state?.phases[0]?.id ?? "" })
  await ann.getByText("You can send your camera as soon as the broadcast begins.").waitFor()
  await untilOff(ann)
  await host.command("broadcast.start", {})
  await sendFrom(ann)
  await host.command("participant.remove", { id: await idOf(host, "Ann") })
  await ann.getByRole("alert").waitFor()
  await untilOff(ann)
})

test("a camera that is given after the role is gone is switched off, and one that is not given is said in plain words", async () => {
  const onAir = await startBroadcast(site.server.url, acme.key, { title: "Launch day" })
  const occasion: Occasion = { site, acme, event: { id: onAir.eventId } }
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann", { role: "speaker", prepare: holdDevices })
  await ann.getByRole("button", { name: "Send this camera" }).press("Enter")
  await eventually(async () => (await devicesOf(ann)).length === 2, "the devices")
  await host.command("role.set", { id: await idOf(host, "Ann"), role: "viewer" })
  await ann.getByText("You are on stage.").waitFor({ state: "detached" })
  await ann.evaluate(() => window.giveDevices())
  await untilOff(ann)
  expect((await onAir.state()).ingest.state).toBe("waiting")
  const ben = await enter(occasion, "Ben", { role: "speaker", prepare: denyDevices })
  await ben.getByRole("button", { name: "Send this camera" }).press("Enter")
  await ben.getByRole("alert").getByText("The browser gives no camera.", { exact: false }).waitFor()
  await ben.getByRole("button", { name: "Send this camera" }).waitFor()
})
