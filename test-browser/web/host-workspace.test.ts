/** The console of a workspace: members and invites, keys, webhooks with their deliveries, partners, audit. */
import { expect, test } from "vitest"
import { call, createEvent, signup, tokenIn } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const REFUSED = /Failed to load resource/

test("members are invited by a link, given a role and removed, and the audit says so", async () => {
  const stage = await stageWith(site, [])
  const { url } = site.server
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/members`)
  await pressButton(page.getByRole("button", { name: "Invite", exact: true }))
  const link = await page.getByRole("textbox", { name: "Link of the invite" }).inputValue()
  await expectAccessible(page)
  const bob = await signup(url, "Bob")
  const token = tokenIn(link)
  expect((await call(url, "POST", `/v1/invites/${token}/accept`, { cookie: bob.cookie })).status).toBe(200)
  await page.reload()
  await pressButton(page.getByRole("button", { name: /Role: Bob/ }))
  await page.getByRole("option", { name: "admin" }).press("Enter")
  await page.getByRole("button", { name: "admin Role: Bob" }).waitFor()
  const members = async () =>
    (await call(url, "GET", `/v1/workspaces/${stage.acme.id}/members`, { cookie: stage.acme.owner.cookie })).body
      .members
  await pressButton(page.getByRole("button", { name: "Remove: Bob" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Remove" }))
  await page.getByRole("button", { name: "Remove: Bob" }).waitFor({ state: "detached" })
  expect(await members()).toHaveLength(1)
  await page.getByRole("link", { name: "Audit" }).press("Enter")
  await page.getByRole("cell", { name: "member.removed" }).waitFor()
  await expectAccessible(page)
})

test("events are searched by a part of the title and by state", async () => {
  const stage = await stageWith(site, [], "publish")
  await createEvent(site.server.url, stage.acme.key, { title: "Retrospective" })
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}`)
  const titles = page.getByRole("list", { name: "Events" }).getByRole("link")
  await expect.poll(() => titles.allTextContents()).toEqual(["Retrospective", "Launch day"])
  await page.getByRole("searchbox", { name: "Find an event" }).fill("LAUNCH")
  await expect.poll(() => titles.allTextContents()).toEqual(["Launch day"])
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: /State/ }))
  await page.getByRole("option", { name: "Draft" }).press("Enter")
  await page.getByText("No event matches.").waitFor()
  await page.getByRole("searchbox", { name: "Find an event" }).fill("")
  await expect.poll(() => titles.allTextContents()).toEqual(["Retrospective"])
})

test("a key is shown once, revoked and removed", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/keys`)
  await page.getByRole("textbox", { name: "Name" }).fill("Website")
  await pressButton(page.getByRole("button", { name: "New key" }))
  const secret = await page.getByRole("textbox", { name: "Secret of the key" }).inputValue()
  expect((await call(site.server.url, "GET", "/v1/events", { key: secret })).status).toBe(200)
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Revoke: Website" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Revoke" }))
  await pressButton(page.getByRole("button", { name: "Remove: Website" }))
  expect((await call(site.server.url, "GET", "/v1/events", { key: secret })).status).toBe(401)
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Remove" }))
  await page.getByRole("button", { name: "Remove: Website" }).waitFor({ state: "detached" })
})

test("a webhook is made, pinged, and its deliveries are looked at and sent again", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/webhooks`, { expects: REFUSED })
  // An address with a password in it is refused, and what was typed stays.
  await page.getByRole("textbox", { name: "Address" }).fill("https://user:secret@example.com/")
  await pressButton(page.getByRole("button", { name: "New webhook" }))
  await page.getByText("The URL must not carry a user name or password").waitFor()
  expect(await page.getByRole("textbox", { name: "Address" }).inputValue()).toBe("https://user:secret@example.com/")
  // A name that does not exist: every try fails.
  await page.getByRole("textbox", { name: "Address" }).fill("https://hooks.invalid/in")
  await page.getByRole("checkbox", { name: "event.started" }).press("Space")
  await page.getByRole("textbox", { name: "Own headers" }).fill("x-gc-event-id: 1")
  await pressButton(page.getByRole("button", { name: "New webhook" }))
  await page.getByText("is set by the server", { exact: false }).waitFor()
  await page.getByRole("textbox", { name: "Own headers" }).fill("X-Team: a:b\nAuthorization: Bearer of-the-gateway")
  await pressButton(page.getByRole("button", { name: "New webhook" }))
  expect(await page.getByRole("textbox", { name: "Signing secret" }).inputValue()).toMatch(/^whsec_/)
  await pressButton(page.getByRole("button", { name: "Send a ping: https://hooks.invalid/in" }))
  await page.getByText("with x-team, authorization", { exact: false }).waitFor()
  const deliveries = page.getByRole("list", { name: "Deliveries" })
  await deliveries.getByText("ping").waitFor()
  await pressButton(deliveries.getByRole("button", { name: "Tries" }))
  await expectAccessible(page)
  const given = async (): Promise<ReadonlyArray<{ status: string }>> => {
    const { webhooks } = (await call(site.server.url, "GET", "/v1/webhooks", { key: stage.acme.key })).body
    const path = `/v1/webhooks/${webhooks[0].id}/deliveries`
    return (await call(site.server.url, "GET", path, { key: stage.acme.key })).body.deliveries
  }
  await expect.poll(async () => (await given()).map(({ status }) => status)).toEqual(["exhausted"])
  await pressButton(page.getByRole("button", { name: "Refresh" }))
  await deliveries.getByText("given up", { exact: false }).waitFor()
  await pressButton(deliveries.getByRole("button", { name: "Deliver again" }))
  await expect.poll(async () => (await given()).length).toBe(2)
  await deliveries.getByRole("button", { name: "Deliver again" }).nth(1).waitFor()
  await pressButton(page.getByRole("button", { name: "Send examples: https://hooks.invalid/in" }))
  await deliveries.getByText("event.started", { exact: false }).first().waitFor()
  await page.getByLabel("Everything since").fill("2026-01-01T00:00")
  await pressButton(page.getByRole("button", { name: "Deliver all again" }))
  await page.getByText(/on (?:its|their) way again/).waitFor()
  await pressButton(page.getByRole("button", { name: "Delete: https://hooks.invalid/in" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Delete" }))
  await page.getByText("No webhooks.").waitFor()
})

test("a partner is registered and revoked; two keys at once are refused and stay in the form", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/guests`, { expects: REFUSED })
  await page.getByRole("textbox", { name: "Issuer" }).fill("https://partner.example.com")
  await pressButton(page.getByRole("button", { name: "New partner" }))
  await page.getByRole("alert").waitFor()
  await page.getByRole("textbox", { name: "Address of the keys (JWKS)" }).fill("https://partner.example.com/keys")
  await pressButton(page.getByRole("button", { name: "New partner" }))
  await page.getByRole("button", { name: "Revoke: https://partner.example.com" }).waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Revoke: https://partner.example.com" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Revoke" }))
  await page.getByText("No partners.").waitFor()
})

test("the workspace is renamed, and deleted when its handle is typed", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/settings`, { expects: REFUSED })
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Renamed")
  await pressButton(page.getByRole("button", { name: "Save" }).first())
  await page.getByRole("heading", { name: "Renamed" }).waitFor()
  const slug = await page.getByRole("textbox", { name: "Handle", exact: true }).inputValue()
  await expectAccessible(page)
  const again = page.getByRole("textbox", { name: "Type the handle to confirm" })
  await again.fill("another")
  await pressButton(page.getByRole("button", { name: "Delete the workspace" }))
  await page.getByText("The workspace has another handle.").waitFor()
  await again.fill(slug)
  await pressButton(page.getByRole("button", { name: "Delete the workspace" }))
  await page.getByRole("heading", { name: "Workspaces" }).waitFor()
  await page.getByRole("link", { name: "Renamed" }).waitFor({ state: "detached" })
})

test("an owner shows the public list, whose page has a search", async () => {
  const stage = await stageWith(site, [], "publish")
  const body = { scheduledAt: "2099-05-01T18:00:00Z" }
  await call(site.server.url, "PATCH", `/v1/events/${stage.event.id}`, { key: stage.acme.key, body })
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/settings`)
  await page.getByRole("checkbox", { name: "Show the published public events", exact: false }).press("Space")
  const link = await page.getByRole("textbox", { name: "Link of the list" }).inputValue()
  await expectAccessible(page)
  const list = await site.open(new URL(link).pathname)
  await list.getByRole("link", { name: stage.event.title }).waitFor()
  await expectAccessible(list)
  await list.getByRole("searchbox", { name: "Search" }).fill("winter")
  await list.getByRole("button", { name: "Search" }).click()
  await list.getByText("No event to come has this in its title.").waitFor()
})
