/** Accounts: signing up and in, the forms of passwords and addresses. */
import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import argon2 from "argon2"
import { describe, expect, test } from "vitest"
import { call, createEvent, createWorkspace, newEmail, PASSWORD, signup } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { apiOf, sharedRows, sharedServer } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)

const api = apiOf(server)

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
        branding: null,
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

  test("refuses a wrong address and a weak password without repeating it", async () => {
    for (const [what, fields] of [
      ["7 characters of password", { password: "1234567" }],
      ["a common password", { password: "iloveyou" }],
      ["a common password in capitals", { password: "PassWord1" }],
      ["digits in a row", { password: "12345678" }],
      ["one character again and again", { password: "aAaaaAaaa" }],
      ["a password of spaces", { password: "         " }],
      ["markup in the address", { email: "<script>@example.com" }],
      ["an address that hides a character", { email: "admin\u200b@example.com" }],
    ] as const) {
      const body = { email: newEmail(), password: PASSWORD, name: "A", ...fields }
      const answer = await api("POST", "/v1/accounts/signup", { body })
      expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
      expect(answer.body.detail, what).not.toContain(String(body.password))
    }
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

test("without a provider every step of a sign-in by it says so, and none is offered", async () => {
  for (const path of ["start", "callback", "callback?code=x&state=y", "callback?error=access_denied"]) {
    const answer = await api("GET", `/v1/auth/idp/${path}`)
    expect([path, answer.status, answer.body.code]).toEqual([path, 501, "idp_not_configured"])
  }
  expect((await api("GET", "/v1/auth/idp")).body).toEqual({ configured: false, signup: "open" })
})

test("development counts nothing", async () => {
  for (let time = 0; time < 70; time++) {
    const answer = await api("POST", "/v1/accounts/login", { body: {} })
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([400, null])
  }
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

  test("changes things from its own site alone, and from no browser", async () => {
    const { cookie } = await signup(server.url)
    for (const [what, headers, status] of [
      ["a foreign origin", { origin: "https://evil.example" }, 403],
      ["a cross-site fetch", { "sec-fetch-site": "cross-site" }, 403],
      ["an opaque origin", { origin: "null" }, 403],
      ["the own origin", { "sec-fetch-site": "same-origin" }, 201],
      ["no browser at all", {}, 201],
    ] as const) {
      const answer = await api("POST", "/v1/workspaces", { cookie, headers, body: { name: "W" } })
      expect(answer.status, what).toBe(status)
    }
  })

  test("reads from a foreign origin are not refused: nothing changes and the answer cannot be read there", async () => {
    const { cookie } = await signup(server.url)
    const answer = await api("GET", "/v1/accounts/me", { cookie, headers: { origin: "https://evil.example" } })
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, null])
  })
})

describe("forms of a password", () => {
  const COMPOSED = "caf\u00e9 \u1e69 \uac01 horse"
  const FORMS = [
    COMPOSED,
    COMPOSED.normalize("NFD"),
    // The marks in another order, and the blanks that some keyboards give.
    "cafe\u0301 s\u0307\u0323 \u1100\u1161\u11a8 horse",
    "caf\u00e9\u00a0\u1e69\u3000\uac01\u2003horse",
  ]

  const signUp = async (password: string) => {
    const email = `${randomUUID()}@example.com`
    const { status, body } = await call(server.url, "POST", "/v1/accounts/signup", {
      body: { email, password, name: "Kim" },
    })
    return { email, status, body }
  }
  const login = async (email: string, password: string) =>
    (await call(server.url, "POST", "/v1/accounts/login", { body: { email, password } })).status

  test.each(FORMS)("the password %j signs in however it is composed", async (password) => {
    const { email } = await signUp(password)
    expect(await Promise.all(FORMS.map((form) => login(email, form)))).toEqual([200, 200, 200, 200])
  })

  test.each([
    "Caf\u00e9 \u1e69 \uac01 horse",
    `${COMPOSED} `,
    "cafe \u1e69 \uac01 horse",
    // Letters that only look or count as the same are others.
    "\uff43af\u00e9 \u1e69 \uac01 horse",
    "caf\u00e9\u200d \u1e69 \uac01 horse",
  ])("%j is another one", async (password) => {
    expect(await login((await signUp(COMPOSED)).email, password)).toBe(401)
  })

  test("a password whose hash is of before signs in as it was typed", async () => {
    const typed = COMPOSED.normalize("NFD")
    const { email, body } = await signUp("another horse")
    const hash = await argon2.hash(typed, { type: argon2.argon2id, memoryCost: 1024, timeCost: 2, parallelism: 1 })
    await rows.run("update accounts set password_hash = $1 where id = $2", [hash, body.account.id])
    expect([await login(email, typed), await login(email, "another horse")]).toEqual([200, 401])
  })

  test("letters are counted, and not the accents beside them", async () => {
    expect((await signUp("e\u0301a\u0301o\u0301u\u0301")).status).toBe(400)
    expect((await signUp("e\u0301a\u0301o\u0301u\u0301i\u0301e\u0301 x")).status).toBe(201)
  })
})

describe("forms of an address", () => {
  const COMPOSED = "\u1e31im@example.com"
  const DECOMPOSED = "k\u0301im@example.com"
  const signUp = (email: string) =>
    call(server.url, "POST", "/v1/accounts/signup", { body: { email, password: PASSWORD, name: "Kim" } })
  const login = async (email: string) =>
    (await call(server.url, "POST", "/v1/accounts/login", { body: { email, password: PASSWORD } })).status

  test("of two addresses that look the same the second is taken, and both sign the account in", async () => {
    expect((await signUp(DECOMPOSED)).status).toBe(201)
    expect((await signUp(COMPOSED)).body.code).toBe("email_taken")
    expect([await login(COMPOSED), await login(DECOMPOSED)]).toEqual([200, 200])
  })

  test("a proved address gets the form from an unproved one that looks the same, and each signs in to its own account", async () => {
    const migration = await readFile(new URL("../../src/store/sql/0047_proved_twins.sql", import.meta.url), "utf8")
    const [spelled, form] = ["mo\u0301u@example.com", "m\u00f3u@example.com"]
    const signUpWith = async (email: string, password: string) =>
      (await call(server.url, "POST", "/v1/accounts/signup", { body: { email, password, name: "Mou" } })).body.account
        .id
    const squatter = await signUpWith(form, "the squatter's horse")
    const owner = await signUpWith("mou@example.com", PASSWORD)
    await rows.run("update account_emails set email = $1, verified_at = now() where account_id = $2", [spelled, owner])
    await rows.run(`begin; ${migration}; commit`)
    const stored = async (id: string) =>
      (await rows.run("select email from account_emails where account_id = $1", [id]))[0]
    expect([await stored(owner), await stored(squatter)]).toEqual([{ email: form }, { email: spelled }])
    const enter = async (email: string, password: string) => {
      const { status, body } = await call(server.url, "POST", "/v1/accounts/login", { body: { email, password } })
      return status === 200 ? body.account.id : status
    }
    expect([await enter(form, PASSWORD), await enter(form, "the squatter's horse")]).toEqual([owner, 401])
    expect([await enter(spelled, "the squatter's horse"), await enter(spelled, PASSWORD)]).toEqual([squatter, 401])
    await rows.run("delete from accounts where id = $1", [squatter])
    expect(await enter(spelled, PASSWORD)).toBe(owner)
  })

  test("a registration that kept its spelling beside one with the form is exported and erased by its own spelling", async () => {
    const { id, key } = await createWorkspace(server.url)
    const event = await createEvent(server.url, key, { visibility: "public" })
    const spelled = "rue@xn--bcher-kva.example"
    const insert = "insert into registrations (id, event_id, name, email) values (gen_random_uuid(), $1, 'Rue', $2)"
    for (const email of [spelled, "rue@b\u00fccher.example"]) await rows.run(insert, [event.id, email])
    const path = `/v1/workspaces/${id}/registrants`
    const exported = await call(server.url, "GET", `${path}/export?email=${spelled}`, { key })
    expect(exported.body.items.map(({ data }: { data: { email: string } }) => data.email)).toHaveLength(2)
    expect((await call(server.url, "DELETE", `${path}?email=${spelled}`, { key })).status).toBe(204)
    expect(await rows.run("select email from registrations where event_id = $1", [event.id])).toEqual([])
  })
})
