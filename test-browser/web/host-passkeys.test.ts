/** Passkeys in the host console, with Chromium's virtual authenticator. */
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { call, createWorkspace, PASSWORD, tokenIn } from "../../test/support/api.ts"
import { rowsOf } from "../../test/support/rows.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, STEP_MS, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const REFUSED = /Failed to load resource/

/** A key in the device that knows its person. */
const addAuthenticator = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable")
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    /** Whether the person is recognized from now on. */
    recognizes: (isUserVerified: boolean) =>
      session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    credentials: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
  }
}

test("a passkey is made, signs in alone, confirms who somebody is, is renamed and removed", async () => {
  const stage = await stageWith(site, [])
  const { owner } = stage.acme
  // Browsers take no address of numbers for a passkey.
  const console = `http://localhost:${new URL(site.server.url).port}/host/account`
  const page = await openConsole(stage, console, { expects: REFUSED })
  const key = await addAuthenticator(page)
  const name = page.getByLabel("Name of the passkey")
  await name.fill("Laptop")
  await pressButton(page.getByRole("button", { name: "Add a passkey" }))
  const passkeys = page.getByRole("list", { name: "Passkeys" }).getByRole("listitem")
  await passkeys.filter({ hasText: "Laptop" }).waitFor()
  await page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem").nth(9).waitFor()
  expect(await key.credentials()).toMatchObject([{ isResidentCredential: true, rpId: "localhost" }])
  await expectAccessible(page)
  // The device has one already.
  await name.fill("Again")
  await pressButton(page.getByRole("button", { name: "Add a passkey" }))
  await page.getByText("No passkey was made.", { exact: false }).waitFor()

  await pressButton(page.getByRole("button", { name: "Sign out", exact: true }))
  await page.getByLabel("E-mail address").waitFor()
  const { id, owner: inviter } = await createWorkspace(site.server.url)
  const { cookie } = inviter
  const invites = `/v1/workspaces/${id}/invites`
  const { inviteUrl } = (await call(site.server.url, "POST", invites, { cookie, body: { role: "member" } })).body
  await page.goto(new URL(`/invite#token=${tokenIn(inviteUrl)}`, console).href)
  const toAccept = page.getByRole("button", { name: "Sign in with a passkey" })
  await toAccept.waitFor()
  await expectAccessible(page)
  await key.recognizes(false)
  await pressButton(toAccept)
  await page.getByText("The passkey was not accepted").waitFor()
  await key.recognizes(true)
  await pressButton(toAccept)
  await pressButton(page.getByRole("button", { name: /^Accept as / }))
  await page.getByText("The invitation is accepted.").waitFor()
  await page.goto(console)
  const signIn = page.getByRole("button", { name: "Sign in with a passkey" })
  await signIn.waitFor()
  await expectAccessible(page)
  await key.recognizes(false)
  await pressButton(signIn)
  await page.getByText("The passkey was not accepted.", { exact: false }).waitFor()
  await key.recognizes(true)
  await pressButton(signIn)
  await page.getByRole("heading", { name: "Your account" }).waitFor()
  await passkeys.filter({ hasText: "last used" }).waitFor()

  // The password alone is not enough any more; the passkey is, at the second step too.
  await pressButton(page.getByRole("button", { name: "Sign out", exact: true }))
  await page.getByLabel("E-mail address").fill(owner.email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByLabel("Password").press("Enter")
  await page.getByLabel("Code", { exact: true }).waitFor()
  await pressButton(signIn)
  await page.getByRole("heading", { name: "Your account" }).waitFor()

  await pressButton(page.getByRole("button", { name: "Rename: Laptop" }))
  const renamed = passkeys.getByLabel("Name of the passkey")
  await renamed.fill("Old laptop")
  await renamed.press("Enter")
  await passkeys.filter({ hasText: "Old laptop" }).waitFor()
  const rows = rowsOf(site.server.databaseUrl)
  await rows
    .run("update account_sessions set created_at = created_at - interval '11 minutes' where account_id = $1", [
      owner.id,
    ])
    .finally(() => rows.end())
  await pressButton(page.getByRole("button", { name: "Remove: Old laptop" }))
  await pressButton(page.getByRole("dialog").getByRole("button", { name: "Remove" }))
  await pressButton(page.getByRole("button", { name: "Confirm with a passkey" }))
  await passkeys.first().waitFor({ state: "detached" })
  await pressButton(page.getByRole("button", { name: "Sign out", exact: true }))
  await pressButton(signIn)
  await page.getByText("The passkey was not accepted.", { exact: false }).waitFor()
})

test("a browser without passkeys offers none", async () => {
  const page = await site.open("/host", {
    prepare: async (opened) => {
      await opened.addInitScript(() => Reflect.deleteProperty(window, "PublicKeyCredential"))
    },
  })
  page.setDefaultTimeout(STEP_MS)
  await page.getByLabel("E-mail address").waitFor()
  expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0)
})
