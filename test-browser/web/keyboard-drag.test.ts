/** A drag by keyboard while the people of the event come, go and move. */
import { test } from "vitest"
import { shared } from "../../test/support/shared.ts"
import { joinAs, stageWith, until } from "./host-pages.ts"
import { signInByKeys } from "./keyboard-people.ts"
import { openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

test("a person who is dragged by keys stays dragged while others come, move and leave", async () => {
  const stage = await stageWith(site, [{ modality: "breakout", featureSet: ["chat"] }], "publish", "start")
  const [bob, cem] = [await joinAs(stage, "Bob"), await joinAs(stage, "Cem")]
  const hedy = await joinAs(stage, "Hedy", "host")
  const { d } = await hedy.command("breakout.plan", { strategy: "manual", rooms: ["Room 1", "Room 2"], pinned: {} })
  await hedy.command("breakout.open", { planId: d.plan.id, late: "main" })
  const host = await signInByKeys(site, stage.acme, `/host/live/${stage.event.id}/rooms`)
  const { page } = host
  const room = (name: string) => page.getByRole("grid", { name })
  await host.to("row", "Bob")
  await page.keyboard.press("ArrowRight")
  await host.isIn(page.getByRole("button", { name: "Drag: Bob" }))
  await page.keyboard.press("Enter")
  const aim = page.locator('[aria-label="Room 2"][data-drop-target]')
  await page.locator("[data-drop-target]").first().waitFor()

  const dan = await joinAs(stage, "Dan")
  await page.locator(".person-name", { hasText: "Dan" }).waitFor()
  const rooms = hedy.state?.rooms.rooms ?? []
  await hedy.command("breakout.move", { id: cem.state?.me.participantId ?? "", roomId: rooms[0]?.id ?? null })
  await page.locator('[aria-label="Room 1"] .person-name', { hasText: "Cem" }).waitFor()
  dan.close()
  for (let tabs = 0; tabs < 6 && (await aim.count()) === 0; tabs++) await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await until(bob, (state) => state.rooms.assignment?.name === "Room 2")
  await room("Room 2").getByRole("row", { name: "Bob" }).waitFor()
  await host.isSomewhere()
})

test("a person who is moved by somebody else while they are dragged stays dragged", async () => {
  const stage = await stageWith(site, [{ modality: "breakout", featureSet: ["chat"] }], "publish", "start")
  const bob = await joinAs(stage, "Bob")
  const hedy = await joinAs(stage, "Hedy", "host")
  const { d } = await hedy.command("breakout.plan", { strategy: "manual", rooms: ["Room 1", "Room 2"], pinned: {} })
  await hedy.command("breakout.open", { planId: d.plan.id, late: "main" })
  const host = await signInByKeys(site, stage.acme, `/host/live/${stage.event.id}/rooms`)
  const { page } = host
  await host.to("row", "Bob")
  await page.keyboard.press("ArrowRight")
  await host.isIn(page.getByRole("button", { name: "Drag: Bob" }))
  await page.keyboard.press("Enter")
  await page.locator("[data-drop-target]").first().waitFor()
  const rooms = hedy.state?.rooms.rooms ?? []
  await hedy.command("breakout.move", { id: bob.state?.me.participantId ?? "", roomId: rooms[0]?.id ?? null })
  await page.locator('[aria-label="Room 1"] .person-name', { hasText: "Bob" }).waitFor()
  const aim = page.locator('[aria-label="Room 2"][data-drop-target]')
  for (let tabs = 0; tabs < 6 && (await aim.count()) === 0; tabs++) await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await until(bob, (state) => state.rooms.assignment?.name === "Room 2")
  await host.isSomewhere()
})
