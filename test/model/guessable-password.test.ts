import fc from "fast-check"
import { expect, test } from "vitest"
import { isGuessable } from "../../src/model/text/guessable-password.ts"

test("passwords that everybody tries first, and one character again and again, are guessable", () => {
  for (const password of [
    "password",
    "12345678",
    "PASSWORD1",
    "TrustNo1",
    "qwertyuiop",
    "        ",
    " \t\n \u00a0\u3000   ",
    " \u200b\u200c\u2060\u2800\u3164\ufeff ",
    "aaaaaaaa",
    "ääääÄÄÄÄ",
    "a\u0308".repeat(8),
    "😀😀😀😀😀😀😀😀",
  ]) {
    expect(isGuessable(password), password).toBe(true)
  }
})

test("others are not", () => {
  for (const password of [
    "correct horse battery",
    "correct horse",
    "a newer horse battery",
    "пароль длинный",
    "aaaaaaab",
    "密码很长很长很长",
  ]) {
    expect(isGuessable(password), password).toBe(false)
  }
})

test("one character again and again is guessable in any script and case, and how it is written changes nothing", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
      fc.integer({ min: 8, max: 50 }),
      (one, n) => {
        expect(isGuessable(one.repeat(n))).toBe(true)
      },
    ),
  )
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 30 }), (password) => {
      expect(isGuessable(password.toUpperCase())).toBe(isGuessable(password.toLowerCase()))
    }),
  )
})
