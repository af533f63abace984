/** A whole event in browsers: two hosts and six attendees, all four modalities, a cut, a kill and a restart. */
import { cp } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Page } from "playwright-core"
import { expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace } from "../../test/support/api.ts"
import { builtPages, compiled } from "../../test/support/compiled.ts"
import { freePort } from "../../test/support/free-port.ts"
import { type ServerProcess, startServerProcess } from "../../test/support/server-process.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { openConsole } from "./host-pages.ts"
import { enter, untilSeen } from "./people.ts"
import { openBrowser } from "./site.ts"

const ATTENDEES = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
/** Lines that a browser writes to the console by itself when a server is away. */
const AWAY =
  /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|WebSocket connection to|status of 503|ERR_INCOMPLETE_CHUNKED_ENCODING/

/** The server as a process, at one address for its whole life. */
const startHouse = async () => {
  const main = await compiled("src/main.ts")
  await cp(await builtPages(), join(dirname(main), "web-files"), { recursive: true })
  const environment = { PORT: String(await freePort()), DATA_DIR: await temporaryFolder() }
  const start = () => startServerProcess(environment)
  let running: ServerProcess = await start()
  onTestFinished(async () => void (await running.end("SIGKILL")))
  return {
    url: running.url,
    again: async (signal: "SIGKILL" | "SIGTERM") => {
      await running.end(signal)
      running = await start()
    },
  }
}

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("textbox", { name: "Message" }).fill(text)
  await page.getByRole("button", { name: "Send" }).click()
}

test("two hosts and six attendees hold an event over all modalities, through a cut, a kill and a restart", async () => {
  const house = await startHouse()
  const { url } = house
  const browsing = await openBrowser(url)
  onTestFinished(() => browsing.browser.close())
  const site = { ...browsing, server: { url } }
  const acme = await createWorkspace(url)
  const event = await createEvent(url, acme.key, {
    title: "Launch day",
    visibility: "public",
    phases: [
      { modality: "broadcast", featureSet: ["qa", "chat", "polls", "reactions"], config: { durationSeconds: 900 } },
      { modality: "meeting", featureSet: ["chat"] },
      { modality: "breakout", featureSet: ["chat"] },
      { modality: "rotation", featureSet: ["chat"] },
    ],
  })
  await call(url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
  const stage = { site, acme, event }
  const host = await openConsole(stage, `/host/live/${event.id}`, { expects: AWAY })
  const second = await openConsole(stage, `/host/live/${event.id}`, { expects: AWAY })
  await host.getByRole("button", { name: "Go live" }).click()
  await second.getByText("Phase 1 of 4: Broadcast").waitFor()

  const pages: Page[] = []
  for (const name of ATTENDEES) pages.push(await enter(stage, name, { expects: AWAY }))
  const phone = await enter(stage, "Pia", { ...PHONE, expects: AWAY })
  const everybody = [...pages, phone]
  const [ada, ben] = pages as [Page, Page]
  // Two pages of one account are one person.
  await ada.getByText("7 people here").waitFor()

  await say(ada, "Hello from Ada")
  for (const page of everybody) await page.getByText("Hello from Ada").first().waitFor()

  // A kill: everybody comes back by themselves, and nothing that was said is lost.
  await house.again("SIGKILL")
  await say(ben, "Still here")
  for (const page of everybody) await page.getByText("Still here").first().waitFor()
  await ada.getByText("Hello from Ada").first().waitFor()

  await host.getByRole("button", { name: "Next: Meeting" }).click()
  await second.getByText("Phase 2 of 4: Meeting").waitFor()
  for (const page of [ada, ben]) await page.getByRole("button", { name: "Join with camera and microphone" }).click()
  await untilSeen(ada, "Ben")
  await untilSeen(ben, "Ada")

  // A cut of one network: what was missed comes, in order and once.
  const cut = pages[2] as Page
  await cut.context().setOffline(true)
  for (const text of ["one", "two", "three"]) await say(ada, `Missed ${text}`)
  await cut.context().setOffline(false)
  await cut.locator(".chat-text", { hasText: "Missed three" }).waitFor()
  const shown = (await cut.locator(".chat-text").allTextContents()).join(" ")
  const missed = Array.from(shown.matchAll(/Missed \w+/g), ([text]) => text)
  expect(missed).toEqual(["Missed one", "Missed two", "Missed three"])

  await second.getByRole("button", { name: "Next: Breakout rooms" }).click()
  await host.getByText("Phase 3 of 4: Breakout rooms").waitFor()
  await host.goto(`${url}/host/live/${event.id}/rooms`)
  await host.getByRole("button", { name: "Create rooms" }).click()
  await host.getByRole("button", { name: "Open the rooms" }).click()
  for (const page of everybody) await page.getByText(/You are in Room \d/).waitFor()
  const rooms = () => Promise.all(pages.map((page) => page.getByText(/You are in Room \d/).textContent()))
  const before = await rooms()
  // A restart: everybody is in the room that they were in.
  await house.again("SIGTERM")
  await phone.getByRole("button", { name: "Back to the main room" }).click()
  await phone.getByText("You are in the main room.").waitFor()
  await say(ada, "After the restart")
  await ada.getByText("After the restart").first().waitFor()
  expect(await rooms()).toEqual(before)

  await host.getByRole("button", { name: "Next: Speed networking" }).click()
  await host.getByRole("button", { name: "Start the rotation" }).click()
  for (const page of everybody) await page.getByText(/You are meeting /).waitFor()

  await host.getByRole("button", { name: "End the event" }).click()
  await host.getByRole("dialog").getByRole("button", { name: "End the event" }).click()
  for (const page of everybody)
    await page
      .getByText(/is over/)
      .first()
      .waitFor()
  await second.getByText("The event is over.", { exact: false }).first().waitFor()
}, 600_000)
