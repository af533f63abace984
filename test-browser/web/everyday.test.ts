/** A phone, a lost connection, and two tabs. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorkspace, type Workspace } from "../../test/support/api.ts"
import { eventually } from "../../test/support/wait.ts"
import { connectClient, enter, occasionWith, openPanel } from "./people.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let acme: Workspace

declare global {
  interface Window {
    /** The server is not reached for as long as it is set. */
    isCut: boolean
    sockets: WebSocket[]
  }
}

beforeAll(async () => {
  site = await openWebSite()
  acme = await createWorkspace(site.server.url)
})
afterAll(() => site.stop())

const everything = () =>
  occasionWith(site, acme, [{ modality: "broadcast", featureSet: ["qa", "chat", "polls", "reactions"] }])

/** How far the page is wider than the window. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test("on a phone everything is behind tabs, nothing is wider than the window, and a text outlives a tab and a turn", async () => {
  const occasion = await everything()
  const viewport = { width: 360, height: 740 }
  const ann = await enter(occasion, "Ann", { viewport, hasTouch: true, isMobile: true })
  expect(await overflowOf(ann)).toBe(0)
  await ann.getByRole("textbox", { name: "Message" }).fill("Half a sentence")
  await ann.getByRole("tab", { name: "Questions" }).tap()
  await ann.getByRole("textbox", { name: "Question" }).fill("And a half")
  expect(await overflowOf(ann)).toBe(0)
  await expectAccessible(ann)
  await ann.getByRole("tab", { name: "Polls" }).tap()
  expect(await overflowOf(ann)).toBe(0)
  await ann.getByRole("tab", { name: "Chat" }).tap()
  expect(await ann.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Half a sentence")
  await ann.setViewportSize({ width: 1200, height: 740 })
  expect(await ann.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Half a sentence")
  await openPanel(ann, "Questions")
  expect(await ann.getByRole("textbox", { name: "Question" }).inputValue()).toBe("And a half")
  await ann.evaluate(() => {
    document.documentElement.style.fontSize = "200%"
  })
  await ann.setViewportSize(viewport)
  expect(await overflowOf(ann)).toBe(0)
  await expectAccessible(ann)
})

test("in a dark scheme the views are as readable", async () => {
  const occasion = await everything()
  const ann = await enter(occasion, "Ann", { colorScheme: "dark" })
  await expectAccessible(ann)
})

/** Lets the test cut the page off the gateway. */
const cuttable = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    window.isCut = false
    window.sockets = []
    const Socket = window.WebSocket
    window.WebSocket = class extends Socket {
      constructor(url: string | URL, protocols?: string | string[]) {
        if (window.isCut) throw new Error("cut")
        super(url, protocols)
        window.sockets.push(this)
      }
    }
  })
}

test("a person who loses the connection is told so, and finds what was missed when it is back; what was sent meanwhile is sent once", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann", { prepare: cuttable })
  await ann.evaluate(() => {
    window.isCut = true
    window.sockets.at(-1)?.close()
  })
  await ann.getByText("The connection was lost. Trying again …").waitFor()
  await host.command("chat.send", { to: "event", text: "You missed this" })
  await ann.getByRole("textbox", { name: "Message" }).fill("Am I here?")
  await ann.getByRole("button", { name: "Send" }).click()
  await ann.evaluate(() => {
    window.isCut = false
    window.dispatchEvent(new Event("online"))
  })
  await ann.getByRole("row", { name: "Hedy: You missed this" }).waitFor()
  await ann.getByRole("row", { name: "Ann: Am I here?" }).waitFor()
  await ann.getByText("The connection was lost. Trying again …").waitFor({ state: "detached" })
  await eventually(() => host.state?.chat.event.length === 2, "both messages at the host")
  expect(host.state?.chat.event.map(({ text }) => text)).toEqual(["You missed this", "Am I here?"])
})

test("two tabs of one person show the same: a vote, a hand, and one person", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const first = await enter(occasion, "Ann")
  const second = await first.context().newPage()
  await second.goto(first.url())
  await second.getByRole("button", { name: "Enter now" }).click()
  await second.getByText("2 people here").waitFor()
  await host.command("question.ask", { text: "Why?" })
  for (const page of [first, second]) await openPanel(page, "Questions")
  await first.getByRole("button", { name: "Vote for: Why? 0 votes" }).click()
  await second.getByRole("button", { name: "Vote for: Why? 1 vote", pressed: true }).waitFor()
  await second.getByRole("button", { name: "Raise hand" }).click()
  await first.getByText("Your hand is up.").waitFor()
  await first.getByRole("button", { name: "Leave" }).click()
  await first.getByRole("button", { name: "Enter now" }).waitFor()
  await second.getByRole("button", { name: "Lower hand" }).click()
  await second.getByRole("button", { name: "Raise hand" }).waitFor()
})
