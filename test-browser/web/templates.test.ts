/** Agendas that a new event begins with. */
import { expect, test } from "vitest"
import { call } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

test("a host begins with a workshop, and gets its agenda", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}`)
  await page.goto(`${site.server.url}/host/workspace/${stage.acme.id}`)
  await page.getByRole("button", { name: "New event" }).click()
  await page.getByLabel("Title").fill("Learning day")
  const template = page.getByRole("button", { name: "Begin with" })
  await template.click()
  await page.getByRole("option", { name: "Speed networking" }).click()
  await page.getByRole("row", { name: "2. Speed networking" }).waitFor()
  await template.click()
  await page.getByRole("option", { name: "Workshop" }).click()
  await page.getByRole("row", { name: "2. Breakout" }).waitFor()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Create" }).click()
  await page.getByRole("heading", { name: "Learning day" }).waitFor()
  const id = /event\/([^/]+)/.exec(page.url())?.[1] ?? ""
  const { body } = await call(site.server.url, "GET", `/v1/events/${id}`, { key: stage.acme.key })
  expect(body.phases.map(({ modality, config }: { modality: string; config: object }) => [modality, config])).toEqual([
    ["meeting", { durationSeconds: 900 }],
    ["breakout", { durationSeconds: 1800, roomSize: 4 }],
    ["meeting", { durationSeconds: 900 }],
  ])
})

test("a new workspace is three presses away from a live event: a template, going live, and the studio is there", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}`)
  await page.getByRole("list", { name: "Start with a template" }).getByRole("button", { name: "Town hall" }).click()
  await page.getByRole("heading", { name: "Town hall" }).waitFor()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Go live now" }).click()
  await page.getByText("Phase 1 of 2: Broadcast").waitFor()
  await expectAccessible(page)
})

test("an event of a later time is asked for before it goes live", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }])
  const { url } = site.server
  const event = `/v1/events/${stage.event.id}`
  await call(url, "PATCH", event, { key: stage.acme.key, body: { scheduledAt: "2099-01-01T10:00:00.000Z" } })
  const page = await openConsole(stage, `/host/event/${stage.event.id}`)
  await page.getByRole("button", { name: "Go live now" }).click()
  const dialog = page.getByRole("dialog", { name: "Go live now" })
  await dialog.getByText("The event is planned for", { exact: false }).waitFor()
  expect((await call(url, "GET", event, { key: stage.acme.key })).body.status).toBe("draft")
  await dialog.getByRole("button", { name: "Go live now" }).click()
  await page.getByText("Phase 1 of 1: Meeting").waitFor()
})

test("a host keeps an event as a template, and a new event begins with its settings, agenda and polls", async () => {
  const stage = await stageWith(site, [
    { modality: "meeting", featureSet: ["polls"], config: { durationSeconds: 600 } },
  ])
  const api = (method: string, path: string, body?: object) =>
    call(site.server.url, method, path, { key: stage.acme.key, ...(body === undefined ? {} : { body }) })
  const path = `/v1/events/${stage.event.id}`
  await api("PATCH", path, { description: "What is new" })
  await api("POST", `${path}/commands`, {
    t: "poll.create",
    d: { question: "Lunch?", kind: "single", options: ["Yes", "No"] },
  })
  const page = await openConsole(stage, `/host/event/${stage.event.id}`)
  await page.getByRole("button", { name: "Create template" }).click()
  await page.getByLabel("Its name").fill("Our launch")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("The template is saved.").waitFor()

  await page.goto(`${site.server.url}/host/workspace/${stage.acme.id}`)
  await page.getByRole("list", { name: "Templates" }).getByRole("link", { name: "Our launch" }).waitFor()
  await page.getByRole("button", { name: "New event" }).click()
  await page.getByLabel("Title").fill("Autumn launch")
  await page.getByRole("button", { name: "Begin with" }).click()
  await page.getByRole("option", { name: "Our launch" }).click()
  await page.getByText("are those of the template", { exact: false }).waitFor()
  await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("What is new")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Create" }).click()
  await page.getByRole("heading", { name: "Autumn launch" }).waitFor()
  const id = /event\/([^/]+)/.exec(page.url())?.[1] ?? ""
  const { body } = await api("GET", `/v1/events/${id}`)
  expect(body).toMatchObject({
    description: "What is new",
    phases: [{ modality: "meeting", config: { durationSeconds: 600 } }],
  })
  expect((await api("GET", `/v1/events/${id}/polls`)).body.polls).toMatchObject([{ question: "Lunch?" }])
})
