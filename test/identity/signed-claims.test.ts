/** Tokens that this server signs for itself, compared with another implementation of the same standard. */
import { createSecretKey, randomBytes } from "node:crypto"
import fc from "fast-check"
import { jwtVerify, SignJWT } from "jose"
import { expect, test } from "vitest"
import { signClaims, verifyClaims } from "../../src/identity/signed-claims.ts"

const NOW = 1_800_000_000
const bytes = randomBytes(32)
const key = createSecretKey(bytes)
const text = fc.string({ unit: "grapheme" })
const claims = fc.record({ name: text, nested: fc.record({ list: fc.array(text), none: fc.constant(null) }) })
const sign = (said: object, { aud = "here", exp = NOW + 1 } = {}): string => signClaims(key, said, { aud, exp })

test("jose reads the tokens that are signed here, and its tokens are read here", () =>
  fc.assert(
    fc.asyncProperty(claims, async (said) => {
      const ours = await jwtVerify(sign(said), bytes, { audience: "here", currentDate: new Date(NOW * 1000) })
      expect(ours).toEqual({ payload: { ...said, aud: "here", exp: NOW + 1 }, protectedHeader: { alg: "HS256" } })
      const theirs = new SignJWT(said)
        .setProtectedHeader({ alg: "HS256" })
        .setAudience("here")
        .setExpirationTime(NOW + 1)
      expect(verifyClaims(key, await theirs.sign(bytes), "here", NOW)).toEqual({ ...said, aud: "here", exp: NOW + 1 })
    }),
  ))

test("a token with any one character changed, taken out or put in is refused", () => {
  const token = sign({ name: "Ada" })
  const character = fc.constantFrom(..."ABab01-_=.+/ ")
  fc.assert(
    fc.property(fc.nat(token.length - 1), character, fc.nat(1), (at, other, taken) => {
      const changed = token.slice(0, at) + other + token.slice(at + taken)
      fc.pre(changed !== token)
      expect(verifyClaims(key, changed, "here", NOW)).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
  for (const cut of [token.slice(1), token.slice(0, -1), `${token}.`, `${token}=`, ""]) {
    expect(verifyClaims(key, cut, "here", NOW)).toBeUndefined()
  }
})

test("a token holds until its expiry and not in that second, for its audience, under its key", () => {
  const token = sign({}, { exp: NOW })
  expect(verifyClaims(key, token, "here", NOW - 1)).toEqual({ aud: "here", exp: NOW })
  expect(verifyClaims(key, token, "here", NOW)).toBeUndefined()
  expect(verifyClaims(key, token, "elsewhere", NOW - 1)).toBeUndefined()
  expect(verifyClaims(createSecretKey(randomBytes(32)), token, "here", NOW - 1)).toBeUndefined()
})

test.each([
  ["another algorithm", "HS512", {}],
  ["a further header", "HS256", { kid: "1" }],
  ["a type", "HS256", { typ: "JWT" }],
])("a token of the right key with %s is refused", async (_name, alg, header) => {
  const long = randomBytes(64)
  const token = await new SignJWT({})
    .setProtectedHeader({ alg, ...header })
    .setAudience("here")
    .setExpirationTime(NOW + 1)
    .sign(long)
  expect(verifyClaims(createSecretKey(long), token, "here", NOW)).toBeUndefined()
})

test.each([
  ["an audience", { exp: NOW + 1 }],
  ["an expiry", { aud: "here" }],
  ["a number for its expiry", { aud: "here", exp: "2100-01-01" }],
  ["one audience", { aud: ["here"], exp: NOW + 1 }],
])("a token of the right key without %s is refused", (_name, registered) => {
  const token = signClaims(key, {}, registered as { aud: string; exp: number })
  expect(verifyClaims(key, token, "here", NOW)).toBeUndefined()
})
