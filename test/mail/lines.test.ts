import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { membersLine, strangersLine } from "../../src/mail/lines.ts"

/** Texts of all kinds that an email has to leave as they are. */
const WRITTEN = [
  "Launch day",
  "Talks, e.g. on U.S. law, v1.2 & more",
  "Node.js meetup, ASP.NET and Vue.js",
  "St.Gallen meets",
  "https://events.example/launch",
  "👨‍👩‍👧 Family day",
  "🏴󠁧󠁢󠁳󠁣󠁴󠁿 Scotland meets",
  "می‌خواهم یاد بگیرم",
  "क्‍ष class",
  "שלום (עולם)",
  "𠮷野家",
  "第１回　勉強会",
  "Bonjour\u00a0! C’est «\u202fici\u202f»",
  "two  blanks",
  "x".repeat(300),
]

describe("text of a member", () => {
  test.each(WRITTEN)("%j stays as it is", (text) => {
    expect(membersLine(text, "nothing")).toBe(text)
  })

  test.each([
    ["two\r\nlines\u2028three\u0000four", "two lines three four"],
    ["  around  ", "around"],
    ["\u202e\u200b", "nothing"],
    ["\ud800", "nothing"],
    ["  ", "nothing"],
    ["", "nothing"],
  ])("%j is %j, on one line", (text, shown) => {
    expect(membersLine(text, "nothing")).toBe(shown)
  })

  test.each(["👨‍👩‍👧", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🇫🇷", "e\u0301", "\u1112\u1161\u11ab"])("is cut before %j, and not within", (letter) => {
    for (let most = 4; most < 3 + letter.length; most++) expect(membersLine(`xx${letter}y`, "", most)).toBe("xx…")
    expect(membersLine(`xx${letter}yz`, "", 3 + letter.length)).toBe(`xx${letter}…`)
  })

  test("is cut, and never in the middle of a character", () => {
    expect(membersLine("x".repeat(1024), "")).toBe(`${"x".repeat(299)}…`)
    expect(membersLine(`${"x".repeat(8)}😀yz`, "", 10)).toBe(`${"x".repeat(8)}…`)
  })
})

describe("text of a stranger", () => {
  test.each([
    ["Ada Lovelace", "Ada Lovelace"],
    ["J. R. R. Tolkien", "J. R. R. Tolkien"],
    ["see evil.example/login", "see evil.\u2060example/\u2060login"],
    ["https://1.2.3.4 now", "https:\u2060/\u2060/\u20601.\u20602.\u20603.\u20604 now"],
    ["me@evil.co.uk", "me@\u2060evil.\u2060co.\u2060uk"],
    ["evil。example or evil．example", "evil。\u2060example or evil．\u2060example"],
    ["h\u200bttps:/\u2060/ev\u00adil", "https:\u2060/\u2060/\u2060evil"],
    ["\u202e\u200b", "nothing"],
  ])("%j is %j", (text, shown) => {
    expect(strangersLine(text, "nothing")).toBe(shown)
  })

  test.each(WRITTEN)("%j reads as it was typed", (text) => {
    expect(strangersLine(text, "nothing").replaceAll("\u2060", "")).toBe(text)
  })

  test("has a word joiner behind all that could join the parts of an address", () => {
    const piece = fc.constantFrom(...["https", ":", "//", "www", ".", "evil", " ", "\u200b", "\n", "@", "1", "。"])
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        expect(strangersLine(pieces.join(""), "nothing")).not.toMatch(/\S[.。:/@][^\s\u2060]/u)
      }),
      { numRuns: 1000 },
    )
  })
})
