/** A host in the call of their own event, from the console; and what everybody can do in a call beside seeing and hearing. */
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { shared } from "../../test/support/shared.ts"
import { eventually } from "../../test/support/wait.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { enter, untilSeen } from "./people.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const MEETING = { modality: "meeting", featureSet: ["chat"] }
const JOIN = "Join with camera and microphone"

const join = (page: Page): Promise<void> => page.getByRole("button", { name: JOIN }).click()

/** Size of the picture of a person, in pixels. */
const sizeOf = (page: Page, name: string): Promise<string> =>
  page
    .locator(`video[aria-label="${name}"]`)
    .evaluate((video) => `${(video as HTMLVideoElement).videoWidth}x${(video as HTMLVideoElement).videoHeight}`)

/** Whether the page hears the person: loud enough that their tile is marked. */
const speaks = (page: Page, name: string): Promise<boolean> =>
  page.locator(`li[data-speaking]:has(video[aria-label="${name}"])`).isVisible()

test("a host is seen and heard from the console, goes on steering there, and stays in the call between its parts", async () => {
  const stage = await stageWith(site, [MEETING], "publish", "start")
  const ann = await enter(stage, "Ann")
  const host = await openConsole(stage, `/host/live/${stage.event.id}`)
  await host.getByRole("button", { name: JOIN }).waitFor()
  await expectAccessible(host)
  for (const page of [ann, host]) await join(page)
  await untilSeen(host, "Ann")
  const tiles = ann.getByRole("list", { name: "People in the call" })
  await eventually(async () => (await tiles.locator("video").count()) === 2, "the host's tile")
  const name = (await tiles.locator("video").last().getAttribute("aria-label")) ?? ""
  await untilSeen(ann, name)
  await eventually(() => speaks(ann, name), "the sound of the host")
  await host.getByRole("link", { name: "Chat", exact: true }).click()
  await host.getByRole("textbox", { name: "Message", exact: true }).waitFor()
  await untilSeen(host, "Ann")
  await expectAccessible(host)
})

test("a person tries the devices before they join, and nobody sees that", async () => {
  const stage = await stageWith(site, [MEETING], "publish", "start")
  const [ann, ben] = [await enter(stage, "Ann"), await enter(stage, "Ben")]
  await join(ben)
  await ann.getByRole("button", { name: "Test camera and microphone" }).click()
  await untilSeen(ann, "You")
  const level = ann.locator("meter")
  await eventually(async () => (await level.evaluate((one) => (one as HTMLMeterElement).value)) > 0, "a level")
  await ann
    .getByRole("button", { name: /Microphone$/ })
    .first()
    .waitFor()
  await expectAccessible(ann)
  expect(await ben.locator(".tile").count()).toBe(1)
  await ann.getByRole("button", { name: "Test camera and microphone" }).click()
  await ann.locator(".tile").waitFor({ state: "detached" })
  await join(ann)
  await untilSeen(ben, "Ann")
})

test("a shared screen takes the camera's place, and the camera comes back when the share ends", async () => {
  const stage = await stageWith(site, [MEETING], "publish", "start")
  const [ann, ben] = [await enter(stage, "Ann"), await enter(stage, "Ben")]
  for (const page of [ann, ben]) await join(page)
  await untilSeen(ben, "Ann")
  const camera = await sizeOf(ben, "Ann")
  const share = ann.getByRole("button", { name: "Share the screen" })
  await share.click()
  await eventually(async () => (await sizeOf(ben, "Ann")) !== camera, "the screen at Ben")
  expect(await share.getAttribute("aria-pressed")).toBe("true")
  // One's own screen is no mirror.
  expect(await ann.locator('video[aria-label="You"]').getAttribute("class")).toBeNull()
  await share.click()
  await eventually(async () => (await sizeOf(ben, "Ann")) === camera, "the camera at Ben")
  expect(await ann.getByRole("button", { name: "Camera", exact: true }).getAttribute("aria-pressed")).toBe("true")
})

test("who is muted stays so while they share a screen with sound", async () => {
  const stage = await stageWith(site, [MEETING], "publish", "start")
  const [ann, ben] = [await enter(stage, "Ann"), await enter(stage, "Ben")]
  for (const page of [ann, ben]) await join(page)
  await eventually(() => speaks(ben, "Ann"), "Ann's sound")
  const camera = await sizeOf(ben, "Ann")
  await ann.getByRole("button", { name: "Microphone", exact: true }).click()
  await eventually(async () => !(await speaks(ben, "Ann")), "silence")
  // A screen with a silent sound: what is heard from now on could only be the microphone.
  await ann.evaluate(() => {
    const given = navigator.mediaDevices.getDisplayMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getDisplayMedia = async (wanted) => {
      const [picture] = (await given(wanted)).getVideoTracks()
      const silence = new AudioContext().createMediaStreamDestination().stream.getAudioTracks()
      return new MediaStream([...(picture === undefined ? [] : [picture]), ...silence])
    }
  })
  const share = ann.getByRole("button", { name: "Share the screen" })
  await share.click()
  await eventually(async () => (await sizeOf(ben, "Ann")) !== camera, "the screen at Ben")
  // The fake microphone beeps once a second.
  const heard = await ben.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const tile = document.querySelector('li:has(video[aria-label="Ann"])')
        const observer = new MutationObserver(() => {
          if (tile?.hasAttribute("data-speaking") === true) resolve(true)
        })
        if (tile !== null) observer.observe(tile, { attributes: true })
        // timed: three beeps of the fake microphone, which would be heard.
        setTimeout(() => resolve(false), 3000)
      }),
  )
  expect(heard).toBe(false)
  await ann.getByRole("button", { name: "Microphone", exact: true }).click()
  await eventually(() => speaks(ben, "Ann"), "Ann's sound over the shared screen")
})

test("who is muted is heard while the space bar is held; who has no picture is their initials", async () => {
  const stage = await stageWith(site, [MEETING], "publish", "start")
  const [ann, ben] = [await enter(stage, "Ann Marie Meyer"), await enter(stage, "Ben")]
  for (const page of [ann, ben]) await join(page)
  const name = "Ann Marie Meyer"
  await eventually(() => speaks(ben, name), "Ann's sound")
  await ann.getByRole("button", { name: "Microphone", exact: true }).click()
  await ann.getByText("Hold the space bar to talk").waitFor()
  await eventually(async () => !(await speaks(ben, name)), "silence")
  await ann.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await ann.keyboard.down(" ")
  await eventually(() => speaks(ben, name), "Ann's sound while the key is held")
  await ann.keyboard.up(" ")
  await eventually(async () => !(await speaks(ben, name)), "silence again")
  await ann.getByRole("button", { name: "Camera", exact: true }).click()
  await ben.getByText("AM", { exact: true }).waitFor()
})

test("another camera is sent at once when it is chosen", async () => {
  const stage = await stageWith(site, [MEETING], "publish", "start")
  const [ann, ben] = [await enter(stage, "Ann"), await enter(stage, "Ben")]
  for (const page of [ann, ben]) await join(page)
  await untilSeen(ben, "Ann")
  const sent = () =>
    ann.locator('video[aria-label="You"]').evaluate((video) => {
      const stream = (video as HTMLVideoElement).srcObject as MediaStream
      return stream.getVideoTracks()[0]?.getSettings().deviceId
    })
  const first = await sent()
  await ann.getByText("Devices", { exact: true }).click()
  const choice = ann.getByRole("button", { name: /Camera$/ }).last()
  await choice.press("Enter")
  await ann.getByRole("option", { selected: false }).first().click()
  await eventually(async () => (await sent()) !== first, "the other camera")
  await untilSeen(ben, "Ann")
})

test("a host mutes a person, whom nobody hears until the host asks and the person agrees", async () => {
  const stage = await stageWith(site, [MEETING], "publish", "start")
  const [ann, ben] = [await enter(stage, "Ann"), await enter(stage, "Ben")]
  const host = await openConsole(stage, `/host/live/${stage.event.id}`)
  for (const page of [ann, ben, host]) await join(page)
  await eventually(() => speaks(ben, "Ann"), "Ann's sound")
  expect(await ben.getByRole("button", { name: "Mute Ann" }).count()).toBe(0)
  await host.getByRole("button", { name: "Mute Ann" }).click()
  await ann.getByText("A host has muted your microphone.").waitFor()
  await ben.getByText("(muted by a host)").waitFor()
  await eventually(async () => !(await speaks(ben, "Ann")), "silence")
  await expectAccessible(host)
  await expectAccessible(ann)
  const microphone = ann.getByRole("button", { name: "Microphone", exact: true })
  await microphone.click()
  expect(await microphone.getAttribute("aria-pressed")).toBe("false")
  await host.getByRole("button", { name: "Turn off the camera of Ann" }).click()
  await ben.locator(".tile", { hasText: "Ann" }).locator(".tile-initials").waitFor()
  await host.getByRole("button", { name: "Ask everybody to speak again" }).click()
  await ann.getByText("A host asks you to turn on your microphone.").waitFor()
  expect(await speaks(ben, "Ann")).toBe(false)
  await ann.getByRole("button", { name: "Turn it on" }).click()
  await eventually(() => speaks(ben, "Ann"), "Ann's sound again")
})
