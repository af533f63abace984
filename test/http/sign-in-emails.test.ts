/** Emails about changes of how an account signs in. */
import { expect, test } from "vitest"
import { type Account, call, type Json, PASSWORD, signup, tokenIn } from "../support/api.ts"
import { Authenticator } from "../support/authenticator.ts"
import { setUpTotp } from "../support/second-factor.ts"
import { startTestServer } from "../support/server.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer(() => startTestServer({ PUBLIC_URL: "https://events.example.com" }))

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
