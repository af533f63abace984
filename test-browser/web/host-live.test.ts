/** The live console: steering and moderating over the gateway. */
import { expect, test } from "vitest"
import { activePhase } from "../../packages/client/src/entry.ts"
import { call } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { joinAs, openConsole, stageWith, until } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const TALK = { modality: "broadcast", featureSet: ["qa", "chat", "polls"], config: { durationSeconds: 600 } }

test("a host goes live, extends the time, goes on and ends the event by keyboard alone", async () => {
  const stage = await stageWith(site, [TALK, { modality: "meeting" }], "publish")
  const ada = await joinAs(stage, "Ada")
  const page = await openConsole(stage, `/host/live/${stage.event.id}`)
  await pressButton(page.getByRole("button", { name: "Go live" }))
  await page.getByText("Phase 1 of 2: Broadcast").waitFor()
  await until(ada, ({ event }) => event.status === "live")
  await expectAccessible(page)
  const before = Date.parse(ada.state?.timers[0]?.endsAt ?? "")
  await pressButton(page.getByRole("button", { name: "+1 min" }))
  await until(ada, ({ timers }) => Date.parse(timers[0]?.endsAt ?? "") === before + 60_000)
  await page.getByLabel("Announcement").fill("Welcome!")
  const announced = new Promise<string>((resolve) => ada.on("announcement", ({ text }) => resolve(text)))
  await page.getByLabel("Announcement").press("Enter")
  expect(await announced).toBe("Welcome!")
  await pressButton(page.getByRole("button", { name: "Next: Meeting" }))
  await page.getByText("Phase 2 of 2: Meeting").waitFor()
  await pressButton(page.getByRole("button", { name: "End the event" }))
  const dialog = page.getByRole("dialog", { name: "End the event" })
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
  expect(ada.state?.event.status).toBe("live")
  await pressButton(page.getByRole("button", { name: "End the event" }))
  await pressButton(dialog.getByRole("button", { name: "End the event" }))
  await page.getByText("The event is over.", { exact: true }).waitFor()
  for (const name of ["Announce", "Try again"]) expect(await page.getByRole("button", { name }).count()).toBe(0)
  await page.getByRole("link", { name: "To the event's page" }).press("Enter")
  await page.getByRole("link", { name: "Attendance" }).waitFor()
})

test("of two hosts who go on at once the second is told what the first did", async () => {
  const stage = await stageWith(site, [TALK, { modality: "meeting" }, { modality: "meeting" }], "publish", "start")
  const other = await joinAs(stage, "Other", "host")
  const page = await openConsole(stage, `/host/live/${stage.event.id}`)
  await page.getByText("Phase 1 of 3: Broadcast").waitFor()
  // The second host's page does not hear of the first's step before it sends its own.
  await page.context().setOffline(true)
  await page.getByRole("button", { name: "Next: Meeting" }).click()
  const phase = other.state === undefined ? undefined : activePhase(other.state)
  await other.command("phase.next", { phaseId: phase?.id ?? "" })
  await page.context().setOffline(false)
  await page.getByRole("alert").getByText("the phase is now “Meeting”", { exact: false }).waitFor()
  await page.getByText("Phase 2 of 3: Meeting").waitFor()
})

test("people are searched, given roles, muted, removed for good, and let back in", async () => {
  const stage = await stageWith(site, [{ modality: "meeting", featureSet: ["chat"] }], "publish", "start")
  const zoe = await joinAs(stage, "Zoe")
  await joinAs(stage, "Bob")
  const page = await openConsole(stage, `/host/live/${stage.event.id}/people`)
  const list = page.getByRole("grid", { name: "People" })
  await list.getByRole("row", { name: "Bob" }).waitFor()
  await page.getByLabel("Search").fill("zo")
  await list.getByRole("row", { name: "Bob" }).waitFor({ state: "detached" })
  await list.getByRole("row", { name: "Zoe" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Zoe" }).waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Mute", exact: true }))
  await until(zoe, ({ muted }) => muted !== null)
  await pressButton(page.getByRole("button", { name: "Unmute" }))
  await until(zoe, ({ muted }) => muted === null)
  await pressButton(page.getByRole("button", { name: /Role/ }))
  await page.getByRole("option", { name: "host" }).press("Enter")
  await until(zoe, ({ me }) => me.role === "host")
  await page.getByRole("checkbox", { name: "For good: no way back in" }).press("Space")
  const closed = new Promise<number>((resolve) => zoe.on("closed", ({ code }) => resolve(code)))
  await pressButton(page.getByRole("button", { name: "Remove: Zoe" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Remove" }))
  expect(await closed).toBe(4304)
  await pressButton(page.getByRole("button", { name: "Let back in: Zoe" }))
  await page.getByRole("heading", { name: "Removed for good" }).waitFor({ state: "detached" })
  await zoe.connect()
})

test("a long list of people shows the rows in view alone, and is walked by keyboard", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish", "start")
  for (let n = 10; n < 40; n++) await joinAs(stage, `Guest ${n}`)
  const page = await openConsole(stage, `/host/live/${stage.event.id}/people`)
  const list = page.getByRole("grid", { name: "People" })
  await list.getByRole("row", { name: "Guest 10" }).focus()
  await page.getByText("31 people here").waitFor()
  expect(await list.getByRole("row").count()).toBeLessThan(30)
  await page.keyboard.press("End")
  await list.getByRole("row", { name: "Guest 39" }).waitFor()
})

test("people who wait are let in, turned away, and let in all at once", async () => {
  const stage = await stageWith(site, [{ modality: "meeting", config: { lobby: "ask" } }], "publish", "start")
  const { url } = site.server
  const guest = async (name: string): Promise<string> => {
    const user = await call(url, "POST", "/v1/users", { key: stage.acme.key, body: { externalSub: name, name } })
    return (await call(url, "POST", `/v1/users/${user.body.id}/session`, { key: stage.acme.key })).body.sessionToken
  }
  const page = await openConsole(stage, `/host/live/${stage.event.id}/lobby`)
  await page.getByText("People who wait: 0").waitFor()
  const waiting = await Promise.all(["Ada", "Bob", "Cyd", "Dan"].map(guest))
  const pages = await Promise.all(
    waiting.map((token) => site.open(`/e/${stage.event.id}`, { session: { of: stage.event.id, token } })),
  )
  for (const one of pages) await one.getByRole("button", { name: "Enter now" }).click()
  await page.getByText("People who wait: 4").waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Let in: Ada" }))
  await pages[0]?.getByText(/people here/).waitFor()
  await pressButton(page.getByRole("button", { name: "Turn away: Bob" }))
  await pages[1]?.getByText("The host did not let you in.").waitFor()
  await pressButton(page.getByRole("button", { name: "Let all in" }))
  await page.getByText("People who wait: 0").waitFor()
})

test("questions are approved, pinned, answered and hidden, and a change by another host is said", async () => {
  const stage = await stageWith(site, [{ ...TALK, config: { moderated: true } }], "publish", "start")
  const ada = await joinAs(stage, "Ada")
  const other = await joinAs(stage, "Other", "host")
  await ada.command("question.ask", { text: "When does it ship?" })
  const page = await openConsole(stage, `/host/live/${stage.event.id}/questions`)
  await pressButton(page.getByRole("button", { name: "Approve: When does it ship?" }))
  await until(ada, ({ questions }) => questions.all.some(({ status }) => status === "approved"))
  await pressButton(page.getByRole("button", { name: "Pin: When does it ship?" }))
  await until(ada, ({ questions }) => questions.all.some(({ pinned }) => pinned))
  await pressButton(page.getByRole("button", { name: "Answer: When does it ship?" }))
  await expectAccessible(page)
  await page.getByRole("textbox", { name: "Answer" }).fill("On Monday.")
  const id = ada.state?.questions.all[0]?.id ?? ""
  await page.context().setOffline(true)
  await page.getByRole("textbox", { name: "Answer" }).press("Enter")
  await other.command("question.pin", { id, on: false })
  await page.context().setOffline(false)
  await page.getByRole("alert").getByText("Somebody else changed it meanwhile", { exact: false }).waitFor()
  // The answer that was typed is still there.
  await page.getByRole("textbox", { name: "Answer" }).press("Enter")
  await until(ada, ({ questions }) => questions.all.some(({ answer }) => answer === "On Monday."))
  // The page names the revision that it shows.
  await page.getByText("On Monday.", { exact: true }).waitFor()
  await pressButton(page.getByRole("button", { name: "Hide: When does it ship?" }))
  await pressButton(page.getByRole("button", { name: "Show again: When does it ship?" }))
  await until(ada, ({ questions }) => questions.all.some(({ status }) => status === "answered"))
})

test("the host writes in the chat and slows it down", async () => {
  const stage = await stageWith(site, [TALK], "publish", "start")
  const ada = await joinAs(stage, "Ada")
  const page = await openConsole(stage, `/host/live/${stage.event.id}/chat`)
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Hello")
  await page.keyboard.press("Enter")
  await until(ada, ({ chat }) => chat.event.some(({ text }) => text === "Hello"))
  await page.getByRole("textbox", { name: "Message: Chat of the hosts" }).fill("Between us")
  await page.keyboard.press("Enter")
  await page.getByRole("list", { name: "Chat of the hosts" }).getByText("Between us").waitFor()
  await pressButton(page.getByRole("button", { name: /Slow mode/ }))
  await page.getByRole("option", { name: "one message in 5 s" }).press("Enter")
  await until(ada, ({ chat }) => chat.slowMs === 5000)
  expect(ada.state?.chat.event.map(({ text }) => text)).toEqual(["Hello"])
  await expectAccessible(page)
})
