/** The page of an invitation asks for a second factor as every other sign-in does. */
import { expect, test } from "vitest"
import { call, createWorkspace, PASSWORD, signup, tokenIn } from "../support/api.ts"
import { setUpTotp } from "../support/second-factor.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer()

const submit = (fields: { readonly [name: string]: string }) =>
  fetch(`${server.url}/invite`, { method: "POST", body: new URLSearchParams(fields) })

test("an account with a second factor accepts an invitation after its code, and not with the password alone", async () => {
  const owner = await signup(server.url)
  const acme = await createWorkspace(server.url, owner)
  const invites = `/v1/workspaces/${acme.id}/invites`
  const { inviteUrl } = (await call(server.url, "POST", invites, { cookie: owner.cookie, body: { role: "member" } }))
    .body
  const token = tokenIn(inviteUrl)
  const bob = await signup(server.url, "Bob")
  const [code = "", later = ""] = (await setUpTotp(server.url, bob)).recoveryCodes

  const asked = await submit({ token, action: "signIn", email: bob.email, password: PASSWORD })
  const text = await asked.text()
  expect([asked.status, asked.headers.get("set-cookie"), text.includes("Your code")]).toEqual([200, null, true])
  const [, mfaToken = ""] = /name="mfaToken" value="([^"]+)"/.exec(text) ?? []

  const wrong = await submit({ token, action: "code", mfaToken, code: "000000" })
  expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null])
  expect((await submit({ token, action: "code", mfaToken: "unknown", code })).status).toBe(401)

  const done = await submit({ token, action: "code", mfaToken, code })
  const cookie = done.headers.get("set-cookie")?.split(";")[0] ?? ""
  expect(done.status).toBe(200)
  const { workspaces } = (await call(server.url, "GET", "/v1/accounts/me", { cookie })).body
  expect(workspaces.map(({ id }: { id: string }) => id)).toContain(acme.id)
  // The step is used up.
  expect((await submit({ token, action: "code", mfaToken, code: later })).headers.get("set-cookie")).toBe(null)
})
