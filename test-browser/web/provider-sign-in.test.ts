/** Sign-in on the host's page through an identity provider, and the ways between the entrances of the server. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startIdentityProvider, type TestIdentityProvider } from "../../test/support/identity-provider.ts"
import { expectAccessible, openWebSite, pressButton, type WebSite } from "./site.ts"

let idp: TestIdentityProvider
let site: WebSite
beforeAll(async () => {
  idp = await startIdentityProvider()
  site = await openWebSite({
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: idp.clientId,
    IDP_CLIENT_SECRET: idp.clientSecret,
  })
  idp.register(`${site.server.url}/v1/auth/idp/callback`)
})
afterAll(async () => {
  await site.stop()
  await idp.close()
})

const BUTTON = "Sign in with your organisation's account"
const REFUSED = /Failed to load resource/

test("somebody signs in at the provider and comes back to the page that they wanted", async () => {
  idp.signInAs({
    sub: randomUUID(),
    email: `grace-${randomUUID()}@example.com`,
    email_verified: true,
    name: "Grace Hopper",
  })
  const page = await site.open("/host/account", { expects: REFUSED })
  await page.getByRole("button", { name: BUTTON }).waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: BUTTON }))
  await page.getByRole("heading", { name: "Your account" }).waitFor()
  expect(new URL(page.url()).pathname).toBe("/host/account")
  await page.getByRole("link", { name: "Grace Hopper", exact: true }).waitFor()
  // This account has no password: its end is confirmed by the sign-in, which is new.
  await pressButton(page.getByRole("button", { name: "Delete the account" }))
  await page.getByText("Nobody else owns a workspace of yours.", { exact: false }).waitFor()
})

test("somebody whom the provider does not sign in is told so where they began", async () => {
  const page = await site.open("/host/workspaces", { expects: REFUSED })
  // As if the person had refused on the provider's page, which sends them back like this.
  await page.route("**/v1/auth/idp/start", (route) =>
    route.fulfill({ status: 302, headers: { location: "/v1/auth/idp/callback?error=access_denied" } }),
  )
  await pressButton(page.getByRole("button", { name: BUTTON }))
  await page.getByText("You were not signed in there.", { exact: false }).waitFor()
  expect(new URL(page.url()).pathname).toBe("/host/workspaces")
  await expectAccessible(page)
})

test("the start page leads to the hosts' page and the documentation, and the hosts' page back", async () => {
  const page = await site.open("/")
  const links = page.getByRole("navigation", { name: "Other pages" })
  await links.getByRole("link", { name: "For hosts" }).waitFor()
  await expectAccessible(page)
  const targets = await links.getByRole("link").evaluateAll((all) => all.map((one) => one.getAttribute("href")))
  expect(targets).toEqual(["/host", "/docs", "/v1/docs"])
  await links.getByRole("link", { name: "For hosts" }).press("Enter")
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  await expectAccessible(page)
  await links.getByRole("link", { name: "Join an event" }).press("Enter")
  await page.getByRole("heading", { name: "Join an event" }).waitFor()
})
