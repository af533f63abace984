/** A password is the same however a keyboard composes its letters and blanks; hashes of before are of what was typed. */
import { randomUUID } from "node:crypto"
import argon2 from "argon2"
import { expect, test } from "vitest"
import { call } from "../support/api.ts"
import { sharedRows, sharedServer } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)

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
