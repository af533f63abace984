/** Rooms, rounds, lists and the order of the pages by keyboard alone. */
import { test } from "vitest"
import { call, createWorkspace } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { joinAs, stageWith, until } from "./host-pages.ts"
import { enterByKeys, keysOn, signInByKeys } from "./keyboard-people.ts"
import { openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

test("rooms are planned, opened, changed and closed, and rounds started and skipped, by keyboard alone", async () => {
  const stage = await stageWith(
    site,
    [
      { modality: "breakout", featureSet: ["chat"] },
      { modality: "rotation", featureSet: ["chat"] },
    ],
    "publish",
    "start",
  )
  const bob = await joinAs(stage, "Bob")
  const ada = await enterByKeys(stage, "Ada")
  const host = await signInByKeys(site, stage.acme, `/host/live/${stage.event.id}/rooms`)
  const { page } = host
  const here = ada.page
  const room = (name: string) => page.getByRole("grid", { name })

  await host.press("button", "Create rooms")
  await room("Room 1").getByRole("row").first().waitFor()
  for (const name of ["Ada", "Bob"]) {
    // A move of somebody who is there would change the plan at any later moment.
    if ((await room("Room 1").getByRole("row", { name }).count()) > 0) continue
    await host.to("row", name)
    await page.keyboard.press("Enter")
    await page.getByText(`Move ${name} to`).waitFor()
    await host.press("button", "Move")
    await room("Room 1").getByRole("row", { name }).waitFor()
    await host.isIn(page.getByRole("button", { name: "Move", exact: true }))
  }
  await host.press("button", "Open the rooms")
  await here.getByRole("status").getByText("You are in Room 1.").waitFor()
  await page.getByRole("button", { name: "Close the rooms" }).waitFor()
  await host.isIn(page.getByRole("region", { name: "Rooms", exact: true }))
  await ada.press("button", "Ask for help")
  await page.getByRole("status").getByText("Room 1: Ada asks for help", { exact: false }).waitFor()

  // Bob is moved by a drag of keys, once his row has come from the main room.
  await room("Room 1").getByRole("row", { name: "Bob" }).waitFor()
  await host.to("row", "Bob")
  await page.keyboard.press("ArrowRight")
  await host.isIn(page.getByRole("button", { name: "Drag: Bob" }))
  await page.keyboard.press("Enter")
  await page.locator("[data-drop-target]").first().waitFor()
  const aim = page.locator('[aria-label="Room 2"][data-drop-target]')
  for (let tabs = 0; tabs < 4 && (await aim.count()) === 0; tabs++) await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await until(bob, ({ rooms }) => rooms.assignment?.name === "Room 2")
  await room("Room 2").getByRole("row", { name: "Bob" }).waitFor()
  await host.isSomewhere()
  await ada.press("button", "Back to the main room")
  await here.getByText("You are in the main room.").waitFor()
  await ada.isIn(here.getByRole("region", { name: "Breakout rooms" }))

  await host.to("textbox", "Seconds to finish")
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.type("0")
  await host.press("button", "Close the rooms")
  await page.getByRole("button", { name: "Create rooms" }).waitFor()
  await host.isIn(page.getByRole("region", { name: "Rooms", exact: true }))

  await host.press("button", "Next: Speed networking")
  await here.getByRole("status").getByText("Now: Speed networking.").waitFor({ state: "attached" })
  await host.isIn(page.getByRole("region", { name: "Agenda" }))
  await host.press("button", "Start the rotation")
  await here.getByRole("status").getByText("You are meeting Bob.").waitFor()
  await host.isIn(page.getByRole("region", { name: "Speed networking" }))
  await host.press("button", "Pause")
  await page.getByRole("button", { name: "Go on" }).waitFor()
  await host.isSomewhere()
  await host.press("button", "Go on")
  await page.getByRole("button", { name: "Pause" }).waitFor()
  await host.press("button", "Next round")
  await until(bob, ({ rooms }) => (rooms.rotation?.n ?? 0) > 1 || rooms.rotation?.status !== "round")
  await host.isSomewhere()
  await ada.press("button", "Take a break")
  await here.getByText("You are taking a break from the rounds.").waitFor()
  await ada.isIn(here.getByRole("button", { name: "Join again" }))
})

test("a row that goes leaves the focus at its list, and the parts of a phone's page are tabs, by keyboard alone", async () => {
  const acme = await createWorkspace(site.server.url)
  const { id, owner, key } = acme
  const { url } = site.server
  await call(url, "POST", `/v1/workspaces/${id}/invites`, { cookie: owner.cookie, body: { role: "member" } })
  await call(url, "POST", "/v1/webhooks", { key, body: { url: "https://example.com/hook" } })
  const host = await signInByKeys(site, acme, `/host/workspace/${id}`)
  const { page } = host
  await host.press("link", "Members")
  await host.press("button", "Revoke: Anyone with the link")
  await page.getByRole("button", { name: "Revoke: Anyone with the link" }).waitFor({ state: "detached" })
  await host.isIn(page.getByRole("region", { name: "Invites" }))
  await host.press("link", "Webhooks")
  await host.press("button", "Delete: https://example.com/hook")
  await host.press("button", "Delete")
  await page.getByText("No webhooks.").waitFor()
  await host.isIn(page.getByRole("region", { name: "Webhooks" }))

  const phases = [{ modality: "meeting", featureSet: ["qa", "chat"], config: { lobby: "ask" } }]
  const stage = await stageWith(site, phases, "publish", "start")
  const lobby = await signInByKeys(site, stage.acme, `/host/live/${stage.event.id}/lobby`)
  const body = { externalSub: "ada", name: "Ada" }
  const user = await call(url, "POST", "/v1/users", { key: stage.acme.key, body })
  const session = await call(url, "POST", `/v1/users/${user.body.id}/session`, { key: stage.acme.key })
  const ada = await keysOn(
    site.open(`/e/${stage.event.id}`, {
      session: { of: stage.event.id, token: session.body.sessionToken },
      viewport: { width: 360, height: 740 },
    }),
  )
  await ada.press("button", "Enter now")
  await ada.page.getByText("A host will let you in shortly.", { exact: false }).waitFor()
  await lobby.page.getByRole("status").getByText("Lobby (1)").waitFor({ state: "attached" })
  await lobby.press("button", "Let in: Ada")
  await lobby.page.getByText("People who wait: 0").waitFor()
  await lobby.isIn(lobby.page.getByRole("region", { name: "Lobby" }))
  await ada.to("tab", "Chat")
  await ada.page.keyboard.press("ArrowRight")
  await ada.isIn(ada.page.getByRole("tab", { name: "Questions" }))
  await ada.type("Question", "Where is the agenda?")
  await ada.press("button", "Ask")
  await ada.press("button", "Withdraw")
  await ada.page.getByText("No questions yet.").waitFor()
  await ada.isIn(ada.page.getByRole("region", { name: "Questions" }))
})

test("Tab goes through the pages in the order in which they are read", async () => {
  const features = ["qa", "chat", "polls", "reactions", "capture"]
  const stage = await stageWith(site, [{ modality: "broadcast", featureSet: features }], "publish", "start")
  const guest = await joinAs(stage, "Bob")
  await guest.command("question.ask", { text: "Why?" })
  await guest.command("chat.send", { to: "event", text: "Hello" })
  const ada = await enterByKeys(stage, "Ada")
  await ada.to("tab", /^Chat/)
  await ada.page.keyboard.press("ArrowRight")
  await ada.page.getByRole("button", { name: "Vote for: Why? 0 votes" }).waitFor()
  await ada.walk()
  const host = await signInByKeys(site, stage.acme, `/host/live/${stage.event.id}`)
  const { page } = host
  await host.to("row", "Ada")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Ada" }).waitFor()
  await host.walk()
  for (const part of ["Questions", "Chat", "Polls", "Hands and stage", "Broadcast and recording"]) {
    await host.press("link", part)
    await page.getByRole("region", { name: part }).first().waitFor()
    await host.walk()
  }
  await host.press("link", "Event settings")
  await host.isIn(page.getByRole("heading", { level: 1 }))
  for (const part of ["Agenda", "Details", "Share", "Roles", "Exports and recap"]) {
    await host.press("link", part)
    await page.getByRole("region", { name: part }).first().waitFor()
    await host.walk()
  }
})
