/** Codes of authenticator apps against the values of RFC 6238, appendix B, in six digits. */
import { expect, test } from "vitest"
import { newRecoveryCodes, newTotpSecret, stepOf, totpUri } from "../../src/identity/accounts/totp.ts"
import { typedCode } from "../../src/model/text/compared.ts"

/** "12345678901234567890" in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

test.each([
  [59, "287082", 1],
  [1_111_111_109, "081804", 37_037_036],
  [1_111_111_111, "050471", 37_037_037],
  [1_234_567_890, "005924", 41_152_263],
  [2_000_000_000, "279037", 66_666_666],
])("at second %i the code is %s", (second, code, step) => {
  expect(stepOf(SECRET, code, second * 1000)).toBe(step)
})

test("a code counts in the thirty seconds before and after its own, and no longer", () => {
  // The code of the seconds 30 to 59.
  const at = (second: number) => stepOf(SECRET, "287082", second * 1000)
  expect([at(0), at(29), at(60), at(89)]).toEqual([1, 1, 1, 1])
  expect([at(90), at(120)]).toEqual([undefined, undefined])
  expect(stepOf(SECRET, "287083", 59_000)).toBe(undefined)
})

test("a secret has 160 bits and is in the address that programs read", () => {
  const secret = newTotpSecret()
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(newTotpSecret()).not.toBe(secret)
  expect(totpUri(SECRET, "ada@example.com")).toBe(
    `otpauth://totp/Gathercue:ada%40example.com?issuer=Gathercue&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
  )
})

test("recovery codes are ten, all different, and may be typed in any form", () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^(?:[a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/)
  expect(typedCode(" ABCD-efgh ２３４５ー6789")).toBe("abcdefgh23456789")
})
