import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { PASSWORD, signup } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { apiOf, sharedServer } from "../support/shared.ts"

const server = sharedServer()

const api = apiOf(server)
const newEmail = () => `${randomUUID()}@example.com`

describe("signing up", () => {
  test("makes the account, its first workspace and a session", async () => {
    const email = newEmail()
    const answer = await api("POST", "/v1/accounts/signup", {
      body: { email: `  ${email.toUpperCase()} `, password: PASSWORD, name: "Ada Lovelace", extra: "ignored" },
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get("location")).toBe("/v1/accounts/me")
    expect(answer.headers.get("set-cookie")).toMatch(
      /^gc_session=\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    )
    expect(answer.body.account).toMatchObject({ name: "Ada Lovelace", email, emailVerified: false })
    expect(answer.body.emails).toEqual([{ id: expect.any(String), email, verified: false, primary: true }])
    expect(answer.body.workspaces).toEqual([
      {
        id: expect.any(String),
        name: "Ada Lovelace's workspace",
        slug: expect.stringMatching(/^ada-lovelace/),
        role: "owner",
        requireMfa: false,
        sso: "optional",
        publicList: false,
      },
    ])
    expect(JSON.stringify(answer.body)).not.toContain(PASSWORD)
  })

  test("with an address that is taken is a conflict, in any case, and also for one of two at once", async () => {
    const email = newEmail()
    const attempt = (address: string) =>
      api("POST", "/v1/accounts/signup", { body: { email: address, password: PASSWORD, name: "A" } })
    const both = await Promise.all([attempt(email), attempt(email.toUpperCase())])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const late = await attempt(email)
    expect([late.status, late.body.code]).toEqual([409, "email_taken"])
  })

  test.each([
    ["7 characters of password", { password: "1234567" }],
    ["a common password", { password: "iloveyou" }],
    ["a common password in capitals", { password: "PassWord1" }],
    ["digits in a row", { password: "12345678" }],
    ["one character again and again", { password: "aAaaaAaaa" }],
    ["a password of spaces", { password: "         " }],
    ["257 characters of password", { password: "x".repeat(257) }],
    ["no name", { name: undefined }],
    ["an empty name", { name: "" }],
    ["an address without @", { email: "nobody" }],
    ["markup in the address", { email: "<script>@example.com" }],
    ["an address that hides a character", { email: "admin\u200b@example.com" }],
    ["an address of 321 characters", { email: `${"x".repeat(309)}@example.com` }],
    ["a number as password", { password: 12_345_678 }],
  ])("refuses %s without repeating it", async (_name, fields) => {
    const body = { email: newEmail(), password: PASSWORD, name: "A", ...fields }
    const answer = await api("POST", "/v1/accounts/signup", { body })
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    expect(answer.body.detail).not.toContain(String(body.password))
  })

  test("takes 8 characters of any kind, untrimmed", async () => {
    const email = newEmail()
    const password = "  ñ😀é  "
    const body = { email, password: `${password}x`, name: "A" }
    expect((await api("POST", "/v1/accounts/signup", { body })).status).toBe(201)
    expect((await api("POST", "/v1/accounts/login", { body: { email, password: `${password}x` } })).status).toBe(200)
    expect((await api("POST", "/v1/accounts/login", { body: { email, password: `${password}x`.trim() } })).status).toBe(
      401,
    )
  })
})

describe("signing in", () => {
  test("gives a new session each time and does not reveal which credential was wrong", async () => {
    const { email, cookie } = await signup(server.url)
    const good = await api("POST", "/v1/accounts/login", { body: { email, password: PASSWORD } })
    expect(good.status).toBe(200)
    expect(good.headers.get("set-cookie")).not.toContain(cookie)
    const wrong = await api("POST", "/v1/accounts/login", { body: { email, password: "wrong password" } })
    const unknown = await api("POST", "/v1/accounts/login", { body: { email: newEmail(), password: "wrong password" } })
    expect([wrong.status, wrong.body]).toEqual([401, unknown.body])
  })

  test("and asking for a new password work for an address that was stored when less was checked", async () => {
    const account = await signup(server.url)
    const old = `ada..${randomUUID()}@example`
    const rows = rowsOf(server.databaseUrl)
    await rows.run("update account_emails set email = $1 where account_id = $2", [old, account.id])
    await rows.end()
    expect((await api("POST", "/v1/accounts/login", { body: { email: old, password: PASSWORD } })).status).toBe(200)
    const asked = await api("POST", "/v1/accounts/request-password-reset", { body: { email: old } })
    expect([asked.status, asked.body.resetUrl]).toEqual([200, expect.any(String)])
  })

  test("works beside a stale cookie", async () => {
    const { email } = await signup(server.url)
    const answer = await api("POST", "/v1/accounts/login", {
      body: { email, password: PASSWORD },
      cookie: "gc_session=old",
    })
    expect(answer.status).toBe(200)
  })
})

describe("a session", () => {
  test("shows the signed-in account until logout, and no other", async () => {
    const { cookie, email } = await signup(server.url)
    expect((await api("GET", "/v1/accounts/me", { cookie })).body.account.email).toBe(email)
    const out = await api("POST", "/v1/accounts/logout", { cookie })
    expect([out.status, out.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")])
    expect((await api("GET", "/v1/accounts/me", { cookie })).status).toBe(401)
    expect((await api("GET", "/v1/accounts/me")).status).toBe(401)
    expect((await api("POST", "/v1/accounts/logout")).status).toBe(401)
  })

  test.each([
    ["a foreign origin", { origin: "https://evil.example" }, 403],
    ["a cross-site fetch", { "sec-fetch-site": "cross-site" }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["the own origin", { "sec-fetch-site": "same-origin" }, 201],
    ["no browser at all", {}, 201],
  ])("changes things from %s: %s -> %i", async (_name, headers, status) => {
    const { cookie } = await signup(server.url)
    const answer = await api("POST", "/v1/workspaces", { cookie, headers, body: { name: "W" } })
    expect(answer.status).toBe(status)
  })

  test("reads from a foreign origin are not refused: nothing changes and the answer cannot be read there", async () => {
    const { cookie } = await signup(server.url)
    const answer = await api("GET", "/v1/accounts/me", { cookie, headers: { origin: "https://evil.example" } })
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, null])
  })
})
