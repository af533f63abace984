/**
 * JSON from clients. Two JSON values cannot be stored as text: U+0000 (PostgreSQL has no such character) and half a surrogate
 * pair (UTF-8 cannot encode it). Deep nesting, the third refusal, overflows the stack of recursive code. All are refused where
 * a body is read, so that no other code meets them.
 */

/** Values nested deeper are not taken. */
export const MAX_JSON_DEPTH = 64

const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Text that is no JSON, or JSON that cannot be taken. */
export class UnreadableJson extends Error {
  override readonly name = "UnreadableJson"
}

/** Is the value nested no deeper than all other code can walk? */
export const isShallow = (value: unknown, depth = 0): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (depth === MAX_JSON_DEPTH) return false
  return Object.values(value).every((inner) => isShallow(inner, depth + 1))
}

/** Can every text in the value be stored? The value must be shallow. */
export const isStorable = (value: unknown): boolean => {
  if (typeof value === "string") return !UNSTORABLE.test(value)
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([key, inner]) => !UNSTORABLE.test(key) && isStorable(inner))
}

/** Throws `UnreadableJson`. */
export const parseJson = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnreadableJson("not valid JSON")
  }
  if (!isShallow(value)) throw new UnreadableJson(`nested deeper than ${MAX_JSON_DEPTH}`)
  // Only an escape can bring such a character into UTF-8, so a text without any is not walked.
  if (text.includes("\\u") && !isStorable(value)) {
    throw new UnreadableJson("holds U+0000 or half a surrogate pair, which no text may")
  }
  return value
}
