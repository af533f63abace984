/** The attendee's page in a frame of another origin. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { call, createPerson, createWorkspace, type Workspace } from "../../test/support/api.ts"
import { eventually } from "../../test/support/wait.ts"
import { type Site, startStaticSite } from "../static-site.ts"
import { type Occasion, occasionWith } from "./people.ts"
import { openWebSite, type WebSite } from "./site.ts"

/** Shows the address in its own in a frame, and keeps the messages. */
const PARENT = `<!doctype html><meta charset=utf-8><title>parent</title><iframe title="event" width="800" height="600"></iframe>
<script>
window.told = []
const frame = document.querySelector("iframe")
addEventListener("message", ({ origin, source, data }) => { if (source === frame.contentWindow) told.push({ origin, data }) })
frame.src = new URLSearchParams(location.search).get("show")
</script>`

let site: WebSite
let acme: Workspace
let friend: Site
let stranger: Site

declare global {
  interface Window {
    told: ReadonlyArray<{ readonly origin: string; readonly data: { readonly type: string } }>
  }
}

beforeAll(async () => {
  friend = await startStaticSite(async () => PARENT)
  stranger = await startStaticSite(async () => PARENT)
  site = await openWebSite({ EMBED_ORIGINS: friend.url })
  acme = await createWorkspace(site.server.url)
})
afterAll(async () => {
  await site.stop()
  await friend.stop()
  await stranger.stop()
})

const openParent = async (parent: Site, { event }: Occasion): Promise<Page> => {
  const context = await site.browser.newContext({ locale: "en-GB" })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${parent.url}/?show=${encodeURIComponent(`${site.server.url}/e/${event.id}`)}`)
  return page
}

const toldOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => window.told.map(({ data }) => data.type))

const broadcastThenMeeting = (fields: object = {}) =>
  occasionWith(site, acme, [{ modality: "broadcast" }, { modality: "meeting" }], fields)

test("a page of a listed origin learns of readiness, phases and the end, and enters as the holder of a session", async () => {
  const occasion = await broadcastThenMeeting({ visibility: "private" })
  const { session } = await createPerson(site.server.url, acme.key, occasion.event.id, "participant", "Ann")
  const page = await openParent(friend, occasion)
  await eventually(async () => (await toldOf(page)).includes("gathercue.ready"), "readiness")
  await page.evaluate(
    ([sessionToken, origin]) => {
      const frame = document.querySelector("iframe")
      frame?.contentWindow?.postMessage({ type: "gathercue.enter", sessionToken }, origin)
    },
    [session, site.server.url] as const,
  )
  await page.frameLocator("iframe").getByText("1 person here").waitFor()
  await call(site.server.url, "POST", `/v1/events/${occasion.event.id}/advance`, { key: acme.key })
  await page.frameLocator("iframe").getByText("Meeting", { exact: true }).waitFor()
  await call(site.server.url, "POST", `/v1/events/${occasion.event.id}/end`, { key: acme.key })
  await eventually(async () => (await toldOf(page)).at(-1) === "gathercue.ended", "the end")
  const [broadcast, meeting] = occasion.event.phases
  const eventId = occasion.event.id
  expect(await page.evaluate(() => window.told.map(({ data }) => data))).toEqual([
    { type: "gathercue.ready", eventId },
    { type: "gathercue.phase", eventId, phase: { id: broadcast.id, modality: "broadcast" } },
    { type: "gathercue.phase", eventId, phase: { id: meeting.id, modality: "meeting" } },
    { type: "gathercue.ended", eventId },
  ])
  expect(await page.evaluate(() => window.told.every(({ origin }) => origin !== location.origin))).toBe(true)
  const frame = page.frames().find((one) => one.url().startsWith(site.server.url))
  expect(await frame?.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("session")))).toEqual([])
})

test("messages of others than the embedding page, and others than the one that is known, enter nobody", async () => {
  const occasion = await broadcastThenMeeting()
  const { session } = await createPerson(site.server.url, acme.key, occasion.event.id, "participant", "Ann")
  const page = await openParent(friend, occasion)
  await eventually(async () => (await toldOf(page)).includes("gathercue.ready"), "readiness")
  await page.evaluate(
    async ([origin, foreign]) => {
      const frame = document.querySelector("iframe")
      for (const message of [
        { type: "gathercue.enter" },
        { type: "gathercue.enter", sessionToken: 1 },
        null,
        "gathercue.enter",
      ])
        frame?.contentWindow?.postMessage(message, origin)
      // A frame beside the page's, of another origin, which finds it as its sibling.
      const sibling = document.createElement("iframe")
      const loaded = new Promise((resolve) => sibling.addEventListener("load", resolve))
      sibling.src = `${foreign}/?show=about:blank`
      document.body.append(sibling)
      await loaded
    },
    [site.server.url, stranger.url] as const,
  )
  const sibling = page.frames().find((frame) => frame.url().startsWith(stranger.url))
  await sibling?.evaluate(
    ([sessionToken, origin]) => window.parent.frames[0]?.postMessage({ type: "gathercue.enter", sessionToken }, origin),
    [session, site.server.url] as const,
  )
  const frame = page.frames().find((one) => one.url().startsWith(site.server.url))
  // Messages are taken in their order: when this one is through, those before it were too.
  await frame?.evaluate(
    () =>
      new Promise((resolve) => {
        addEventListener("message", ({ data }) => (data === "last" ? resolve(undefined) : undefined))
        postMessage("last", location.origin)
      }),
  )
  await page.frameLocator("iframe").first().getByRole("button", { name: "Watch as a guest" }).waitFor()
  expect(
    await page
      .frameLocator("iframe")
      .first()
      .getByText(/\d+ pe\w+ here/)
      .count(),
  ).toBe(0)
})

test("a page of another origin may not show it", async () => {
  const occasion = await broadcastThenMeeting()
  const page = await openParent(stranger, occasion)
  await eventually(
    () => page.frames().some((frame) => frame.url().startsWith("chrome-error://")),
    "the refusal of the browser",
  )
  expect(await toldOf(page)).toEqual([])
})
