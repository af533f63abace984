/** Series in the console: one is made of a new event and of one that is there, published, changed from an event on, and ended. */
import { expect, test } from "vitest"
import { call } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

test("a new event repeats each week, and the series is published, changed and ended from an event on", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}`)
  await pressButton(page.getByRole("button", { name: "New event" }))
  await page.getByLabel("Title").fill("Stand-up")
  await page.getByLabel("Begins").fill("2099-10-20T10:00")
  await pressButton(page.getByRole("button", { name: /^Repeat|Not at all/ }))
  await page.getByRole("option", { name: "Every week" }).press("Enter")
  await page.getByLabel("How often it takes place").fill("3")
  await page.getByLabel("How often it takes place").press("Tab")
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Create" }))
  const events = page.getByRole("list", { name: "Series" }).getByRole("listitem")
  await events.nth(2).waitFor()
  expect(await events.count()).toBe(3)
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Publish all drafts" }))
  await expect.poll(() => events.getByText("Published").count()).toBe(3)

  await events.nth(1).getByRole("link", { name: "Stand-up" }).press("Enter")
  await events.nth(1).locator("strong").waitFor()
  await page.getByLabel("Title").fill("Retrospective")
  await page.getByLabel("Begins at").fill("11:30")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByRole("heading", { name: "Retrospective" }).waitFor()
  const read = async () => {
    const found = await call(site.server.url, "GET", "/v1/series", { key: stage.acme.key })
    const [{ id }] = found.body.series
    return (await call(site.server.url, "GET", `/v1/series/${id}`, { key: stage.acme.key })).body
  }
  const { events: stored } = await read()
  expect(stored.map(({ title }: { title: string }) => title)).toEqual(["Stand-up", "Retrospective", "Retrospective"])
  const times = await page.evaluate(
    (instants: ReadonlyArray<string>) => instants.map((at) => new Date(at).toTimeString().slice(0, 5)),
    stored.map(({ scheduledAt }: { scheduledAt: string }) => scheduledAt),
  )
  expect(times.slice(1)).toEqual(["11:30", "11:30"])
  expect(times[0]).not.toBe("11:30")

  await pressButton(page.getByRole("button", { name: "Cancel this and later" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Cancel this and later" }))
  await expect.poll(() => events.getByText("Cancelled").count()).toBe(2)
  const ended = (await read()).events.map(({ cancelledAt }: { cancelledAt: string | null }) => cancelledAt !== null)
  expect(ended).toEqual([false, true, true])
})

test("an event without a time is told what is missing, and one with a time becomes the first of a series", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }])
  const page = await openConsole(stage, `/host/event/${stage.event.id}/series`)
  await page.getByText("Give the event a time first", { exact: false }).waitFor()
  const body = { scheduledAt: "2099-10-20T10:00:00Z" }
  await call(site.server.url, "PATCH", `/v1/events/${stage.event.id}`, { key: stage.acme.key, body })
  await page.reload()
  await pressButton(page.getByRole("button", { name: "Make a series" }))
  const events = page.getByRole("list", { name: "Series" }).getByRole("listitem")
  await events.nth(9).waitFor()
  expect(await events.count()).toBe(10)
  expect(await events.first().locator("strong").textContent()).toBe("Launch day")
})
