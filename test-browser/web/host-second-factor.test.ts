/** Second factors in the host console: set up, signed in with, required of members, and removed. */
import { expect, onTestFinished, test } from "vitest"
import { call, PASSWORD, signup, tokenIn } from "../../test/support/api.ts"
import { rowsOf } from "../../test/support/rows.ts"
import { codeOf, setUpTotp } from "../../test/support/second-factor.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, STEP_MS, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const REFUSED = /Failed to load resource/

test("an authenticator app is set up with its key, asked for at the next sign-in, and removed", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, "/host/account", { expects: REFUSED })
  await pressButton(page.getByRole("button", { name: "Set up a second factor" }))
  await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor()
  const secret = await page.getByLabel("Or type this key into the app", { exact: true }).inputValue()
  await expectAccessible(page)
  const shown = page.getByLabel("Code that the app shows")
  await shown.fill("000000x")
  await shown.press("Enter")
  await page.getByText("This code is incorrect or has expired.").waitFor()
  await shown.fill(codeOf(secret))
  await shown.press("Enter")
  const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem")
  await codes.nth(9).waitFor()
  const recoveryCode = (await codes.first().textContent()) ?? ""
  await page.getByText("10 recovery codes left.").waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Sign out", exact: true }))
  await page.getByLabel("E-mail address").fill(stage.acme.owner.email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByLabel("Password").press("Enter")
  const code = page.getByLabel("Code", { exact: true })
  await code.fill(codeOf(secret, -5))
  await code.press("Enter")
  await page.getByText("This code is wrong, or was used already.").waitFor()
  await expectAccessible(page)
  await code.fill(recoveryCode)
  await code.press("Enter")
  await page.getByText("9 recovery codes left.").waitFor()
  await pressButton(page.getByRole("button", { name: "New recovery codes" }))
  await codes.nth(9).waitFor()
  expect(await codes.first().textContent()).not.toBe(recoveryCode)
  await pressButton(page.getByRole("button", { name: "Remove the second factor" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Remove the second factor" }))
  await page.getByRole("button", { name: "Set up a second factor" }).waitFor()
})

test("a workspace asks its members for a second factor, and the page of one without leads to it", async () => {
  const stage = await stageWith(site, [])
  const { url } = site.server
  const path = `/v1/workspaces/${stage.acme.id}`
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/settings`, { expects: REFUSED })
  const box = page.getByRole("checkbox", { name: "Members need a second factor" })
  await box.press("Space")
  await page.getByText("Set up a second factor for yourself first.").waitFor()
  await setUpTotp(url, stage.acme.owner)
  await box.press("Space")
  await page.getByRole("checkbox", { name: "Members need a second factor", checked: true }).waitFor()
  await expectAccessible(page)
  const bob = await signup(url, "Bob")
  const { cookie } = stage.acme.owner
  const { inviteUrl } = (await call(url, "POST", `${path}/invites`, { cookie, body: { role: "admin" } })).body
  const token = tokenIn(inviteUrl)
  expect((await call(url, "POST", `/v1/invites/${token}/accept`, { cookie: bob.cookie })).status).toBe(200)
  const theirs = await openConsole(
    { site, acme: { ...stage.acme, owner: bob } },
    `/host/workspace/${stage.acme.id}/members`,
    { expects: REFUSED },
  )
  theirs.setDefaultTimeout(STEP_MS)
  await theirs.getByText("This workspace asks for a second factor.", { exact: false }).first().waitFor()
  await expectAccessible(theirs)
  await theirs.getByRole("link", { name: "Set up a second factor" }).first().press("Enter")
  await theirs.getByRole("button", { name: "Set up a second factor" }).waitFor()
})

test("a key is made, and a list saved as a file, once the person has confirmed who they are", async () => {
  const stage = await stageWith(site, [], "publish")
  const { owner, id } = stage.acme
  const page = await openConsole(stage, `/host/workspace/${id}/keys`, { expects: REFUSED })
  const rows = rowsOf(site.server.databaseUrl)
  onTestFinished(() => rows.end())
  const age = () =>
    rows.run(
      `update account_sessions set created_at = created_at - interval '11 minutes', proved_at = null
        where account_id = $1`,
      [owner.id],
    )
  await age()
  const dialog = page.getByRole("dialog", { name: "Is it still you?" })
  const make = page.getByRole("button", { name: "New key" })
  await pressButton(make)
  const password = dialog.getByLabel("Password")
  await password.fill("not the password")
  await password.press("Enter")
  await dialog.getByText("This is not your password.").waitFor()
  await expectAccessible(page)
  await password.fill(PASSWORD)
  await password.press("Enter")
  await dialog.waitFor({ state: "detached" })
  await page.getByText("Copy it now: it is shown this once.").waitFor()
  await age()
  await pressButton(make)
  await dialog.waitFor()
  await page.keyboard.press("Escape")
  await page.getByText("Confirm your identity first.").waitFor()
  await rows.run("update account_sessions set proved_at = now() where account_id = $1", [owner.id])
  const { secret } = await setUpTotp(site.server.url, owner)
  await age()
  await page.goto(new URL(`/host/event/${stage.event.id}/registrations`, site.server.url).href)
  await pressButton(page.getByRole("button", { name: "As a table (CSV)" }))
  const code = dialog.getByLabel("Code", { exact: true })
  await code.fill(codeOf(secret, 1))
  const [download] = await Promise.all([page.waitForEvent("download"), code.press("Enter")])
  expect(Buffer.concat(await (await download.createReadStream()).toArray()).toString()).toContain("name")
})
