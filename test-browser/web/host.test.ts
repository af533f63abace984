/** The console before an event: accounts, workspaces, the agenda, publishing and sharing. */
import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { call, PASSWORD } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { newAddress, openConsole, type Stage, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const REFUSED = /Failed to load resource/

test("somebody makes an account, is asked to confirm the address, signs out and in again", async () => {
  const page = await site.open("/host", { expects: REFUSED })
  await expectAccessible(page)
  await page.getByRole("link", { name: "Create an account" }).click()
  const email = newAddress()
  await page.getByLabel("Name").fill("Hedy")
  await page.getByLabel("E-mail address").fill(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await expectAccessible(page)
  await page.getByRole("button", { name: "Create an account" }).click()
  await page.getByText(`Please confirm ${email}.`, { exact: false }).waitFor()
  // Without mail the link is on the page.
  await page.getByRole("link", { name: "Confirm the address" }).waitFor()
  await page.getByRole("button", { name: "Resend e-mail" }).click()
  await page.getByText("The e-mail is on its way.").waitFor()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Close" }).click()
  await page.reload()
  await page.getByRole("button", { name: "Sign out" }).waitFor()
  expect(await page.getByText(`Please confirm ${email}.`, { exact: false }).count()).toBe(0)
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  await page.getByLabel("E-mail address").fill(email)
  await page.getByLabel("Password").fill("not the password")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("alert").getByText("Incorrect e-mail address", { exact: false }).waitFor()
  // Nothing that was typed is lost.
  expect(await page.getByLabel("E-mail address").inputValue()).toBe(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
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
  await page.getByRole("button", { name: "Create an account" }).click()
  await page.getByText("An account with this address already exists.", { exact: false }).waitFor()
  expect(await page.getByLabel("E-mail address").getAttribute("aria-invalid")).toBe("true")
  await page.goto(`${site.server.url}/host/reset`)
  await page.getByLabel("E-mail address").fill(acme.owner.email)
  await page.getByRole("button", { name: "Send me an e-mail" }).click()
  await page.getByText("an e-mail with a link is on its way", { exact: false }).waitFor()
  await page.getByRole("link", { name: "New password" }).waitFor()
  await expectAccessible(page)
})

test("a workspace is made and its key is shown once", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, "/host/workspaces", { expects: REFUSED })
  await page.goto(`${site.server.url}/host/workspaces`)
  await page.getByLabel("Name").fill("Second")
  await page.getByLabel("Handle").fill("api")
  await page.getByRole("button", { name: "Create" }).click()
  // A reserved word: it is said beside the field, and what was typed stays.
  await page.getByText("This is reserved.").waitFor()
  expect(await page.getByLabel("Handle").getAttribute("aria-invalid")).toBe("true")
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
  await pressButton(page.getByRole("button", { name: "New event" }))
  await page.getByLabel("Title").fill("Planned day")
  const agenda = page.getByRole("grid", { name: "Agenda" })
  await page.getByRole("button", { name: "New phase" }).press("ArrowDown")
  await page.getByRole("option", { name: "Meeting" }).press("Enter")
  await pressButton(page.getByRole("button", { name: "Add", exact: true }))
  await agenda.getByRole("row", { name: "2. Meeting" }).waitFor()
  await page.getByLabel("Minutes", { exact: true }).fill("15")
  await page.getByLabel("Minutes", { exact: true }).press("Tab")
  await agenda.getByText("15 min", { exact: false }).waitFor()
  await expectAccessible(page)
  // The meeting is dragged before the broadcast.
  await pressButton(page.getByRole("button", { name: "Drag: 2. Meeting" }))
  await page.locator(".drop-line[data-drop-target]").waitFor({ state: "attached" })
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("Enter")
  await agenda.getByRole("row", { name: "1. Meeting" }).waitFor()
  // The row takes the focus once more some frames after it was dropped, and would take it from the button.
  const create = page.getByRole("button", { name: "Create" })
  await expect.poll(() => create.evaluate(keepsFocus)).toBe(true)
  await pressButton(create)
  await page.getByRole("heading", { name: "Planned day" }).waitFor()
  const id = /event\/([^/]+)/.exec(page.url())?.[1] ?? ""
  const { body } = await call(site.server.url, "GET", `/v1/events/${id}`, { key: stage.acme.key })
  expect(body.phases.map(({ modality }: { modality: string }) => modality)).toEqual(["meeting", "broadcast"])
  expect(body.phases[0].config).toEqual({ durationSeconds: 900 })
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Publish" }))
  await page.getByRole("link", { name: "Open studio" }).waitFor()
  await page.getByRole("link", { name: "Share" }).press("Enter")
  await pressButton(page.getByRole("button", { name: "Show the join code" }))
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

test("a start in the past is said where the server warns of it, whatever the clock of the browser says", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }])
  const path = `/v1/events/${stage.event.id}`
  const schedule = (scheduledAt: string | null) =>
    call(site.server.url, "PATCH", path, { key: stage.acme.key, body: { scheduledAt } })
  await schedule("2020-06-01T12:00:00Z")
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`)
  await page.clock.setFixedTime("2019-01-01T00:00:00Z")
  await page.reload()
  const notice = page.getByText("The start of this event", { exact: false })
  await notice.waitFor()
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByText("Saved.").waitFor()
  expect(await notice.count()).toBe(1)
  await schedule(null)
  await page.reload()
  await page.getByRole("button", { name: "Save" }).waitFor()
  expect(await notice.count()).toBe(0)
})

test("an event that is over is duplicated as a draft, whose page and settings are shown", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish", "start", "end")
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`)
  await pressButton(page.getByRole("button", { name: "Duplicate" }))
  const title = `${stage.event.title} (copy)`
  await page.getByRole("heading", { name: title }).waitFor()
  const id = /event\/([^/]+)$/.exec(page.url())?.[1] ?? ""
  expect(id).not.toBe(stage.event.id)
  await page.getByRole("grid", { name: "Agenda" }).getByRole("row", { name: "1. Meeting" }).waitFor()
  await page.getByRole("button", { name: "Publish" }).waitFor()
  await expectAccessible(page)
  await page.getByRole("link", { name: "Details" }).press("Enter")
  expect(await page.getByLabel("Title").inputValue()).toBe(title)
  const { body } = await call(site.server.url, "GET", `/v1/events/${id}`, { key: stage.acme.key })
  expect([body.title, body.status]).toEqual([title, "draft"])
})

test("the zone, the place and the description of an event are given and taken back, and a wrong zone is said", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }])
  const path = `/v1/events/${stage.event.id}`
  const older = { metadata: { description: "An older text", crmId: 7 } }
  await call(site.server.url, "PATCH", path, { key: stage.acme.key, body: older })
  const read = async () => (await call(site.server.url, "GET", path, { key: stage.acme.key })).body
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`, { expects: REFUSED })
  const [zone, place, description] = [
    page.getByLabel("Time zone"),
    page.getByLabel("Place", { exact: true }),
    page.getByLabel("Description"),
  ]
  expect([await description.inputValue(), await zone.inputValue()]).toEqual(["An older text", ""])
  await zone.fill("Europe/Atlantis")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByText("Unknown time zone.", { exact: false }).waitFor()
  expect(await zone.getAttribute("aria-invalid")).toBe("true")
  await expectAccessible(page)
  await zone.fill("Europe/Berlin")
  await place.fill("Town hall")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByText("Saved.").waitFor()
  const given = {
    timeZone: "Europe/Berlin",
    location: "Town hall",
    description: "An older text",
    metadata: { crmId: 7 },
  }
  expect(await read()).toMatchObject(given)
  for (const field of [zone, place, description]) await field.fill("")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await expect.poll(read).toMatchObject({ timeZone: null, location: null, description: null, metadata: { crmId: 7 } })
})

test("the language, the picture and the own words of an event are given, and its emails are shown with them", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }])
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`, {
    // The check for accessibility posts messages to the frame, which has no origin.
    expects: new RegExp(`${REFUSED.source}|postMessage`),
  })
  const picture = page.getByLabel("Address of the picture")
  await picture.fill("http://cdn.example.com/a.jpg")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByText("The address must begin with https://", { exact: false }).waitFor()
  expect(await picture.getAttribute("aria-invalid")).toBe("true")
  await picture.fill("")
  await pressButton(page.getByRole("button", { name: "Language of e-mails and the page" }))
  await page.getByRole("listbox").getByRole("option", { name: "Deutsch" }).click()
  await page.getByLabel("Own words in the confirmation").fill("**Bring** a laptop. <script>alert(1)</script>")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByText("Saved.").waitFor()
  const { body } = await call(site.server.url, "GET", `/v1/events/${stage.event.id}`, { key: stage.acme.key })
  expect(body).toMatchObject({
    language: "de",
    coverUrl: null,
    emailTexts: { confirmation: "**Bring** a laptop. <script>alert(1)</script>", reminder: null },
  })
  await pressButton(page.getByRole("button", { name: "Show e-mail" }))
  await page.getByText(`Dein Platz: ${stage.event.title}`).first().waitFor()
  const email = page.frameLocator("iframe.email")
  await email.getByText("Guten Tag Ada Lovelace,").waitFor()
  expect(await email.locator("strong").textContent()).toBe("Bring")
  expect(await email.locator("script").count()).toBe(0)
  await expectAccessible(page)
})

test("when the session is over the page says so, and shows the same event after a new sign-in", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }])
  const page = await openConsole(stage, `/host/event/${stage.event.id}`, { expects: REFUSED })
  await page.getByRole("button", { name: "Publish" }).waitFor()
  await page.context().clearCookies()
  await pressButton(page.getByRole("button", { name: "Publish" }))
  await page.getByRole("alert").getByText("no longer valid", { exact: false }).waitFor()
  await pressButton(page.getByRole("button", { name: "Sign in", exact: true }))
  await page.getByLabel("E-mail address").fill(stage.acme.owner.email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByLabel("Password").press("Enter")
  await pressButton(page.getByRole("button", { name: "Publish" }))
  await page.getByRole("link", { name: "Open studio" }).waitFor()
})

describe("the agenda of a stored event", () => {
  const MEETING = { modality: "meeting" }
  const AGENDA = [{ modality: "broadcast" }, MEETING, { modality: "breakout" }]
  const orderOf = async ({ event, acme }: Stage): Promise<ReadonlyArray<string>> => {
    const { body } = await call(site.server.url, "GET", `/v1/events/${event.id}`, { key: acme.key })
    return body.phases.map(({ modality }: { modality: string }) => modality)
  }
  const rowsOf = (page: Page) => page.getByRole("grid", { name: "Agenda" }).getByRole("row").locator(".phase-name")
  const expectRows = async (page: Page, titles: ReadonlyArray<string>) => {
    await rowsOf(page)
      .nth(titles.length - 1)
      .waitFor()
    for (const [index, title] of titles.entries()) {
      await rowsOf(page)
        .nth(index)
        .getByText(`${index + 1}. ${title}`, { exact: false })
        .waitFor()
    }
    await rowsOf(page).nth(titles.length).waitFor({ state: "detached" })
  }

  test("is put in order by keyboard, and a phase is taken out after a question", async () => {
    const stage = await stageWith(site, AGENDA, "publish")
    const page = await openConsole(stage, `/host/event/${stage.event.id}`)
    await expectRows(page, ["Broadcast", "Meeting", "Breakout rooms"])
    // The last one is dragged to the front.
    const ordered = page.waitForResponse((response) => response.url().endsWith("/phases/order"))
    await page.getByRole("row", { name: "1. Broadcast" }).focus()
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key)
    await page.locator('[aria-label="Drag: 3. Breakout rooms"]:focus').press("Enter")
    await page.locator(".drop-line[data-drop-target]").waitFor({ state: "attached" })
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await expectRows(page, ["Breakout rooms", "Broadcast", "Meeting"])
    expect((await ordered).status()).toBe(200)
    expect(await orderOf(stage)).toEqual(["breakout", "broadcast", "meeting"])
    await page.getByRole("row", { name: "2. Broadcast" }).click()
    await pressButton(page.getByRole("button", { name: "Later" }))
    await expectRows(page, ["Breakout rooms", "Meeting", "Broadcast"])
    await expectAccessible(page)
    await pressButton(page.getByRole("button", { name: "Remove the phase" }))
    const dialog = page.getByRole("dialog", { name: "Remove the phase" })
    await dialog.getByText("The phase “Broadcast” is removed", { exact: false }).waitFor()
    await expectAccessible(page)
    await pressButton(dialog.getByRole("button", { name: "Cancel" }))
    await expectRows(page, ["Breakout rooms", "Meeting", "Broadcast"])
    await pressButton(page.getByRole("button", { name: "Remove the phase" }))
    await pressButton(dialog.getByRole("button", { name: "Remove the phase" }))
    await expectRows(page, ["Breakout rooms", "Meeting"])
    await page.getByText("Select a phase to edit it.").waitFor()
    expect(await orderOf(stage)).toEqual(["breakout", "meeting"])
  })

  test("returns to the order of the server when another host started or changed it meanwhile", async () => {
    const stage = await stageWith(site, AGENDA, "publish")
    const { event, acme } = stage
    const page = await openConsole(stage, `/host/event/${event.id}`, { expects: REFUSED })
    await page.getByRole("row", { name: "1. Broadcast" }).click()
    await page.getByLabel("Minutes", { exact: true }).fill("15")
    await page.getByLabel("Minutes", { exact: true }).press("Tab")
    await call(site.server.url, "POST", `/v1/events/${event.id}/phases`, {
      key: acme.key,
      body: { modality: "rotation" },
    })
    await pressButton(page.getByRole("button", { name: "Later" }))
    await page.getByRole("alert").getByText("Somebody else changed the agenda meanwhile.", { exact: false }).waitFor()
    await expectRows(page, ["Broadcast", "Meeting", "Breakout rooms", "Speed networking"])
    await call(site.server.url, "POST", `/v1/events/${event.id}/start`, { key: acme.key })
    await pressButton(page.getByRole("button", { name: "Later" }))
    await page.getByRole("alert").getByText("The event has started meanwhile.", { exact: false }).waitFor()
    await expectRows(page, ["Broadcast", "Meeting", "Breakout rooms", "Speed networking"])
    await page.getByText("so the order is fixed", { exact: false }).waitFor()
    expect(await page.getByRole("button", { name: "Remove the phase" }).count()).toBe(0)
    // Nothing that was typed is lost.
    expect(await page.getByLabel("Minutes", { exact: true }).inputValue()).toBe("15")
    await expectAccessible(page)
  })

  test("keeps a phase that another host started with while the question was open", async () => {
    const stage = await stageWith(site, AGENDA, "publish")
    const { event, acme } = stage
    const page = await openConsole(stage, `/host/event/${event.id}`, { expects: REFUSED })
    await page.getByRole("row", { name: "2. Meeting" }).click()
    await pressButton(page.getByRole("button", { name: "Remove the phase" }))
    await call(site.server.url, "POST", `/v1/events/${event.id}/start`, { key: acme.key })
    await pressButton(page.getByRole("dialog").getByRole("button", { name: "Remove the phase" }))
    await page.getByRole("alert").getByText("The event has started meanwhile.", { exact: false }).waitFor()
    await expectRows(page, ["Broadcast", "Meeting", "Breakout rooms"])
  })
})
