/** An audience of which the server sends counts alone: its people are asked for page by page. */
import { expect, test } from "vitest"
import type { GatewayClient } from "../../packages/client/src/entry.ts"
import { call } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { joinAs, openConsole, type Stage, stageWith, until } from "./host-pages.ts"
import { enter } from "./people.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

/** More than an event tells by name. */
const CROWD = 253
const AT_ONCE = 20
const LONG_MS = 300_000

const nameOf = (n: number): string => `Person ${String(n).padStart(3, "0")}`

const fill = async (stage: Stage): Promise<ReadonlyArray<GatewayClient>> => {
  const clients: GatewayClient[] = []
  for (let from = 0; from < CROWD; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, CROWD - from) }, (_, n) => from + n)
    clients.push(...(await Promise.all(numbers.map((n) => joinAs(stage, nameOf(n))))))
  }
  return clients
}

const UUID = /[\da-f]{8}-[\da-f]{4}-/

test(
  "hosts and attendees search a large audience, a plan of rooms names its people, and the lobby lets people in",
  async () => {
    const stage = await stageWith(
      site,
      [{ modality: "breakout", featureSet: ["chat"], config: { lobby: "open" } }],
      "publish",
      "start",
    )
    const crowd = await fill(stage)
    const [first] = crowd
    if (first === undefined) throw new Error("nobody came")
    await until(first, ({ presence }) => presence.mode === "summary")
    const page = await openConsole(stage, `/host/live/${stage.event.id}/people`)
    const people = page.getByRole("grid", { name: "People" })
    await people.getByRole("row").first().waitFor()
    const search = page.getByRole("searchbox", { name: "Search" })
    await search.fill(nameOf(CROWD - 1))
    const last = people.getByRole("row", { name: nameOf(CROWD - 1) })
    await last.click()
    await expectAccessible(page)
    await pressButton(page.getByRole("button", { name: "Mute" }))
    await page.getByRole("button", { name: "Unmute" }).waitFor()
    await search.fill("")
    await pressButton(page.getByRole("button", { name: "More" }))
    await expect.poll(() => people.getAttribute("aria-rowcount").then(Number)).toBeGreaterThan(100)

    const attendee = await enter(stage, "Zoe")
    await pressButton(attendee.getByRole("button", { name: /\d+ people here/ }))
    const dialog = attendee.getByRole("dialog", { name: "People who are here" })
    const rows = dialog.getByRole("listitem")
    await rows.nth(99).waitFor()
    await expectAccessible(attendee)
    await pressButton(dialog.getByRole("button", { name: "More" }))
    await rows.nth(100).waitFor()
    await dialog.getByRole("searchbox").fill("Person 25")
    await expect.poll(() => rows.count()).toBe(3)
    await dialog.getByRole("searchbox").fill("Nobody at all")
    await dialog.getByText("Nobody with this name is here.").waitFor()
    await attendee.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })

    await page.getByRole("link", { name: "Rooms" }).press("Enter")
    await pressButton(page.getByRole("button", { name: "Create rooms" }))
    const room = page.getByRole("grid", { name: "Room 1" })
    await room.getByRole("row").first().waitFor()
    // Of a room that is full of people the first ones are in the page, and the others on demand.
    expect(await room.getByRole("row").count()).toBe(50)
    const showMore = page.getByRole("button", { name: /^Show more \(\d+ left\): Room 1$/ })
    await showMore.press("Enter")
    await expect.poll(() => room.getByRole("row").count()).toBe(100)
    await showMore.press("Enter")
    await expect.poll(() => room.getByRole("row").count()).toBeGreaterThan(120)
    expect(await room.evaluate((grid) => grid.contains(document.activeElement))).toBe(true)
    await expect.poll(async () => UUID.test((await page.getByRole("main").textContent()) ?? "")).toBe(false)

    await page.getByRole("link", { name: /^Lobby/ }).press("Enter")
    await pressButton(page.getByRole("button", { name: /everybody comes in/ }))
    await page.getByRole("option", { name: "a host lets people in" }).press("Enter")
    await until(first, ({ lobby }) => lobby.policy === "ask")
    const { url } = site.server
    const { key } = stage.acme
    const user = await call(url, "POST", "/v1/users", { key, body: { externalSub: "late", name: "Latecomer" } })
    const session = await call(url, "POST", `/v1/users/${user.body.id}/session`, { key })
    const late = await site.open(`/e/${stage.event.id}`, {
      session: { of: stage.event.id, token: session.body.sessionToken },
    })
    await late.getByRole("button", { name: "Enter now" }).click()
    await pressButton(page.getByRole("button", { name: "Let in: Latecomer" }))
    await late.getByRole("button", { name: /people here/ }).waitFor()
    await expectAccessible(page)
  },
  LONG_MS,
)
