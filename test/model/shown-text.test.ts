import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isVisible, membersText, withoutUnseen } from "../../src/model/text/shown-text.ts"

const UNSEEN = [
  ..."\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e",
  ..."\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206f\u3164\ufe00\ufe0e\ufe0f\ufeff\uffa0\ufff9\ufffa\ufffb",
  ..."\u0000\u0007\u001b\u007f\u0085\u{1d173}\u{e0001}\u{e0020}\u{e0067}\u{e007f}\u{e0100}",
]

describe("invisible characters are removed", () => {
  test("in the middle of words and at their ends", () => {
    for (const [given, shown] of [
      ["evil\u202ecod.exe", "evilcod.exe"],
      ["\u2066a\u2067b\u2068c\u2069\u202ad\u202be\u202cf\u202dg\u202eh", "abcdefgh"],
      ["ad\u200bmin", "admin"],
      ["ad\u200cmin", "admin"],
      ["ad\u200dmin\u200d", "admin"],
      ["soft\u00adhyphen", "softhyphen"],
      ["\ufeffBOM", "BOM"],
      ["a\ufe0fb\u{e0100}", "ab"],
      ["tags\u{e0061}\u{e0062}\u{e007f}", "tags"],
      ["🏴\u{e0067}\u{e0062}", "🏴"],
      ["\u3164\uffa0", ""],
      ["\u200d\u200c", ""],
      ["سلام\u200c", "سلام"],
      ["س\u200c\u200cل", "سل"],
      ["😀\u200d", "😀"],
      ["\u200d😀", "😀"],
      ["a\u200d😀", "a😀"],
      ["\u001b[31mred\u0007", "[31mred"],
    ] as const) {
      expect(withoutUnseen(given)).toBe(shown)
    }
  })

  test("wherever it stands in text of letters", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...UNSEEN, "a", "B", "é", "ß", " ", "\n", "я", "中")), (parts) => {
        const seen = parts.filter((part) => !UNSEEN.includes(part)).join("")
        // An ideograph may have a variant; what stands behind it is the one thing that may stay.
        if (!parts.includes("中")) expect(withoutUnseen(parts.join(""))).toBe(seen)
        else expect(withoutUnseen(parts.join("")).replace(/[\ufe00-\ufe0f\u{e0100}]/gu, "")).toBe(seen)
      }),
    )
  })
})

/** Ordinary text, some of which needs a joiner or a selector to look as it should. */
const ORDINARY = [
  "Ada Lovelace, née Byron — “Enchantress of Numbers”",
  "line one\n\tline two\r\n",
  "Łódź, Škoda, Ångström, İstanbul, Việt Nam, e\u0301",
  "Привет, Ελλάδα, שָׁלוֹם עֲלֵיכֶם, Հայաստան, საქართველო",
  "مرحبا بالعالم، كَيْفَ حَالُك؟",
  "می\u200cخواهم نامه\u200cای بنویسم",
  "۱۴۰۰ ه\u200d",
  "नमस्ते, क्\u200dष, क्\u200cष, श्री",
  "বাংলা র\u200d্য, অবন্\u200d",
  "ශ්\u200dරී ලංකාව",
  "അവന്\u200d, മലയാളം",
  "ಕನ್ನಡ ರ\u200d್ಯ, తెలుగు, தமிழ், ગુજરાતી, ਪੰਜਾਬੀ, ଓଡ଼ିଆ",
  "ไทย, ລາວ, မြန်မာ, ខ្មែរ, བོད་ཡིག",
  "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ᠎ᠡ ᠠ\u180b",
  "中文, 日本語, 葛\u{e0100}飾区, 한국어, ㅋㅋㅋ, 𠮷野家",
  "አማርኛ, ᏣᎳᎩ, ߒߞߏ, 𞤀𞤁𞤂𞤢𞤥",
  "x² ≤ y ∩\ufe00 z, ½, €5, №1, ©\ufe0f",
]
const EMOJI = [
  "😀 👍🏽 ❤️ ☎︎ ✈️ 1️⃣ #️⃣ *️⃣ ™️",
  "👩‍🚀 👨‍👩‍👧‍👦 🧑🏽‍💻 👩🏻‍❤️‍💋‍👨🏿 🏳️‍🌈 🏴‍☠️ 🐻‍❄️ 🤷🏼‍♀️ 🧑‍🧑‍🧒 ❤️‍🔥 👁️‍🗨️ 🙂‍↔️",
  "🇩🇪🇫🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
]

test("members keep marks of direction and soft hyphens; what turns text around is removed from theirs too", () => {
  const kept = "\u200f\u05e9\u05dc\u05d5\u05dd\u200e (Java\u00adScript) \u061c"
  expect([membersText(kept), withoutUnseen(kept)]).toEqual([kept, kept.replace(/[\u00ad\u061c\u200e\u200f]/gu, "")])
  const removed = UNSEEN.filter((one) => !/[\u00ad\u061c\u200e\u200f]/u.test(one))
  for (const one of removed) expect(membersText(`a${one}b`)).toBe("ab")
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(membersText(membersText(text))).toBe(membersText(text))
      expect(withoutUnseen(membersText(text))).toBe(withoutUnseen(text))
    }),
  )
})

describe("visible characters stay", () => {
  test("in texts of many scripts", () => {
    for (const text of [...ORDINARY, ...EMOJI]) expect(withoutUnseen(text)).toBe(text)
  })

  test("also in any order, each by itself", () => {
    const words = [...ORDINARY, ...EMOJI].flatMap((text) => text.split(/ /))
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words)), (chosen) => {
        const text = chosen.join(" ")
        expect(withoutUnseen(text)).toBe(text)
      }),
    )
  })
})

test("the second time changes nothing, nothing is added, and the rest keeps its order", () => {
  const pieces = [...UNSEEN, ...[...ORDINARY, ...EMOJI].flatMap((text) => [...text])]
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(...UNSEEN), fc.string({ unit: "binary" }))),
      (parts) => {
        const given = parts.join("")
        const shown = withoutUnseen(given)
        expect(withoutUnseen(shown)).toBe(shown)
        expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u)
        const rest = [...given][Symbol.iterator]()
        for (const character of shown) {
          let next = rest.next()
          while (next.done !== true && next.value !== character) next = rest.next()
          expect(next.done).not.toBe(true)
        }
        expect(isVisible(given)).toBe(isVisible(shown))
      },
    ),
    { numRuns: 1000 },
  )
})

test("nothing can be seen of spaces and invisible characters alone", () => {
  for (const text of ["", " ", "\n", "\u200b\u2066", "\u3164", "\u2800", "\u202e \u200d"]) {
    expect(isVisible(text), JSON.stringify(text)).toBe(false)
  }
})
