/** Passkeys over REST, with an authenticator in software, and the emails about sign-ins. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type Account, call, createWorkspace, type Json, PASSWORD, problemOf, signup, tokenIn } from "../support/api.ts"
import { Authenticator, type Wrong } from "../support/authenticator.ts"
import { codeOf, setUpTotp } from "../support/second-factor.ts"
import { startTestServer } from "../support/server.ts"
import { apiOf, sharedRows, sharedServer } from "../support/shared.ts"

const server = sharedServer(() => startTestServer({ PUBLIC_URL: "https://events.example.com" }))

const rows = sharedRows(server)

const ORIGIN = "https://events.example.com"
const api = apiOf(server)
const PASSKEYS = "/v1/accounts/passkeys"
const LOGIN = "/v1/accounts/login/passkey"
const mfaOf = async ({ cookie }: Pick<Account, "cookie">) => (await api("GET", "/v1/accounts/mfa", { cookie })).body
const actionsOf = async ({ cookie, workspaceId }: Account) =>
  (await api("GET", `/v1/workspaces/${workspaceId}/audit`, { cookie })).body.entries.map(({ action }: Json) => action)

const optionsFor = async ({ cookie }: Pick<Account, "cookie">): Promise<Json> =>
  (await api("POST", `${PASSKEYS}/options`, { cookie })).body
const add = ({ cookie }: Pick<Account, "cookie">, response: object, name = "Laptop") =>
  api("POST", PASSKEYS, { cookie, body: { name, response } })
const withPasskey = async () => {
  const account = await signup(server.url)
  const authenticator = new Authenticator(ORIGIN)
  const made = await add(account, authenticator.register(await optionsFor(account)))
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return { account, authenticator, id: made.body.id as string, recoveryCodes: made.body.recoveryCodes as string[] }
}
const loginOptions = async (): Promise<Json> => (await api("POST", `${LOGIN}/options`)).body
const login = (response: object) => api("POST", LOGIN, { body: { response } })

describe("registering", () => {
  test("gives the browser what it needs, stores the public key, and shows recovery codes with the first factor", async () => {
    const account = await signup(server.url)
    const options = await optionsFor(account)
    expect(options).toMatchObject({
      rp: { id: "events.example.com", name: "Gathercue" },
      user: { name: account.email, displayName: "Ada" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [],
    })
    const authenticator = new Authenticator(ORIGIN)
    const made = await add(account, authenticator.register(options))
    expect([made.status, made.body.name, made.body.lastUsedAt, made.body.recoveryCodes.length]).toEqual([
      201,
      "Laptop",
      null,
      10,
    ])
    const { passkeys, recoveryCodesLeft } = await mfaOf(account)
    expect([passkeys.map(({ id }: Json) => id), recoveryCodesLeft]).toEqual([[made.body.id], 10])
    expect((await api("GET", "/v1/accounts/me", account)).body.account.mfa).toBe(true)
    const again = await optionsFor(account)
    expect(again.excludeCredentials).toMatchObject([{ id: authenticator.credentialId.toString("base64url") }])
    const second = await add(account, new Authenticator(ORIGIN).register(again), "Phone")
    expect([second.status, second.body.recoveryCodes]).toEqual([201, []])
    expect(await actionsOf(account)).toContain("passkey.added")
  })

  test("refuses a registration that is another page's, server's or challenge's", async () => {
    const account = await signup(server.url)
    const ROWS: ReadonlyArray<readonly [string, Wrong]> = [
      ["another page's", { origin: "https://evil.example" }],
      ["another server's", { rpId: "evil.example" }],
      ["one that did not verify its person", { unverified: true }],
      ["one for another challenge", { challenge: Buffer.from("another").toString("base64url") }],
      ["one for a sign-in", { type: "webauthn.get" }],
    ]
    for (const [what, wrong] of ROWS) {
      const answer = await add(account, new Authenticator(ORIGIN).register(await optionsFor(account), wrong))
      expect([...problemOf(answer), answer.body.detail], what).toEqual([
        400,
        "bad_request",
        "response: was not accepted; begin again.",
      ])
      expect((await mfaOf(account)).passkeys, what).toEqual([])
    }
  })

  test("takes each challenge once, of its own account, in its time", async () => {
    const [account, other] = [await signup(server.url), await signup(server.url)]
    const options = await optionsFor(account)
    expect((await add(other, new Authenticator(ORIGIN).register(options))).status).toBe(400)
    const mine = await optionsFor(account)
    const both = await Promise.all([
      add(account, new Authenticator(ORIGIN).register(mine)),
      add(account, new Authenticator(ORIGIN).register(mine)),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400])
    const late = await optionsFor(account)
    await rows.run("update sign_in_challenges set expires_at = now() where account_id = $1", [account.id])
    expect((await add(account, new Authenticator(ORIGIN).register(late))).status).toBe(400)
    expect((await add(account, new Authenticator(ORIGIN).register(await loginOptionsAsRegistration()))).status).toBe(
      400,
    )
  })

  const loginOptionsAsRegistration = async () => {
    const { challenge, rpId } = await loginOptions()
    return { challenge, rp: { id: rpId }, user: { id: "x" } }
  }

  test("refuses an authenticator that is registered, and a twenty-first", async () => {
    const { account, authenticator } = await withPasskey()
    const other = await signup(server.url)
    const stolen = await add(other, authenticator.register(await optionsFor(other)))
    expect(problemOf(stolen)).toEqual([409, "conflict"])
    const late = await optionsFor(account)
    await rows.run(
      `insert into passkeys (id, account_id, credential_id, public_key, counter, name)
       select gen_random_uuid(), $1::uuid, 'filler-' || $1::text || n, 'x', 0, 'Filler' from generate_series(1, 19) n`,
      [account.id],
    )
    expect(problemOf(await api("POST", `${PASSKEYS}/options`, account))).toEqual([409, "conflict"])
    expect(problemOf(await add(account, new Authenticator(ORIGIN).register(late)))).toEqual([409, "conflict"])
  })

  test("refuses a blank name", async () => {
    const { cookie } = await signup(server.url)
    for (const [what, body, detail] of [["a blank name", { name: " ", response: {} }, /name: /]] as const) {
      const answer = await api("POST", PASSKEYS, { cookie, body })
      expect([...problemOf(answer), answer.body.detail], what).toEqual([
        400,
        "bad_request",
        expect.stringMatching(detail),
      ])
    }
  })

  test("refuses bytes that are no answer of an authenticator", async () => {
    const account = await signup(server.url)
    const good = new Authenticator(ORIGIN).register(await optionsFor(account))
    const broken = { ...good, response: { ...good.response, attestationObject: "AAAA" } }
    expect(problemOf(await add(account, broken))).toEqual([400, "bad_request"])
    const noJson = { ...good, response: { ...good.response, clientDataJSON: "AAAA" } }
    expect(problemOf(await add(account, noJson))).toEqual([400, "bad_request"])
  })
})

describe("signing in", () => {
  test("by a passkey alone sets the cookie, for an account whose password asks for a code", async () => {
    const { account, authenticator, id } = await withPasskey()
    const options = await loginOptions()
    expect(options).toMatchObject({ rpId: "events.example.com", userVerification: "required" })
    const answer = await login(authenticator.assert(options))
    expect([answer.status, answer.body.account.id]).toEqual([200, account.id])
    const cookie = answer.headers.get("set-cookie")?.split(";")[0]
    expect((await api("GET", "/v1/accounts/me", { cookie })).status).toBe(200)
    const { passkeys } = await mfaOf(account)
    expect(passkeys).toMatchObject([{ id, lastUsedAt: expect.any(String) }])
    const byPassword = await api("POST", "/v1/accounts/login", { body: { email: account.email, password: PASSWORD } })
    expect([byPassword.body.methods, byPassword.headers.get("set-cookie")]).toEqual([
      ["passkey", "recovery_code"],
      null,
    ])
  })

  test("takes a recovery code after the password where the passkey is lost", async () => {
    const { account, recoveryCodes } = await withPasskey()
    const body = { email: account.email, password: PASSWORD }
    const { mfaToken } = (await api("POST", "/v1/accounts/login", { body })).body
    const code = { mfaToken, code: recoveryCodes[0] }
    expect((await api("POST", "/v1/accounts/login/code", { body: code })).status).toBe(200)
  })

  test("refuses an answer that is another page's, server's or challenge's", async () => {
    const { authenticator } = await withPasskey()
    const ROWS: ReadonlyArray<readonly [string, Wrong]> = [
      ["of another page", { origin: "https://evil.example" }],
      ["for another server", { rpId: "evil.example" }],
      ["without a verified person", { unverified: true }],
      ["to another challenge", { challenge: Buffer.from("another").toString("base64url") }],
      ["to a registration", { type: "webauthn.create" }],
    ]
    for (const [what, wrong] of ROWS) {
      const answer = await login(authenticator.assert(await loginOptions(), wrong))
      expect([...problemOf(answer), answer.headers.get("set-cookie")], what).toEqual([401, "unauthorized", null])
    }
  })

  test("takes an answer once, also at the same time, and none that another key has signed", async () => {
    const { authenticator } = await withPasskey()
    const given = authenticator.assert(await loginOptions())
    const both = await Promise.all([login(given), login(given)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const forged = new Authenticator(ORIGIN).assert(await loginOptions())
    expect((await login({ ...forged, id: given.id, rawId: given.rawId })).status).toBe(401)
    expect((await login(new Authenticator(ORIGIN).assert(await loginOptions()))).status).toBe(401)
  })

  test("refuses an authenticator whose count goes back, as a copy's does", async () => {
    const { authenticator, id } = await withPasskey()
    await rows.run("update passkeys set counter = 1000 where id = $1", [id])
    expect((await login(authenticator.assert(await loginOptions()))).status).toBe(401)
  })
})

describe("a passkey", () => {
  test("proves again who holds the session, and only of its own account", async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()]
    const { cookie, id } = mine.account
    await rows.run(
      "update account_sessions set created_at = created_at - interval '11 minutes' where account_id = $1",
      [id],
    )
    expect((await api("GET", "/v1/accounts/proof", { cookie })).body).toEqual({
      fresh: false,
      methods: ["passkey", "code"],
    })
    expect(problemOf(await api("DELETE", `${PASSKEYS}/${mine.id}`, { cookie }))).toEqual([
      403,
      "fresh_sign_in_required",
    ])
    expect(problemOf(await api("POST", `${PASSKEYS}/options`, { cookie }))).toEqual([403, "fresh_sign_in_required"])
    const prove = async ({ authenticator }: typeof mine) =>
      api("POST", "/v1/accounts/proof", { cookie, body: { passkey: authenticator.assert(await loginOptions()) } })
    expect(problemOf(await prove(theirs))).toEqual([403, "forbidden"])
    expect((await prove(mine)).status).toBe(200)
    expect((await api("DELETE", `${PASSKEYS}/${mine.id}`, { cookie })).status).toBe(204)
  })

  test("is renamed and removed by its account alone; with the last factor the recovery codes go", async () => {
    const { account, authenticator, id } = await withPasskey()
    const { cookie } = account
    const stranger = await signup(server.url)
    const path = `${PASSKEYS}/${id}`
    const renamed = await api("PATCH", path, { cookie, body: { name: "Old laptop" } })
    expect([renamed.status, renamed.body.name]).toEqual([200, "Old laptop"])
    expect((await api("PATCH", path, { cookie, body: { name: "" } })).body.detail).toMatch(/^name: /)
    for (const other of [path, `${PASSKEYS}/${randomUUID()}`, `${PASSKEYS}/none`]) {
      expect((await api("DELETE", other, { cookie: stranger.cookie })).status).toBe(404)
      expect((await api("PATCH", other, { cookie: stranger.cookie, body: { name: "Mine" } })).status).toBe(404)
    }
    const both = await Promise.all([api("DELETE", path, { cookie }), api("DELETE", path, { cookie })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404])
    expect(await mfaOf(account)).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 })
    expect((await login(authenticator.assert(await loginOptions()))).status).toBe(401)
    const actions = await actionsOf(account)
    for (const action of ["passkey.renamed", "passkey.removed"]) expect(actions).toContain(action)
  })

  test("counts as a second factor beside an authenticator app, and keeps its recovery codes", async () => {
    const account = await signup(server.url)
    const acme = await createWorkspace(server.url, account)
    const { secret, recoveryCodes } = await setUpTotp(server.url, account)
    const made = await add(account, new Authenticator(ORIGIN).register(await optionsFor(account)))
    expect(made.body.recoveryCodes).toEqual([])
    const { cookie } = account
    const require = { cookie, body: { requireMfa: true } }
    expect((await api("PATCH", `/v1/workspaces/${acme.id}`, require)).status).toBe(200)
    expect((await api("DELETE", "/v1/accounts/mfa/totp", { cookie })).status).toBe(204)
    expect((await mfaOf(account)).recoveryCodesLeft).toBe(10)
    expect((await api("GET", `/v1/workspaces/${acme.id}/members`, { cookie })).status).toBe(200)
    const { mfaToken } = (
      await api("POST", "/v1/accounts/login", { body: { email: account.email, password: PASSWORD } })
    ).body
    const withCode = (code: string) => api("POST", "/v1/accounts/login/code", { body: { mfaToken, code } })
    expect((await withCode(codeOf(secret, 1))).status).toBe(401)
    expect((await withCode(recoveryCodes[0] ?? "")).status).toBe(200)
  })
})

const OTHER = "another horse battery"
const told = async ({ email }: Account): Promise<ReadonlyArray<string>> => {
  const { mails } = (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body
  return mails
    .filter(({ subject }: Json) => subject === "The way you sign in has changed")
    .map(({ text }: Json) => text.split("\n\n")[1])
    .reverse()
}

test("each change of factors, codes and password is told once, at a proved address alone", async () => {
  const account = await signup(server.url)
  const { cookie, email } = account
  const as = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await call(server.url, method, path, body === undefined ? { cookie } : { cookie, body })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await as("POST", "/v1/accounts/password", { currentPassword: PASSWORD, password: PASSWORD })
  expect(await told(account)).toEqual([])
  const { verifyUrl } = await as("POST", "/v1/accounts/resend-verification")
  await as("POST", "/v1/accounts/verify", { token: tokenIn(verifyUrl) })

  await setUpTotp(server.url, account)
  const { recoveryCodes } = await as("POST", "/v1/accounts/mfa/recovery-codes")
  const { mfaToken } = await as("POST", "/v1/accounts/login", { email, password: PASSWORD })
  const wrong = await call(server.url, "POST", "/v1/accounts/login/code", {
    body: { mfaToken, code: "aaaa-aaaa-aaaa" },
  })
  expect(wrong.status).toBe(401)
  await as("POST", "/v1/accounts/login/code", { mfaToken, code: recoveryCodes[0] })
  await as("POST", "/v1/accounts/proof", { code: recoveryCodes[1] })
  const options = await as("POST", "/v1/accounts/passkeys/options")
  const response = new Authenticator("https://events.example.com").register(options)
  const { id } = await as("POST", "/v1/accounts/passkeys", { name: "Laptop", response })
  await as("PATCH", `/v1/accounts/passkeys/${id}`, { name: "Phone" })
  await as("DELETE", `/v1/accounts/passkeys/${id}`)
  await as("DELETE", "/v1/accounts/mfa/totp")
  await as("POST", "/v1/accounts/password", { currentPassword: PASSWORD, password: OTHER })
  const { resetUrl } = await as("POST", "/v1/accounts/request-password-reset", { email })
  await as("POST", "/v1/accounts/reset-password", { token: tokenIn(resetUrl), password: PASSWORD })
  expect(await told(account)).toEqual([
    "an authenticator app was added to your account.",
    "your account has new recovery codes, and those from before no longer work.",
    "a recovery code of your account was used.",
    "a recovery code of your account was used.",
    "a passkey was added to your account.",
    "a passkey of your account was removed.",
    "the authenticator app of your account was removed.",
    "the password of your account was changed.",
    "the password of your account was changed.",
  ])
})
