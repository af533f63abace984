/** The console while something is broadcast, and after the event. */
import { expect, test } from "vitest"
import { call, createPerson, signup, tokenIn } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { joinAs, openConsole, stageWith, until } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const REFUSED = /Failed to load resource/

test("the browser's camera is broadcast while the host looks at other parts, and an encoder gets an address", async () => {
  const stage = await stageWith(
    site,
    [{ modality: "broadcast", featureSet: ["capture", "transcript"] }],
    "publish",
    "start",
  )
  const other = await joinAs(stage, "Other", "host")
  const page = await openConsole(stage, `/host/live/${stage.event.id}/broadcast`)
  await page.getByText("Not on air").waitFor()
  await pressButton(page.getByRole("button", { name: "Go on air" }))
  await until(other, ({ broadcast }) => broadcast?.status === "live")
  await pressButton(page.getByRole("button", { name: "Send this camera" }))
  await until(other, ({ encoder }) => encoder?.state === "receiving")
  await page.getByText("Your picture is being sent.").waitFor()
  await expectAccessible(page)
  await page.getByRole("link", { name: "Chat" }).press("Enter")
  await page.getByRole("link", { name: "Broadcast and recording" }).press("Enter")
  await page.getByText("Your picture is being sent.").waitFor()
  await pressButton(page.getByRole("button", { name: "Stop the camera" }))
  await page.getByRole("button", { name: "Send this camera" }).waitFor()
  await pressButton(page.getByRole("button", { name: "New address" }))
  expect(await page.getByRole("textbox", { name: "Address for a stream (MP4)" }).inputValue()).toMatch(/^http/)
  await pressButton(page.getByRole("button", { name: "Pause" }))
  await until(other, ({ broadcast }) => broadcast?.status === "paused")
  await pressButton(page.getByRole("button", { name: "Go on", exact: true }))
  await until(other, ({ broadcast }) => broadcast?.status === "live")
  await page.getByRole("checkbox", { name: "Recording" }).press("Space")
  await page.getByRole("checkbox", { name: "Captions" }).press("Space")
  await pressButton(page.getByRole("button", { name: "Start", exact: true }))
  await until(other, ({ capture }) => capture.on)
  await pressButton(page.getByRole("button", { name: "Stop", exact: true }))
  await until(other, ({ capture }) => !capture.on)
  await pressButton(page.getByRole("button", { name: "End the broadcast" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "End the broadcast" }))
  await until(other, ({ broadcast }) => broadcast?.status === "ended")
})

test("after the event there are attendance, tables to download, and a summary for the recap", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast", featureSet: ["chat"] }], "publish", "start")
  const { url } = site.server
  await call(url, "POST", `/v1/public/events/${stage.event.id}/register`, {
    body: { name: "Rita", email: "rita@example.com" },
  })
  const zoe = await joinAs(stage, "Zoe")
  await zoe.command("chat.send", { to: "event", text: "Good bye" })
  const page = await openConsole(stage, `/host/event/${stage.event.id}/registrations`, { expects: REFUSED })
  await page.getByText("rita@example.com", { exact: false }).waitFor()
  await pressButton(page.getByRole("button", { name: "Send again: Rita" }))
  await page.getByText("An e-mail to rita@example.com is on its way.").waitFor()
  const bounces = `/v1/workspaces/${stage.acme.id}/bounces`
  const { status } = await call(url, "POST", bounces, { key: stage.acme.key, body: { email: "rita@example.com" } })
  expect(status).toBe(200)
  await page.reload()
  await page.getByText("Takes no e-mails").waitFor()
  expect(await page.getByRole("button", { name: "Send again: Rita" }).count()).toBe(0)
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Send e-mails again: Rita" }))
  await page.getByRole("button", { name: "Send again: Rita" }).waitFor()
  expect(await page.getByText("Takes no e-mails").count()).toBe(0)
  await pressButton(page.getByRole("button", { name: "Cancel: Rita" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Cancel" }).first())
  await page.getByText("No registrations yet.").waitFor()
  await call(url, "POST", `/v1/events/${stage.event.id}/end`, { key: stage.acme.key })
  await page.getByRole("link", { name: "Attendance" }).press("Enter")
  await page.getByRole("cell", { name: "Zoe" }).waitFor()
  const wrote = page.getByRole("meter", { name: "Wrote a message" })
  expect([await wrote.getAttribute("value"), await wrote.getAttribute("max")]).toEqual(["1", "1"])
  await page.getByText("1 of the 1 shown").waitFor()
  await expectAccessible(page)
  await page.reload()
  await page.getByRole("link", { name: "Exports and recap" }).press("Enter")
  const chat = page.getByRole("button", { name: "Chat (CSV)" })
  const [download] = await Promise.all([page.waitForEvent("download"), pressButton(chat)])
  const stream = await download.createReadStream()
  const pieces = await stream.toArray()
  expect(Buffer.concat(pieces).toString()).toContain("Good bye")
  await page.getByLabel("Summary").fill("It was good.")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByText("Saved.").waitFor()
  const recap = await call(url, "GET", `/v1/public/events/${stage.event.id}/recap`)
  expect(recap.body.summary.text).toBe("It was good.")
  await page.getByRole("link", { name: "Recordings" }).press("Enter")
  await page.getByText("No recordings.").waitFor()
  await page.getByText("No clips.").waitFor()
  await expectAccessible(page)
})

test("a member sees that an address takes no emails, and is offered neither to send one nor to take that back", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish")
  const { url } = site.server
  const { id, key } = stage.acme
  const bob = await signup(url, "Bob")
  const { inviteUrl } = (await call(url, "POST", `/v1/workspaces/${id}/invites`, { key, body: { role: "member" } }))
    .body
  await call(url, "POST", `/v1/invites/${tokenIn(inviteUrl)}/accept`, { cookie: bob.cookie })
  const body = { name: "Rita", email: "rita@example.com" }
  await call(url, "POST", `/v1/public/events/${stage.event.id}/register`, { body })
  await call(url, "POST", `/v1/workspaces/${id}/bounces`, { key, body: { email: body.email } })
  const page = await openConsole(
    { site, acme: { ...stage.acme, owner: bob } },
    `/host/event/${stage.event.id}/registrations`,
    { expects: REFUSED },
  )
  await page.getByText("Takes no e-mails").waitFor()
  await page.getByRole("button", { name: "Cancel: Rita" }).waitFor()
  expect(await page.getByRole("button", { name: /again: Rita/ }).count()).toBe(0)
})

test("roles at an event are listed by name, changed and taken", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish")
  const { url } = site.server
  const { key } = stage.acme
  const zoe = await createPerson(url, key, stage.event.id, "participant", "Zoe")
  const page = await openConsole(stage, `/host/event/${stage.event.id}/roles`, { expects: REFUSED })
  const roles = async () =>
    (await call(url, "GET", `/v1/events/${stage.event.id}/memberships`, { key })).body.memberships
  expect(await roles()).toMatchObject([{ userId: zoe.userId, name: "Zoe", email: null, role: "participant" }])
  await pressButton(page.getByRole("button", { name: /Role: Zoe/ }))
  await page.getByRole("option", { name: "speaker" }).press("Enter")
  await page.getByText("No phase of the event has this role.").waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: /Role: Zoe/ }))
  await page.getByRole("option", { name: "host" }).press("Enter")
  await page.getByRole("button", { name: "host Role: Zoe" }).waitFor()
  expect(await roles()).toMatchObject([{ role: "host" }])
  await pressButton(page.getByRole("button", { name: "Remove the role: Zoe" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Remove the role" }))
  await page.getByText("Nobody was given a role.").waitFor()
  expect(await roles()).toEqual([])
})

test("an event is renamed, and deleted after a question", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish")
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`)
  await page.getByLabel("Title").fill("Another day")
  await pressButton(page.getByRole("button", { name: "Save" }))
  await page.getByRole("heading", { name: "Another day" }).waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Delete the event" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Delete the event" }))
  await page.getByText("No events yet.").waitFor()
})

test("the console fits a phone, and speaks German in the dark", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast", featureSet: ["qa"] }], "publish", "start")
  const page = await site.open(`/host/live/${stage.event.id}/questions`, {
    locale: "de-DE",
    colorScheme: "dark",
    viewport: { width: 360, height: 740 },
  })
  await page.getByLabel("E-Mail-Adresse").fill(stage.acme.owner.email)
  await page.getByLabel("Passwort").fill("correct horse battery")
  await page.getByLabel("Passwort").press("Enter")
  await page.getByText("Phase 1 von 1: Übertragung").waitFor()
  await expectAccessible(page)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
})
