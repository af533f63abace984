/** The forms in which texts are compared, over texts that strangers send. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseJoinCode } from "../../src/model/join-code.ts"
import { byCodeUnits, lookOf, lowerAscii, searchForm, slugOf, typedCode } from "../../src/model/text/compared.ts"
import { domainOfEmail, foldEmail, isEmail } from "../../src/model/text/email.ts"

describe("texts that look the same have one look, and others have another", () => {
  test("by what is seen", () => {
    for (const [one, other] of [
      ["Yes", "Yes "],
      ["Yes", "\u200bYes"],
      ["Yes", "Y\u00ades"],
      ["caf\u00e9", "cafe\u0301"],
      ["two words", "two \u00a0\n words"],
      ["한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"],
    ] as const) {
      expect(lookOf(other)).toBe(lookOf(one))
    }
  })

  test("not by what one may mean", () => {
    for (const [one, other] of [
      ["kg", "Kg"],
      ["x2", "x²"],
      ["1", "１"],
      ["👩‍💻", "👩💻"],
      ["ß", "ss"],
      ["می‌خواهم", "میخواهم"],
    ] as const) {
      expect(lookOf(other)).not.toBe(lookOf(one))
    }
  })
})

test("a search finds texts in other forms", () => {
  for (const [wanted, text] of [
    ["JOSÉ", "jose\u0301"],
    ["Ｔｏｋｙｏ", "tokyo"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ﬁne", "FINE"],
    ["㎏", "kg"],
    ["Привет", "ПРИВЕТ"],
    ["İbrahim", "ibrahim"],
    ["İBRAHİM", "i\u0307brahim"],
  ] as const) {
    expect(searchForm(text)).toBe(searchForm(wanted))
  }
})

test("a join code is read however it is typed", () => {
  for (const typed of [
    "K7MPX4",
    "k7m px4",
    "Ｋ７ＭＰＸ４",
    "ｋ７ｍーｐｘ４",
    "K7M–PX4",
    "K7M−PX4",
    "K7M‐PX4",
    "K7M　PX4",
    "K7M\u200bPX4",
  ]) {
    expect(parseJoinCode(typed), typed).toBe("K7MPX4")
  }
})

test.each([
  [
    "xn--bcher-kva.example",
    "jörg@bücher.example",
    "JÖRG@BÜCHER.example",
    "jo\u0308rg@bu\u0308cher.example",
    "jörg@xn--bcher-kva.example",
  ],
  ["xn--fsqu00a.xn--55qx5d", "用户@例子.公司", "用户@xn--fsqu00a.xn--55qx5d", "用户@例子。公司"],
  ["xn--strae-oqa.example", "a@straße.example", "a@xn--strae-oqa.example", "A@STRAßE.example"],
  ["example.com", "a@example.com", "A@EXAMPLE.com", " a@example.com\n"],
])("an address is one, however it is written, and its domain is %s", (domain, ...spellings) => {
  expect(new Set(spellings.map(foldEmail))).toEqual(new Set([spellings[0]]))
  expect(new Set(spellings.map((one) => domainOfEmail(foldEmail(one))))).toEqual(new Set([domain]))
})

test("a domain in ASCII hides no letters of another script", () => {
  // "аpple" with a Cyrillic first letter.
  expect(isEmail("a@xn--pple-43d.example")).toBe(false)
  expect(isEmail("a@xn--\u0430.example")).toBe(false)
})

test("ids and words of protocols are folded in ASCII alone", () => {
  expect(lowerAscii("ÄBCİ\u212a")).toBe("Äbcİ\u212a")
  expect(["b", "a", "B", "ä", "a"].toSorted(byCodeUnits)).toEqual(["B", "a", "a", "b", "ä"])
})

test("a slug has ASCII alone, and is short", () => {
  for (const [name, slug] of [
    ["Café & Crème", "cafe-creme"],
    ["  --", ""],
    ["東京", ""],
    [`${"a".repeat(39)} b`, "a".repeat(39)],
  ] as const) {
    expect(slugOf(name)).toBe(slug)
  }
})

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }))

test("a form of a form is the form, and no text of any length or category breaks one", () => {
  const hostile = [
    "",
    "\0",
    "\ud800",
    "a\udc00b",
    "😀".repeat(1024),
    "x".repeat(1024),
    "\u202e",
    "\u0378",
    "\u{10ffff}",
  ]
  for (const form of [lookOf, searchForm, typedCode, slugOf, foldEmail, lowerAscii]) {
    for (const text of hostile) expect(form(form(text))).toBe(form(text))
    fc.assert(fc.property(anyText, (text) => form(form(text)) === form(text)))
  }
})
