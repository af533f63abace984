/** Sign-in through an external identity provider, end to end against a real one. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { call, signup, tokenIn } from "../support/api.ts"
import { cookieNamed } from "../support/connections.ts"
import { type Person, startIdentityProvider, type TestIdentityProvider } from "../support/identity-provider.ts"
import { codeOf, setUpTotp } from "../support/second-factor.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { ownServer } from "../support/shared.ts"

let idp: TestIdentityProvider
let server: TestServer
let callback: string
beforeAll(async () => {
  idp = await startIdentityProvider()
  server = await startTestServer({
    APP_URL: "https://app.example.com",
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: idp.clientId,
    IDP_CLIENT_SECRET: idp.clientSecret,
  })
  callback = `${server.url}/v1/auth/idp/callback`
  idp.register(callback)
})
afterAll(async () => {
  await server.stop()
  await idp.close()
})

const get = (url: string, cookie = "") => fetch(url, { redirect: "manual", headers: { cookie } })

const begin = async () => {
  const answer = await get(`${server.url}/v1/auth/idp/start`)
  return { answer, location: answer.headers.get("location") ?? "", trip: cookieNamed(answer, "gc_idp") }
}

/** The whole way; resolves to the last answer and the session it set. */
const signInAs = async (person: Person) => {
  idp.signInAs(person)
  const { location, trip } = await begin()
  const answer = await get(await idp.walk(location, callback), trip)
  return { answer, session: cookieNamed(answer, "gc_session") }
}

const person = (fields: Partial<Person> = {}): Person => ({
  sub: randomUUID(),
  email: `${randomUUID()}@example.com`,
  email_verified: true,
  name: "Grace Hopper",
  ...fields,
})

const me = async (session: string) => (await call(server.url, "GET", "/v1/accounts/me", { cookie: session })).body

describe("starting", () => {
  test("is offered to anybody who asks", async () => {
    const { status, body } = await call(server.url, "GET", "/v1/auth/idp")
    expect([status, body]).toEqual([200, { configured: true, signup: "open" }])
  })

  test("sends the browser to the provider with state, nonce and a PKCE challenge", async () => {
    const { answer, location } = await begin()
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "no-store"])
    const asked = new URL(location)
    expect(asked.origin).toBe(idp.issuer)
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      redirect_uri: callback,
      response_type: "code",
      code_challenge_method: "S256",
      state: expect.stringMatching(/^.{20,}$/),
      nonce: expect.stringMatching(/^.{20,}$/),
    })
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^gc_idp=[\w-]+; Path=\/v1\/auth\/idp; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
  })
})

describe("coming back", () => {
  test("makes an account with a verified address and a workspace, and signs it in at the application", async () => {
    const grace = person()
    const { answer, session } = await signInAs(grace)
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://app.example.com/"])
    const view = await me(session)
    expect(view.account).toMatchObject({ name: "Grace Hopper", email: grace.email, emailVerified: true })
    expect(view.workspaces).toHaveLength(1)
  })

  test("asks for a code where the account has a second factor, and sets no cookie before", async () => {
    const grace = person()
    const { session } = await signInAs(grace)
    const { secret } = await setUpTotp(server.url, { cookie: session })
    const { answer, session: early } = await signInAs(grace)
    const location = new URL(answer.headers.get("location") ?? "")
    expect([answer.status, `${location.origin}${location.pathname}${location.search}`, early]).toEqual([
      302,
      "https://app.example.com/?signIn=code",
      "",
    ])
    const mfaToken = new URLSearchParams(location.hash.slice(1)).get("mfaToken")
    const body = { mfaToken, code: codeOf(secret, 1) }
    const done = await call(server.url, "POST", "/v1/accounts/login/code", { body })
    expect([done.status, done.body.account.email]).toEqual([200, grace.email])
  })

  test("a second time signs in the same account, whatever its address has become", async () => {
    const grace = person()
    const first = await me((await signInAs(grace)).session)
    const second = await me((await signInAs({ ...grace, email: "moved@example.com", email_verified: false })).session)
    expect(second.account.id).toBe(first.account.id)
  })

  test("links an account whose address both sides have proved", async () => {
    const account = await signup(server.url)
    const again = await call(server.url, "POST", "/v1/accounts/resend-verification", { cookie: account.cookie })
    const token = tokenIn(again.body.verifyUrl)
    await call(server.url, "POST", "/v1/accounts/verify", { body: { token } })
    const { session } = await signInAs(person({ email: account.email.toUpperCase() }))
    expect((await me(session)).account.id).toBe(account.id)
  })

  test("gives an account that nobody has proved to whom the provider knows by the address, and to nobody else", async () => {
    const account = await signup(server.url)
    const claiming = await signInAs(person({ email: account.email, email_verified: false }))
    expect([claiming.answer.status, claiming.session]).toEqual([400, ""])
    expect((await call(server.url, "GET", "/v1/accounts/me", account)).status).toBe(200)
    const { session } = await signInAs(person({ email: account.email }))
    expect((await me(session)).account).toMatchObject({ id: account.id, emailVerified: true })
    expect((await call(server.url, "GET", "/v1/accounts/me", account)).status).toBe(401)
  })

  test("makes no account for an address that the provider has not proved", async () => {
    const claimed = await signInAs(person({ email_verified: false }))
    expect([claimed.answer.status, claimed.session]).toEqual([400, ""])
    const nameless = await signInAs({ sub: randomUUID() })
    expect([nameless.answer.status, nameless.session]).toEqual([400, ""])
  })

  test("is refused for names and addresses that no account may have", async () => {
    for (const odd of [{ email: "" }, { email: `${"x".repeat(400)}@example.com` }, { email: "a\u0000@example.com" }]) {
      const { answer, session } = await signInAs(person(odd))
      expect([answer.status, session]).toEqual([400, ""])
    }
    const { answer, session } = await signInAs(person({ name: "Grace\u0000\r\nHopper" }))
    expect([answer.status, (await me(session)).account.name]).toEqual([302, "Grace Hopper"])
  })

  test("is refused with another browser's answer, another state, a used code, or no cookie", async () => {
    idp.signInAs(person())
    const [mine, theirs] = [await begin(), await begin()]
    const back = await idp.walk(mine.location, callback)
    const tampered = new URL(back)
    tampered.searchParams.set("state", "another")
    const attempts = [
      await get(back, theirs.trip),
      await get(back),
      await get(back, "gc_idp=garbage"),
      await get(tampered.href, mine.trip),
    ]
    expect(attempts.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(attempts.map((answer) => cookieNamed(answer, "gc_session"))).toEqual(["", "", "", ""])
    const { location, trip } = await begin()
    const good = await idp.walk(location, callback)
    expect((await get(good, trip)).status).toBe(302)
    expect((await get(good, trip)).status).toBe(400)
  })

  test("is refused when the way took longer than ten minutes", async () => {
    idp.signInAs(person())
    const now = Date.now
    const begunBefore = async (seconds: number) => {
      const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - seconds * 1000)
      const { location, trip } = await begin().finally(() => clock.mockRestore())
      return (await get(await idp.walk(location, callback), trip)).status
    }
    expect([await begunBefore(590), await begunBefore(600)]).toEqual([302, 400])
  })

  test("after a refusal goes back to the application, signed out; nothing in the query chooses another place", async () => {
    const { trip } = await begin()
    const answer = await get(`${callback}?error=access_denied&next=https://evil.example&state=x`, trip)
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://app.example.com/?signIn=refused"])
    expect(cookieNamed(answer, "gc_session")).toBe("")
  })
})

describe("with a provider that is away", () => {
  test("the start says to come later", async () => {
    const away = await ownServer({ IDP_ISSUER: "http://127.0.0.1:9", IDP_CLIENT_ID: "x", IDP_CLIENT_SECRET: "y" })
    const answer = await call(away.url, "GET", "/v1/auth/idp/start")
    expect([answer.status, answer.body.code, answer.headers.get("retry-after")]).toEqual([503, "unavailable", "10"])
  })
})
