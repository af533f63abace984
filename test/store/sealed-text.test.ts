import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { openSealed, openText, SealBroken, sealText } from "../../src/store/sealing/sealed-text.ts"
import { newSigningSecret } from "../../src/store/webhooks/webhook-registration.ts"

const key = [randomBytes(32)] as const

test("a secret is whsec_ and the base64 of 32 bytes, new each time", () => {
  expect(newSigningSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSigningSecret()).not.toBe(newSigningSecret())
})

test("a sealed text opens to the same secret, and no two seals are alike", () => {
  const secret = newSigningSecret()
  const sealed = sealText(key, "endpoint", secret)
  expect(openText(key, "endpoint", sealed)).toBe(secret)
  expect(Buffer.from(sealed).includes(secret.slice(6))).toBe(false)
  expect(Buffer.from(sealText(key, "endpoint", secret)).equals(Buffer.from(sealed))).toBe(false)
})

test("it opens with no other key, for no other endpoint, and not when a bit has changed", () => {
  const sealed = Buffer.from(sealText(key, "endpoint", newSigningSecret()))
  expect(() => openText([randomBytes(32)], "endpoint", sealed)).toThrow(SealBroken)
  expect(() => openText(key, "another", sealed)).toThrow(SealBroken)
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(() => openText(key, "endpoint", changed)).toThrow(SealBroken)
  }
  expect(() => openText(key, "endpoint", sealed.subarray(0, 29))).toThrow(SealBroken)
})

test("the newest key seals, and the older ones open what they sealed", () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const before = sealText([older], "endpoint", "secret")
  const after = sealText([newer, older], "endpoint", "secret")
  expect(openSealed([newer, older], "endpoint", before)).toEqual({ text: "secret", key: 1 })
  expect(openSealed([newer, older], "endpoint", after)).toEqual({ text: "secret", key: 0 })
  expect(openText([newer], "endpoint", after)).toBe("secret")
  expect(() => openText([older], "endpoint", after)).toThrow(SealBroken)
})
