/** A password that is reset or changed while something is done with the old one. */
import { describe, expect, test } from "vitest"
import { type Account, PASSWORD, signup, tokenIn } from "../support/api.ts"
import { whileHolding } from "../support/race.ts"
import { apiOf, sharedServer } from "../support/shared.ts"

const NEW_PASSWORD = "another correct horse"

const server = sharedServer()

const api = apiOf(server)
const login = ({ email }: Account, password: string) => api("POST", "/v1/accounts/login", { body: { email, password } })
const CHANGED_PASSWORD = "the thief's own choice"
const change = ({ cookie }: Account, password = CHANGED_PASSWORD) =>
  api("POST", "/v1/accounts/password", { cookie, body: { currentPassword: PASSWORD, password } })
const resetToken = async ({ email }: Account): Promise<string> => {
  const { resetUrl } = (await api("POST", "/v1/accounts/request-password-reset", { body: { email } })).body
  return tokenIn(resetUrl)
}
const reset = (token: string) => api("POST", "/v1/accounts/reset-password", { body: { token, password: NEW_PASSWORD } })

/** Does the act with the account's credentials changed, and not committed, until the act waits for them. */
const whileChanging = <A>({ id }: Account, act: () => Promise<A>): Promise<A> => {
  const change = "update accounts set credentials_version = credentials_version + 1 where id = $1"
  return whileHolding(server.databaseUrl, [[change, [id]]], act)
}

describe("credentials that change while they are used", () => {
  test("give a login under way no session", async () => {
    const account = await signup(server.url)
    const answer = await whileChanging(account, () => login(account, PASSWORD))
    expect([answer.status, answer.body.code, answer.headers.get("set-cookie")]).toEqual([401, "unauthorized", null])
    expect((await login(account, PASSWORD)).status).toBe(200)
  })

  test("let a change of the password under way change nothing", async () => {
    const account = await signup(server.url)
    const answer = await whileChanging(account, () => change(account))
    expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    expect((await login(account, PASSWORD)).status).toBe(200)
  })
})

test("of a reset and a change at the same moment one wins, and the other is refused or comes last", async () => {
  for (let round = 0; round < 8; round++) {
    const account = await signup(server.url)
    const token = await resetToken(account)
    const [resetting, changing] = await Promise.all([reset(token), change(account)])
    // 400: a change of the password ends the links that were asked for before it.
    expect([200, 400]).toContain(resetting.status)
    // 401: its session has ended; 403: that was still open when it was looked up, and its password is not the present one any more.
    expect([200, 401, 403]).toContain(changing.status)
    expect([resetting.status, changing.status]).toContain(200)
    const isReset = resetting.status === 200
    const { status } = await api("GET", "/v1/accounts/me", { cookie: account.cookie })
    const password = isReset ? NEW_PASSWORD : CHANGED_PASSWORD
    expect([(await login(account, password)).status, status]).toEqual([200, isReset ? 401 : 200])
  }
})

test("a change of the password ends reset links that were asked for before, and so does whoever signs out another login", async () => {
  const account = await signup(server.url)
  const token = await resetToken(account)
  expect((await change(account, PASSWORD)).status).toBe(200)
  expect((await reset(token)).body.code).toBe("invalid_token")
  const again = await resetToken(account)
  const other = { email: account.email, password: PASSWORD }
  await api("POST", "/v1/accounts/login", { body: other })
  const { sessions } = (await api("GET", "/v1/accounts/sessions", { cookie: account.cookie })).body
  const { id } = sessions.find(({ current }: { current: boolean }) => !current)
  expect((await api("DELETE", `/v1/accounts/sessions/${id}`, { cookie: account.cookie })).status).toBe(204)
  expect((await reset(again)).body.code).toBe("invalid_token")
  expect((await login(account, PASSWORD)).status).toBe(200)
})
