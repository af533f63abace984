/** The account of a host: password, sign-ins, data, deletion; and the owners of a workspace. */
import { expect, test } from "vitest"
import { call, PASSWORD, signup, tokenIn } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { eventually } from "../../test/support/wait.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const REFUSED = /Failed to load resource/

const signInStatus = async (email: string, password: string): Promise<number> =>
  (await call(site.server.url, "POST", "/v1/accounts/login", { body: { email, password } })).status

const isSignedIn = async (cookie: string): Promise<boolean> =>
  (await call(site.server.url, "GET", "/v1/accounts/me", { cookie })).status === 200

test("the password is changed; a wrong one, one that is too short and one that is easy to guess are refused beside their fields", async () => {
  const stage = await stageWith(site, [])
  const { email, cookie } = stage.acme.owner
  const page = await openConsole(stage, "/host/workspaces", { expects: REFUSED })
  await page.getByRole("link", { name: "Ada", exact: true }).press("Enter")
  await page.getByRole("heading", { name: "Your account" }).waitFor()
  const present = page.getByLabel("Current password")
  const next = page.getByLabel("New password")
  await present.fill("not the password")
  await next.fill("a much better password")
  await next.press("Enter")
  await page.getByText("This is not your password.").waitFor()
  await expectAccessible(page)
  expect(await next.inputValue()).toBe("a much better password")
  await present.fill(PASSWORD)
  // The browser counts ten characters, the server five.
  await next.fill("🍎🍐🍊🍋🍌")
  await next.press("Enter")
  await page.getByText("This must have 8 to 256 characters.", { exact: true }).waitFor()
  await next.fill("password1")
  await next.press("Enter")
  await page.getByText("This password is too easy to guess.", { exact: false }).waitFor()
  expect(await page.getByText("This must have 8 to 256 characters.").count()).toBe(0)
  expect(await present.inputValue()).toBe(PASSWORD)
  await next.fill("a much better password")
  await next.press("Enter")
  await page.getByText("The password is changed. You are signed out everywhere else.").waitFor()
  expect(await present.inputValue()).toBe("")
  expect([await signInStatus(email, PASSWORD), await signInStatus(email, "a much better password")]).toEqual([401, 200])
  expect(await isSignedIn(cookie)).toBe(false)
  await pressButton(page.getByRole("button", { name: "Send me an e-mail" }))
  await page.getByText("The e-mail is on its way.").waitFor()
  await page.getByRole("link", { name: "New password" }).waitFor()
})

test("sign-ins are listed and ended: one, all others, and all", async () => {
  const stage = await stageWith(site, [])
  const { email, cookie } = stage.acme.owner
  const page = await openConsole(stage, "/host/account")
  const rows = page.getByRole("list", { name: "Where you are signed in" }).getByRole("listitem")
  await rows.nth(1).waitFor()
  expect(await rows.filter({ hasText: "this browser" }).textContent()).toMatch(/^Chrome\b.*, Linux, since /)
  // The test signed in first, without a browser.
  expect(await rows.filter({ hasText: "Unknown program" }).count()).toBe(1)
  await expectAccessible(page)
  await pressButton(rows.getByRole("button", { name: "Sign out there" }))
  await rows.nth(1).waitFor({ state: "detached" })
  expect(await isSignedIn(cookie)).toBe(false)
  for (let again = 0; again < 2; again++) expect(await signInStatus(email, PASSWORD)).toBe(200)
  await page.reload()
  await rows.nth(2).waitFor()
  await pressButton(page.getByRole("button", { name: "Sign out everywhere else" }))
  await rows.nth(1).waitFor({ state: "detached" })
  expect(await rows.filter({ hasText: "this browser" }).count()).toBe(1)
  expect(await signInStatus(email, PASSWORD)).toBe(200)
  await pressButton(page.getByRole("button", { name: "Sign out everywhere", exact: true }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }))
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  const { body } = await call(site.server.url, "POST", "/v1/accounts/login", { body: { email, password: PASSWORD } })
  expect(body.account.email).toBe(email)
})

test("all that is stored about the account is saved as a file", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, "/host/account")
  const button = page.getByRole("button", { name: "Download your data" })
  const [download] = await Promise.all([page.waitForEvent("download"), pressButton(button)])
  const saved = Buffer.concat(await (await download.createReadStream()).toArray()).toString()
  const kinds = (JSON.parse(saved).items as ReadonlyArray<{ kind: string }>).map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(["account", "address", "session", "workspaceMember"]))
  expect(saved).toContain(stage.acme.owner.email)
})

test("the account is deleted by its password, once nobody's workspace is left without an owner", async () => {
  const stage = await stageWith(site, [])
  const { url } = site.server
  const { email, cookie } = stage.acme.owner
  const page = await openConsole(stage, "/host/account", { expects: REFUSED })
  const password = page.getByLabel("Type your password to confirm")
  const button = page.getByRole("button", { name: "Delete the account" })
  await password.fill("not the password")
  await pressButton(button)
  await page.getByText("This is not your password.").waitFor()
  await password.fill(PASSWORD)
  await pressButton(button)
  await page.getByText("Nobody else owns a workspace of yours.", { exact: false }).waitFor()
  await page.getByRole("link", { name: "Acme" }).waitFor()
  await expectAccessible(page)
  expect(await password.inputValue()).toBe(PASSWORD)
  const { workspaces } = (await call(url, "GET", "/v1/accounts/me", { cookie })).body
  for (const { id, slug } of workspaces) {
    expect((await call(url, "DELETE", `/v1/workspaces/${id}`, { cookie, body: { slug } })).status).toBe(204)
  }
  await pressButton(button)
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  expect(await signInStatus(email, PASSWORD)).toBe(401)
})

test("the only owner cannot leave; a member who is made an owner stays, and then the first one may go", async () => {
  const stage = await stageWith(site, [])
  const { url } = site.server
  const { cookie } = stage.acme.owner
  const bob = await signup(url, "Bob")
  const path = `/v1/workspaces/${stage.acme.id}`
  const { inviteUrl } = (await call(url, "POST", `${path}/invites`, { cookie, body: { role: "member" } })).body
  const token = tokenIn(inviteUrl)
  expect((await call(url, "POST", `/v1/invites/${token}/accept`, { cookie: bob.cookie })).status).toBe(200)
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/members`, { expects: REFUSED })
  const leave = page.getByRole("button", { name: "Leave the workspace" })
  await pressButton(leave)
  const dialog = page.getByRole("dialog")
  await pressButton(dialog.getByRole("button", { name: "Leave the workspace" }))
  await dialog.getByText("You are the only owner.", { exact: false }).waitFor()
  await expectAccessible(page)
  await pressButton(dialog.getByRole("button", { name: "Cancel" }))
  await pressButton(page.getByRole("button", { name: "Make an owner: Bob" }))
  await pressButton(dialog.getByRole("button", { name: "Make an owner" }))
  await page.getByRole("button", { name: "Make an owner: Bob" }).waitFor({ state: "detached" })
  await pressButton(leave)
  await pressButton(dialog.getByRole("button", { name: "Leave the workspace" }))
  await page.getByRole("heading", { name: "Workspaces" }).waitFor()
  await page.getByRole("link", { name: "Acme" }).waitFor({ state: "detached" })
  await eventually(async () => {
    const { members } = (await call(url, "GET", `${path}/members`, { cookie: bob.cookie })).body
    return members.length === 1 && members[0].role === "owner"
  }, "Bob being the only owner")
})
