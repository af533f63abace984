/** The plain pages behind the links of emails, whose token stands behind the `#`. */
import { expect, test } from "vitest"
import { call, createWorkspace, PASSWORD, signup } from "../../test/support/api.ts"
import { setUpTotp } from "../../test/support/second-factor.ts"
import { shared } from "../../test/support/shared.ts"
import { openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const pathOf = (link: string): string => link.slice(new URL(link).origin.length)

test("an address is confirmed, and a new password is set, and the history of the browser keeps no token", async () => {
  const { url } = site.server
  const { cookie, email } = await signup(url)
  const { verifyUrl } = (await call(url, "POST", "/v1/accounts/resend-verification", { cookie })).body
  const page = await site.open(pathOf(verifyUrl))
  await page.getByRole("button", { name: "Confirm the address" }).waitFor()
  expect(page.url()).toBe(`${url}/verify/open`)
  await page.getByRole("button", { name: "Confirm the address" }).click()
  await page.getByText(`${email} is confirmed.`, { exact: false }).waitFor()
  const history = await (await page.context().newCDPSession(page)).send("Page.getNavigationHistory")
  expect(history.entries.filter((entry) => entry.url.includes("token"))).toEqual([])

  const { resetUrl } = (await call(url, "POST", "/v1/accounts/request-password-reset", { body: { email } })).body
  const reset = await site.open(pathOf(resetUrl))
  await reset.getByLabel("New password", { exact: false }).fill("another correct horse")
  await reset.getByRole("button", { name: "Set the password" }).click()
  await reset.getByRole("heading", { name: "Your password is set" }).waitFor()
})

test("an invitation is accepted by somebody with a second factor, who is a member then", async () => {
  const { url } = site.server
  const owner = await signup(url)
  const acme = await createWorkspace(url, owner)
  const invites = `/v1/workspaces/${acme.id}/invites`
  const { inviteUrl } = (await call(url, "POST", invites, { cookie: owner.cookie, body: { role: "member" } })).body
  const bob = await signup(url, "Bob")
  const { recoveryCodes } = await setUpTotp(url, bob)
  const page = await site.open(pathOf(inviteUrl))
  await page.getByLabel("E-mail").first().fill(bob.email)
  await page.getByLabel("Password").first().fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in and accept" }).click()
  await page.getByLabel("Code of your authenticator app", { exact: false }).fill(recoveryCodes[0] ?? "")
  await page.getByRole("button", { name: "Sign in and accept" }).click()
  await page.getByText("The invitation is accepted.").waitFor()
  const { members } = (await call(url, "GET", `/v1/workspaces/${acme.id}/members`, { cookie: owner.cookie })).body
  expect(members.map(({ email }: { email: string }) => email)).toContain(bob.email)
})
