/** Proving addresses, resetting and changing passwords, and sessions. */

import argon2 from "argon2"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { type Account, call, createEvent, PASSWORD, signup, tokenIn } from "../support/api.ts"
import { linkIn, type MailServer, startMailServer } from "../support/mail-server.ts"
import { whileHolding } from "../support/race.ts"
import { rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { apiOf, sharedRows, sharedServer } from "../support/shared.ts"

const NEW_PASSWORD = "another correct horse"

const server = sharedServer()
const rows = sharedRows(server)

const api = apiOf(server)

const login = (account: Account, password: string) =>
  api("POST", "/v1/accounts/login", { body: { email: account.email, password } })

const requestReset = async (account: Account): Promise<string> => {
  const answer = await api("POST", "/v1/accounts/request-password-reset", { body: { email: account.email } })
  return tokenIn(answer.body.resetUrl)
}

const resendVerification = async (account: Account): Promise<string> => {
  const answer = await api("POST", "/v1/accounts/resend-verification", { cookie: account.cookie })
  return tokenIn(answer.body.verifyUrl)
}

describe("a session", () => {
  const me = async ({ cookie }: Account): Promise<number> => (await api("GET", "/v1/accounts/me", { cookie })).status

  test.each([
    ["after seven idle days", "idle_expires_at = now(), expires_at = now() + interval '20 days'"],
    ["after thirty days, however much it is used", "idle_expires_at = now() + interval '7 days', expires_at = now()"],
  ])("ends %s", async (_, times) => {
    const account = await signup(server.url)
    const age = (change: string) =>
      rows.run(`update account_sessions set ${change} where account_id = $1`, [account.id])
    await age("expires_at = now() + interval '1 minute', idle_expires_at = now() + interval '1 minute'")
    expect(await me(account)).toBe(200)
    await age(times)
    expect(await me(account)).toBe(401)
    expect((await api("GET", "/v1/accounts/sessions", account)).status).toBe(401)
  })

  test("that ends while its visit is being noted is over for that request already", async () => {
    const account = await signup(server.url)
    await rows.run("update account_sessions set last_seen_at = now() - interval '1 hour' where account_id = $1", [
      account.id,
    ])
    const end = "delete from account_sessions where account_id = $1"
    expect(await whileHolding(server.databaseUrl, [[end, [account.id]]], () => me(account))).toBe(401)
  })
})

describe("proving an address", () => {
  test("signup answers the link in e-mail dev mode, and its token marks the address verified, once", async () => {
    const email = `ada-${Date.now()}@example.com`
    const made = await api("POST", "/v1/accounts/signup", { body: { email, password: PASSWORD, name: "Ada" } })
    const token = tokenIn(made.body.verifyUrl)
    const verified = await api("POST", "/v1/accounts/verify", { body: { token } })
    expect([verified.status, verified.body]).toEqual([200, { verified: true, email }])
    const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
    expect((await api("GET", "/v1/accounts/me", { cookie })).body.account.emailVerified).toBe(true)
    const again = await api("POST", "/v1/accounts/verify", { body: { token } })
    expect([again.status, again.body.code]).toEqual([400, "invalid_token"])
  })

  test("of many who use one token at once exactly one succeeds", async () => {
    const token = await resendVerification(await signup(server.url))
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api("POST", "/v1/accounts/verify", { body: { token } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === "invalid_token")).toHaveLength(9)
  })

  test("the email is sent again on request, until the address is verified", async () => {
    const account = await signup(server.url)
    const token = await resendVerification(account)
    await api("POST", "/v1/accounts/verify", { body: { token } })
    const late = await api("POST", "/v1/accounts/resend-verification", { cookie: account.cookie })
    expect([late.status, late.body.code]).toEqual([409, "conflict"])
  })

  test("a token is bound to its purpose and to its day", async () => {
    const account = await signup(server.url)
    const verify = await resendVerification(account)
    const reset = await requestReset(account)
    const swapped = [
      await api("POST", "/v1/accounts/verify", { body: { token: reset } }),
      await api("POST", "/v1/accounts/reset-password", { body: { token: verify, password: NEW_PASSWORD } }),
    ]
    expect(swapped.map(({ body }) => body.code)).toEqual(["invalid_token", "invalid_token"])
    await rows.run(`update account_tokens set expires_at = now() - interval '1 second' where account_id = $1`, [
      account.id,
    ])
    const expired = await api("POST", "/v1/accounts/verify", { body: { token: verify } })
    expect([expired.status, expired.body.code]).toEqual([400, "invalid_token"])
  })

  test("no token lies open in the database", async () => {
    const account = await signup(server.url)
    const token = await resendVerification(account)
    const stored = await rows.run("select * from account_tokens")
    const mails = await rows.run("select * from mails where recipient = $1", [account.email])
    expect(mails.length).toBeGreaterThan(0)
    expect(
      JSON.stringify([stored, mails], (_, value) =>
        value?.type === "Buffer" ? Buffer.from(value).toString("latin1") : value,
      ),
    ).not.toContain(token)
  })
})

describe("resetting a password", () => {
  test("sets it, verifies the address, and ends every session and token that was there before", async () => {
    const account = await signup(server.url)
    const workspace = await api("POST", `/v1/workspaces/${account.workspaceId}/session`, { cookie: account.cookie })
    const bearer = workspace.body.sessionToken
    expect((await api("GET", "/v1/events", { bearer })).status).toBe(200)
    const token = await requestReset(account)
    const answer = await api("POST", "/v1/accounts/reset-password", { body: { token, password: NEW_PASSWORD } })
    expect([answer.status, answer.body]).toEqual([200, { reset: true }])
    expect((await api("GET", "/v1/accounts/me", { cookie: account.cookie })).status).toBe(401)
    expect((await api("GET", "/v1/events", { bearer })).status).toBe(401)
    expect((await login(account, PASSWORD)).status).toBe(401)
    const signedIn = await login(account, NEW_PASSWORD)
    expect([signedIn.status, signedIn.body.account.emailVerified]).toEqual([200, true])
  })

  test("uses up every other link that was asked for", async () => {
    const account = await signup(server.url)
    const [first, second] = [await requestReset(account), await requestReset(account)]
    const done = await api("POST", "/v1/accounts/reset-password", { body: { token: first, password: NEW_PASSWORD } })
    expect(done.status).toBe(200)
    const late = await api("POST", "/v1/accounts/reset-password", { body: { token: second, password: NEW_PASSWORD } })
    expect(late.body.code).toBe("invalid_token")
  })

  test("a refused password uses no token up", async () => {
    const account = await signup(server.url)
    const token = await requestReset(account)
    for (const password of ["1234567", "Password1"]) {
      const answer = await api("POST", "/v1/accounts/reset-password", { body: { token, password } })
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    }
    const right = await api("POST", "/v1/accounts/reset-password", { body: { token, password: "87654 21" } })
    expect(right.status).toBe(200)
  })

  test("asking for an unknown address is answered alike, but for the link of the dev mode", async () => {
    const answer = await api("POST", "/v1/accounts/request-password-reset", { body: { email: "nobody@example.com" } })
    expect([answer.status, answer.body]).toEqual([200, { requested: true }])
  })
})

describe("a password that is guessed first", () => {
  test("is not accepted as a new one, and an account with an older one signs in and changes it", async () => {
    const account = await signup(server.url)
    const rows = rowsOf(server.databaseUrl)
    try {
      const hash = await argon2.hash("iloveyou", { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
      await rows.run("update accounts set password_hash = $1 where id = $2", [hash, account.id])
    } finally {
      await rows.end()
    }
    const signedIn = await login(account, "iloveyou")
    expect(signedIn.status).toBe(200)
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const change = (password: string) =>
      api("POST", "/v1/accounts/password", { cookie, body: { currentPassword: "iloveyou", password } })
    const refused = await change("sunshine")
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      400,
      "bad_request",
      expect.stringContaining("must not be a common password"),
    ])
    expect((await change(NEW_PASSWORD)).status).toBe(200)
  })
})

describe("changing a password", () => {
  test("needs the current one, keeps this session and ends the others", async () => {
    const account = await signup(server.url)
    const other = (await login(account, PASSWORD)).headers.get("set-cookie")?.split(";")[0]
    const change = (currentPassword: string) =>
      api("POST", "/v1/accounts/password", {
        cookie: account.cookie,
        body: { currentPassword, password: NEW_PASSWORD },
      })
    const wrong = await change("not the password")
    expect([wrong.status, wrong.body.code]).toEqual([403, "forbidden"])
    const right = await change(PASSWORD)
    expect([right.status, right.body]).toEqual([200, { changed: true }])
    expect((await api("GET", "/v1/accounts/me", { cookie: account.cookie })).status).toBe(200)
    expect((await api("GET", "/v1/accounts/me", { cookie: other })).status).toBe(401)
    expect((await login(account, NEW_PASSWORD)).status).toBe(200)
  })
})

describe("sessions", () => {
  test("are listed with the one that asks, and end one by one", async () => {
    const account = await signup(server.url)
    const other = (await login(account, PASSWORD)).headers.get("set-cookie")?.split(";")[0]
    const listed = await api("GET", "/v1/accounts/sessions", { cookie: account.cookie })
    expect(listed.body.sessions).toHaveLength(2)
    expect(JSON.stringify(listed.body)).not.toContain(account.cookie.split("=")[1])
    const theirs = listed.body.sessions.find((session: { current: boolean }) => !session.current)
    const path = `/v1/accounts/sessions/${theirs.id}`
    expect((await api("DELETE", path, { cookie: account.cookie })).status).toBe(204)
    expect((await api("GET", "/v1/accounts/me", { cookie: other })).status).toBe(401)
    expect((await api("DELETE", path, { cookie: account.cookie })).status).toBe(404)
  })

  test("have the name of the browser that signed in, as far as it can be printed", async () => {
    const account = await signup(server.url)
    const signIn = async (agent: string): Promise<void> => {
      const answer = await fetch(`${server.url}/v1/accounts/login`, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": agent },
        body: JSON.stringify({ email: account.email, password: PASSWORD }),
      })
      expect(answer.status).toBe(200)
    }
    await signIn(`Firefox/140 \u00ff ${"x".repeat(500)}`)
    await signIn("   ")
    const listed = await api("GET", "/v1/accounts/sessions", { cookie: account.cookie })
    const devices = listed.body.sessions.map(({ device }: { device: string | null }) => device)
    expect(devices).toContain(`Firefox/140  ${"x".repeat(287)}`)
    expect(devices).toContain(null)
    const exported = await api("GET", "/v1/accounts/me/export", { cookie: account.cookie })
    expect(JSON.stringify(exported.body)).toContain("Firefox/140")
  })

  test("of another account are not there", async () => {
    const [mine, theirs] = [await signup(server.url), await signup(server.url)]
    const listed = await api("GET", "/v1/accounts/sessions", { cookie: theirs.cookie })
    const path = `/v1/accounts/sessions/${listed.body.sessions[0].id}`
    const answers = [
      await api("DELETE", path, { cookie: mine.cookie }),
      await api("DELETE", "/v1/accounts/sessions/nonsense", { cookie: mine.cookie }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect((await api("GET", "/v1/accounts/me", { cookie: theirs.cookie })).status).toBe(200)
  })
})

describe("in production, with a mail server", () => {
  let mail: MailServer
  let strict: TestServer
  beforeAll(async () => {
    mail = await startMailServer()
    strict = await startTestServer({
      NODE_ENV: "production",
      PUBLIC_URL: "https://events.example.com",
      SMTP_URL: mail.url,
      MAIL_FROM: "Events <events@example.com>",
    })
  })
  afterAll(async () => {
    await strict.stop()
    await mail.close()
  })

  test("links are in emails only, in plain text and in HTML, and the links work", async () => {
    const account = await signup(strict.url)
    const letter = await mail.next(account.email)
    expect(letter.raw).toContain("From: Events <events@example.com>")
    expect(letter.raw).toMatch(/Content-Type: text\/plain/)
    expect(letter.raw).toMatch(/Content-Type: text\/html/)
    const link = linkIn(letter)
    expect(link.origin + link.pathname).toBe("https://events.example.com/verify")
    const verified = await call(strict.url, "POST", "/v1/accounts/verify", {
      body: { token: tokenIn(link.href) },
    })
    expect(verified.body).toEqual({ verified: true, email: account.email })
  })

  test("a reset request is answered alike for a known and an unknown address, and only the known one gets an email", async () => {
    const account = await signup(strict.url)
    await mail.next(account.email)
    const ask = (email: string) => call(strict.url, "POST", "/v1/accounts/request-password-reset", { body: { email } })
    const answers = [await ask(account.email), await ask("nobody@example.com")]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { requested: true }],
      [200, { requested: true }],
    ])
    const token = tokenIn(linkIn(await mail.next(account.email)).href)
    const body = { token, password: NEW_PASSWORD }
    expect((await call(strict.url, "POST", "/v1/accounts/reset-password", { body })).status).toBe(200)
    expect(mail.received.some(({ to }) => to === "nobody@example.com")).toBe(false)
  })

  test("there is no development outbox", async () => {
    expect((await call(strict.url, "GET", "/v1/dev/outbox")).status).toBe(404)
  })
})

describe("the development outbox", () => {
  test("shows the emails that would have been sent, newest first, of one address or of all", async () => {
    const account = await signup(server.url)
    await resendVerification(account)
    const mine = await api("GET", `/v1/dev/outbox?to=${encodeURIComponent(account.email.toUpperCase())}`)
    expect(mine.body.mails).toHaveLength(2)
    expect(mine.body.mails[0]).toEqual({
      to: account.email,
      subject: "Confirm your e-mail address",
      text: expect.stringContaining("/verify#token="),
      links: [expect.stringContaining("/verify#token=")],
      calendar: null,
      createdAt: expect.any(String),
    })
    expect(mine.body.mails[0].createdAt >= mine.body.mails[1].createdAt).toBe(true)
    await createEvent(
      server.url,
      (await api("POST", "/v1/workspaces", { cookie: account.cookie, body: { name: "W" } })).body.apiKey.secret,
    )
    expect((await api("GET", "/v1/dev/outbox")).body.mails.length).toBeGreaterThanOrEqual(2)
    expect((await api("GET", "/v1/dev/outbox?to=%00")).status).toBe(200)
  })

  test.each([
    ["rebind.evil.example", 403],
    ["rebind.evil.example:8080", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost.evil.example", 403],
    ["", 403],
    ["localhost:8080", 200],
    ["gathercue.localhost", 200],
    ["192.168.1.7:8080", 200],
    ["[::1]:8080", 200],
  ])("is answered to the host %j with %i, because a name of another site may lead here", async (host, status) => {
    expect((await api("GET", "/v1/dev/outbox", { headers: { host } })).status).toBe(status)
  })

  test("is not readable from another site", async () => {
    const answer = await api("GET", "/v1/dev/outbox", { headers: { origin: "https://evil.example" } })
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
  })
})
