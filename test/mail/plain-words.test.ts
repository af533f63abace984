import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { plainWords } from "../../src/mail/plain-words.ts"

describe("text of users in a letter", () => {
  test.each([
    ["Launch day", "Launch day"],
    ["Talks, e.g. on U.S. law, v1.2 & more", "Talks, e.g. on U.S. law, v1.2 & more"],
    ["Node.js meetup", "Node js meetup"],
    ["URGENT: go to https://evil.example/login now", "URGENT: go to … now"],
    ["see www.evil.example/x now", "see … now"],
    ["see WWW.1.2.3.4 now", "see … now"],
    ["see evil.example/login now", "see evil example/login now"],
    ["evil。example or evil．example", "evil example or evil example"],
    ["write to me@evil.co.uk", "write to me@evil co uk"],
    ["ev\u200bil.exa\u00admple", "evil example"],
    ["h\u200bttps:/\u2060/evil.example", "…"],
    ["two\r\nlines\u2028three\u0000four", "two lines three four"],
    ["\u202e\u200b", "nothing"],
    ["  ", "nothing"],
  ])("%j is %j", (text, shown) => {
    expect(plainWords(text, "nothing")).toBe(shown)
  })

  test("is cut, and never in the middle of a character", () => {
    expect(plainWords("x".repeat(400), "")).toHaveLength(300)
    expect(plainWords(`${"x".repeat(8)}😀yz`, "", 10)).toBe(`${"x".repeat(8)}…`)
  })

  test("holds no address whatever it is made of", () => {
    const piece = fc.constantFrom(
      "https",
      ":",
      "//",
      "://",
      "www",
      ".",
      "evil",
      "com",
      " ",
      "\u200b",
      "\n",
      "@",
      "/",
      "1",
      "。",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const shown = plainWords(pieces.join(""), "nothing")
        expect(shown).not.toMatch(/:\/\/|www\.|\S[.。]\p{L}\p{L}|[\p{Cc}\p{Cf}]/iu)
      }),
      { numRuns: 2000 },
    )
  })
})
