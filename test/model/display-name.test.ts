import fc from "fast-check"
import { expect, test } from "vitest"
import { displayName, MAX_NAME_LENGTH } from "../../src/model/text/display-name.ts"

test("a name is shown on one line, without what cannot be seen, and cut", () => {
  for (const [given, shown] of [
    ["Ada Lovelace", "Ada Lovelace"],
    ["  Ada \t\n Lovelace\u2028", "Ada Lovelace"],
    ["Ada\u0000\u001b[2J", "Ada[2J"],
    ["evil\u202eadA", "eviladA"],
    ["👩‍🚀 می‌خواهم", "👩‍🚀 می‌خواهم"],
    ["", "Guest"],
    [" \u200b\u2066 ", "Guest"],
    ["x".repeat(300), "x".repeat(200)],
    [`${"x".repeat(199)}😀`, "x".repeat(199)],
    // Cut after its joiner.
    [`${"x".repeat(197)}👩‍🚀`, "x".repeat(197)],
  ] as const) {
    expect(displayName(given, "Guest")).toBe(shown)
  }
})

test("whatever is given becomes one well-formed line that is not empty, and stays as it is the second time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (given) => {
      const shown = displayName(given, "Guest")
      expect(shown.length).toBeGreaterThan(0)
      expect(shown.length).toBeLessThanOrEqual(MAX_NAME_LENGTH)
      expect(shown).not.toMatch(/[\p{Cc}\p{Cs}]/u)
      expect(displayName(shown, "Guest")).toBe(shown)
    }),
  )
})
