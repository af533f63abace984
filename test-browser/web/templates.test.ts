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
  await page.getByRole("option", { name: "Workshop with small rooms" }).click()
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
