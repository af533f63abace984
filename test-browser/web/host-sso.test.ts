/** The login of an organisation in the host console: connected, used by somebody new, required, and away. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, signup, tokenIn } from "../../test/support/api.ts"
import { startIdentityProvider, type TestIdentityProvider } from "../../test/support/identity-provider.ts"
import { rowsOf } from "../../test/support/rows.ts"
import { openConsole, STEP_MS, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton, type WebSite } from "./site.ts"

let idp: TestIdentityProvider
let site: WebSite
beforeAll(async () => {
  idp = await startIdentityProvider()
  site = await openWebSite()
})
afterAll(async () => {
  await site.stop()
  await idp.close()
})

const REFUSED = /Failed to load resource/

test("an owner connects a login, somebody new signs in by it, and members have to", async () => {
  const stage = await stageWith(site, [])
  const { id, owner } = stage.acme
  const domain = `d${randomUUID()}.example`
  const page = await openConsole(stage, `/host/workspace/${id}/settings`, { expects: REFUSED })
  await page.getByLabel("Name of the login").fill("Acme login")
  await page.getByLabel("Issuer (URL)").fill("https://10.0.0.1")
  await page.getByLabel("Client id").fill(idp.clientId)
  await page.getByLabel("Client secret").fill(idp.clientSecret)
  await page.getByLabel("Domains of addresses").fill(domain)
  const add = page.getByRole("button", { name: "Connect", exact: true })
  await pressButton(add)
  await page.getByText("The address must be reachable from the internet.", { exact: false }).waitFor()
  await expectAccessible(page)
  await page.getByLabel("Issuer (URL)").fill(idp.issuer)
  await pressButton(add)
  await page.getByText(`${domain} is proved.`).waitFor()
  const made = await call(site.server.url, "GET", `/v1/workspaces/${id}/connections`, { cookie: owner.cookie })
  idp.register(made.body.connections[0].redirectUri)
  await pressButton(page.getByRole("button", { name: "Check: Acme login" }))
  await pressButton(page.getByRole("button", { name: "Change: Acme login" }))
  const list = page.getByRole("list", { name: "Your organisation's login" })
  await list.getByLabel("Name of the login").fill("Acme staff")
  await list.getByLabel("Domains of addresses").fill(`${domain} staff.${domain}`)
  await expectAccessible(page)
  await pressButton(list.getByRole("button", { name: "Save the login" }))
  await page.getByText(`staff.${domain} is proved.`).waitFor()
  await page.getByRole("button", { name: "Check: Acme staff" }).waitFor()
  const box = page.getByRole("checkbox", { name: /^Members have to sign in by it/ })
  await box.press("Space")
  await page.getByRole("checkbox", { name: /^Members have to sign in by it/, checked: true }).waitFor()
  await expectAccessible(page)

  idp.signInAs({ sub: randomUUID(), email: `grace@${domain}`, email_verified: true, name: "Grace Hopper" })
  const theirs = await site.open("/host/workspaces", { expects: REFUSED })
  theirs.setDefaultTimeout(STEP_MS)
  await pressButton(theirs.getByRole("button", { name: "Sign in with SSO" }))
  const address = theirs.getByLabel("E-mail address").last()
  await address.fill("somebody@nowhere.example")
  await address.press("Enter")
  await theirs.getByText("No workspace has a login for the domain of this address.").waitFor()
  await expectAccessible(theirs)
  await address.fill(`grace@${domain}`)
  await address.press("Enter")
  await theirs.getByRole("link", { name: "Acme", exact: true }).waitFor()
  // This account has neither a password nor a second factor: another sign-in there proves who it is.
  const rows = rowsOf(site.server.databaseUrl)
  const old = `update account_sessions s set proved_at = now() - interval '11 minutes' from account_emails e
                where e.account_id = s.account_id and e.email = $1`
  await rows.run(old, [`grace@${domain}`]).finally(() => rows.end())
  await theirs.goto(new URL("/host/account", site.server.url).href)
  await pressButton(theirs.getByRole("button", { name: "Download your data" }))
  await pressButton(theirs.getByRole("dialog").getByRole("button", { name: "Sign in with SSO" }))
  await theirs.getByRole("dialog").waitFor({ state: "detached" })
  const [download] = await Promise.all([
    theirs.waitForEvent("download"),
    pressButton(theirs.getByRole("button", { name: "Download your data" })),
  ])
  expect(download.suggestedFilename()).toBe("gathercue-account.json")

  const bob = await signup(site.server.url, "Bob")
  const { cookie } = owner
  const { inviteUrl } = (
    await call(site.server.url, "POST", `/v1/workspaces/${id}/invites`, { cookie, body: { role: "admin" } })
  ).body
  const accept = `/v1/invites/${tokenIn(inviteUrl)}/accept`
  expect((await call(site.server.url, "POST", accept, { cookie: bob.cookie })).status).toBe(200)
  const other = await openConsole({ site, acme: { ...stage.acme, owner: bob } }, `/host/workspace/${id}/members`, {
    expects: REFUSED,
  })
  await other.getByText("The members of this workspace sign in", { exact: false }).first().waitFor()
  await pressButton(other.getByRole("button", { name: "Sign in with SSO" }).first())
  await other.getByText("No workspace has a login for the domain of this address.").first().waitFor()
})

test("a login that does not work is told on the page of the sign-in", async () => {
  const page = await site.open("/host?signIn=unreachable")
  page.setDefaultTimeout(STEP_MS)
  await page.getByText("The login of your organisation did not work.", { exact: false }).waitFor()
  await expectAccessible(page)
})
