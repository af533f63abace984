/** Deployments that take new accounts of invited people alone, or none. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { call, createWorkspace, newEmail, PASSWORD, tokenIn, type Workspace } from "../support/api.ts"
import { startIdentityProvider, type TestIdentityProvider } from "../support/identity-provider.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let idp: TestIdentityProvider
let server: TestServer
let acme: Workspace

const APP = { APP_URL: "https://app.example.com" }

/** A server with the rule on the database of the one before, and a provider that knows where it sends people back to. */
const follow = async (rule: string): Promise<void> => {
  idp = await startIdentityProvider()
  server = await server.restart({
    ...APP,
    SIGNUP: rule,
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: idp.clientId,
    IDP_CLIENT_SECRET: idp.clientSecret,
  })
  idp.register(`${server.url}/v1/auth/idp/callback`)
}

beforeAll(async () => {
  server = await startTestServer(APP)
  acme = await createWorkspace(server.url)
})
afterAll(() => server.stop())

const signup = (fields: object = {}) =>
  call(server.url, "POST", "/v1/accounts/signup", {
    body: { email: newEmail(), password: PASSWORD, name: "Ada", ...fields },
  })
const invite = async (fields: object = {}): Promise<{ readonly id: string; readonly token: string }> => {
  const { body } = await call(server.url, "POST", `/v1/workspaces/${acme.id}/invites`, { key: acme.key, body: fields })
  return { id: body.id, token: tokenIn(body.inviteUrl) }
}
const submit = (token: string, fields: { readonly [name: string]: string }) =>
  fetch(`${server.url}/invite`, { method: "POST", body: new URLSearchParams({ token, ...fields }) })
const newAccount = () => ({ action: "signUp", name: "Ada", email: newEmail(), password: PASSWORD })
const closed = [403, "signup_closed"]
const outcome = ({ status, body }: { readonly status: number; readonly body: { readonly code?: string } }) => [
  status,
  body.code,
]

/** The whole way of a person whom the provider knows; resolves to where the browser is sent. */
const byProvider = async (email: string): Promise<{ readonly to: string | null; readonly hasSession: boolean }> => {
  const callback = `${server.url}/v1/auth/idp/callback`
  idp.signInAs({ sub: randomUUID(), email, email_verified: true, name: "Grace" })
  const begun = await fetch(`${server.url}/v1/auth/idp/start`, { redirect: "manual" })
  const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const address = await idp.walk(begun.headers.get("location") ?? "", callback)
  const answer = await fetch(address, { redirect: "manual", headers: { cookie } })
  const hasSession = answer.headers.getSetCookie().some((set) => set.startsWith("gc_session="))
  return { to: answer.headers.get("location"), hasSession }
}
const CLOSED_TO = { to: "https://app.example.com/?signIn=closed", hasSession: false }
const WELCOME = { to: "https://app.example.com/", hasSession: true }

const rule = async () => (await call(server.url, "GET", "/v1/auth/idp")).body

describe("with SIGNUP=invited", () => {
  beforeAll(async () => {
    await follow("invited")
  })
  afterAll(() => idp.close())

  test("a stranger makes no account, and is told so", async () => {
    expect(await rule()).toEqual({ configured: true, signup: "invited" })
    expect(outcome(await signup())).toEqual(closed)
    expect(outcome(await signup({ inviteToken: "x".repeat(43) }))).toEqual(closed)
    expect(await byProvider(newEmail())).toEqual(CLOSED_TO)
  })

  test("who holds an open invite makes one, by the API and on its page", async () => {
    const { token } = await invite()
    expect((await signup({ inviteToken: token })).status).toBe(201)
    const page = await submit((await invite({ email: newEmail() })).token, newAccount())
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("The invitation is accepted.")])
  })

  test("an invite that was revoked, declined or accepted opens nothing", async () => {
    const [revoked, declined, accepted] = [await invite(), await invite(), await invite()]
    await call(server.url, "DELETE", `/v1/workspaces/${acme.id}/invites/${revoked.id}`, { key: acme.key })
    await call(server.url, "POST", `/v1/invites/${declined.token}/decline`)
    await submit(accepted.token, newAccount())
    for (const { token } of [revoked, declined, accepted]) {
      expect(outcome(await signup({ inviteToken: token }))).toEqual(closed)
    }
  })

  test("to know an invited address is not to be invited, but a provider's word for it is", async () => {
    const email = newEmail()
    await invite({ email })
    expect(outcome(await signup({ email }))).toEqual(closed)
    expect(await byProvider(email.toUpperCase())).toEqual(WELCOME)
  })

  test("who has an account signs in as before", async () => {
    const email = newEmail()
    await signup({ email, inviteToken: (await invite()).token })
    expect((await call(server.url, "POST", "/v1/accounts/login", { body: { email, password: PASSWORD } })).status).toBe(
      200,
    )
    expect(await byProvider(email)).toEqual(WELCOME)
  })
})

describe("with SIGNUP=off", () => {
  beforeAll(async () => {
    await follow("off")
  })
  afterAll(() => idp.close())

  test("nobody makes an account, with an invite neither", async () => {
    const email = newEmail()
    const { token } = await invite({ email })
    expect(await rule()).toEqual({ configured: true, signup: "off" })
    expect(outcome(await signup({ inviteToken: token }))).toEqual(closed)
    expect(await byProvider(email)).toEqual(CLOSED_TO)
    const page = await submit(token, newAccount())
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining("takes no new accounts")])
  })

  test("the page of an invite has the form for signing in alone", async () => {
    const text = await (await fetch(`${server.url}/invite/${(await invite()).token}`)).text()
    expect(text).toContain('value="signIn"')
    expect(text).not.toContain('value="signUp"')
  })
})
