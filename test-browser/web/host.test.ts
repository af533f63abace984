/** The console before an event: accounts, workspaces, the agenda, publishing and sharing. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, PASSWORD } from "../../test/support/api.ts"
import { newAddress, openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
beforeAll(async () => {
  site = await openWebSite()
})
afterAll(() => site.stop())

const REFUSED = /Failed to load resource/

test("somebody makes an account, is asked to confirm the address, signs out and in again", async () => {
  const page = await site.open("/host", { expects: REFUSED })
  await expectAccessible(page)
  await page.getByRole("link", { name: "Make an account" }).click()
  const email = newAddress()
  await page.getByLabel("Name").fill("Hedy")
  await page.getByLabel("E-mail address").fill(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await expectAccessible(page)
  await page.getByRole("button", { name: "Make an account" }).click()
  await page.getByText(`Your address ${email} is not confirmed.`, { exact: false }).waitFor()
  // Without mail the link is on the page.
  await page.getByRole("link", { name: "Confirm the address" }).waitFor()
  await page.getByRole("button", { name: "Send the letter again" }).click()
  await page.getByText("The letter is on its way.").waitFor()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  await page.getByLabel("E-mail address").fill(email)
  await page.getByLabel("Password").fill("not the password")
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("alert").getByText("do not belong together", { exact: false }).waitFor()
  // Nothing that was typed is lost.
  expect(await page.getByLabel("E-mail address").inputValue()).toBe(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByText("Hedy", { exact: true }).waitFor()
  await page.reload()
  await page.getByText("Hedy", { exact: true }).waitFor()
})

test("an address that is taken is said beside the field, and a new password can be asked for", async () => {
  const { acme } = await stageWith(site, [])
  const page = await site.open("/host/sign-up", { expects: REFUSED })
  await page.getByLabel("Name").fill("Hedy")
  await page.getByLabel("E-mail address").fill(acme.owner.email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByRole("button", { name: "Make an account" }).click()
  await page.getByText("There is an account with this address.", { exact: false }).waitFor()
  expect(await page.getByLabel("E-mail address").getAttribute("aria-invalid")).toBe("true")
  await page.goto(`${site.server.url}/host/reset`)
  await page.getByLabel("E-mail address").fill(acme.owner.email)
  await page.getByRole("button", { name: "Send me a letter" }).click()
  await page.getByText("a letter with a link is on its way", { exact: false }).waitFor()
  await page.getByRole("link", { name: "A new password" }).waitFor()
  await expectAccessible(page)
})

test("a workspace is made and its key is shown once", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, "/host/workspaces", { expects: REFUSED })
  await page.goto(`${site.server.url}/host/workspaces`)
  await page.getByLabel("Name").fill("Second")
  await page.getByLabel("Handle").fill("api")
  await page.getByRole("button", { name: "Create" }).click()
  // A reserved word: the server's reason stands in the form, and what was typed stays.
  await page.getByRole("alert").waitFor()
  expect(await page.getByLabel("Name").inputValue()).toBe("Second")
  await page.getByLabel("Handle").fill("")
  await page.getByRole("button", { name: "Create" }).click()
  await page.getByRole("link", { name: "Second" }).waitFor()
  expect(await page.getByRole("textbox", { name: "Secret of the key" }).inputValue()).toMatch(/^gck_/)
  await expectAccessible(page)
})

/** Whether an element that is given the focus still has it ten frames later. */
const keepsFocus = (element: Element): Promise<boolean> =>
  new Promise((resolve) => {
    ;(element as HTMLElement).focus()
    let left = 10
    const next = () => {
      left -= 1
      if (left > 0) requestAnimationFrame(next)
      else resolve(document.activeElement === element)
    }
    next()
  })

test("an event is planned by keyboard alone, ordered by dragging, published and shared", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}`)
  await page.goto(`${site.server.url}/host/workspace/${stage.acme.id}`)
  await page.getByRole("button", { name: "New event" }).press("Enter")
  await page.getByLabel("Title").fill("Planned day")
  const agenda = page.getByRole("grid", { name: "Agenda" })
  await page.getByRole("button", { name: "Next phase" }).press("ArrowDown")
  await page.getByRole("option", { name: "Meeting" }).press("Enter")
  await page.getByRole("button", { name: "Add", exact: true }).press("Enter")
  await agenda.getByRole("row", { name: "2. Meeting" }).waitFor()
  await page.getByLabel("Minutes", { exact: true }).fill("15")
  await page.getByLabel("Minutes", { exact: true }).press("Tab")
  await agenda.getByText("15 min", { exact: false }).waitFor()
  await expectAccessible(page)
  // The meeting is dragged before the broadcast.
  await page.getByRole("button", { name: "Drag: 2. Meeting" }).press("Enter")
  await page.locator(".drop-line[data-drop-target]").waitFor({ state: "attached" })
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("Enter")
  await agenda.getByRole("row", { name: "1. Meeting" }).waitFor()
  // The row takes the focus once more some frames after it was dropped, and would take it from the button.
  const create = page.getByRole("button", { name: "Create" })
  await expect.poll(() => create.evaluate(keepsFocus)).toBe(true)
  await create.press("Enter")
  await page.getByRole("heading", { name: "Planned day" }).waitFor()
  const id = /event\/([^/]+)/.exec(page.url())?.[1] ?? ""
  const { body } = await call(site.server.url, "GET", `/v1/events/${id}`, { key: stage.acme.key })
  expect(body.phases.map(({ modality }: { modality: string }) => modality)).toEqual(["meeting", "broadcast"])
  expect(body.phases[0].config).toEqual({ durationSeconds: 900 })
  await expectAccessible(page)
  await page.getByRole("button", { name: "Publish" }).press("Enter")
  await page.getByRole("link", { name: "To the live console" }).waitFor()
  await page.getByRole("link", { name: "Share" }).press("Enter")
  await page.getByRole("button", { name: "Show the join code" }).press("Enter")
  expect(await page.getByRole("textbox", { name: "Join code" }).inputValue()).toMatch(/^\w{3,}/)
  await page.getByRole("img", { name: "QR code of the event's link" }).waitFor()
  await expectAccessible(page)
})

test("a phase is changed, and what another host changed meanwhile is said before it is overwritten", async () => {
  const stage = await stageWith(site, [{ modality: "meeting", featureSet: ["qa"] }], "publish")
  const page = await openConsole(stage, `/host/event/${stage.event.id}`)
  await page.getByRole("row", { name: "1. Meeting" }).click()
  await page.getByRole("checkbox", { name: "Chat" }).press("Space")
  const [phase] = stage.event.phases
  await call(site.server.url, "PATCH", `/v1/phases/${phase.id}`, {
    key: stage.acme.key,
    body: { config: { durationSeconds: 60 } },
  })
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Somebody else changed this phase meanwhile", { exact: false }).waitFor()
  expect(await page.getByRole("checkbox", { name: "Chat" }).isChecked()).toBe(true)
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Saved.").waitFor()
  const { body } = await call(site.server.url, "GET", `/v1/events/${stage.event.id}`, { key: stage.acme.key })
  expect(body.phases[0].featureSet).toEqual(["qa", "chat"])
})

test("when the session is over the page says so, and shows the same event after a new sign-in", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }])
  const page = await openConsole(stage, `/host/event/${stage.event.id}`, { expects: REFUSED })
  await page.getByRole("button", { name: "Publish" }).waitFor()
  await page.context().clearCookies()
  await page.getByRole("button", { name: "Publish" }).press("Enter")
  await page.getByRole("alert").getByText("no longer valid", { exact: false }).waitFor()
  await page.getByRole("button", { name: "Sign in" }).press("Enter")
  await page.getByLabel("E-mail address").fill(stage.acme.owner.email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByLabel("Password").press("Enter")
  await page.getByRole("button", { name: "Publish" }).press("Enter")
  await page.getByRole("link", { name: "To the live console" }).waitFor()
})
