/** A host and attendees hold an event by keyboard alone; after each act the focus is somewhere, and it is seen. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createWorkspace, PASSWORD, type Workspace } from "../../test/support/api.ts"
import { joinAs, stageWith, until } from "./host-pages.ts"
import { type Keys, keysOf } from "./keys.ts"
import { type Occasion, openPage } from "./people.ts"
import { openWebSite, type WebSite } from "./site.ts"

let site: WebSite
beforeAll(async () => {
  site = await openWebSite()
})
afterAll(() => site.stop())

const STEP_MS = 20_000

const open = async (page: Promise<Page>): Promise<Keys> => {
  const opened = await page
  opened.setDefaultTimeout(STEP_MS)
  return keysOf(opened)
}

/** The console at a path, after signing in there. */
const signIn = async (acme: Workspace, path: string): Promise<Keys> => {
  const keys = await open(site.open(path))
  await keys.type("E-mail address", acme.owner.email)
  await keys.type("Password", PASSWORD)
  await keys.page.keyboard.press("Enter")
  await keys.page.getByRole("button", { name: "Sign out", exact: true }).waitFor()
  // The title of the page that follows.
  await keys.isIn(keys.page.getByRole("heading", { level: 1 }))
  return keys
}

const enter = async (occasion: Occasion, name: string): Promise<Keys> => {
  const keys = await open(openPage(occasion, name))
  await keys.press("button", "Enter now")
  await keys.page.getByText(/\d+ (?:person|people) here/).waitFor()
  await keys.isIn(keys.page.getByRole("heading", { level: 1, name: "Launch day" }))
  return keys
}

test("an event is made, put in order, published, held, ended and looked back at by keyboard alone", async () => {
  const acme = await createWorkspace(site.server.url)
  const host = await signIn(acme, "/host")
  const { page } = host
  await host.press("link", "Acme")
  await host.isIn(page.getByRole("heading", { name: "Acme" }))
  await host.press("button", "New event")
  await host.isIn(page.getByRole("textbox", { name: "Title" }))
  await host.press("button", "Cancel")
  await host.isIn(page.getByRole("button", { name: "New event" }))
  await page.keyboard.press("Enter")
  await page.keyboard.type("Launch day")
  await host.choose("Who may see it", "everybody (public)")
  await host.choose("Next phase", "Meeting")
  await host.press("button", "Add")
  const agenda = page.getByRole("grid", { name: "Agenda" })
  await agenda.getByRole("row", { name: "2. Meeting" }).waitFor()
  await host.press("checkbox", "Chat", "Space")
  await host.press("button", "Earlier")
  await agenda.getByRole("row", { name: "1. Meeting" }).waitFor()
  await host.isSomewhere()
  await host.press("button", "Create")
  await host.isIn(page.getByRole("heading", { name: "Launch day" }))

  // The broadcast is dragged to the front.
  await host.to("row", /^1\. Meeting/)
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowRight")
  await host.isIn(page.getByRole("button", { name: "Drag: 2. Broadcast" }))
  await page.keyboard.press("Enter")
  await page.locator(".drop-line[data-drop-target]").waitFor({ state: "attached" })
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("Enter")
  await agenda.getByRole("row", { name: "1. Broadcast" }).waitFor()
  await host.isIn(agenda)

  await host.press("button", "Publish")
  await page.getByRole("link", { name: "To the live console" }).waitFor()
  await host.isSomewhere()
  await host.press("link", "Share")
  await host.press("button", "Show the join code")
  await page.getByRole("textbox", { name: "Join code" }).waitFor()
  await host.isIn(page.getByRole("region", { name: "Share" }))

  const id = /event\/([^/]+)/.exec(page.url())?.[1] ?? ""
  const ada = await open(site.open(`/e/${id}`))
  await ada.type("Name", "Cleo")
  await ada.type("E-mail address", "cleo@example.com")
  await ada.press("button", "Register")
  await ada.page.getByText("You have a place.", { exact: false }).waitFor()
  await ada.isIn(ada.page.getByRole("region", { name: "Take a place" }))
  await ada.press("link", "Enter")
  await ada.press("button", "Enter now")
  await ada.isIn(ada.page.getByRole("heading", { level: 1 }))
  await ada.page.getByText("It has not begun yet.", { exact: false }).waitFor()

  await host.press("link", "To the live console")
  await host.isIn(page.getByRole("heading", { name: "Launch day" }))
  await host.press("button", "Go live")
  await page.getByText("Phase 1 of 2: Broadcast").waitFor()
  await host.isIn(page.getByRole("region", { name: "Agenda" }))
  await host.press("button", "Next: Meeting")
  await page.getByText("Phase 2 of 2: Meeting").waitFor()
  await host.isIn(page.getByRole("region", { name: "Agenda" }))
  await ada.page.getByRole("status").getByText("It goes on with: Meeting.").waitFor()

  // A question before the end: Escape takes it away, and its button has the focus again.
  await host.press("button", "End the event")
  const dialog = page.getByRole("dialog", { name: "End the event" })
  await host.isIn(dialog)
  for (let tabs = 0; tabs < 5; tabs++) {
    await page.keyboard.press("Tab")
    await host.isIn(dialog)
  }
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
  await host.isIn(page.getByRole("button", { name: "End the event" }))
  await page.keyboard.press("Enter")
  await host.isIn(dialog)
  await host.press("button", "End the event")
  await page.getByText("The event is over.", { exact: false }).first().waitFor()
  await host.isSomewhere()
  await ada.page.getByText("This event is over.").waitFor()
  await ada.isIn(ada.page.getByRole("heading", { level: 1 }))

  await host.press("link", "To the event's page")
  await host.isIn(page.getByRole("heading", { name: "Launch day" }))
  await host.press("link", "Attendance")
  await page.getByRole("cell", { name: "Cleo", exact: true }).waitFor()
  await host.to("region", "Attendance")
  await host.press("link", "Exports and recap")
  await host.type("Summary", "It was good.")
  await host.press("button", "Save")
  await page.getByText("Saved.").waitFor()
  await host.press("link", "Page of the recap")
  await page.getByText("It was good.").waitFor()
}, 240_000)

test("people talk, ask, vote and come on stage, and a host answers them, by keyboard alone", async () => {
  const talk = { modality: "broadcast", featureSet: ["qa", "chat", "polls", "reactions"], config: { moderated: true } }
  const stage = await stageWith(site, [talk], "publish", "start")
  const ada = await enter(stage, "Ada")
  const host = await signIn(stage.acme, `/host/live/${stage.event.id}`)
  const { page } = host
  const here = ada.page

  await ada.press("button", /people here/)
  const people = here.getByRole("dialog", { name: "People who are here" })
  await ada.isIn(people)
  await here.keyboard.press("Escape")
  await people.waitFor({ state: "detached" })
  await ada.isIn(here.getByRole("button", { name: /people here/ }))

  await ada.press("button", "Applause")
  await ada.type("Message", "Hello from Ada")
  await here.keyboard.press("Enter")
  await here.getByRole("row", { name: "Ada: Hello from Ada" }).waitFor()
  await ada.isIn(here.getByRole("textbox", { name: "Message" }))
  await host.press("link", "Chat")
  await page.getByRole("row", { name: "Ada: Hello from Ada" }).waitFor()
  await host.type("Message", "Hello from the host")
  await host.press("button", "Send")
  await here.getByRole("log").getByText("Hello from the host").waitFor()
  await ada.press("button", "Delete the message")
  await here.getByRole("row", { name: "Ada: Hello from Ada" }).waitFor({ state: "detached" })
  await ada.isSomewhere()

  await ada.type("Question", "When does it ship?")
  await ada.press("button", "Ask")
  await here.getByText("Waits for a host.", { exact: false }).waitFor()
  await page.getByRole("status").getByText("Questions (1)").waitFor({ state: "attached" })
  await host.press("link", "Questions (1)")
  await host.press("button", "Approve: When does it ship?")
  await host.isIn(page.getByRole("region", { name: "Questions" }).first())
  await ada.press("button", "Vote for: When does it ship? 0 votes")
  await here.getByRole("button", { name: "Vote for: When does it ship? 1 vote" }).waitFor()
  await ada.isIn(here.getByRole("button", { name: "Vote for: When does it ship? 1 vote" }))
  await host.press("button", "Answer: When does it ship?")
  await host.type("Answer", "On Monday.")
  await page.keyboard.press("Enter")
  await here.getByText("On Monday.").waitFor()
  await page.getByRole("textbox", { name: "Answer" }).waitFor({ state: "detached" })
  await host.isIn(page.getByRole("listitem"))
  await host.press("button", "Hide: When does it ship?")
  await page.getByRole("button", { name: "Show again: When does it ship?" }).waitFor()
  await host.isIn(page.getByRole("region", { name: "Questions" }).first())

  await host.press("link", "Polls")
  await host.type("Question", "Tea or coffee?")
  await host.type("Answers", "Tea\nCoffee")
  await host.press("button", "New poll")
  await host.press("button", "Open: Tea or coffee?")
  await here.getByRole("status").getByText("A poll is open: Tea or coffee?").waitFor({ state: "attached" })
  await page.getByRole("button", { name: "Close: Tea or coffee?" }).waitFor()
  await host.isIn(page.getByRole("listitem"))
  await ada.to("radio", "Tea")
  await here.keyboard.press("ArrowDown")
  await ada.press("button", "Vote")
  await here.getByText("You have voted.").waitFor()
  await ada.isIn(here.getByRole("listitem"))
  await host.press("button", "Close: Tea or coffee?")
  await page.getByRole("button", { name: "Close: Tea or coffee?" }).waitFor({ state: "detached" })
  await host.isIn(page.getByRole("listitem"))
  await host.press("button", "Publish the results: Tea or coffee?")
  await page.getByRole("button", { name: "Take the results back: Tea or coffee?" }).waitFor()
  await host.press("button", "Delete: Tea or coffee?")
  await host.press("button", "Delete")
  await page.getByText("No polls yet.").waitFor()
  await host.isIn(page.getByRole("region", { name: "Polls" }))

  await ada.press("button", /Raise hand/)
  await here.getByText("Your hand is up.").waitFor()
  await ada.isIn(here.getByRole("button", { name: /Lower hand/ }))
  await page.getByRole("status").getByText("Hands and stage (1)").waitFor({ state: "attached" })
  await host.press("link", "Hands and stage (1)")
  await host.press("button", "Ask on stage: Ada")
  await here.getByRole("status").getByText("You are invited on stage.").waitFor()
  await ada.press("button", "Come on stage")
  await ada.isIn(here.getByRole("region", { name: "You are on stage." }))
  await host.press("button", "Off the stage: Ada")
  await page.getByRole("button", { name: "Off the stage: Ada" }).waitFor({ state: "detached" })
  await host.isIn(page.getByRole("region", { name: "Hands and stage" }))
  await here.getByRole("button", { name: "Leave the stage" }).waitFor({ state: "detached" })

  await host.type("Announcement", "Five minutes left")
  await page.keyboard.press("Enter")
  await here.getByRole("status").getByText("Five minutes left").waitFor()
  await ada.press("button", "Close")
  await ada.isSomewhere()

  await host.press("link", "People")
  await host.to("row", "Ada")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Ada" }).waitFor()
  await host.press("button", "Mute")
  await here.getByText("A host has muted you. You can read along.").waitFor()
  await host.isIn(page.getByRole("button", { name: "Unmute" }))
  await host.press("checkbox", "For good: no way back in", "Space")
  await host.press("button", "Remove: Ada")
  await host.isIn(page.getByRole("dialog"))
  await host.press("button", "Remove")
  await here.getByText("A host has removed you.").waitFor()
  await host.isIn(page.getByRole("region", { name: "People" }).first())
  await host.press("button", "Let back in: Ada")
  await page.getByRole("heading", { name: "Removed for good" }).waitFor({ state: "detached" })
  await host.isIn(page.getByRole("region", { name: "People" }).first())
  await ada.press("button", "Leave")
  await here.getByRole("button", { name: "Enter now" }).waitFor()
  await ada.isIn(here.getByRole("heading", { level: 1 }))
}, 240_000)

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
  const ada = await enter(stage, "Ada")
  const host = await signIn(stage.acme, `/host/live/${stage.event.id}/rooms`)
  const { page } = host
  const here = ada.page
  const room = (name: string) => page.getByRole("grid", { name })

  await host.press("button", "Make a plan")
  await room("Room 1").getByRole("row").first().waitFor()
  for (const name of ["Ada", "Bob"]) {
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
  await ada.press("button", "Call a host")
  await page.getByRole("status").getByText("Room 1: Ada asks for help", { exact: false }).waitFor()

  // Bob is moved by a drag of keys.
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
  await page.getByRole("button", { name: "Make a plan" }).waitFor()
  await host.isIn(page.getByRole("region", { name: "Rooms", exact: true }))

  await host.press("button", "Next: Speed networking")
  await here.getByRole("status").getByText("It goes on with: Speed networking.").waitFor({ state: "attached" })
  await host.isIn(page.getByRole("region", { name: "Agenda" }))
  await host.press("button", "Start the rotation")
  await here.getByRole("status").getByText("You meet Bob.").waitFor()
  await host.isIn(page.getByRole("region", { name: "Speed networking" }))
  await host.press("button", "Pause")
  await page.getByRole("button", { name: "Go on" }).waitFor()
  await host.isSomewhere()
  await host.press("button", "Go on")
  await host.press("button", "Next round")
  await until(bob, ({ rooms }) => (rooms.rotation?.n ?? 0) > 1 || rooms.rotation?.status !== "round")
  await host.isSomewhere()
  await ada.press("button", "Sit out")
  await here.getByText("You sit out the rounds.").waitFor()
  await ada.isIn(here.getByRole("button", { name: "Take part" }))
  const { body } = await call(site.server.url, "GET", `/v1/events/${stage.event.id}`, { key: stage.acme.key })
  expect(body.status).toBe("live")
}, 240_000)

test("a row that goes leaves the focus at its list, and the parts of a phone's page are tabs, by keyboard alone", async () => {
  const acme = await createWorkspace(site.server.url)
  const { id, owner, key } = acme
  const { url } = site.server
  await call(url, "POST", `/v1/workspaces/${id}/invites`, { cookie: owner.cookie, body: { role: "member" } })
  await call(url, "POST", "/v1/webhooks", { key, body: { url: "https://example.com/hook" } })
  const host = await signIn(acme, `/host/workspace/${id}`)
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
  const lobby = await signIn(stage.acme, `/host/live/${stage.event.id}/lobby`)
  const body = { externalSub: "ada", name: "Ada" }
  const user = await call(url, "POST", "/v1/users", { key: stage.acme.key, body })
  const session = await call(url, "POST", `/v1/users/${user.body.id}/session`, { key: stage.acme.key })
  const ada = await open(
    site.open(`/e/${stage.event.id}`, {
      session: { of: stage.event.id, token: session.body.sessionToken },
      viewport: { width: 360, height: 740 },
    }),
  )
  await ada.press("button", "Enter now")
  await ada.page.getByText("You will be let in by a host.", { exact: false }).waitFor()
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
}, 240_000)
