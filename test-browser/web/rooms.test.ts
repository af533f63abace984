import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import type { GatewayClient } from "../../packages/client/src/entry.ts"
import { createWorkspace, type Workspace } from "../../test/support/api.ts"
import { freePort } from "../../test/support/free-port.ts"
import { eventually } from "../../test/support/wait.ts"
import { connectClient, enter, occasionWith, untilSeen } from "./people.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let acme: Workspace

beforeAll(async () => {
  site = await openWebSite()
  acme = await createWorkspace(site.server.url)
})
afterAll(() => site.stop())

const openRooms = async (
  host: GatewayClient,
  plan: Parameters<typeof host.command<"breakout.plan">>[1],
  fields: { readonly durationMs?: number } = {},
): Promise<void> => {
  const { d } = await host.command("breakout.plan", plan)
  await host.command("breakout.open", { planId: d.plan.id, ...fields })
}

test("a person is told their room and its time, chats there, calls a host, returns, goes back, and is brought back", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "breakout", featureSet: ["chat"] }])
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  const help: string[] = []
  host.on("room.help", ({ by }) => help.push(by.name ?? ""))
  await openRooms(host, { rooms: 1, strategy: "balanced", seed: 1 }, { durationMs: 600_000 })
  for (const page of [ann, ben]) await page.getByText("You are in Room 1.").waitFor()
  await ann.getByText(/(?:10:00|9:\d\d) left/).waitFor()
  await ann.getByRole("button", { name: "Your room", pressed: true }).waitFor()
  await ann.getByRole("textbox", { name: "Message" }).fill("Only we two")
  await ann.getByRole("button", { name: "Send" }).click()
  await ben.getByRole("row", { name: "Ann: Only we two" }).waitFor()
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "Ask for help" }).click()
  await ann.getByText("The hosts have been notified.").waitFor()
  expect(help).toEqual(["Ann"])
  await ann.getByRole("button", { name: "Back to the main room" }).click()
  await ann.getByText("You are in the main room.").waitFor()
  await ann.getByRole("button", { name: "Go to Room 1 (1 person)" }).click()
  await ann.getByText("You are in Room 1.").waitFor()
  await host.command("breakout.close", { graceMs: 60_000 })
  await ann.getByText(/Rooms close in (?:1:00|0:\d\d)/).waitFor()
  await host.command("breakout.close", { graceMs: 0 })
  await ann.getByText("You are in Room 1.").waitFor({ state: "detached" })
})

test("where rooms may be chosen, a person chooses one and another", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "breakout", featureSet: ["chat"] }])
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann")
  await openRooms(host, { rooms: ["Tea", "Coffee"], strategy: "self" })
  await ann.getByRole("button", { name: "Go to Tea (0 people)" }).click()
  await ann.getByText("You are in Tea.").waitFor()
  await ann.getByRole("button", { name: "Go to Coffee (0 people)" }).click()
  await ann.getByText("You are in Coffee.").waitFor()
  await expectAccessible(ann)
})

test("in a rotation people are told whom they meet and how long, pause with the rounds, and may sit out", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "rotation", featureSet: ["chat"] }])
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  await ann.getByText("A host will start the rounds soon.").waitFor()
  await host.command("rotation.start", { roundSeconds: 150, breakSeconds: 0, rounds: 5, groupSize: 2 })
  await ann.getByText("You are meeting Ben.").waitFor()
  await ben.getByText("You are meeting Ann.").waitFor()
  await ann.getByText(/2:[0-3]\d left/).waitFor()
  await expectAccessible(ann)
  await host.command("rotation.pause", {})
  await ann.getByText("A host has paused the rounds.").waitFor()
  await host.command("rotation.resume", {})
  await ann.getByText(/2:[0-3]\d left/).waitFor()
  await ann.getByRole("button", { name: "Take a break" }).click()
  await ann.getByText("You are taking a break from the rounds.").waitFor()
  await ben.getByText("Your partner has left. The next round starts soon.").waitFor()
  await ann.getByRole("button", { name: "Join again" }).click()
  await host.command("rotation.stop", {})
  await ann.getByText("The rounds are over.").waitFor()
})

test("two people in a meeting see each other, mute themselves, turn the camera off and on, and leave", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "meeting", featureSet: ["chat"] }])
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  await expectAccessible(ann)
  for (const page of [ann, ben]) await page.getByRole("button", { name: "Join with camera and microphone" }).click()
  await untilSeen(ann, "Ben")
  await untilSeen(ben, "Ann")
  // The names stand in the pictures, whatever the shape of these.
  for (const tile of await ann.locator(".tile").all()) {
    const [whole, name] = [await tile.boundingBox(), await tile.locator(".tile-name").boundingBox()]
    expect((name?.y ?? Number.NaN) + (name?.height ?? 0)).toBeLessThan((whole?.y ?? 0) + (whole?.height ?? 0))
  }
  await expectAccessible(ann)
  const microphone = ann.getByRole("button", { name: "Microphone" })
  await microphone.click()
  expect(await microphone.getAttribute("aria-pressed")).toBe("false")
  const camera = ann.getByRole("button", { name: "Camera" })
  await camera.click()
  await ben.locator('video[aria-label="Ann"]').waitFor({ state: "hidden" })
  await camera.click()
  await ben.locator('video[aria-label="Ann"]').waitFor({ state: "visible" })
  await ann.getByRole("button", { name: "Leave the call" }).click()
  await ann.getByRole("button", { name: "Join with camera and microphone" }).waitFor()
  await eventually(async () => (await ben.locator('video[aria-label="Ann"]').count()) === 0, "Ann being gone")
})

test("a person without camera and microphone is told so, and sees the others", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "meeting", featureSet: [] }])
  const ann = await enter(occasion, "Ann")
  const ben = await enter(occasion, "Ben", {
    prepare: async (page) => {
      await page.addInitScript(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"))
      })
    },
  })
  for (const page of [ann, ben]) await page.getByRole("button", { name: "Join with camera and microphone" }).click()
  await ben.getByRole("alert").getByText("The browser blocked your camera and microphone.").waitFor()
  await untilSeen(ben, "Ann")
})

test("a call follows people into their breakout room", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "breakout", featureSet: ["chat"] }])
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  for (const page of [ann, ben]) await page.getByRole("button", { name: "Join with camera and microphone" }).click()
  await untilSeen(ann, "Ben")
  await openRooms(host, { rooms: 1, strategy: "balanced", seed: 1 })
  await ann.getByText("You are in Room 1.").waitFor()
  await eventually(async () => (await ann.locator('video[aria-label="Ben"]').count()) === 1, "Ben in the room")
  await untilSeen(ann, "Ben")
})

test("a call on a media server is joined by its own client, and one that cannot be reached is said to have ended", async () => {
  const port = await freePort()
  const media = { MEDIA_URL: `ws://127.0.0.1:${port}`, MEDIA_API_KEY: "key", MEDIA_API_SECRET: "secret".repeat(8) }
  const other = await openWebSite(media)
  onTestFinished(() => other.stop())
  const workspace = await createWorkspace(other.server.url)
  const occasion = await occasionWith(other, workspace, [{ modality: "meeting", featureSet: [] }])
  // The policy of the page lets the call out; nobody is there to take it.
  const expects =
    /ERR_CONNECTION_REFUSED|Couldn't connect to server|could not establish signal connection|websocket closed/
  const ann = await enter(occasion, "Ann", { expects })
  await ann.getByRole("button", { name: "Join without devices" }).click()
  await ann.getByRole("alert").getByText("The connection to the call has ended.").waitFor()
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "Join without devices" }).waitFor()
})
