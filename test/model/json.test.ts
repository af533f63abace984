import { expect, test } from "vitest"
import { isShallow, isStorable, parseJson } from "../../src/model/json.ts"

test("deep nesting and text that cannot be stored are recognised wherever they stand", () => {
  const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)
  expect([isShallow(nested(64)), isShallow(nested(65))]).toEqual([true, false])
  expect(["é", "😀", { a: ["ok"] }].every(isStorable)).toBe(true)
  expect(["\u0000", "\ud83d", "\ude00", { "\u0000": 1 }, { a: ["x", "\udfff"] }].some(isStorable)).toBe(false)
})

test("an invalid body is refused with the reason", () => {
  expect(() => parseJson("{")).toThrow("not valid JSON")
  expect(() => parseJson("[".repeat(70) + "]".repeat(70))).toThrow("nested deeper than 64")
  expect(() => parseJson('{"a":"\\ud800"}')).toThrow("half a surrogate pair")
  expect(parseJson('{"a":"\\\\ud800 \\u00e9"}')).toEqual({ a: "\\ud800 é" })
})
