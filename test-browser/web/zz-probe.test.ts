/** Probe. */
import { test } from "vitest"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())
test.each([["plain", false], ["after", true]])("%s", async (_name, fills) => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish")
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`)
  if (fills) await page.getByLabel("Places").fill("1")
  await page.getByText("Keep a waiting list when the event is full").click()
  await page.getByLabel("Hours in which a person accepts an offer").waitFor({ timeout: 15_000 })
})
