/** How a host finds an event, a page or an action: in the calendar, and by the command palette. */
import { expect, test } from "vitest"
import { call, createEvent } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const DARK = { colorScheme: "dark" } as const

test("the calendar has each event on its day in the reader's time zone, and turns by a month", async () => {
  const stage = await stageWith(site, [])
  const { url } = site.server
  // In Kolkata this is the first day of the next month.
  await createEvent(url, stage.acme.key, { title: "Late talk", scheduledAt: "2027-03-31T20:00:00.000Z" })
  const early = await createEvent(url, stage.acme.key, { title: "Early talk", scheduledAt: "2027-04-01T02:30:00.000Z" })
  const { key } = stage.acme
  for (const [verb, body] of [["publish"], ["cancel", { reason: "No hall." }]] as const)
    expect((await call(url, "POST", `/v1/events/${early.id}/${verb}`, { key, body })).status).toBe(200)
  await createEvent(url, stage.acme.key, { title: "Without a day" })
  for (const [timezoneId, month, day, times] of [
    ["Asia/Kolkata", "April 2027", "2027-04-01", ["01:30 AM Late talk Draft", "08:00 AM Early talk Cancelled"]],
    ["UTC", "March 2027", "2027-03-31", ["08:00 PM Late talk Draft"]],
  ] as const) {
    const page = await openConsole(stage, `/host/workspace/${stage.acme.id}`, { ...DARK, timezoneId })
    await page.clock.setFixedTime("2027-02-15T12:00:00.000Z")
    await page.reload()
    await page.getByRole("button", { name: "Calendar" }).click()
    await page.getByRole("table", { name: "February 2027" }).waitFor()
    await page.getByText("No events in this month.").waitFor()
    for (const next of ["March 2027", "April 2027"]) {
      await page.getByRole("button", { name: "Next month" }).click()
      await page.getByRole("table", { name: next }).waitFor()
      if (next === month) break
    }
    const shown = page
      .getByRole("cell")
      .filter({ has: page.locator(`[datetime="${day}"]`) })
      .getByRole("listitem")
    await shown.first().waitFor()
    expect((await shown.allTextContents()).map((text) => text.replaceAll(/\s+/g, " "))).toEqual(times)
    await expectAccessible(page)
    await page.getByRole("button", { name: "Today" }).click()
    await page.getByRole("table", { name: "February 2027" }).waitFor()
    await page.context().close()
  }
})

test("the palette opens an event and a page by its name, and takes an action of the studio", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }, { modality: "broadcast" }], "publish", "start")
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}`)
  const find = page.getByRole("textbox", { name: "Find a page, an event or an action" })
  const choose = async (typed: string, item: string) => {
    await page.keyboard.press("Control+k")
    await find.waitFor()
    await find.fill(typed)
    await page.getByRole("menuitem", { name: item }).waitFor()
    await page.keyboard.press("Enter")
    await find.waitFor({ state: "detached" })
  }
  await choose("acme: webh", "Acme: Webhooks")
  await page.getByRole("heading", { name: "Webhooks" }).waitFor()
  await page.getByRole("button", { name: "Go to…" }).click()
  await find.fill("no such thing")
  await page.getByText("Nothing found.").waitFor()
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await find.waitFor({ state: "detached" })
  await choose("launch", "Launch day")
  await page.getByText("Phase 1 of 2: Meeting").waitFor()
  await choose("next", "Next: Broadcast")
  await page.getByText("Phase 2 of 2: Broadcast").waitFor()
  await choose("chat", "Chat")
  await page.getByRole("region", { name: "Chat" }).first().waitFor()
  // Another page closes the palette, whose acts were those of this one.
  await page.keyboard.press("Control+k")
  await find.waitFor()
  await page.goBack()
  await find.waitFor({ state: "detached" })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole("button", { name: "Go to…" }).waitFor()
  await expectAccessible(page)
})
