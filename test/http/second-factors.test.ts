/** A second factor: set up, asked for at every sign-in, each code once, and the workspaces that require one. */

import { describe, expect, test } from "vitest"
import { type Account, createWorkspace, type Json, PASSWORD, problemOf, signup, tokenIn } from "../support/api.ts"
import { codeOf, setUpTotp } from "../support/second-factor.ts"
import { apiOf, sharedRows, sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)

const api = apiOf(server)
const MFA = "/v1/accounts/mfa"
const login = ({ email }: Account, password = PASSWORD) =>
  api("POST", "/v1/accounts/login", { body: { email, password } })
const withCode = (mfaToken: string, code: string) =>
  api("POST", "/v1/accounts/login/code", { body: { mfaToken, code } })
/** A token of the first step. */
const tokenFor = async (account: Account): Promise<string> => (await login(account)).body.mfaToken
const auditOf = async ({ cookie, workspaceId }: Account): Promise<ReadonlyArray<Json>> =>
  (await api("GET", `/v1/workspaces/${workspaceId}/audit`, { cookie })).body.entries
const actionsOf = async (account: Account) => (await auditOf(account)).map(({ action }) => action)

const withFactor = async () => {
  const account = await signup(server.url)
  return { account, ...(await setUpTotp(server.url, account)) }
}

describe("setting up an authenticator app", () => {
  test("changes nothing before a code confirms it, and then shows ten recovery codes once", async () => {
    const account = await signup(server.url)
    const { cookie, email } = account
    expect((await api("GET", MFA, { cookie })).body).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 })
    const begun = await api("POST", `${MFA}/totp`, { cookie })
    expect([begun.status, begun.body.secret]).toEqual([200, expect.stringMatching(/^[A-Z2-7]{32}$/)])
    const asked = new URL(begun.body.otpauthUrl)
    expect([asked.protocol, decodeURIComponent(asked.pathname), asked.searchParams.get("secret")]).toEqual([
      "otpauth:",
      `/Gathercue:${email}`,
      begun.body.secret,
    ])
    expect((await api("GET", MFA, { cookie })).body.totp).toBe(null)
    expect((await login(account)).body.account.email).toBe(email)
    const wrong = await api("POST", `${MFA}/totp/confirm`, { cookie, body: { code: "000000x" } })
    expect([...problemOf(wrong), wrong.body.detail]).toEqual([400, "bad_request", "code: is wrong or too old."])
    const body = { code: codeOf(begun.body.secret) }
    const done = await api("POST", `${MFA}/totp/confirm`, { cookie, body })
    expect([done.status, new Set(done.body.recoveryCodes).size]).toEqual([200, 10])
    const shown = (await api("GET", MFA, { cookie })).body
    expect(shown).toEqual({ totp: { confirmedAt: expect.any(String) }, passkeys: [], recoveryCodesLeft: 10 })
    expect(JSON.stringify(shown)).not.toContain(begun.body.secret)
    expect((await api("GET", "/v1/accounts/me", { cookie })).body.account.mfa).toBe(true)
    expect(await actionsOf(account)).toContain("second_factor.added")
  })

  test("keeps the secret sealed and the recovery codes hashed", async () => {
    const { account, secret, recoveryCodes } = await withFactor()
    const stored = await rows.run(
      `select secret_sealed, array(select code_hash from recovery_codes c where c.account_id = t.account_id) as hashes
         from account_totp t where account_id = $1`,
      [account.id],
    )
    const [{ secret_sealed: sealed, hashes } = {}] = stored
    const bytes = [sealed, ...hashes].map((one) => Buffer.from(one).toString("latin1"))
    expect(bytes).toHaveLength(11)
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", ""))]) {
      for (const one of bytes) expect(one).not.toContain(text)
    }
  })

  test("begun again makes another secret, and is refused where one is confirmed", async () => {
    const { cookie } = await signup(server.url)
    const first = (await api("POST", `${MFA}/totp`, { cookie })).body.secret
    const second = (await api("POST", `${MFA}/totp`, { cookie })).body.secret
    const confirm = (code: string) => api("POST", `${MFA}/totp/confirm`, { cookie, body: { code } })
    expect(problemOf(await confirm(codeOf(first)))).toEqual([400, "bad_request"])
    expect((await confirm(codeOf(second))).status).toBe(200)
    expect(problemOf(await confirm(codeOf(second, 1)))).toEqual([409, "conflict"])
    expect(problemOf(await api("POST", `${MFA}/totp`, { cookie }))).toEqual([409, "conflict"])
  })

  test("is confirmed once by two at once, and not at all where nothing was begun", async () => {
    const { cookie } = await signup(server.url)
    const { secret } = (await api("POST", `${MFA}/totp`, { cookie })).body
    const body = { code: codeOf(secret) }
    const confirm = () => api("POST", `${MFA}/totp/confirm`, { cookie, body })
    const both = await Promise.all([confirm(), confirm()])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const other = await signup(server.url)
    expect(problemOf(await api("POST", `${MFA}/totp/confirm`, { cookie: other.cookie, body }))).toEqual([
      409,
      "conflict",
    ])
  })
})

describe("signing in with a second factor", () => {
  test("takes the password first and then a code, and sets the cookie after both", async () => {
    const { account, secret } = await withFactor()
    const first = await login(account)
    expect([first.status, first.headers.get("set-cookie")]).toEqual([200, null])
    expect(first.body).toEqual({
      mfaRequired: true,
      mfaToken: expect.any(String),
      methods: ["totp", "recovery_code"],
      expiresAt: expect.any(String),
    })
    const left = Date.parse(first.body.expiresAt) - Date.parse(first.headers.get("date") ?? "")
    if (!Number.isNaN(left)) expect(Math.abs(left - 300_000)).toBeLessThan(60_000)
    const second = await withCode(first.body.mfaToken, codeOf(secret, 1).replace(/(...)/, "$1 "))
    expect([second.status, second.body.account.email]).toEqual([200, account.email])
    const cookie = second.headers.get("set-cookie")?.split(";")[0]
    expect((await api("GET", "/v1/accounts/me", { cookie })).body.account.id).toBe(account.id)
    expect(problemOf(await withCode(first.body.mfaToken, codeOf(secret, 1)))).toEqual([400, "invalid_token"])
  })

  test("asks for the code of nobody whose password is wrong", async () => {
    const { account } = await withFactor()
    const wrong = await login(account, "wrong password")
    expect([...problemOf(wrong), JSON.stringify(wrong.body).includes("mfa")]).toEqual([401, "unauthorized", false])
  })

  test("takes a code once, also of two who have it at the same time, and none of before", async () => {
    const { account, secret } = await withFactor()
    const tokens = [await tokenFor(account), await tokenFor(account)]
    const code = codeOf(secret, 1)
    const both = await Promise.all(tokens.map((token) => withCode(token, code)))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const refused = both.find(({ status }) => status === 401)
    const wrong = await withCode(await tokenFor(account), "000000x")
    expect(refused?.body).toEqual(wrong.body)
    // The code of the confirmation.
    expect((await withCode(await tokenFor(account), codeOf(secret))).status).toBe(401)
  })

  test("takes a token once, of two with different codes", async () => {
    const { account, secret, recoveryCodes } = await withFactor()
    const token = await tokenFor(account)
    const both = await Promise.all([codeOf(secret, 1), recoveryCodes[0] ?? ""].map((code) => withCode(token, code)))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test("takes each recovery code once, in any form, and says so in the log", async () => {
    const { account, recoveryCodes } = await withFactor()
    const [code = "", other = ""] = recoveryCodes
    expect((await withCode(await tokenFor(account), code.toUpperCase().replaceAll("-", " "))).status).toBe(200)
    expect(problemOf(await withCode(await tokenFor(account), code))).toEqual([401, "unauthorized"])
    expect((await api("GET", MFA, account)).body.recoveryCodesLeft).toBe(9)
    const tokens = [await tokenFor(account), await tokenFor(account)]
    const both = await Promise.all(tokens.map((token) => withCode(token, other)))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
    expect((await actionsOf(account)).filter((action) => action === "recovery_code.used")).toHaveLength(2)
  })

  test("takes no code of another account", async () => {
    const [mine, theirs] = [await withFactor(), await withFactor()]
    expect((await withCode(await tokenFor(mine.account), theirs.recoveryCodes[0] ?? "")).status).toBe(401)
    expect((await withCode(await tokenFor(mine.account), codeOf(theirs.secret, 1))).status).toBe(401)
  })

  test("ends a token after five wrong codes, after its time, and with the password", async () => {
    const { account, secret, recoveryCodes } = await withFactor()
    const token = await tokenFor(account)
    for (let time = 0; time < 5; time++) expect((await withCode(token, "000000x")).status).toBe(401)
    expect(problemOf(await withCode(token, codeOf(secret, 1)))).toEqual([400, "invalid_token"])
    const expired = await tokenFor(account)
    await rows.run("update sign_in_challenges set expires_at = now() - interval '1 second' where account_id = $1", [
      account.id,
    ])
    expect(problemOf(await withCode(expired, codeOf(secret, 1)))).toEqual([400, "invalid_token"])
    const outlived = await tokenFor(account)
    const change = { currentPassword: PASSWORD, password: "a newer horse battery" }
    const changed = await api("POST", "/v1/accounts/password", { cookie: account.cookie, body: change })
    expect(changed.status).toBe(200)
    expect(problemOf(await withCode(outlived, recoveryCodes[0] ?? ""))).toEqual([401, "unauthorized"])
    // Failures are written after the answer.
    const failed = async () => (await actionsOf(account)).filter((action) => action === "sign_in.failed")
    await eventually(async () => (await failed()).length >= 5, "the entries")
  })

  test("refuses a token that nobody was given", async () => {
    expect(problemOf(await withCode("unknown", "123456"))).toEqual([400, "invalid_token"])
  })

  test("is needed after a new password by email too", async () => {
    const account = await signup(server.url)
    // The first proof of the address comes before: it would take the factor back.
    const again = await api("POST", "/v1/accounts/resend-verification", { cookie: account.cookie })
    const proof = tokenIn(again.body.verifyUrl)
    await api("POST", "/v1/accounts/verify", { body: { token: proof } })
    const { secret } = await setUpTotp(server.url, account)
    const { resetUrl } = (await api("POST", "/v1/accounts/request-password-reset", { body: { email: account.email } }))
      .body
    const token = tokenIn(resetUrl)
    const password = "a newer horse battery"
    expect((await api("POST", "/v1/accounts/reset-password", { body: { token, password } })).status).toBe(200)
    const { mfaToken } = (await login(account, password)).body
    expect((await withCode(mfaToken, codeOf(secret, 1))).status).toBe(200)
  })

  test("is not kept by an account that somebody else made of an address, once its owner follows the email", async () => {
    const { account } = await withFactor()
    const again = await api("POST", "/v1/accounts/resend-verification", { cookie: account.cookie })
    await api("POST", "/v1/accounts/verify", { body: { token: tokenIn(again.body.verifyUrl) } })
    const signedIn = await login(account)
    expect([signedIn.status, signedIn.body.account.mfa]).toEqual([200, false])
  })

  test("is not kept by an account that somebody else made of an address, once its owner proves it", async () => {
    const { account } = await withFactor()
    const { resetUrl } = (await api("POST", "/v1/accounts/request-password-reset", { body: { email: account.email } }))
      .body
    const token = tokenIn(resetUrl)
    const password = "a newer horse battery"
    await api("POST", "/v1/accounts/reset-password", { body: { token, password } })
    const owner = await login(account, password)
    expect([owner.status, owner.body.account.mfa]).toEqual([200, false])
  })
})

describe("removing and renewing", () => {
  test("gives new recovery codes, which void the ones before", async () => {
    const { account, recoveryCodes } = await withFactor()
    const renewed = await api("POST", `${MFA}/recovery-codes`, account)
    expect([renewed.status, renewed.body.recoveryCodes.length]).toEqual([200, 10])
    expect((await withCode(await tokenFor(account), recoveryCodes[0] ?? "")).status).toBe(401)
    expect((await withCode(await tokenFor(account), renewed.body.recoveryCodes[0])).status).toBe(200)
    expect(await actionsOf(account)).toContain("recovery_codes.renewed")
  })

  test("removes the factor with its codes; then the password is enough", async () => {
    const { account } = await withFactor()
    const { cookie } = account
    expect((await api("DELETE", `${MFA}/totp`, { cookie })).status).toBe(204)
    expect((await api("GET", MFA, { cookie })).body).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 })
    expect((await login(account)).body.account.mfa).toBe(false)
    expect(await actionsOf(account)).toContain("second_factor.removed")
    expect(problemOf(await api("DELETE", `${MFA}/totp`, { cookie }))).toEqual([404, "not_found"])
    expect(problemOf(await api("POST", `${MFA}/recovery-codes`, { cookie }))).toEqual([409, "conflict"])
  })
})

describe("a workspace that requires a second factor", () => {
  const required = async () => {
    const owner = await signup(server.url)
    const { secret } = await setUpTotp(server.url, owner)
    const acme = await createWorkspace(server.url, owner)
    const path = `/v1/workspaces/${acme.id}`
    const member = await signup(server.url, "Bob")
    const { inviteUrl } = (await api("POST", `${path}/invites`, { cookie: owner.cookie, body: { role: "admin" } })).body
    const token = tokenIn(inviteUrl)
    expect((await api("POST", `/v1/invites/${token}/accept`, { cookie: member.cookie })).status).toBe(200)
    return { owner, secret, acme, path, member }
  }
  const demand = (path: string, cookie: string, requireMfa: unknown = true) =>
    api("PATCH", path, { cookie, body: { requireMfa } })

  test("keeps members without one out until they set one up, and nobody else", async () => {
    const { owner, acme, path, member } = await required()
    const { cookie } = member
    const session = await api("POST", `${path}/session`, { cookie })
    const changed = await demand(path, owner.cookie)
    expect([changed.status, changed.body.requireMfa]).toEqual([200, true])
    const headers = { "x-workspace-id": acme.id }
    const bearer = session.body.sessionToken
    const attempts = [
      await api("GET", `${path}/members`, { cookie }),
      await api("POST", `${path}/session`, { cookie }),
      await api("GET", "/v1/events", { cookie, headers }),
      await api("GET", "/v1/events", { bearer }),
      await api("POST", `${path}/api-keys`, { cookie, body: { name: "mine" } }),
    ]
    for (const answer of attempts) expect(problemOf(answer)).toEqual([403, "mfa_required"])
    const mine = (await api("GET", "/v1/accounts/me", { cookie })).body.workspaces
    expect(mine.find(({ id }: Json) => id === acme.id)).toMatchObject({ requireMfa: true, role: "admin" })
    expect((await api("GET", `${path}/members`, { cookie: owner.cookie })).status).toBe(200)
    expect((await api("GET", "/v1/events", { key: acme.key })).status).toBe(200)
    await setUpTotp(server.url, member)
    expect((await api("GET", `${path}/members`, { cookie })).status).toBe(200)
    expect((await api("GET", "/v1/events", { bearer })).status).toBe(200)
    expect((await api("DELETE", `${MFA}/totp`, { cookie })).status).toBe(204)
    expect(problemOf(await api("GET", `${path}/members`, { cookie }))).toEqual([403, "mfa_required"])
    expect((await demand(path, owner.cookie, false)).body.requireMfa).toBe(false)
    expect((await api("GET", `${path}/members`, { cookie })).status).toBe(200)
  })

  test("is asked for by a member who has one, in a boolean", async () => {
    const { owner, path, member } = await required()
    expect(problemOf(await demand(path, member.cookie))).toEqual([403, "mfa_required"])
    const wrong = await demand(path, owner.cookie, "yes")
    expect([...problemOf(wrong), wrong.body.detail]).toEqual([
      400,
      "bad_request",
      expect.stringMatching(/^requireMfa: /),
    ])
    const stranger = await signup(server.url)
    expect(problemOf(await demand(path, stranger.cookie))).toEqual([404, "not_found"])
    expect((await api("GET", `${path}/members`, { cookie: member.cookie })).status).toBe(200)
  })

  test("closes a private event to a member's gateway token of before", async () => {
    const { owner, acme, path, member } = await required()
    const { cookie } = member
    const bearer = (await api("POST", `${path}/session`, { cookie })).body.sessionToken
    const body = { type: "webinar", title: "Board", visibility: "private", phases: [{ modality: "meeting" }] }
    const event = (await api("POST", "/v1/events", { key: acme.key, body })).body
    await api("POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    const token = () => api("POST", "/v1/auth/gateway-token", { bearer, body: { eventId: event.id } })
    expect((await token()).status).toBe(200)
    await demand(path, owner.cookie)
    expect(problemOf(await token())).toEqual([404, "not_found"])
    expect(problemOf(await api("GET", `/v1/public/events/${event.id}`, { cookie }))).toEqual([404, "not_found"])
  })
})
