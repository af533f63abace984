/** An event that is cancelled, as its host and the people who registered see it, and the link by which one of them gives the place free. */
import { expect, test } from "vitest"
import { call } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const register = (eventId: string, email: string) =>
  call(site.server.url, "POST", `/v1/public/events/${eventId}/register`, { body: { name: "Ann", email } })

test("a host cancels an event with a reason, and takes it back", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish")
  const { id } = stage.event
  const read = async () => (await call(site.server.url, "GET", `/v1/events/${id}`, { key: stage.acme.key })).body
  const page = await openConsole(stage, `/host/event/${id}/details`)
  await page.goto(`${site.server.url}/host/event/${id}/details`)
  await page.getByText("A new title, start or end is mailed", { exact: false }).waitFor()
  await page.getByRole("button", { name: "Cancel the event" }).click()
  const dialog = page.getByRole("dialog", { name: "Cancel the event" })
  await dialog.getByRole("textbox", { name: "Reason" }).fill("The speaker is ill.")
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Cancel the event" }).click()
  await page.getByText("The event is cancelled: The speaker is ill.").waitFor()
  await page.getByText("Cancelled", { exact: true }).waitFor()
  await expectAccessible(page)
  expect((await read()).cancelReason).toBe("The speaker is ill.")
  const attendee = await site.open(`/e/${id}`)
  await attendee.getByText("This event is cancelled.").waitFor()
  await attendee.getByText("The speaker is ill.").waitFor()
  expect(await attendee.getByRole("button", { name: "Register" }).count()).toBe(0)
  await expectAccessible(attendee)
  await page.goto(`${site.server.url}/host/workspace/${stage.acme.id}`)
  await page.getByRole("listitem").filter({ hasText: "Launch day" }).getByText("Cancelled").waitFor()
  await page.goto(`${site.server.url}/host/event/${id}/details`)
  await page.getByRole("button", { name: "Take the cancellation back" }).click()
  await page.getByRole("button", { name: "Cancel the event" }).waitFor()
  expect((await read()).cancelledAt).toBeNull()
  await attendee.reload()
  await attendee.getByRole("button", { name: "Register" }).waitFor()
})

test("somebody who cannot come opens the link of the email and presses one button", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish")
  const { id } = stage.event
  const email = `ann-${id}@example.com`
  await register(id, email)
  const [letter] = (await call(site.server.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails
  const registrations = async () =>
    (await call(site.server.url, "GET", `/v1/events/${id}/registrations`, { key: stage.acme.key })).body.registrations
  const page = await site.open(new URL(letter.links[1]).pathname + new URL(letter.links[1]).hash)
  await page.getByText("Ann, you have a place at Launch day.", { exact: false }).waitFor()
  expect(page.url()).not.toContain("token")
  await expectAccessible(page)
  expect(await registrations()).toHaveLength(1)
  await page.getByRole("button", { name: "I cannot come" }).click()
  await page.getByRole("heading", { name: "Your place is free" }).waitFor()
  await expectAccessible(page)
  expect(await registrations()).toEqual([])
})
